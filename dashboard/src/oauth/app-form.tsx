// The fields of an OAuth app: its name as people see it, where it may return to, what it may ask for.
import { Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { ScopePicker } from '../keys/scope-picker.tsx'
import { changedFields } from '../ui/changed-fields.ts'
import { FormBody } from '../ui/form-body.tsx'
import { type AppInput, type OAuthApp, readUris } from './app.ts'

type Props = {
  /** As it was when the form was opened; without one, a new app. */
  app?: OAuthApp
  action: string
  onCancel: () => void
  onSubmit: (input: AppInput, changes: Partial<AppInput>) => Promise<unknown>
}

const NOTHING: AppInput = { name: '', redirect_uris: [], scopes: [] }

const LABELS = { name: 'Name', redirect_uris: 'Redirect URIs' }

export function AppForm({ app, action, onCancel, onSubmit }: Props) {
  const [name, setName] = useState(app?.name ?? '')
  const [uris, setUris] = useState(app?.redirect_uris.join('\n') ?? '')
  const [scopes, setScopes] = useState(app?.scopes ?? [])
  const input = { name, redirect_uris: readUris(uris), scopes }
  const { name: was, redirect_uris, scopes: held } = app ?? NOTHING
  const changes = changedFields({ name: was, redirect_uris, scopes: held }, input)
  const whole = name.trim() !== '' && input.redirect_uris.length > 0 && scopes.length > 0
  const ready = whole && Object.keys(changes).length > 0
  return (
    <FormBody
      action={action}
      labels={LABELS}
      disabled={!ready}
      onCancel={onCancel}
      onSubmit={() => onSubmit(input, changes)}
    >
      {fault => (
        <>
          <TextInput
            label={LABELS.name}
            description="People see it when they are asked for consent"
            maxLength={200}
            value={name}
            error={fault('name')}
            onChange={event => setName(event.currentTarget.value)}
            required
            data-autofocus
          />
          <Textarea
            label={LABELS.redirect_uris}
            description="One a line, compared exactly; https, or http on localhost"
            placeholder="https://app.example.com/callback"
            value={uris}
            error={fault('redirect_uris')}
            onChange={event => setUris(event.currentTarget.value)}
            required
          />
          <ScopePicker label="It may ask to" value={scopes} onChange={setScopes} />
        </>
      )}
    </FormBody>
  )
}
