/** The disk store's signed URLs: the query contains the grant, signed with the hub's HMAC-SHA256. */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto'
import { isKey, isUploadId } from './disk-layout.ts'

/** Allows PUTs of one part, of exactly `sizeBytes`. */
export interface PartGrant {
  readonly method: 'PUT'
  readonly key: string
  readonly uploadId: string
  readonly partNumber: number
  readonly sizeBytes: number
  readonly expiresAtSeconds: number
}

/** Allows GET and HEAD of one object. */
export interface ReadGrant {
  readonly method: 'GET'
  readonly key: string
  readonly downloadName: string | null
  readonly contentType: string | null
  readonly expiresAtSeconds: number
}

export type Grant = PartGrant | ReadGrant

export type Verdict<G extends Grant> =
  | { readonly status: 'allowed'; readonly grant: G }
  | { readonly status: 'expired' }
  | { readonly status: 'invalid' }

/** S3's part limit, so that both stores accept the same numbers. */
export const MAX_PART_NUMBER = 10_000

/** `/objects/<key>?…` for this grant, to be appended to the hub's public URL. */
export function signedPath(grant: Grant, signingKey: KeyObject): string {
  const sealed = `expires=${grant.expiresAtSeconds}&signature=${seal(grant, signingKey).toString('base64url')}`
  // Numbers, and ids that the store makes of characters that no URL has to escape.
  if (grant.method === 'PUT')
    return `/objects/${grant.key}?upload=${grant.uploadId}&part=${grant.partNumber}&size=${grant.sizeBytes}&${sealed}`
  const query = new URLSearchParams()
  if (grant.downloadName !== null) query.set('name', grant.downloadName)
  if (grant.contentType !== null) query.set('type', grant.contentType)
  return `/objects/${grant.key}?${query.size > 0 ? `${query}&` : ''}${sealed}`
}

/** Verifies a part URL. `expired` is only returned for a correctly signed URL. */
export function readPartUrl(key: string, query: URLSearchParams, signingKey: KeyObject): Verdict<PartGrant> {
  const uploadId = query.get('upload') ?? ''
  const partNumber = wholeNumber(query.get('part'))
  const sizeBytes = wholeNumber(query.get('size'))
  const expiresAtSeconds = wholeNumber(query.get('expires'))
  if (!holdsOnly(query, ['upload', 'part', 'size', 'expires', 'signature']) || !isKey(key) || !isUploadId(uploadId))
    return invalid
  if (partNumber === null || sizeBytes === null || expiresAtSeconds === null) return invalid
  return judge({ method: 'PUT', key, uploadId, partNumber, sizeBytes, expiresAtSeconds }, query, signingKey)
}

/** Verifies a download URL. */
export function readDownloadUrl(key: string, query: URLSearchParams, signingKey: KeyObject): Verdict<ReadGrant> {
  const expiresAtSeconds = wholeNumber(query.get('expires'))
  if (!holdsOnly(query, ['name', 'type', 'expires', 'signature']) || !isKey(key) || expiresAtSeconds === null)
    return invalid
  const grant = {
    method: 'GET',
    key,
    downloadName: query.get('name'),
    contentType: query.get('type'),
    expiresAtSeconds,
  } as const
  return judge(grant, query, signingKey)
}

const invalid = { status: 'invalid' } as const

function judge<G extends Grant>(grant: G, query: URLSearchParams, signingKey: KeyObject): Verdict<G> {
  // Compared as text: base64url has several spellings of the same bytes, and the hub issued one.
  const given = Buffer.from(query.get('signature') ?? '')
  const expected = Buffer.from(seal(grant, signingKey).toString('base64url'))
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return invalid
  return grant.expiresAtSeconds * 1000 > Date.now() ? { status: 'allowed', grant } : { status: 'expired' }
}

/**
 * JSON of a list keeps members apart, whatever they hold; the first one keeps this use of the key apart from every
 * other.
 */
function seal(grant: Grant, signingKey: KeyObject): Buffer {
  const members =
    grant.method === 'PUT'
      ? [grant.uploadId, grant.partNumber, grant.sizeBytes]
      : [grant.downloadName, grant.contentType]
  const sealed = ['hub object url 1', grant.method, grant.key, grant.expiresAtSeconds, ...members]
  return createHmac('sha256', signingKey).update(JSON.stringify(sealed)).digest()
}

/** A duplicate or unsigned parameter makes the URL differ from the one that the hub signed. */
function holdsOnly(query: URLSearchParams, names: readonly string[]): boolean {
  const given = [...query.keys()]
  return new Set(given).size === given.length && given.every((name) => names.includes(name))
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : null
}
