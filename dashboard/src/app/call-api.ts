// The one way to the server: typed by the API document, with the session's token, errors as one shape.
import type { Error as ErrorBody, ErrorFault, Operations } from '../generated/api.ts'
import { isAttended } from './attention.ts'
import { endSession } from './end-session.ts'
import { tellUnlessLeaving } from './leaving.ts'
import { askForProof } from './proof.ts'
import { forgetKey, isAgain, keepKey, keyOf } from './repeat-key.ts'
import { learnBudget } from './request-budget.ts'
import { learnTime } from './service-clock.ts'

type Told = {
  status: number
  code: string
  request_id: string | null
  faults: readonly ErrorFault[]
  /** Seconds. */
  retry_after: number | null
}

export class CallError extends Error {
  readonly status: number
  readonly code: string
  readonly request_id: string | null
  readonly faults: readonly ErrorFault[]
  readonly retry_after: number | null

  constructor(message: string, told: Partial<Told> = {}) {
    super(message)
    this.status = told.status ?? 0
    this.code = told.code ?? 'UNKNOWN'
    this.request_id = told.request_id ?? null
    this.faults = told.faults ?? []
    this.retry_after = told.retry_after ?? null
  }
}

type Operation = keyof Operations

export type CallOptions<K extends Operation> = {
  params?: Record<string, string>
  query?: Operations[K]['query']
  signal?: AbortSignal
  /** Of a POST that its caller asks for again by itself, however much later. */
  idempotency_key?: string
} & (Operations[K]['body'] extends undefined ? object : { body: Operations[K]['body'] })

/** A call of the public API, as `call('GET /v1/employees/{id}', { params: { id } })`. */
export function call<K extends Operation>(
  operation: K,
  options: CallOptions<K>,
): Promise<Operations[K]['answer']> {
  const [method, pattern] = operation.split(' ') as [string, string]
  const { params = {}, query, signal, idempotency_key } = options
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const body = 'body' in options ? options.body : undefined
  return send(method, path + printQuery(query), { body, signal, idempotency_key })
}

/** A call of the dashboard's own routes, which are not part of the public API. */
export function callAdmin<T>(method: string, path: string, body?: unknown): Promise<T> {
  return send(method, path, { body })
}

/** Says who one is once more; a wrong password is told where it was typed. */
export function prove(password: string, code: string): Promise<unknown> {
  const body = { password, ...(code ? { code } : {}) }
  return send('POST', '/session/proof', { body, proving: true })
}

export function printQuery(query: Record<string, unknown> = {}): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  if (entries.length === 0) return ''
  return `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}`
}

type ShownSession = {
  stage: string
  csrf_token: string
  user: { id: string; email: string }
  tenant?: { id: string; name: string } | null
}

let csrf_token = ''
let user_id: string | null = null
/** Never forgotten while the window is open: what was read from it may still be shown. */
let tenant_id: string | null = null
let tellMoved: (where: string) => void = () => {}

/** Set by the dialog that says that the session went on elsewhere. */
export function provideMoved(tell: typeof tellMoved): void {
  tellMoved = tell
}

/** Changes need its token, and every call says whose organization the window shows. */
export function rememberSession({ csrf_token: token, user, tenant }: ShownSession): void {
  const sameUser = user_id === null || user.id === user_id
  const sameTenant = tenant_id === null || !tenant || tenant.id === tenant_id
  if (!sameUser || !sameTenant) {
    const where = sameUser ? `in ${tenant!.name}` : `as ${user.email}`
    tellUnlessLeaving(() => tellMoved(where))
    throw new CallError('another window went on elsewhere; nothing was changed here', {
      status: 409,
      code: 'ELSEWHERE',
    })
  }
  csrf_token = token
  user_id = user.id
  tenant_id = tenant?.id ?? tenant_id
}

type Sending = {
  body?: unknown
  signal?: AbortSignal
  idempotency_key?: string | undefined
  headers?: Record<string, string>
  /** A refusal is about what was typed: nobody is asked for a proof again, or sent away. */
  proving?: boolean
}

/** Done once more as they are, these would do something else than the first time. */
const UNREPEATABLE = new Set(['POST', 'DELETE'])

async function send<T>(method: string, path: string, sending: Sending): Promise<T> {
  if (method === 'GET' || QUESTIONS.test(path)) return sendProven(method, path, sending)
  const request = `${method} ${path} ${JSON.stringify(sending.body)}`
  const again = isAgain(request, Date.now())
  const key = sending.idempotency_key ?? keyOf(request, Date.now())
  try {
    const headers: Record<string, string> = method === 'POST' ? { 'idempotency-key': key } : {}
    const value = await sendProven<T>(method, path, { ...sending, headers })
    forgetKey()
    return value
  } catch (error) {
    const status = error instanceof CallError ? error.status : 0
    // Gone since the first time, of which nobody heard.
    if (method === 'DELETE' && status === 404 && again) return undefined as T
    const known = status > 0 && status < 500
    if (UNREPEATABLE.has(method) && !known && !sending.idempotency_key)
      keepKey(request, key, Date.now())
    throw error
  }
}

async function sendProven<T>(
  method: string,
  path: string,
  sending: Sending,
  renewed = false,
): Promise<T> {
  const first = await attemptAnew(method, path, sending)
  if (first.ok) return first.value as T
  const { error } = first
  if (sending.proving) throw error
  if (error.code === 'REAUTHENTICATION_REQUIRED' && (await askForProof())) {
    const second = await attempt(method, path, sending)
    if (second.ok) return second.value as T
    throw second.error
  }
  // What the server says of scopes and rights is meant for programs, which send a key.
  if (error.status === 403 && / lacks the (?:scope|right) /.test(error.message))
    throw new CallError('your role in this organization does not allow this', error)
  if (error.status !== 401) throw error
  if (!renewed && user_id !== null && (await isRenewed()))
    return sendProven(method, path, sending, true)
  tellUnlessLeaving(endSession)
  throw new CallError('the session had ended; nothing was changed', error)
}

/** Where the server says that a call does not fit the session. */
const SESSION_HEADERS = new Set(['X-CSRF-Token', 'X-Tenant'])

type Outcome = { ok: true; value: unknown } | { ok: false; error: CallError }

/** Another window may have logged in anew or switched: the session is read again, then the call made once more. */
async function attemptAnew(method: string, path: string, sending: Sending): Promise<Outcome> {
  const first = await attempt(method, path, sending)
  if (first.ok || !first.error.faults.some(({ path }) => SESSION_HEADERS.has(path))) return first
  const session = await attempt('GET', '/session', {})
  if (!session.ok) return session
  const told = session.value as ShownSession
  // Whoever wants to leave may, even if somebody else is logged in by now.
  if (method === 'DELETE' && path === '/session') csrf_token = told.csrf_token
  else rememberSession(told)
  return attempt(method, path, sending)
}

async function attempt(method: string, path: string, sending: Sending): Promise<Outcome> {
  const { body, signal, headers = {} } = sending
  const failed = (why: string) => (error: unknown) => {
    if (signal?.aborted) throw error
    throw lost(method, path, why)
  }
  const asked_at = Date.now()
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: {
      accept: 'application/json',
      ...(tenant_id === null ? {} : { 'x-tenant': tenant_id }),
      ...(method === 'GET' ? attention() : { 'x-csrf-token': csrf_token }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch(failed(NOT_REACHED))
  learnTime(response.headers.get('date'), asked_at, Date.now())
  learnBudget(response.headers.get('x-ratelimit-remaining'))
  const text = await response.text().catch(failed(NOT_WHOLE))
  const value = readJson(text)
  if (!response.ok) return { ok: false, error: readError(method, path, response, value) }
  if (value === undefined && response.status !== 204) throw lost(method, path, NOT_WHOLE)
  return { ok: true, value }
}

/** Long work that one has begun and left alone is use: it is made of changes. */
const attention = (): Record<string, string> => (isAttended() ? {} : { 'x-unattended': '1' })

const NOT_WHOLE = 'the answer of the server did not arrive whole'

/** Sent as changes are, and change nothing. */
const QUESTIONS = /^\/session\/proof$|^\/v1\/rules\/test|[?&]dry_run=true/

export const isLost = (error: unknown): boolean =>
  error instanceof CallError && error.code === 'LOST'

/** A change without an answer may have been made all the same: `LOST`. */
function lost(method: string, path: string, why: string, told: Partial<Told> = {}): CallError {
  if (method === 'GET' || QUESTIONS.test(path))
    return new CallError(why, { code: 'OFFLINE', ...told })
  const unknown = `${why}, so it may be done or not. Look before you try again`
  return new CallError(unknown, { code: 'LOST', ...told })
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function readError(method: string, path: string, response: Response, value: unknown): CallError {
  const told = (value as ErrorBody | undefined)?.error
  const { status } = response
  const request_id = told?.request_id ?? response.headers.get('x-request-id')
  // The words of a proxy, which knows nothing of what became of the call behind it.
  if (!told && status >= 500)
    return lost(method, path, `the server answered ${status}`, { status, request_id })
  const wait = Number(response.headers.get('retry-after'))
  return new CallError(told?.message ?? `the server answered ${status}`, {
    status,
    code: told?.code ?? 'UNKNOWN',
    request_id,
    faults: told?.details ?? [],
    retry_after: Number.isFinite(wait) && wait > 0 ? wait : null,
  })
}

/** Whether one has logged in again meanwhile, in another window. */
export async function isBack(): Promise<boolean> {
  const session = await attempt('GET', '/session', {}).catch(() => null)
  if (!session?.ok) return false
  const told = session.value as ShownSession
  if (told.stage !== 'signed_in') return false
  rememberSession(told)
  return true
}

const RENEWAL_MS = 500
let looking: Promise<boolean> | null = null

/** A proof of identity, or a login, in another window takes the cookie of calls under way; the new one comes a moment later. */
function isRenewed(): Promise<boolean> {
  looking ??= new Promise(resolve => setTimeout(resolve, RENEWAL_MS)).then(isBack).finally(() => {
    looking = null
  })
  return looking
}

export const NOT_REACHED = 'the server cannot be reached'

/** Whatever is answered, somebody is there. */
export function isReached(): Promise<boolean> {
  return fetch('/healthz', { cache: 'no-store', signal: AbortSignal.timeout(5_000) }).then(
    () => true,
    () => false,
  )
}
