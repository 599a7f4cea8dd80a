// Ctrl K: jumps to any person, rule, event or page.
import { Kbd, ScrollArea, Text, TextInput, UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useState } from 'react'
import { fullName } from '../employees/names.ts'
import { useRules } from '../rules/read-rules.ts'
import { BandBadge } from '../ui/band-badge.tsx'
import { Dialog, hasBelow } from '../ui/dialog.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Icon, type IconName } from '../ui/icons.tsx'
import type { CallError } from './call-api.ts'
import { useEarlyKeys } from './early-keys.ts'
import { useRead } from './query-client.ts'
import { usePlaces } from './rail.tsx'
import { useMay } from './session.ts'
import './shell.css'

type Hit = { key: string; to: string; icon: IconName; label: string; about: React.ReactNode }

type Found = {
  hits: Hit[]
  /** Whether some of it is still being looked up. */
  looking: boolean
  failed: { error: CallError | null; refetch: () => unknown } | undefined
}

/** What fits. */
function useHits(text: string): Found {
  const places = usePlaces()
  const asked = text.trim()
  const mayPeople = useMay('employees:read')
  const mayRules = useMay('rules:read')
  const people = useRead(
    'GET /v1/employees',
    { query: { search: asked, per_page: 6 } },
    { enabled: mayPeople && asked.length > 1 && !/^(evt|rule)_/.test(asked) },
  )
  const rules = useRules(mayRules)
  const fits = (label: string) => label.toLowerCase().includes(asked.toLowerCase())
  const ids: Hit[] = /^(evt|emp|rule)_\w+$/.test(asked)
    ? [{ key: asked, to: placeOf(asked), icon: 'search', label: asked, about: 'Open by id' }]
    : []
  const hits = [
    ...ids,
    ...places
      .filter(place => asked === '' || fits(place.label))
      .map(({ to, icon, label }) => ({ key: to, to, icon, label, about: 'Page' })),
    ...(asked.length > 1 ? (people.data?.data ?? []) : []).map(person => ({
      key: person.id,
      to: `/employees/${person.id}`,
      icon: 'person' as const,
      label: fullName(person),
      about: <BandBadge band={person.band} score={person.score} />,
    })),
    ...(asked.length > 1 ? (rules.data ?? []) : [])
      .filter(rule => fits(rule.name) || fits(rule.event_type))
      .slice(0, 6)
      .map(rule => ({
        key: rule.id,
        to: `/rules/${rule.id}`,
        icon: 'rules' as const,
        label: rule.name,
        about: rule.event_type,
      })),
  ]
  const failed = asked.length > 1 ? [people, rules].find(({ error }) => error) : undefined
  return { hits, looking: people.isLoading || rules.isLoading, failed }
}

function placeOf(id: string): string {
  if (id.startsWith('evt_')) return `/events/${id}`
  return id.startsWith('emp_') ? `/employees/${id}` : `/rules/${id}`
}

const idOf = (hit: Hit | undefined) => hit && `hit-${hit.key}`

/** Where the search was opened is no place on another page; but it is one in a dialog that is not left after all. */
function focusContent(): void {
  if (hasBelow()) return
  document.getElementById('content')?.focus({ preventScroll: true })
}

/** `early` holds what was typed before this was here. */
type Props = { early: RefObject<string>; onClose: () => void }

export function SearchDialog({ early, onClose }: Props) {
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text, 150)
  const [chosen, setChosen] = useState(0)
  const [entered, setEntered] = useState(false)
  const { hits, looking, failed } = useHits(asked)
  const current = asked === text
  const navigate = useNavigate()
  const write = (next: string) => {
    setText(next)
    setChosen(0)
    setEntered(false)
  }
  useEarlyKeys(key => write(text + key))
  // Not where it is first rendered: some is still typed before that is shown.
  useLayoutEffect(() => {
    setText(early.current)
    early.current = ''
  }, [early])
  const go = (hit: Hit | undefined) => {
    if (!hit) return
    focusContent()
    onClose()
    navigate({ to: hit.to as never })
  }
  // Enter may be faster than the answer: what is opened is a hit of what was typed, never of the text before.
  useEffect(() => {
    if (!entered || !current || looking) return
    setEntered(false)
    go(hits[chosen])
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') {
      // Else the rest of the key presses what has focus by then: a button of the page behind.
      event.preventDefault()
      current && hits[chosen] ? go(hits[chosen]) : setEntered(true)
    }
    if (step === undefined || hits.length === 0) return
    event.preventDefault()
    setChosen((chosen + step + hits.length) % hits.length)
  }
  return (
    <Dialog
      opened
      onClose={onClose}
      withCloseButton={false}
      size="lg"
      yOffset="12vh"
      attributes={{ content: { 'aria-label': 'Search' } }}
    >
      <TextInput
        size="lg"
        variant="unstyled"
        leftSectionWidth={52}
        placeholder="A person, a rule, an event id, a page"
        aria-label="Search"
        role="combobox"
        aria-expanded="true"
        aria-controls="search-hits"
        aria-activedescendant={idOf(hits[chosen])}
        leftSection={<Icon name="search" />}
        value={text}
        onChange={event => write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        data-autofocus
      />
      <Hits {...{ hits, looking, failed, asked, chosen }} onChoose={setChosen} onGo={go} />
      <Text size="xs" c="dimmed" px={18} py="sm" className="search-foot">
        <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> choose · <Kbd size="xs">Enter</Kbd> open ·{' '}
        <Kbd size="xs">Esc</Kbd> close
      </Text>
    </Dialog>
  )
}

type HitsProps = Found & {
  asked: string
  chosen: number
  onChoose: (place: number) => void
  onGo: (hit: Hit) => void
}

function Hits({ hits, looking, failed, asked, chosen, onChoose, onGo }: HitsProps) {
  const id = idOf(hits[chosen])
  useEffect(() => {
    if (id) document.getElementById(id)?.scrollIntoView({ block: 'nearest' })
  }, [id])
  return (
    <ScrollArea.Autosize mah={380} className="search-hits" viewportProps={{ tabIndex: -1 }}>
      <div id="search-hits" role="listbox" aria-label="Found">
        {hits.map((hit, i) => (
          <UnstyledButton
            key={hit.key}
            id={idOf(hit)}
            role="option"
            aria-selected={i === chosen}
            tabIndex={-1}
            className="search-hit"
            data-chosen={i === chosen || undefined}
            // Not on entering: a list that is scrolled by the keys slides under a pointer at rest.
            onMouseMove={() => onChoose(i)}
            onClick={() => onGo(hit)}
          >
            <Icon name={hit.icon} size={16} />
            <span className="stretch">{hit.label}</span>
            <Text size="sm" c="dimmed" component="span">
              {hit.about}
            </Text>
          </UnstyledButton>
        ))}
        {hits.length === 0 && !failed && (
          <Text c="dimmed" size="sm" p="md">
            {looking ? 'Looking…' : `Nothing found for “${asked}”.`}
          </Text>
        )}
      </div>
      {failed && (
        <ErrorNote
          error={failed.error}
          title="Not everything could be looked up"
          retry={() => failed.refetch()}
        />
      )}
    </ScrollArea.Autosize>
  )
}
