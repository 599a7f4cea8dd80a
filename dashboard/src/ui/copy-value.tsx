// A value to take along: shown as it is, copied with one press.
import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { Icon } from './icons.tsx'
import './copy-value.css'

export function CopyValue({ value, what }: { value: string; what: string }) {
  return (
    <span className="copy-value">
      <code>{value}</code>
      <CopyButton value={value} timeout={1500}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
            <ActionIcon size="sm" onClick={copy} aria-label={`Copy ${what}`}>
              <Icon name={copied ? 'check' : 'copy'} size={14} />
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </span>
  )
}
