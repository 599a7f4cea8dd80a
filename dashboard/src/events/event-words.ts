// What the sender of an event said of it, in one line. Pure.
import { apart } from '../ui/sentence.ts'

export function sayDetails(details: Record<string, unknown>): string {
  const { description, reason, campaign, course, severity } = details
  const [told, grade] = [description ?? reason ?? campaign ?? course, severity].map(one =>
    typeof one === 'string' ? apart(one) : '',
  )
  return [told, grade && `severity ${grade}`].filter(Boolean).join(' · ')
}
