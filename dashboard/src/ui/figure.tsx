// One number that answers a question, with its change and the way to the people behind it.
import { Paper, Skeleton, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import './figure.css'

type Props = {
  label: string
  value: ReactNode
  below: ReactNode
  to: string
  search: Record<string, unknown>
}

export function Figure({ label, value, below, to, search }: Props) {
  return (
    <Paper
      renderRoot={props => <Link {...props} to={to as never} search={search as never} />}
      className="card-link"
    >
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <div className="figure-value number">{value ?? <Skeleton h={34} w={80} my={4} />}</div>
      <Text fz={13} component="div" className="figure-room">
        {below}
      </Text>
    </Paper>
  )
}
