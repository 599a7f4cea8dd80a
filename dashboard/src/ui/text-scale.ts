// Drawings are measured in pixels of text of the usual size, and grow with the text where somebody has set it larger.
const USUAL = 16

export const toRem = (length: number): string => `${length / USUAL}rem`

/** How much larger than usual text is in this browser. */
export const textScale = (): number =>
  Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL
