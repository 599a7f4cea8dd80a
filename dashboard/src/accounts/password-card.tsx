// A new password: chosen twice, judged by the server, the other sessions end with it.
import { PasswordInput, Text } from '@mantine/core'
import { useState } from 'react'
import { callAdmin } from '../app/call-api.ts'
import { queryClient, refresh } from '../app/query-client.ts'
import { SESSION_KEY, type Session } from '../app/session.ts'
import { FormBody } from '../ui/form-body.tsx'
import { Card } from '../ui/page.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { showToast } from '../ui/toasts.ts'

const LEAST = 12
const LABELS = { password: 'New password' }

export function PasswordCard({ session: { user } }: { session: Session }) {
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const save = async () => {
    await callAdmin('PUT', '/session/password', { password })
    setPassword('')
    setAgain('')
    await queryClient.invalidateQueries({ queryKey: SESSION_KEY })
    refresh('/session/sessions')
    showToast('The password is changed; your other sessions have ended')
  }
  const ready = password.length >= LEAST && again === password
  return (
    <Card
      title="Password"
      about={
        <>
          Last changed <RelativeTime at={user.password_changed_at} />
        </>
      }
    >
      <FormBody action="Change the password" labels={LABELS} disabled={!ready} onSubmit={save}>
        {fault => (
          <>
            <input type="text" hidden readOnly autoComplete="username" value={user.email} />
            <PasswordInput
              label={LABELS.password}
              description={`At least ${LEAST} characters; a few unrelated words are easy to keep`}
              autoComplete="new-password"
              value={password}
              error={fault('password')}
              onChange={event => setPassword(event.currentTarget.value)}
            />
            <PasswordInput
              label="Once more"
              autoComplete="new-password"
              value={again}
              error={again !== '' && again !== password ? 'Not the same' : undefined}
              onChange={event => setAgain(event.currentTarget.value)}
            />
            <Text size="xs" c="dimmed">
              Your other sessions end. This one stays.
            </Text>
          </>
        )}
      </FormBody>
    </Card>
  )
}
