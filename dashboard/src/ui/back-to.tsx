// The way back from a page to the list it belongs to.
import { Link } from '@tanstack/react-router'

const LISTS = {
  '/employees': 'Employees',
  '/events': 'Events',
  '/rules': 'Rules',
  '/webhooks': 'Webhooks',
} as const

export function BackTo({ list }: { list: keyof typeof LISTS }) {
  return (
    <Link to={list} className="small-link">
      {`← ${LISTS[list]}`}
    </Link>
  )
}
