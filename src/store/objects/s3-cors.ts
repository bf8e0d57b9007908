/**
 * What pages may do with the bucket: the browser sends parts of files to it and reads files from it, and asks the
 * store first whether pages of the hub's address may (CORS).
 */
import {
  type CORSRule,
  GetBucketCorsCommand,
  PutBucketCorsCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { S3Settings } from '../../platform/config.ts'
import { openS3Store } from './s3.ts'
import { s3Client } from './s3-client.ts'
import { toObjectStoreError } from './s3-errors.ts'

/** Marks the one rule that is the hub's. */
const RULE_ID = 'hub-pages'
const TIMEOUT_MS = 5000
/** Pages read a part's ETag after it is sent, and how large a file is from the range of an answer. */
const exposed = ['ETag', 'Content-Range', 'Content-Length', 'Accept-Ranges']

/** The rule that pages of these origins need, in S3's own words. */
export const pagesRule = (origins: readonly string[]): CORSRule => ({
  ID: RULE_ID,
  AllowedOrigins: [...origins],
  AllowedMethods: ['GET', 'HEAD', 'PUT'],
  AllowedHeaders: ['*'],
  ExposeHeaders: exposed,
  MaxAgeSeconds: 7200,
})

/** Puts the hub's rule in place of the one that it put before, and keeps the others. Safe to repeat. */
export async function letPagesIn(settings: S3Settings, origins: readonly string[]): Promise<void> {
  const client = s3Client(settings)
  const { bucket: Bucket } = settings
  try {
    const others = (await rulesOf(client, Bucket)).filter(({ ID }) => ID !== RULE_ID)
    const CORSConfiguration = { CORSRules: [...others, pagesRule(origins)] }
    await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration }))
  } catch (error) {
    throw toObjectStoreError(error)
  } finally {
    client.destroy()
  }
}

async function rulesOf(client: S3Client, Bucket: string): Promise<CORSRule[]> {
  try {
    return (await client.send(new GetBucketCorsCommand({ Bucket }))).CORSRules ?? []
  } catch (error) {
    if (error instanceof S3ServiceException && error.name === 'NoSuchCORSConfiguration') return []
    throw error
  }
}

/**
 * What pages of an origin cannot do with the bucket, each in a few words; empty if they can do all that they need. It
 * asks as a browser does, so it also sees what stands before the store. `key` is an object that is there.
 */
export async function pagesCannot(settings: S3Settings, origin: string, key: string): Promise<readonly string[]> {
  const store = openS3Store(settings)
  try {
    const part = await store.signPart(key, 'asked-as-a-page', { partNumber: 1, sizeBytes: 1 }, 60)
    const file = await store.signGet(key, { ttlSeconds: 60 })
    const [sends, reads] = await Promise.all([maySend(part, origin), readFaults(file, origin)])
    return [...(sends ? [] : ['send parts of files (PUT)']), ...reads]
  } finally {
    await store.close()
  }
}

/** Whether the answer names the origin, or every one. */
const names = (answer: Response, origin: string) =>
  [origin, '*'].includes(answer.headers.get('access-control-allow-origin') ?? '')

async function maySend(url: string, origin: string): Promise<boolean> {
  const headers = { origin, 'access-control-request-method': 'PUT' }
  const answer = await fetch(url, { method: 'OPTIONS', headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
  await answer.body?.cancel()
  const methods = (answer.headers.get('access-control-allow-methods') ?? '').split(',').map((one) => one.trim())
  return answer.ok && names(answer, origin) && methods.some((one) => one === '*' || one.toUpperCase() === 'PUT')
}

async function readFaults(url: string, origin: string): Promise<string[]> {
  const headers = { origin, range: 'bytes=0-0' }
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
  await answer.body?.cancel()
  if (!answer.ok || !names(answer, origin)) return ['read files (GET)']
  const shown = (answer.headers.get('access-control-expose-headers') ?? '').split(',').map((one) => one.trim())
  const isShown = (name: string) => shown.some((one) => one === '*' || one.toLowerCase() === name.toLowerCase())
  const hidden = ['ETag', 'Content-Range'].filter((name) => !isShown(name))
  return hidden.map((name) => `read the header ${name}`)
}
