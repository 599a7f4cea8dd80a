// Where each band begins: drawn on the scale, dragged or typed; saving places everyone anew.
import { Button, Group, NumberInput, Text } from '@mantine/core'
import { useState } from 'react'
import type { Settings } from '../app/settings.ts'
import { BAND_LOOK } from '../ui/bands.ts'
import { changedFields } from '../ui/changed-fields.ts'
import { Card } from '../ui/page.tsx'
import { useStayHere } from '../ui/use-stay-here.ts'
import { useWork } from '../ui/use-work.ts'
import { BandScale, boundsOf, EDGES, type Edge } from './band-scale.tsx'
import { changeSettings } from './change-settings.ts'
import { NO_NUMBER, readTyped, type Typed, typedSince } from './typed-numbers.ts'

export function BandsForm({ settings, may }: { settings: Settings; may: boolean }) {
  const [draft, setDraft] = useState<Partial<Record<Edge, Typed>>>({})
  const [busy, run] = useWork()
  const { typed, values: edges, faults, ...read } = readTyped(EDGES, settings, draft)
  const changed = read.changed.length > 0
  useStayHere(changed && !busy)
  const save = async () => {
    await changeSettings(changedFields(settings, edges))
    // What was moved meanwhile is not saved yet.
    setDraft(now => typedSince(now, draft))
  }
  return (
    <Card title="Bands" about="The lowest score of each band; critical is whatever lies below red">
      <BandScale
        edges={edges}
        {...(may ? { onMove: (edge, value) => setDraft(now => ({ ...now, [edge]: value })) } : {})}
      />
      <form
        onSubmit={event => {
          event.preventDefault()
          run(save, 'The bands are changed; people are being placed anew')
        }}
      >
        <div className="edge-fields">
          {EDGES.map(edge => (
            <NumberInput
              key={edge}
              label={`${BAND_LOOK[edge].mark} ${BAND_LOOK[edge].label} from`}
              value={typed[edge]}
              min={boundsOf(edge, edges).least}
              max={boundsOf(edge, edges).most}
              clampBehavior="blur"
              allowDecimal={false}
              readOnly={!may}
              error={faults.includes(edge) && NO_NUMBER}
              onChange={value => setDraft(now => ({ ...now, [edge]: value }))}
            />
          ))}
        </div>
        {may && (
          <Group justify="space-between" mt="md">
            <Text size="sm" c="dimmed">
              {changed
                ? 'No score changes; everyone is placed anew, and who changes band is told of.'
                : ''}
            </Text>
            <Group gap="xs">
              {changed && (
                <Button variant="default" onClick={() => setDraft({})}>
                  Undo
                </Button>
              )}
              <Button type="submit" disabled={!changed || faults.length > 0} loading={busy}>
                Save the bands
              </Button>
            </Group>
          </Group>
        )}
      </form>
    </Card>
  )
}
