// The organization one works in, and the way to another one.
import { Button, Menu, Paper, ScrollArea, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../ui/icons.tsx'
import { showFailure } from '../ui/toasts.ts'
import { useCloseWithPage } from '../ui/use-close-with-page.ts'
import { callAdmin } from './call-api.ts'
import { leaveBy } from './leaving.ts'
import type { Session } from './session.ts'
import './shell.css'

/** Everything on the page belongs to the old one, so the page begins anew. */
async function enterTenant(tenant_id: string): Promise<void> {
  await leaveBy(() => callAdmin('PUT', '/session/tenant', { tenant_id }), '/').catch(showFailure)
}

export function TenantSwitch({ session }: { session: Session }) {
  const { tenant, tenants } = session
  const [opened, setOpened] = useState(false)
  useCloseWithPage(() => setOpened(false))
  if (!tenant) return null
  if (tenants.length < 2) {
    return (
      <Text fw={550} truncate className="tenant-name" title={tenant.name}>
        {tenant.name}
      </Text>
    )
  }
  return (
    <Menu opened={opened} onChange={setOpened} position="bottom-start" width={260}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          px={8}
          rightSection={<Icon name="down" size={14} />}
          className="tenant-name"
          title={tenant.name}
          aria-label={`Organization ${tenant.name}, switch`}
        >
          {tenant.name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Organizations</Menu.Label>
        <ScrollArea.Autosize mah="min(60vh, 26rem)">
          {tenants.map(one => (
            <Menu.Item
              key={one.tenant_id}
              onClick={() => enterTenant(one.tenant_id)}
              rightSection={one.tenant_id === tenant.id ? <Icon name="check" size={15} /> : null}
            >
              {one.name}
              <Text size="xs" c="dimmed">
                {one.role}
              </Text>
            </Menu.Item>
          ))}
        </ScrollArea.Autosize>
      </Menu.Dropdown>
    </Menu>
  )
}

export function TenantChoice({ session }: { session: Session }) {
  return (
    <Paper maw={420} mx="auto" mt="xl">
      <Title order={1} mb="xs">
        Choose an organization
      </Title>
      <Stack gap="xs">
        {session.tenants.map(one => (
          <Button key={one.tenant_id} variant="default" onClick={() => enterTenant(one.tenant_id)}>
            {one.name}
          </Button>
        ))}
      </Stack>
    </Paper>
  )
}
