// All SQL of who belongs to a tenant, with which role, and under which policy.
import type { Tx } from '../platform/database.ts'
import type { Role } from './roles.ts'

export type Membership = {
  user_id: string
  membership_id: string
  email: string
  role: Role
  /**
   * `disabled` by an owner, `withdrawn` likewise from an invitation not yet accepted; `shut_out` while the operator
   * has disabled the whole account.
   */
  status: 'invited' | 'withdrawn' | 'active' | 'disabled' | 'shut_out'
  created_by: string
  created_at: Date
}

const columns = (tx: Tx) => tx`user_id, membership_id, email, role, status, created_by, created_at`

/** What people see: either way the person is out. */
export function shownStatus({ status }: Pick<Membership, 'status'>) {
  return status === 'shut_out' || status === 'withdrawn' ? 'disabled' : status
}

/** Someone only invited does not belong to the tenant. */
export function hasAccepted({ status }: Pick<Membership, 'status'>): boolean {
  return status !== 'invited' && status !== 'withdrawn'
}

export async function insertMembership(
  tx: Tx,
  tenant_id: string,
  row: Membership,
): Promise<boolean> {
  const rows =
    await tx`INSERT INTO memberships (tenant_id, user_id, membership_id, email, role, status, created_by,
      created_at)
    VALUES (${tenant_id}, ${row.user_id}, ${row.membership_id}, ${row.email}, ${row.role}, ${row.status},
      ${row.created_by}, ${row.created_at})
    ON CONFLICT (tenant_id, user_id) DO NOTHING RETURNING user_id`
  return rows.length === 1
}

export async function findMembership(tx: Tx, tenant_id: string, user_id: string) {
  const [row] = await tx<Membership[]>`
    SELECT ${columns(tx)} FROM memberships
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}`
  return row
}

/** For whoever changes it: two changes at once come one after the other, and the second sees the first. */
export async function lockMembership(tx: Tx, tenant_id: string, user_id: string) {
  const [row] = await tx<Membership[]>`
    SELECT ${columns(tx)} FROM memberships
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id} FOR UPDATE`
  return row
}

/** For whoever relies on it: it stays as it is until commit, and others may rely on it too. */
export async function holdMembership(tx: Tx, tenant_id: string, user_id: string) {
  const [row] = await tx<Membership[]>`
    SELECT ${columns(tx)} FROM memberships
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id} FOR SHARE`
  return row
}

/** Lists are read whole, so whoever would be beyond them is not taken in. */
export const MOST_MEMBERS = 1000

export async function countMemberships(tx: Tx, tenant_id: string): Promise<number> {
  const [row] = await tx<{ n: number }[]>`
    SELECT count(*) AS n FROM memberships WHERE tenant_id = ${tenant_id}`
  return row!.n
}

export async function listMemberships(tx: Tx, tenant_id: string): Promise<Membership[]> {
  return tx<Membership[]>`
    SELECT ${columns(tx)} FROM memberships
    WHERE tenant_id = ${tenant_id} ORDER BY email, user_id LIMIT ${MOST_MEMBERS}`
}

/** Who is told what concerns the organization as a whole. */
export async function listAdminEmails(tx: Tx, tenant_id: string): Promise<string[]> {
  const members = await listMemberships(tx, tenant_id)
  return members.flatMap(({ status, role, email }) =>
    status === 'active' && (role === 'owner' || role === 'admin') ? [email] : [],
  )
}

/** Holds all owners of the tenant, so that two of them cannot leave at once. */
export async function lockOwners(tx: Tx, tenant_id: string): Promise<string[]> {
  const rows = await tx<{ user_id: string }[]>`SELECT user_id FROM memberships
    WHERE tenant_id = ${tenant_id} AND role = 'owner' AND status = 'active' ORDER BY user_id FOR UPDATE`
  return rows.map(row => row.user_id)
}

export async function updateMembership(
  tx: Tx,
  tenant_id: string,
  user_id: string,
  change: Pick<Membership, 'role' | 'status' | 'membership_id'>,
): Promise<void> {
  await tx`UPDATE memberships SET role = ${change.role}, status = ${change.status},
      membership_id = ${change.membership_id}
    WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}`
}

export async function deleteMembership(tx: Tx, tenant_id: string, user_id: string): Promise<void> {
  await tx`DELETE FROM memberships WHERE tenant_id = ${tenant_id} AND user_id = ${user_id}`
}

export async function requiresSecondFactor(tx: Tx, tenant_id: string): Promise<boolean> {
  const [row] = await tx<{ require_second_factor: boolean }[]>`
    SELECT require_second_factor FROM account_policies WHERE tenant_id = ${tenant_id}`
  return row?.require_second_factor ?? false
}

export async function savePolicy(
  tx: Tx,
  tenant_id: string,
  require_second_factor: boolean,
): Promise<void> {
  await tx`INSERT INTO account_policies (tenant_id, require_second_factor)
    VALUES (${tenant_id}, ${require_second_factor})
    ON CONFLICT (tenant_id) DO UPDATE SET require_second_factor = EXCLUDED.require_second_factor`
}
