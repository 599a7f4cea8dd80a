// A value to take along: copied with one press as it is, shown so too unless it is easier read otherwise.
import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { Icon } from './icons.tsx'
import './copy-value.css'

type Props = { value: string; what: string; shown?: string }

export function CopyValue({ value, what, shown = value }: Props) {
  return (
    <span className="copy-value">
      <code>{shown}</code>
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
