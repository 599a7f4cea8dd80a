// What an owner can do with one person: role, access, help when locked out, removal.
import { Menu } from '@mantine/core'
import { MoreItem, MoreMenu } from '../ui/more-menu.tsx'
import type { Member } from './member.ts'
import type { MemberTask } from './member-tasks.ts'

type Props = { member: Member; self: boolean; onChoose: (task: MemberTask) => void }

export function MemberMenu({ member, self, onChoose }: Props) {
  const { status, second_factor, email } = member
  const item = (task: MemberTask, label: string, red = false) => (
    <MoreItem key={task} red={red} onClick={() => onChoose(task)}>
      {label}
    </MoreItem>
  )
  return (
    <MoreMenu label={`More about ${email}`} width={250}>
      {item('role', 'Change the role')}
      {(status === 'invited' || status === 'lapsed') &&
        item('invite', 'Make a new invitation link')}
      {status === 'active' && !self && (
        <>
          <Menu.Label>Locked out?</Menu.Label>
          {item('reset', 'Make a password reset link')}
          {second_factor && item('second-factor', 'Remove the second factor')}
          {item('sessions', 'End all sessions')}
        </>
      )}
      <Menu.Divider />
      {status === 'active' && !self && item('disable', 'Disable')}
      {status === 'disabled' && item('enable', 'Let in again')}
      {self
        ? item('leave', 'Leave the organization', true)
        : item('remove', 'Remove from the organization', true)}
    </MoreMenu>
  )
}
