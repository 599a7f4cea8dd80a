// Numbers and words as people read them.
import { straight } from './sentence.ts'

/** With a real minus sign and a plus, so that columns of changes line up. */
export function signed(value: number, digits = 0): string {
  const figures = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  const text = Math.abs(value).toLocaleString('en', figures)
  if (!/[1-9]/.test(text)) return `±${text}`
  return value > 0 ? `+${text}` : `−${text}`
}

export function count(value: number): string {
  return value.toLocaleString('en')
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

/** A percentage to one place; of many, few are not said to be none, nor nearly all to be all. */
export function sayPercent(percent: number, part: number, whole: number): string {
  const words = percent.toFixed(1)
  if (words === '0.0' && part > 0) return '< 0.1 %'
  if (words === '100.0' && part < whole) return '> 99.9 %'
  return `${words} %`
}

/** What was never given still needs something to point at. */
export const departmentName = (department: string): string =>
  straight(department) || 'No department'
