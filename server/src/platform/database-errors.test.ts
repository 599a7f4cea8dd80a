// Every failure of the one table is answered 503 with Retry-After; any other is not taken for it.
import { expect, test } from 'vitest'
import { startService } from '../../test/service.ts'
import { AWAY } from './database-errors.ts'
import type { ApiError } from './errors.ts'

const { context } = await startService()
const tenant_id = 'ten_1'
const failing = (code: string) =>
  context.db
    .inTenant(tenant_id, async () => {
      throw Object.assign(new Error('as the driver tells it'), { code })
    })
    .catch(error => error as ApiError)

test.each(Object.keys(AWAY))('%s is 503', async code => {
  const error = await failing(code)
  expect(error).toMatchObject({ code: 'UNAVAILABLE', status: 503 })
  expect(Number((error as ApiError).headers['retry-after'])).toBeGreaterThan(0)
})

test.each(['EMFILE', 'ENFILE', 'EADDRNOTAVAIL'])(
  '%s, no room for another connection on this machine, is among them',
  async code => {
    expect(await failing(code)).toMatchObject({ status: 503 })
  },
)

test.each(['40001', '40P01'])(
  '%s is tried again, and is 503 only when it does not end',
  async code => {
    let tries = 0
    const work = async () => {
      tries += 1
      if (tries < 3) throw Object.assign(new Error('in the way'), { code })
      return tries
    }
    expect(await context.db.inTenant(tenant_id, work)).toBe(3)
    expect(await failing(code)).toMatchObject({ status: 503 })
  },
)

test.each(['23505', '42P01', 'XX000', 'toString', ''])('%s is not', async code => {
  expect(await failing(code)).toMatchObject({ message: 'as the driver tells it' })
})
