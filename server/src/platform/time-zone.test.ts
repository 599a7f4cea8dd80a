// Time is UTC wherever the machine stands: the same answers under any TZ.
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const SCRIPT = `
  const { parseMoment } = await import('./dates.ts')
  const pino = (await import('pino')).default
  const { logOptions } = await import('./log-options.ts')
  const lines = []
  pino(logOptions('info'), { write: line => lines.push(JSON.parse(line)) }).info({ at: new Date(0) }, 'x')
  const moments = ['2026-03-29T01:30:00Z', '2026-01-01T00:00:00+05:45'].map(text => parseMoment(text))
  const day = new Date(Date.UTC(2026, 2, 29)).toISOString()
  process.stdout.write(JSON.stringify([moments, day, lines[0].at, lines[0].msg]))
`

function runIn(TZ: string): string {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module-typescript', '--eval', SCRIPT],
    { env: { PATH: process.env.PATH, TZ }, cwd: import.meta.dirname, encoding: 'utf8' },
  )
  return stdout || stderr
}

test('moments, days and the log are the same in every time zone', () => {
  const utc = runIn('UTC')
  expect(JSON.parse(utc)).toEqual([
    [Date.parse('2026-03-29T01:30:00Z'), Date.parse('2025-12-31T18:15:00Z')],
    '2026-03-29T00:00:00.000Z',
    '1970-01-01T00:00:00.000Z',
    'x',
  ])
  for (const zone of ['Asia/Kathmandu', 'America/St_Johns', 'Pacific/Kiritimati']) {
    expect(runIn(zone), zone).toBe(utc)
  }
})
