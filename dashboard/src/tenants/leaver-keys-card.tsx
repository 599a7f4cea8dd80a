// Whether API keys are revoked when whoever made them leaves.
import { Switch, Text } from '@mantine/core'
import type { Settings } from '../app/settings.ts'
import { Card } from '../ui/page.tsx'
import { useWork } from '../ui/use-work.ts'
import { changeSettings } from './change-settings.ts'

type Props = { settings: Settings; may: boolean }

export function LeaverKeysCard({ settings: { revoke_keys_of_leavers: revokes }, may }: Props) {
  const [busy, run] = useWork()
  const done = revokes
    ? 'Keys go on when their creator leaves'
    : 'Keys are revoked when their creator leaves'
  const change = () => changeSettings({ revoke_keys_of_leavers: !revokes })
  return (
    <Card title="Keys of people who leave">
      {may ? (
        <Switch
          label="Revoke the keys somebody made when they leave"
          description="Otherwise they go on, are marked, and owners are told"
          checked={revokes}
          disabled={busy}
          onChange={() => run(change, done)}
        />
      ) : (
        <Text size="sm">{revokes ? 'They are revoked.' : 'They go on, and are marked.'}</Text>
      )}
    </Card>
  )
}
