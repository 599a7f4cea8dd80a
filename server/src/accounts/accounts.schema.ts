// The bodies of the dashboard's routes about people, their sessions and what they let others do.
import Type from 'typebox'
import { oneOf } from '../platform/schemas.ts'
import { SCOPE_NAMES } from '../tenants/scopes.ts'
import { ROLE_NAMES } from './roles.ts'

const closed = { additionalProperties: false } as const

const Email = Type.String({ maxLength: 254, description: 'The address a person logs in with.' })
const Password = Type.String({ maxLength: 1000, description: 'Used exactly as typed.' })
const Code = Type.String({ maxLength: 40, description: 'A code of the app, or a recovery code.' })
const RoleName = oneOf(ROLE_NAMES, 'What the person may do.')

export const LoginBody = Type.Object({ email: Email, password: Password }, closed)
export const CodeBody = Type.Object({ code: Code }, closed)
export const ProofBody = Type.Object({ password: Password, code: Type.Optional(Code) }, closed)
export const PasswordBody = Type.Object({ password: Password }, closed)
export const TenantBody = Type.Object({ tenant_id: Type.String({ maxLength: 100 }) }, closed)
export const LinkBody = Type.Object({ token: Type.String({ maxLength: 100 }) }, closed)
export const AcceptBody = Type.Object(
  { token: Type.String({ maxLength: 100 }), password: Type.Optional(Password) },
  closed,
)
export const ResetBody = Type.Object({ email: Email }, closed)
export const InviteBody = Type.Object({ email: Email, role: RoleName }, closed)
export const MemberBody = Type.Object(
  {
    role: Type.Optional(RoleName),
    status: Type.Optional(oneOf(['active', 'disabled'], 'Whether the person gets in.')),
  },
  { ...closed, minProperties: 1 },
)
export const PolicyBody = Type.Object({ require_second_factor: Type.Boolean() }, closed)

export const ScopeNames = Type.Array(oneOf(SCOPE_NAMES, 'What a key or an app may do.'), {
  minItems: 1,
  maxItems: SCOPE_NAMES.length,
  uniqueItems: true,
})
