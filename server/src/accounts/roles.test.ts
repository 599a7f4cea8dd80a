// What roles hold, one against the other.
import { expect, test } from 'vitest'
import { SCOPE_NAMES } from '../tenants/scopes.ts'
import { permissionsOf, ROLE_NAMES, scopesOf } from './roles.ts'

test('each role holds what the one below holds, and only owners manage people', () => {
  const order = [...ROLE_NAMES].reverse()
  for (let i = 1; i < order.length; i++) {
    const [less, more] = [scopesOf(order[i - 1]!), scopesOf(order[i]!)]
    for (const scope of less) expect(more.has(scope), `${order[i]} ${scope}`).toBe(true)
  }
  expect([...scopesOf('owner')]).toEqual(SCOPE_NAMES)
  expect(ROLE_NAMES.filter(role => permissionsOf(role).has('users:manage'))).toEqual(['owner'])
  expect([...scopesOf('viewer')].every(scope => scope.endsWith(':read'))).toBe(true)
})
