/** A completion claims its uploads, all or none, and releases them if it fails. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Deps } from '../operation/context.ts'
import { HubError, type Loc } from '../platform/errors.ts'
import { column, columns } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { COMPLETE_LEASE_SECONDS } from './limits.ts'
import type { CompletedUpload } from './schemas.ts'
import { type DiscardedUpload, discardUploads, type UploadRow, uploadColumns } from './upload-sql.ts'
import { uploadRefusal } from './upload-state.ts'

const lockUploads = statement({
  name: 'uploads-lock',
  columns: uploadColumns,
  params: { repoId: param.text(), ids: param.texts() },
  text: `select ${uploadColumns.sql} from uploads where repo_id = :repoId and id = any(:ids::text[]) order by id for update`,
})

const claim = statement({
  name: 'uploads-claim',
  params: { ids: param.texts(), attempt: param.text(), instance: param.int4.orNull() },
  text: `update uploads set state = 'completing', attempt = :attempt, instance = :instance, attempt_at = now(), touched_at = now() where id = any(:ids::text[])`,
})

/** The database, and the number of this hub in it. */
type ClaimDeps = Pick<Deps, 'db'> & { readonly events: Pick<Deps['events'], 'instance'> }

export interface UploadsToClaim {
  readonly repoId: string
  /** The fencing token of the completion. */
  readonly attempt: string
  readonly named: readonly CompletedUpload[]
}

/**
 * A completion whose client has gone puts its uploads back, and the database notices that a hub has died, well within
 * this time.
 */
const ENDING_MS = 2_000
const POLL_MS = 50

/**
 * Claims the uploads for this attempt and returns them in request order. Waits for up to 2 s for another completion of
 * them: a client that was cut off repeats its request while the first one still ends. Errors: 404 an id that is unknown
 * or of another repo, 422 a path that differs from the upload's, 409 `conflict.terminal` and `conflict.in_progress`;
 * nothing is claimed then. Three statements.
 */
export async function claimUploads(
  deps: ClaimDeps,
  uploads: UploadsToClaim,
  signal: AbortSignal,
): Promise<UploadRow[]> {
  const deadline = performance.now() + ENDING_MS
  for (;;) {
    try {
      return await claimNow(deps, uploads)
    } catch (error) {
      const isHeld = error instanceof HubError && error.type === 'conflict.in_progress'
      if (!isHeld || performance.now() >= deadline) throw error
      await delay(POLL_MS, undefined, { signal })
    }
  }
}

function claimNow({ db, events }: ClaimDeps, { repoId, attempt, named }: UploadsToClaim): Promise<UploadRow[]> {
  return db.withTx(async (tx) => {
    const rows = await tx.query(lockUploads, { repoId, ids: named.map((upload) => upload.uploadId) })
    const byId = new Map(rows.map((row) => [row.id, row]))
    const claimed = named.map((upload, index) => claimable(byId.get(upload.uploadId), upload, ['uploads', index]))
    await tx.query(claim, { ids: claimed.map((row) => row.id), attempt, instance: events.instance })
    return claimed
  })
}

function claimable(row: UploadRow | undefined, named: CompletedUpload, loc: Loc): UploadRow {
  const refuse = (
    type: 'not_found' | 'validation.value' | 'conflict.terminal' | 'conflict.in_progress',
    detail: string,
    member: string,
  ) => new HubError(type, detail, { items: [{ type, detail, loc: [...loc, member] }] })
  const id = JSON.stringify(named.uploadId)
  if (!row) return raise(refuse('not_found', `The upload ${id} does not exist in this repo.`, 'uploadId'))
  if (row.path !== named.path) {
    return raise(
      refuse('validation.value', `The upload ${id} has a different path than ${JSON.stringify(named.path)}.`, 'path'),
    )
  }
  const refusal = uploadRefusal('claim', row.state, row.leaseHeld)
  if (refusal === 'conflict.terminal')
    return raise(refuse(refusal, `The upload ${id} is already ${row.state}.`, 'uploadId'))
  if (refusal) return raise(refuse(refusal, `The upload ${id} is being completed by another request.`, 'uploadId'))
  return row
}

function raise(error: HubError): never {
  throw error
}

/** In id order, like every statement that locks several uploads. */
const renewClaim = statement({
  name: 'uploads-renew',
  params: { uploadIds: param.texts(), attempt: param.text(), instance: param.int4.orNull() },
  text: `with locked as materialized
      (select id from uploads where id = any(:uploadIds::text[]) and attempt = :attempt and state = 'completing'
        order by id for update)
    update uploads u set attempt_at = now(), instance = :instance from locked where u.id = locked.id`,
})

/**
 * Renews the lease of a completion while it works, so that only that of a process that is dead or cut off expires.
 * Returns a function that stops renewing. The next renewal makes up for a failed one.
 */
export function keepClaim({ db, events }: ClaimDeps, attempt: string, uploadIds: readonly string[]): () => void {
  const renew = () =>
    void db.query(renewClaim, { uploadIds, attempt, instance: events.instance }).catch(() => undefined)
  const renewal = setInterval(renew, (COMPLETE_LEASE_SECONDS * 1000) / 3)
  renewal.unref()
  return () => clearInterval(renewal)
}

const idColumn = columns({ id: column.text('u.id') })

/** In id order, like every statement that locks several uploads. */
const putBack = statement({
  name: 'uploads-put-back',
  columns: idColumn,
  params: { back: param.texts(), attempt: param.text(), assembledIds: param.texts() },
  text: `with locked as materialized (select id from uploads where id = any(:back::text[]) order by id for update)
    update uploads u set attempt = null, attempt_at = null,
      state = (case when u.id = any(:assembledIds::text[]) then 'assembled' else 'pending' end)::"UploadState"
    from locked where u.id = locked.id and u.attempt = :attempt and u.state = 'completing' returning ${idColumn.sql}`,
})

export interface FailedCompletion {
  readonly attempt: string
  readonly rejectedIds: readonly string[]
  /** Uploads whose object is complete in the store. */
  readonly assembledIds: readonly string[]
  readonly otherIds: readonly string[]
}

export interface SettledFailure {
  /** Aborted: their objects can be deleted. */
  readonly rejected: readonly DiscardedUpload[]
  /** Taken over by another completion, which determines their state. */
  readonly lostIds: readonly string[]
}

/**
 * After a failure: aborts rejected uploads; all others can be completed again. Leaves uploads that another completion
 * has taken over.
 */
export async function settleFailure(tx: Tx, failure: FailedCompletion): Promise<SettledFailure> {
  const { attempt, rejectedIds, assembledIds } = failure
  const back = [...assembledIds, ...failure.otherIds]
  const rejected = rejectedIds.length > 0 ? await discardUploads(tx, rejectedIds, attempt) : []
  const released = back.length > 0 ? await tx.query(putBack, { back, attempt, assembledIds }) : []
  const own = new Set([...rejected, ...released].map(({ id }) => id))
  return { rejected, lostIds: [...rejectedIds, ...back].filter((id) => !own.has(id)) }
}
