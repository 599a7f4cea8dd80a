// The form in which texts are compared without case: lower case, with one form for each letter. Pure.

/** At the end of a word the Greek sigma has a form of its own, which its capital has not: so neither is told apart. */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ')
}
