/**
 * The objects of jobs in the store, under one prefix per job. Keys are never reused. An object is written before the
 * transaction that names it; an object that no transaction named is collected by the time in its key. The stored bytes
 * of jobs count against their owner's storage quota, together with files: the column `stored_bytes` is the share of a
 * job, so that it can be released with the job. Contract, "Storage quota". Lock order: jobs, accounts.
 */
import { randomBytes } from 'node:crypto'
import { countBytes } from '../files/reservation.ts'
import type { Deps, RequestContext } from '../operation/context.ts'
import type { Config } from '../platform/config.ts'
import { HubError } from '../platform/errors.ts'
import type { Querier, Tx } from '../store/db.ts'
import { areDeletionsHeld } from '../store/deletion-hold.ts'
import { asLost } from '../store/objects/lost-object.ts'
import type { ByteRange } from '../store/objects/object-store.ts'
import { paidChunks } from '../store/objects/paid-calls.ts'
import { asStoreRefusal, requireObjects } from '../store/objects/required.ts'
import { param, statement } from '../store/statement.ts'
import { type JobKind, memoizeByKey } from './job-kind.ts'

/** One kind of object of one kind of job: `runs/{run_id}/logs/…`. */
export interface JobObjectKind {
  /** Prefix of all jobs of the kind: `runs/`. */
  readonly prefix: string
  readonly folder: string
  readonly extension: string
  readonly contentType: string
}

const TIME_DIGITS = 14

/** A new key that contains its time of creation: `runs/run_…/logs/…`. */
export function newJobKey({ prefix, folder, extension }: JobObjectKind, jobId: string): string {
  const name = `${String(Date.now()).padStart(TIME_DIGITS, '0')}-${randomBytes(10).toString('hex')}`
  return `${prefix}${jobId}/${folder}/${name}.${extension}`
}

const keyForm = /^([a-z-]+\/)[a-z]+_[0-9a-z]{26}\/([a-z-]+)\/(\d{14})-[0-9a-f]{20}\.\w+$/

/**
 * When an object of one of these kinds was created, by the clock of the hub that created it; null for any other key.
 */
export function madeAtMs(kinds: readonly JobObjectKind[], key: string): number | null {
  const [, prefix, folder, time] = keyForm.exec(key) ?? []
  return kinds.some((kind) => kind.prefix === prefix && kind.folder === folder) ? Number(time) : null
}

/** Writes one object and returns its key. 503 if there is no store, or it does not respond. */
export async function putJobObject(
  deps: Pick<Deps, 'objects'>,
  kind: JobObjectKind,
  { jobId, bytes, signal }: { readonly jobId: string; readonly bytes: Uint8Array; readonly signal: AbortSignal },
): Promise<string> {
  const key = newJobKey(kind, jobId)
  const { contentType } = kind
  try {
    await requireObjects(deps).put(key, bytes, { sizeBytes: bytes.byteLength, contentType, signal })
    return key
  } catch (error) {
    throw asStoreRefusal(error)
  }
}

/**
 * Deletes objects that no row names after the commit. If deletion fails or is held by a backup, the objects are left
 * for collection.
 */
export function deleteAfterCommit(
  { db, objects, log }: Pick<Deps, 'db' | 'objects' | 'log'>,
  tx: Tx,
  keys: readonly (string | null)[],
): void {
  const unused = keys.filter((key) => key !== null)
  if (unused.length === 0) return
  tx.afterCommit(() => {
    removeUnused({ db, objects }, unused).catch((cause: unknown) => {
      log.warn({ err: cause }, 'unreferenced objects of a job could not be deleted and are left for collection')
    })
  })
}

async function removeUnused({ db, objects }: Pick<Deps, 'db' | 'objects'>, keys: readonly string[]): Promise<void> {
  if (!(await areDeletionsHeld(db))) await objects?.delete(keys)
}

/** An upload of the store; null for one that never started. */
export interface BegunUpload {
  readonly storageKey: string | null
  readonly storeUploadId: string | null
}

/**
 * Aborts uploads that no row names after the commit, with the bytes that were sent to them, which count in no quota,
 * and removes what a completion at the same moment made of them. One that fails is left for collection.
 */
export function abortAfterCommit(
  deps: Pick<Deps, 'db' | 'objects' | 'log'>,
  tx: Tx,
  uploads: readonly BegunUpload[],
): void {
  tx.afterCommit(() => {
    for (const upload of uploads)
      abort(deps, upload).catch((cause: unknown) => {
        deps.log.warn({ err: cause }, 'an unused upload of a job could not be aborted and is left for collection')
      })
  })
}

async function abort(
  { db, objects }: Pick<Deps, 'db' | 'objects'>,
  { storageKey, storeUploadId }: BegunUpload,
): Promise<void> {
  if (storageKey === null || storeUploadId === null) return
  await objects?.abortUpload(storageKey, storeUploadId)
  await removeUnused({ db, objects }, [storageKey])
}

/**
 * Deletes the objects of a refused request. After a HubError below 500 the transaction was certainly rolled back. After
 * any other error it may have committed, so nothing is deleted; objects that no row names are collected later.
 */
export async function forgetRefused(ctx: RequestContext, keys: readonly string[], error: unknown): Promise<void> {
  if (keys.length === 0 || !(error instanceof HubError) || error.status >= 500) return
  await ctx.deps.objects?.delete(keys).catch((cause: unknown) => {
    ctx.deps.log.warn({ err: cause }, 'objects of a refused request could not be deleted and are left for collection')
  })
}

/** The same for an upload that a refused request began: no row names it. */
export async function abortRefused({ deps }: RequestContext, upload: BegunUpload, error: unknown): Promise<void> {
  if (!(error instanceof HubError) || error.status >= 500) return
  await abort(deps, upload).catch((cause: unknown) => {
    deps.log.warn({ err: cause }, 'an upload of a refused request could not be aborted and is left for collection')
  })
}

/**
 * The text of one object, called `what` in the errors: 503 if the store does not respond, 502 if it does not have it.
 */
export async function readJobObject(
  deps: Pick<Deps, 'objects'>,
  key: string,
  what = 'An object of the job',
  signal?: AbortSignal,
): Promise<string> {
  return (await readJobBytes(deps, key, what, signal ? { signal } : {})).toString('utf8')
}

/** The same as bytes: all of them, or a range. */
export async function readJobBytes(
  deps: Pick<Deps, 'objects'>,
  key: string,
  what: string,
  options: { readonly range?: ByteRange; readonly signal?: AbortSignal } = {},
): Promise<Buffer> {
  try {
    const { body } = await requireObjects(deps).get(key, options)
    const pieces: Buffer[] = []
    for await (const piece of paidChunks(body)) pieces.push(piece)
    return Buffer.concat(pieces)
  } catch (error) {
    throw asStoreRefusal(asLost(what, error, key))
  }
}

const addShare = memoizeByKey(({ name, table }: JobKind) =>
  statement({
    name: `${name}-stored-bytes`,
    params: { jobId: param.text(), bytes: param.int8() },
    text: `update ${table} set stored_bytes = stored_bytes + :bytes::bigint where id = :jobId`,
  }),
)

/**
 * Adds `bytes` (subtracts them if negative) in the transaction that stores them, which holds the job's row lock. 413
 * `quota.storage` if the owner's quota is exceeded.
 */
export async function countStored(
  tx: Querier,
  config: Config,
  job: JobKind,
  { id, ownerId, bytes }: { readonly id: string; readonly ownerId: string; readonly bytes: number },
): Promise<void> {
  if (bytes === 0) return
  await tx.query(addShare(job), { jobId: id, bytes })
  await countBytes(tx, config, ownerId, bytes)
}
