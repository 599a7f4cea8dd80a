// Where each band begins: drawn on the scale, dragged or typed; saving places everyone anew.
import { Button, Group, NumberInput, Text } from '@mantine/core'
import { useState } from 'react'
import type { Settings } from '../app/settings.ts'
import { BAND_LOOK, type BandEdges } from '../ui/bands.ts'
import { Card } from '../ui/page.tsx'
import { useWork } from '../ui/use-work.ts'
import { BandScale, boundsOf, EDGES } from './band-scale.tsx'
import { changeSettings } from './change-settings.ts'

const pick = ({ green, yellow, orange, red }: BandEdges): BandEdges => ({
  green,
  yellow,
  orange,
  red,
})

export function BandsForm({ settings, may }: { settings: Settings; may: boolean }) {
  const [draft, setDraft] = useState<BandEdges | null>(null)
  const [busy, run] = useWork()
  const edges = draft ?? pick(settings)
  const changed = EDGES.some(edge => edges[edge] !== settings[edge])
  const save = async () => {
    await changeSettings(edges)
    setDraft(null)
  }
  return (
    <Card title="Bands" about="The lowest score of each band; critical is whatever lies below red">
      <BandScale
        edges={edges}
        {...(may ? { onMove: (edge, value) => setDraft({ ...edges, [edge]: value }) } : {})}
      />
      <div className="edge-fields">
        {EDGES.map(edge => (
          <NumberInput
            key={edge}
            label={`${BAND_LOOK[edge].mark} ${BAND_LOOK[edge].label} from`}
            value={edges[edge]}
            min={boundsOf(edge, edges).least}
            max={boundsOf(edge, edges).most}
            clampBehavior="blur"
            allowDecimal={false}
            readOnly={!may}
            onChange={value => {
              if (typeof value === 'number') setDraft({ ...edges, [edge]: value })
            }}
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
              <Button variant="default" onClick={() => setDraft(null)}>
                Undo
              </Button>
            )}
            <Button
              disabled={!changed}
              loading={busy}
              onClick={() => run(save, 'The bands are changed; people are being placed anew')}
            >
              Save the bands
            </Button>
          </Group>
        </Group>
      )}
    </Card>
  )
}
