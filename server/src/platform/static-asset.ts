// An answer that is the same for everybody, held in memory: packed once, never in between, and not sent to whoever has it.
import { promisify } from 'node:util'
import { crc32, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

export type StaticAsset = {
  readonly body: Buffer
  /** Null where packing gains nothing. */
  readonly packed: Buffer | null
  readonly type: string
  /** What `Cache-Control` says. */
  readonly keep: string
  /** Weak, because the packed form goes by the same. */
  readonly etag: string
}

/** For what an upgrade may change under the same address. */
export const AN_HOUR = 'public, max-age=3600'

const pack = promisify(gzip)

export function describeAsset(asset: Omit<StaticAsset, 'etag'>): StaticAsset {
  const { body } = asset
  return { ...asset, etag: `W/"${body.length.toString(36)}-${crc32(body).toString(36)}"` }
}

/** Packs off the main thread. */
export async function packAsset(text: string, type: string): Promise<StaticAsset> {
  const body = Buffer.from(text)
  return describeAsset({ body, packed: await pack(body), type, keep: AN_HOUR })
}

export function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, packed, type, keep, etag }: StaticAsset,
): FastifyReply {
  const { 'accept-encoding': takes = '', 'if-none-match': known = '' } = request.headers
  reply.headers({ 'cache-control': keep, etag, vary: 'accept-encoding' })
  if (isKnown(known, etag)) return reply.code(304).send()
  reply.header('content-type', type)
  if (packed === null || !TAKES_GZIP.test(String(takes))) return reply.send(body)
  return reply.header('content-encoding', 'gzip').send(packed)
}

const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s|,|$))/i

/** The same page is the same to whoever asks, packed or not: only what stands between the quotes counts. */
function isKnown(tags: string, etag: string): boolean {
  return tags.split(',').some(tag => ['*', etag, etag.slice(2)].includes(tag.trim()))
}
