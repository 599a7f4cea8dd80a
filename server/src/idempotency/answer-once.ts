// A repeated request gives the first answer again: the claim and the answer live in the effect's own transaction.
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Asked, identityOf, inTenantOf } from '../accounts/identity.ts'
import { credentialText } from '../platform/actor.ts'
import { canonicalJson } from '../platform/canonical-json.ts'
import { DAY, type Instant } from '../platform/clock.ts'
import type { Context } from '../platform/context.ts'
import type { Tx } from '../platform/database.ts'
import { type ApiError, conflict, invalid } from '../platform/errors.ts'
import { openOrNull } from '../platform/secrets.ts'
import {
  claimRequests,
  dropClaims,
  dropOldClaims,
  findAnswers,
  type SavedAnswer,
  saveAnswers,
} from './answers.queries.ts'

export type Answer = {
  status: number
  body: unknown
  location?: string | undefined
  /** The people of whom the body tells more than ids and numbers; what is kept of it is erased with them. */
  about?: readonly string[]
}

/** A request that carries an Idempotency-Key; null for one that does not. */
export type Repeatable = {
  readonly request: string
  /** Of the query and of what the body says, however it is written. */
  readonly body_hash: Buffer
  /** Of the body's bytes, as an answer is kept for a day by the release before. */
  readonly bytesHash?: () => Buffer
} | null

const KEY = /^[\x21-\x7e]{1,255}$/
/** No path that leads anywhere is as long; with the key it fits into an index, whose entries have 2,704 bytes. */
const LONGEST_PATH = 1000

export function readRepeatable(request: FastifyRequest): Repeatable {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || !KEY.test(key)) {
    const message = 'must be 1 to 255 printable ASCII characters without spaces'
    throw invalid([{ path: 'Idempotency-Key', message }])
  }
  const [path = '', ...query] = (request.raw.url ?? '').split('?')
  const body = request.rawBody ?? ''
  // The query says what is asked for as the body does: a preview and the deed are not the same request.
  const hash = (said: string | Buffer) =>
    createHash('sha256')
      .update(`${query.join('?')}\n`)
      .update(said)
      .digest()
  return {
    // Whoever else has the same key in mind gets no answer that was meant for another.
    request: `${request.method} ${shorten(path)} ${key} ${credentialText(identityOf(request).actor)}`,
    body_hash: hash(canonicalJson(body.toString('utf8'))),
    bytesHash: () => hash(body),
  }
}

function shorten(path: string): string {
  return path.length > LONGEST_PATH ? createHash('sha256').update(path).digest('hex') : path
}

export type Claims = {
  /** Answers of earlier requests, by request; an ApiError where the body differs. */
  readonly earlier: ReadonlyMap<string, Answer | ApiError>
}

/** Claims several requests at once; those already answered come back with their answer. */
export async function claim(
  tx: Tx,
  tenant_id: string,
  wanted: readonly NonNullable<Repeatable>[],
  now: Instant,
  seal?: Seal,
): Promise<Claims> {
  if (wanted.length === 0) return { earlier: new Map() }
  const names = wanted.map(one => one.request)
  await dropOldClaims(tx, tenant_id, names, new Date(now - DAY))
  const hashes = wanted.map(one => one.body_hash)
  const fresh = await claimRequests(tx, tenant_id, names, hashes, new Date(now))
  const rest = wanted.filter(one => !fresh.has(one.request))
  const saved =
    rest.length > 0
      ? await findAnswers(
          tx,
          tenant_id,
          rest.map(one => one.request),
        )
      : []
  const earlier = new Map(
    rest.map(one => {
      const found = saved.find(row => row.request === one.request)
      return [one.request, readSaved(found, one, seal)] as const
    }),
  )
  return { earlier }
}

/** How an answer that holds a secret is kept: bound to its tenant and request. Null where its key is gone. */
export type Seal = {
  close(text: string, request: string): string
  open(text: string, request: string): string | null
}

export const answerPurpose = (tenant_id: string, request: string) =>
  `answer ${tenant_id} ${request}`

function sealFor({ secrets }: Context, tenant_id: string): Seal {
  return {
    close: (text, request) => secrets.seal(text, answerPurpose(tenant_id, request)),
    open: (text, request) => openOrNull(secrets, text, answerPurpose(tenant_id, request)),
  }
}

function readSaved(
  saved: SavedAnswer | undefined,
  { request, body_hash, bytesHash }: NonNullable<Repeatable>,
  seal: Seal | undefined,
): Answer | ApiError {
  if (!saved || saved.status === null) {
    return conflict('the first request with this key is not answered yet')
  }
  if (!saved.body_hash.equals(body_hash) && !(bytesHash && saved.body_hash.equals(bytesHash()))) {
    return conflict('this Idempotency-Key was used with another body or query; use a new key')
  }
  if (saved.encrypted && !seal) throw new Error('a sealed answer was read without its seal')
  const { answer } = saved
  const text = saved.encrypted && answer !== null ? seal!.open(answer, request) : answer
  const body = text === null ? undefined : JSON.parse(text)
  return { status: saved.status, body, location: saved.location ?? undefined }
}

/** Saves 2xx answers and gives back the claims of the others. */
export async function settle(
  tx: Tx,
  tenant_id: string,
  answers: readonly { request: string; answer: Answer }[],
  seal?: Seal,
): Promise<void> {
  const isGood = ({ answer }: { answer: Answer }) => answer.status >= 200 && answer.status < 300
  const kept = answers.filter(isGood).map(({ request, answer }) => ({
    request,
    status: answer.status,
    location: answer.location ?? null,
    answer: seal ? seal.close(JSON.stringify(answer.body), request) : JSON.stringify(answer.body),
    encrypted: seal !== undefined,
    employee_ids: answer.about ?? [],
  }))
  const dropped = answers.filter(one => !isGood(one)).map(one => one.request)
  if (kept.length > 0) await saveAnswers(tx, tenant_id, kept)
  if (dropped.length > 0) await dropClaims(tx, tenant_id, dropped)
}

/** Runs a creating operation in one transaction, once for each Idempotency-Key; `secret` seals what is saved. */
export async function answerOnce(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (tx: Tx, asked: Asked) => Promise<Answer>,
  options: { secret?: boolean } = {},
): Promise<void> {
  const repeatable = readRepeatable(request)
  const answer = await inTenantOf(context, request, async (tx, asked) => {
    const { tenant_id, now } = asked
    if (!repeatable) return work(tx, asked)
    const seal = options.secret ? sealFor(context, tenant_id) : undefined
    const { earlier } = await claim(tx, tenant_id, [repeatable], now, seal)
    const before = earlier.get(repeatable.request)
    if (before instanceof Error) throw before
    if (before) return before
    const answer = await work(tx, asked)
    await settle(tx, tenant_id, [{ request: repeatable.request, answer }], seal)
    return answer
  })
  await sendAnswer(reply, answer)
}

export function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  if (answer.location !== undefined) reply.header('location', answer.location)
  return reply.code(answer.status).send(answer.body)
}
