// What else can be done with something, behind a chevron.
import { ActionIcon, Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icons.tsx'

type MenuProps = {
  label: string
  width?: number
  /** Beside the buttons of a page, and as large as they are. */
  boxed?: boolean
  children: ReactNode
}

export function MoreMenu({ label, width, boxed = false, children }: MenuProps) {
  return (
    <Menu position="bottom-end" {...(width ? { width } : {})}>
      <Menu.Target>
        <ActionIcon aria-label={label} {...(boxed ? { variant: 'default', size: 36 } : {})}>
          <Icon name="down" size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}

type ItemProps = { icon?: IconName; red?: boolean; onClick: () => void; children: string }

export function MoreItem({ icon, red = false, onClick, children }: ItemProps) {
  const shown = icon && { leftSection: <Icon name={icon} size={16} /> }
  return (
    <Menu.Item onClick={onClick} {...shown} {...(red ? { color: 'red' } : {})}>
      {children}
    </Menu.Item>
  )
}
