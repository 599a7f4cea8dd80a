// What can be chosen in the audit log is what the service writes there.
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { AUDIT_ACTIONS } from '../dashboard/src/audit/audit-actions.ts'

const SERVER = new URL('../server/src', import.meta.url).pathname

test('every action that the service names in an entry can be chosen', () => {
  const files = globSync(`${SERVER}/**/*.ts`).filter(file => !/\.(?:test|fixture)\.ts$/.test(file))
  const named = files.flatMap(file =>
    [...readFileSync(file, 'utf8').matchAll(/\baction: '([a-z_]+\.[a-z_]+)'/g)].map(one => one[1]),
  )
  expect(named.length).toBeGreaterThan(40)
  expect(named.filter(action => !AUDIT_ACTIONS.includes(action!))).toEqual([])
})

test('they stand in their order, each once', () => {
  expect(AUDIT_ACTIONS).toEqual([...new Set(AUDIT_ACTIONS)].sort())
})
