// Nothing here yet: says what would be, and the one next step.
import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icons.tsx'

type Props = {
  icon: IconName
  title: string
  children?: ReactNode
  action?: ReactNode
  bare?: boolean
}

export function EmptyState({ icon, title, children, action, bare = false }: Props) {
  const inside = (
    <Stack align="center" gap="xs" py="xl" px="md">
      <span className="empty-icon">
        <Icon name={icon} size={24} />
      </span>
      <Title order={2}>{title}</Title>
      <Text c="dimmed" size="sm" ta="center" maw={440} component="div">
        {children}
      </Text>
      {action}
    </Stack>
  )
  return bare ? inside : <Paper>{inside}</Paper>
}
