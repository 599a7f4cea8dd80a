// Saves settings and looks everything up again that is drawn with them.
import { callAdmin } from '../app/call-api.ts'
import { queryClient, refresh } from '../app/query-client.ts'
import { SETTINGS_KEY } from '../app/settings.ts'

export async function changeSettings(change: Record<string, number | boolean>): Promise<void> {
  await callAdmin('PATCH', '/admin/settings', change)
  await lookAgain()
}

export async function lookAgain(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: SETTINGS_KEY })
  refresh('/v1/scores', '/v1/employees')
}
