/**
 * Compression of answers that say they may be compressed: reads of both dialects, and public documents. Everything else
 * is sent as it is: event streams, whose events would wait in a compressor; files, which mostly are compressed; and
 * answers with a secret (docs/decisions/security.md, "Secrets are not compressed").
 */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { type Coding, codedEtag, codings, coveredTags } from '../platform/etag.ts'

/** Below this an answer is one packet with its headers anyway. */
const MIN_BYTES = 1024

const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)
const zstd = promisify(zstdCompress)

/**
 * The fastest level of each: higher ones take two to seven times as long for a tenth of the bytes at most (performance,
 * "Compressed answers").
 */
const coders: Readonly<Record<Coding, (bytes: Buffer) => Promise<Buffer>>> = {
  zstd: (bytes: Buffer) => zstd(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  br: (bytes: Buffer) =>
    brotli(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength },
    }),
  gzip: (bytes: Buffer) => deflate(bytes, { level: 1 }),
}

/** Its types lack the order among equals. */
type WithPreference = Negotiator & {
  encodings(known: readonly string[], order: { preferred: readonly string[] }): string[]
}

/**
 * The coding that the client likes best, and of equals the one named first; null for none. RFC 9110, section 12.5.3.
 */
export function codingFor<Name extends string>(request: FastifyRequest, known: readonly Name[]): Name | null {
  // Without the header any coding would be allowed, but a program that does not send it seldom decodes one.
  if (!request.headers['accept-encoding']) return null
  const [best] = (new Negotiator(request) as WithPreference).encodings([...known, 'identity'], { preferred: known })
  return known.find((name) => name === best) ?? null
}

/** Says that this answer holds no secret and may be compressed. Call it before the answer is sent. */
export function mayCompress(request: FastifyRequest): void {
  request.isCompressible = true
}

/** Adds names to `Vary`, and keeps those that are there. */
export function vary(reply: FastifyReply, ...names: readonly string[]): void {
  const present = String(reply.getHeader('vary') ?? '')
  const key = `${present}/${names.join()}`
  const known = extended.get(key)
  const wanted = known ?? withNames(present, names)
  if (known === undefined) extended.set(key, wanted)
  if (wanted !== present) reply.header('vary', wanted)
}

/** What became of a value and names. All are the hub's own, so there are few. */
const extended = new Map<string, string>()

function withNames(present: string, names: readonly string[]): string {
  const known = present.split(',').map((name) => name.trim().toLowerCase())
  const added = names.filter((name) => !known.includes(name.toLowerCase()))
  return [...(present ? [present] : []), ...added].join(', ')
}

/** The hook; before those that look at the bytes that are sent. */
export function registerCompression(app: FastifyInstance): void {
  app.decorateRequest('isCompressible', false)
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!request.isCompressible) return done(null, payload)
    vary(reply, 'Accept-Encoding')
    const coding = codingFor(request, codings)
    if (reply.statusCode === 304) nameStored(request, reply)
    if (coding === null || !isLong(payload) || reply.hasHeader('content-encoding')) return done(null, payload)
    coders[coding](typeof payload === 'string' ? Buffer.from(payload) : payload).then((bytes) => {
      reply.header('content-encoding', coding)
      reply.removeHeader('content-length')
      const etag = reply.getHeader('etag')
      if (typeof etag === 'string') reply.header('etag', codedEtag(etag, coding))
      done(null, bytes)
    }, done)
  })
}

/**
 * A cache refreshes what it has under the tag that it stored, which may be that of a coding. RFC 9111, section 4.3.4.
 */
function nameStored(request: FastifyRequest, reply: FastifyReply): void {
  const etag = String(reply.getHeader('etag'))
  const [stored = etag] = coveredTags(request.headers['if-none-match'], etag)
  reply.header('etag', stored)
}

const isLong = (payload: unknown): payload is string | Buffer =>
  (typeof payload === 'string' || Buffer.isBuffer(payload)) && Buffer.byteLength(payload) >= MIN_BYTES
