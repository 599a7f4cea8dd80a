// Recovery codes, shown this once: to be kept where the phone is not.
import { Button, Text } from '@mantine/core'
import { saveFile } from '../ui/csv.ts'
import { Icon } from '../ui/icons.tsx'
import { SecretOnce } from '../ui/secret-once.tsx'

type Props = { codes: string[] | null; onClose: () => void }

export function RecoveryCodes({ codes, onClose }: Props) {
  const text = codes?.join('\n') ?? ''
  return (
    <SecretOnce
      opened={codes !== null}
      title="Your recovery codes"
      secret={text}
      what="list of codes"
      onClose={onClose}
    >
      <Button
        variant="default"
        leftSection={<Icon name="download" size={16} />}
        onClick={() => saveFile('bellwether-recovery-codes.txt', `${text}\n`, 'text/plain')}
      >
        Save as a file
      </Button>
      <Text size="sm" c="dimmed">
        Each works once in place of a code of the app. Keep them where the phone is not.
      </Text>
    </SecretOnce>
  )
}
