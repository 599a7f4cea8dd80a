// The keeper of processes: one that cannot start is told of at once, with what it said.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startReceiver } from './processes.ts'

test('one that ends at its start again and again is not waited for', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bellwether-faults-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const nowhere = join(folder, 'missing', 'arrivals')
  const started = startReceiver(nowhere, join(folder, 'log'))
  await expect(started).rejects.toThrow(/^receiver ended 3 times at its start: .*ENOENT/s)
})
