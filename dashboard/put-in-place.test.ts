// Several builds that end at the same time: each puts its own in place whole, none fails.
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const run = promisify(execFile)

/** Makes a folder of ten files and puts it in place, again and again. */
const PROGRAM = `
  import { mkdirSync, writeFileSync } from 'node:fs'
  import { putInPlace } from ${JSON.stringify(new URL('./put-in-place.ts', import.meta.url).href)}
  const root = process.argv[1]
  for (let i = 0; i < 100; i++) {
    const made = root + '/dist.' + process.pid
    mkdirSync(made)
    for (let file = 0; file < 10; file++) writeFileSync(made + '/' + file, process.pid + '.' + i)
    putInPlace(made, root + '/dist')
  }
`

test('four at once, a hundred times each: no failure, nothing mixed, nothing left over', async () => {
  const root = mkdtempSync(join(tmpdir(), 'bellwether-place-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const args = ['--input-type=module-typescript', '-e', PROGRAM, root]
  await Promise.all(Array.from({ length: 4 }, () => run(process.execPath, args)))
  expect(readdirSync(root)).toEqual(['dist'])
  const files = readdirSync(join(root, 'dist'))
  expect(files).toHaveLength(10)
  const texts = new Set(files.map(file => readFileSync(join(root, 'dist', file), 'utf8')))
  expect(texts.size).toBe(1)
})
