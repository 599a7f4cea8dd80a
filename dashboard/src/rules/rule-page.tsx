// Being written by a colleague at this moment: do not touch. (Employees pages are yours.)
export function RulePage() {
  return null
}
