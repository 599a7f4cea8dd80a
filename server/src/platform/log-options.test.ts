// The log tells what went wrong without telling whom it was about.
import pino from 'pino'
import { expect, test } from 'vitest'
import { logOptions } from './log-options.ts'

test('an error that quotes a row or an address is logged without it', () => {
  const lines: string[] = []
  const log = pino(logOptions('info'), { write: line => void lines.push(line) })
  const error = Object.assign(new Error('duplicate key value violates unique constraint'), {
    ...{ code: '23505', table_name: 'employees' },
    detail: 'Key (tenant_id, email_key)=(ten_1, ada@example.com) already exists.',
    parameters: ['ada@example.com'],
    query: 'INSERT …',
    ...{ rejected: ['ada@example.com'], response: '550 ada@example.com unknown' },
  })
  log.error({ err: error, employee_id: 'emp_1' }, 'request failed')
  expect(lines).toHaveLength(1)
  expect(lines[0]).not.toContain('ada@')
  const entry = JSON.parse(lines[0]!)
  expect(entry).toMatchObject({ employee_id: 'emp_1', err: { code: '23505', type: 'Error' } })
  expect(entry.err.stack).toContain('log-options.test.ts')
})
