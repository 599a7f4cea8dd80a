// What we are made of is listed in full, comes by hash, and known weaknesses have a deadline.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { DEADLINES, findOverdue, noteSeen, readAdvisories } from './advisories.ts'
import { judgeLock, type Lock, listComponents, nameOf, printSbom } from './sbom.ts'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const lock = JSON.parse(read('../package-lock.json')) as Lock

test('the bill of materials lists every package of the lock file, and the libraries inside the embedded PostgreSQL', () => {
  const names = new Set(listComponents(lock).map(({ name }) => name))
  const locked = Object.keys(lock.packages).filter(place => place.includes('node_modules/'))
  expect(locked.length).toBeGreaterThan(200)
  expect(locked.map(nameOf).filter(name => !names.has(name))).toEqual([])
  for (const name of ['fastify', 'postgres', 'postgresql', 'openssl', 'icu'])
    expect(names).toContain(name)
})

test('whoever reads only its beginning sees no stack', () => {
  const script = fileURLToPath(new URL('print-sbom.ts', import.meta.url))
  const command = `"${process.execPath}" "${script}" | head -c 1`
  const { stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
  expect([stdout, stderr]).toEqual(['{', 'sbom: the output could not be written (EPIPE)\n'])
})

test('is CycloneDX, with hashes, and the same bytes each time', () => {
  const text = printSbom(lock, { name: 'bellwether', version: '0.1.0' })
  expect(printSbom(lock, { name: 'bellwether', version: '0.1.0' })).toBe(text)
  const { bomFormat, specVersion, components } = JSON.parse(text)
  expect([bomFormat, specVersion]).toEqual(['CycloneDX', '1.6'])
  const fastify = components.find((one: { name: string }) => one.name === 'fastify')
  expect(fastify).toMatchObject({
    purl: expect.stringMatching(/^pkg:npm\/fastify@5\./),
    scope: 'required',
  })
  expect(fastify.hashes[0].content).toMatch(/^[0-9a-f]{128}$/)
})

test('every package comes by hash, none from elsewhere than a registry, and none runs a script when installed', () => {
  expect(judgeLock(lock)).toEqual([])
  expect(read('../.npmrc')).toContain('ignore-scripts=true')
  const bad = {
    packages: {
      'node_modules/a': { resolved: 'git+ssh://git@example.com/a.git', integrity: 'sha512-x' },
      'node_modules/b': { resolved: 'https://registry.example/b.tgz' },
      'node_modules/c': { resolved: 'http://registry.example/c.tgz', integrity: 'sha512-x' },
    },
  }
  expect(judgeLock(bad)).toHaveLength(3)
})

test('an advisory past its deadline is named, and no network is no failure', () => {
  expect(readAdvisories('')).toBeNull()
  expect(readAdvisories('{"error":{"code":"ENOTFOUND"}}')).toBeNull()
  const report = { vulnerabilities: { a: { severity: 'high', via: [{ title: 'bad' }] } } }
  const advisories = readAdvisories(JSON.stringify(report))!
  expect(advisories).toEqual([{ name: 'a', severity: 'high', title: 'bad' }])
  const seen = noteSeen(advisories, {}, '2026-03-01')
  expect(noteSeen(advisories, seen, '2026-03-05')).toEqual({ 'a: bad': '2026-03-01' })
  expect(findOverdue(advisories, seen, '2026-03-08')).toEqual([])
  expect(findOverdue(advisories, seen, '2026-03-09')).toEqual(advisories)
  expect(noteSeen([], seen, '2026-03-09')).toEqual({})
  expect(DEADLINES).toMatchObject({ critical: 2, high: 7 })
})
