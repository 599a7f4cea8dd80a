// A retraction is offered only for what its preview has shown.
import { expect, test } from 'vitest'
import type { RetractionJob } from '../generated/api.ts'
import { addressOf, filterOf, isPreviewOf } from './retract-filter.ts'

const job = {
  job_id: 'job_1',
  status: 'completed',
  dry_run: true,
  reason: 'a mail scanner',
  filter: {
    type: 'sim.link_clicked',
    from: '2026-03-01T00:00:00.000Z',
    to: '2026-03-02T23:59:59.999Z',
    conditions: { template: 'parcel', campaign: 'spring' },
  },
} as unknown as RetractionJob

const address = {
  type: 'sim.link_clicked',
  from: '2026-03-01',
  to: '2026-03-02',
  conditions: '{"campaign":"spring","template":"parcel"}',
}

test('a preview is of the very same filter, however it is written', () => {
  expect(isPreviewOf(job, filterOf(address))).toBe(true)
  expect(isPreviewOf(job, filterOf(addressOf(job)))).toBe(true)
})

test.each([
  ['another day', { from: '2026-02-01' }],
  ['a longer span', { to: '2026-03-03' }],
  ['no end', { to: undefined }],
  ['another type', { type: 'sim.replied' }],
  ['fewer conditions', { conditions: '{"campaign":"spring"}' }],
  ['a source', { source: 'simulator' }],
])('it is not of %s', (_name, change) => {
  expect(isPreviewOf(job, filterOf({ ...address, ...change }))).toBe(false)
})

test('neither an unfinished preview nor a retraction will do', () => {
  expect(isPreviewOf({ ...job, status: 'running' }, filterOf(address))).toBe(false)
  expect(isPreviewOf({ ...job, dry_run: false }, filterOf(address))).toBe(false)
  expect(isPreviewOf(undefined, filterOf(address))).toBe(false)
})
