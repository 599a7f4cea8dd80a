// The operator's command about scoring settings: what it shows, changes and refuses.
import { expect, it } from 'vitest'
import { databaseUrl } from '../../test/database-url.ts'
import { run } from '../../test/program.ts'
import { hire, runJobs } from '../../test/scenario.ts'
import { startService } from '../../test/service.ts'

it('shows the settings, changes what is given, and tells how far the change has come', async () => {
  const service = await startService()
  const tenant = await service.tenant()
  await hire(service, tenant, ['a@x.com'])
  const DATABASE_URL = databaseUrl(service.address)
  const settings = (...options: string[]) =>
    run(['tenant', 'settings', '--tenant', tenant.tenant_id, ...options], { DATABASE_URL })
  const changed = await settings('--starting-score', '60', '--red', '10', '--json')
  expect(changed.code, changed.stderr).toBe(0)
  const answer = JSON.parse(changed.stdout)
  expect(answer).toMatchObject({ starting_score: 60, half_life_days: 90, green: 80, red: 10 })
  expect(answer.jobs).toMatchObject([{ kind: 'settings', status: 'queued' }])
  const [shown, refused, nobody] = await Promise.all([
    settings(),
    settings('--yellow', '90'),
    run(['tenant', 'settings', '--tenant', 'ten_none'], { DATABASE_URL }),
  ])
  expect(shown.stdout).toMatch(/^starting_score +60$/m)
  expect(shown.stdout).toContain(`settings ${answer.jobs[0].job_id} queued: waiting\n`)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('yellow') })
  expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining('ten_none') })
  const kept = await settings('--revoke-keys-of-leavers', 'on', '--json')
  expect(JSON.parse(kept.stdout)).toMatchObject({ revoke_keys_of_leavers: true, red: 10 })
  const unclear = await settings('--revoke-keys-of-leavers', 'yes')
  expect(unclear).toMatchObject({ code: 1, stderr: expect.stringContaining('one of on, off') })
  await runJobs(service)
  expect(JSON.parse((await settings('--json')).stdout).jobs).toEqual([])
})
