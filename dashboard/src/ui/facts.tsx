// Facts about one thing, each with its name; texts of others read as their letters are written.
import type { ReactNode } from 'react'
import './code-block.css'
import { straight } from './sentence.ts'

export function Facts({ facts }: { facts: readonly [name: string, value: ReactNode][] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <FactRow key={name} name={name} value={value} />
      ))}
    </dl>
  )
}

function FactRow({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <dt>{straight(name)}</dt>
      <dd>{typeof value === 'string' ? straight(value) : value}</dd>
    </>
  )
}
