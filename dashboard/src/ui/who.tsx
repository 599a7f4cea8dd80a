// A person in a list of something else: by name where there is one, by address where there is none.
import { Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { nameIn, type Seen, sayAddress } from '../employees/names.ts'
import type { Names } from './use-names.ts'

type Props = { of: Seen; names: Names }

export function Who({ of, names }: Props) {
  return nameIn(names, of) ?? <Skeleton component="span" display="inline-block" h="0.8em" w={110} />
}

/** The same in a column of its own, leading to the person. */
export function WhoLink({ of, names }: Props) {
  return (
    <Link
      to="/employees/$id"
      params={{ id: of.employee_id }}
      className="plain-link one-line"
      dir="auto"
      title={sayAddress(of.employee_email)}
    >
      <Who of={of} names={names} />
    </Link>
  )
}

/** Where there is room for the address too, below the name; it stands there while the name is looked up. */
export function AddressUnder({ of, names }: Props) {
  if (names.get(of.employee_id) !== nameIn(names, of)) return null
  return <div className="under">{sayAddress(of.employee_email)}</div>
}
