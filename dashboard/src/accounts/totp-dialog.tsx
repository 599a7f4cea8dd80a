// Setting up the second factor: scan or type the secret, then prove it with a code.
import { Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { callAdmin } from '../app/call-api.ts'
import { CopyValue } from '../ui/copy-value.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { FormBody } from '../ui/form-body.tsx'
import { useStay } from '../ui/use-stay.ts'
import { QrCode } from './qr-code.tsx'
import './accounts.css'

type Enrolment = { secret: string; uri: string }

type Props = {
  enrolment: Enrolment | null
  onClose: () => void
  onCodes: (codes: string[]) => Promise<void>
}

export function TotpDialog({ enrolment, onClose, onCodes }: Props) {
  return (
    <Dialog opened={enrolment !== null} onClose={onClose} title="Set up the second factor">
      {enrolment && <TotpForm enrolment={enrolment} onClose={onClose} onCodes={onCodes} />}
    </Dialog>
  )
}

/** As people read it off a screen. */
const inFours = (secret: string): string => secret.match(/.{1,4}/g)?.join(' ') ?? secret

function TotpForm({ enrolment, onClose, onCodes }: Props & { enrolment: Enrolment }) {
  const [code, setCode] = useState('')
  const stayFor = useStay()
  const confirm = async () => {
    const made = await stayFor(
      callAdmin<{ recovery_codes: string[] }>('POST', '/session/totp/confirm', { code }),
    )
    onClose()
    await onCodes(made.recovery_codes)
  }
  const digits = code.replace(/[\s-]/g, '')
  return (
    <FormBody
      action="Confirm"
      disabled={!/^\d{6}$/.test(digits)}
      onCancel={onClose}
      onSubmit={confirm}
    >
      <Text size="sm">1. Scan this with your authenticator app, or type the secret into it.</Text>
      <Stack align="center" gap="xs">
        <QrCode text={enrolment.uri} label="QR code for the authenticator app" />
        <CopyValue value={enrolment.secret} shown={inFours(enrolment.secret)} what="secret" />
      </Stack>
      <TextInput
        label="2. The six digits it shows now"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={40}
        value={code}
        onChange={event => setCode(event.currentTarget.value)}
        data-autofocus
        required
      />
    </FormBody>
  )
}
