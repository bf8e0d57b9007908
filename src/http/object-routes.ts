/**
 * The signed URLs of the disk store: PUT of a part, GET and HEAD of an object. The signature is the only credential, as
 * on S3.
 *
 * These are users' bytes on the hub's own origin: never sniffed, and sandboxed should a browser open them.
 */
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { HubError } from '../platform/errors.ts'
import { networkOf } from '../platform/network-of.ts'
import { attachment } from '../store/objects/content-disposition.ts'
import type { DiskStore } from '../store/objects/disk.ts'
import { ObjectStoreError } from '../store/objects/object-store.ts'
import { releaseChunk } from '../store/objects/release-chunk.ts'
import type { Grant, Verdict } from '../store/objects/signed-url.ts'
import { storeGone } from '../store/objects/store-gone.ts'
import { parseRange } from './byte-range.ts'
import { discardBody } from './discard-body.ts'
import { type PartTurns, partTurns } from './part-turns.ts'

type ObjectRequest = FastifyRequest<{ Params: { '*': string } }>

/**
 * `PUT`, `GET`, `HEAD` and the preflight of `/objects/*`. Failures are HubErrors for the server's error handler to
 * render.
 */
export function objectRoutes(store: DiskStore): FastifyPluginAsync {
  return async (app: FastifyInstance) => {
    // Bodies are left in the socket for the handler to stream.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _body, done) => done(null))
    app.addHook('onRequest', async (request, reply) => {
      assertData(request.headers['sec-fetch-dest'])
      // A part has no content type; a malformed header would otherwise be rejected.
      delete request.raw.headers['content-type']
      reply.headers(everyAnswer)
    })
    app.options('/objects/*', async (_request, reply) => {
      reply.code(204).headers(preflight)
      return reply.send()
    })
    const turns = partTurns()
    app.put('/objects/*', (request: ObjectRequest, reply) => putPart(store, turns, request, reply))
    app.route({
      method: ['GET', 'HEAD'],
      url: '/objects/*',
      handler: (request, reply) => sendObject(store, request as ObjectRequest, reply),
    })
  }
}

/** Cookies and credentials have no effect here, so any page may use a signed URL. */
const everyAnswer = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cache-control': 'private',
}

/** What browsers execute or show as part of a page. */
const codeUses = new Set([
  'audioworklet',
  'embed',
  'frame',
  'iframe',
  'object',
  'paintworklet',
  'script',
  'serviceworker',
  'sharedworker',
  'style',
  'worker',
  'xslt',
])

/** The hub's pages trust scripts of its origin, and these bytes are on it too. */
function assertData(use: string | string[] | undefined): void {
  if (typeof use === 'string' && codeUses.has(use))
    throw new HubError('forbidden.signature', `A signed URL serves data, and no ${use} of a page.`)
}

const preflight = {
  'access-control-allow-methods': 'PUT, GET, HEAD',
  'access-control-allow-headers': 'Content-Type, If-None-Match, If-Range, Range',
  'access-control-max-age': '7200',
}

/** Who sends a range means a piece of the part, which would be taken for the whole (RFC 9110, 14.5). */
function assertWhole(range: string | undefined): void {
  if (range === undefined) return
  throw new HubError('validation.request', 'A part is sent whole, without `Content-Range`; nothing was stored.')
}

async function putPart(store: DiskStore, turns: PartTurns, request: ObjectRequest, reply: FastifyReply) {
  const body = request.raw
  try {
    const grant = granted(store.readPartUrl(request.params['*'], queryOf(request)))
    assertWhole(request.headers['content-range'])
    assertLength(request.headers['content-length'], grant.sizeBytes)
    // An iterator, because destroying the stream would close the connection before the response.
    const part = await turns.run(grant, (signal) =>
      store.writePart(grant, body.iterator({ destroyOnReturn: false }), {
        spent: releaseChunk,
        sender: networkOf(request.ip),
        signal,
      }),
    )
    return reply.code(200).header('etag', `"${part.etag}"`).send()
  } catch (error) {
    const cut = body.errored !== null
    discardBody(body)
    throw cut
      ? new HubError('validation.request', 'The connection closed before the end of the body; nothing was stored.')
      : asHubError(error)
  }
}

async function sendObject(store: DiskStore, request: ObjectRequest, reply: FastifyReply) {
  const key = request.params['*']
  const grant = granted(store.readDownloadUrl(key, queryOf(request)))
  try {
    const refusals: HubError[] = []
    const { body } = await store.open(key, (object) => {
      const etag = `"${object.etag}"`
      reply.headers({ etag, 'accept-ranges': 'bytes' })
      if (matches(request.headers['if-none-match'], etag)) {
        reply.code(304)
        return 'nothing'
      }
      const rangeHolds = request.headers['if-range'] === undefined || request.headers['if-range'] === etag
      const range = rangeHolds ? parseRange(request.headers.range, object.sizeBytes) : null
      if (range === 'unsatisfiable') {
        refusals.push(unsatisfiable(object.sizeBytes))
        return 'nothing'
      }
      reply.header('content-type', headerText(grant.contentType ?? object.contentType))
      if (grant.downloadName !== null) reply.header('content-disposition', attachment(grant.downloadName))
      reply.header('content-length', range ? range.end - range.start + 1 : object.sizeBytes)
      if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${object.sizeBytes}`)
      return request.method === 'HEAD' ? 'nothing' : (range ?? 'whole')
    })
    for (const refusal of refusals) throw refusal
    return body === null ? reply.send() : reply.send(body)
  } catch (error) {
    throw asHubError(error)
  }
}

/** `searchParams` instead of the framework's query, to see repeated parameters. */
function queryOf(request: FastifyRequest): URLSearchParams {
  return new URL(request.raw.url ?? '/', 'http://hub').searchParams
}

function granted<G extends Grant>(verdict: Verdict<G>): G {
  if (verdict.status === 'allowed') return verdict.grant
  const why = verdict.status === 'expired' ? 'has expired' : 'was not signed by this hub for this method'
  throw new HubError('forbidden.signature', `The URL ${why}; request a new one.`)
}

function asHubError(error: unknown): unknown {
  if (!(error instanceof ObjectStoreError)) return error
  switch (error.code) {
    case 'no_such_object':
      return new HubError('not_found', 'The object no longer exists.', { cause: error })
    case 'no_such_upload':
      return new HubError('not_found', 'The upload was completed, aborted or never started.', { cause: error })
    case 'too_large':
      return new HubError('too_large', error.message, { cause: error, facts: error.facts })
    case 'too_small':
      return new HubError('upload.size_mismatch', error.message, { cause: error })
    case 'busy':
      return new HubError('rate.limited', error.message, { cause: error, facts: { ...error.facts, retryAfterS: 1 } })
    default:
      return storeGone(error) ?? error
  }
}

/** Checks the declared length before reading; without one, bytes are counted as they arrive. */
function assertLength(contentLength: string | undefined, sizeBytes: number): void {
  if (contentLength === undefined || Number(contentLength) === sizeBytes) return
  const used = Number(contentLength)
  const detail = `The body has ${contentLength} bytes; the part of this URL has ${sizeBytes}.`
  if (!(used > sizeBytes)) throw new HubError('upload.size_mismatch', detail)
  throw new HubError('too_large', detail, { facts: { unit: 'bytes', limit: sizeBytes, used } })
}

function unsatisfiable(sizeBytes: number): HubError {
  const headers = { 'Content-Range': `bytes */${sizeBytes}` }
  return new HubError('range.not_satisfiable', `The object has ${sizeBytes} bytes.`, { headers })
}

function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  const candidates = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return candidates.includes(etag) || candidates.includes('*')
}

/** The media type is client input and must not be able to break a header. */
function headerText(contentType: string | null): string {
  return contentType !== null && /^[\x20-\x7e]+$/.test(contentType) ? contentType : 'application/octet-stream'
}
