// The second factor: whether it is on, setting it up or anew, its recovery codes, and removing it.
import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { callAdmin } from '../app/call-api.ts'
import { queryClient } from '../app/query-client.ts'
import { SESSION_KEY, type Session } from '../app/session.ts'
import { ConfirmByName } from '../ui/confirm-by-name.tsx'
import { Card } from '../ui/page.tsx'
import { StatusMark } from '../ui/status-mark.tsx'
import { showToast } from '../ui/toasts.ts'
import { useStay } from '../ui/use-stay.ts'
import { useWork } from '../ui/use-work.ts'
import { RecoveryCodes } from './recovery-codes.tsx'
import { TotpDialog } from './totp-dialog.tsx'

type Dialog = 'set-up' | 'renew' | 'remove' | null
type Enrolment = { secret: string; uri: string }

const lookAgain = () => queryClient.invalidateQueries({ queryKey: SESSION_KEY })

export function TotpCard({ session }: { session: Session }) {
  const [dialog, setDialog] = useState<Dialog>(null)
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const close = () => setDialog(null)
  const on = session.user.second_factor
  const take = async (made: string[]) => {
    close()
    setCodes(made)
    await lookAgain()
  }
  const stayFor = useStay()
  const renew = async () => {
    const made = await stayFor(
      callAdmin<{ recovery_codes: string[] }>('POST', '/session/recovery-codes'),
    )
    await take(made.recovery_codes)
  }
  const remove = async () => {
    await callAdmin('DELETE', '/session/totp')
    await lookAgain()
    showToast('The second factor is removed')
  }
  return (
    <Card
      title="Second factor"
      about="A code of an authenticator app beside the password"
      action={<StatusMark tone={on ? 'good' : 'waiting'}>{on ? 'On' : 'Off'}</StatusMark>}
    >
      {on ? (
        <FactorOn session={session} onChoose={setDialog} />
      ) : (
        <>
          <Text size="sm" mb="md">
            Whoever learns your password then still cannot get in. It takes a minute and an app such
            as those of phones and password managers.
          </Text>
          <div>
            <SetUpButton onStart={setEnrolment} />
          </div>
        </>
      )}
      <TotpAgain opened={dialog === 'set-up'} onClose={close} onStart={setEnrolment} />
      {/* It stays when the factor turns out to be on, with what went wrong in it. */}
      <TotpDialog enrolment={enrolment} onClose={() => setEnrolment(null)} onCodes={take} />
      <ConfirmByName
        opened={dialog === 'renew'}
        title="Make new recovery codes?"
        name={null}
        action="Make new codes"
        onClose={close}
        onConfirm={renew}
      >
        The old ones stop working at once. The new ones are shown once.
      </ConfirmByName>
      <ConfirmByName
        opened={dialog === 'remove'}
        title="Remove the second factor?"
        name={session.user.email}
        action="Remove it"
        onClose={close}
        onConfirm={remove}
      >
        Your password alone then guards this account.
      </ConfirmByName>
      <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />
    </Card>
  )
}

type OnProps = { session: Session; onChoose: (dialog: Dialog) => void }

function FactorOn({ session, onChoose }: OnProps) {
  const left = session.user.recovery_codes_left
  return (
    <>
      <Text size="sm" mb="md" className={left < 3 ? 'bad' : undefined}>
        {left} of 10 recovery codes left, for the day the phone is gone.
        {left < 3 && ' Make new ones.'}
      </Text>
      <Group gap="xs">
        <Button variant="default" onClick={() => onChoose('renew')}>
          New recovery codes
        </Button>
        <Button variant="default" onClick={() => onChoose('set-up')}>
          Another phone
        </Button>
        <Button variant="subtle" color="red" onClick={() => onChoose('remove')}>
          Remove it
        </Button>
      </Group>
    </>
  )
}

type StartProps = { onStart: (enrolment: Enrolment) => void }

const startTotp = () => callAdmin<Enrolment>('POST', '/session/totp')

function SetUpButton({ onStart }: StartProps) {
  const [busy, run] = useWork()
  return (
    <Button loading={busy} onClick={() => run(async () => onStart(await startTotp()))}>
      Set it up
    </Button>
  )
}

type AgainProps = StartProps & { opened: boolean; onClose: () => void }

/** Nothing changes until a code proves that the new phone holds the secret. */
function TotpAgain({ opened, onClose, onStart }: AgainProps) {
  return (
    <ConfirmByName
      opened={opened}
      title="Set up another phone?"
      name={null}
      action="Go on"
      onClose={onClose}
      onConfirm={async () => onStart(await startTotp())}
    >
      Once the new one is confirmed, the codes of the old one and the old recovery codes stop
      working.
    </ConfirmByName>
  )
}
