// What the browser loads is the same for everybody, so nothing of anybody may be in it.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { COMPANY, hirePeople } from '../demo/company.ts'
import { createRandom } from '../demo/random.ts'
import { buildDashboard } from './build-dashboard.ts'
import { SOURCES } from './dashboard-folder.ts'

test('no file of the dashboard names a person, a company or a credential; its addresses are examples', async () => {
  expect(await buildDashboard(() => {})).toBeNull()
  const build = new URL('dist/', SOURCES)
  const names = readdirSync(build, { recursive: true, encoding: 'utf8' })
  const files = names.filter(name => /\.(?:js|css|html|svg)$/.test(name))
  expect(files.filter(name => name.endsWith('.js')).length).toBeGreaterThan(20)
  const text = files.map(name => readFileSync(new URL(name, build), 'utf8')).join('\n')
  const people = hirePeople(createRandom(1))
  const canaries = [COMPANY, ...people.flatMap(one => [one.email, one.email.split('@')[1]!])]
  expect(canaries.filter(canary => text.includes(canary))).toEqual([])
  const addresses = text.match(/[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}/g) ?? []
  expect(addresses.filter(one => !/@(?:[\w-]+\.)*example(?:\.com)?$/.test(one))).toEqual([])
  expect(text).not.toMatch(/bw_live_[0-9a-z]{10}|whsec_[\w+/]{20}|postgres:\/\/\w+:/)
})
