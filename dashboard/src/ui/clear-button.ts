// The small cross that empties a choice. Mantine hides it from screen readers; voices and fingers need it too.
export const clearButton = (what: string) => ({
  'aria-label': `Clear ${what.toLowerCase()}`,
  'aria-hidden': false,
})
