/** The parts of uploads are recorded before the store assembles them: so a crash in between is told from a loss. */
import { HubError, type Loc } from '../platform/errors.ts'
import { column, columns } from '../store/columns.ts'
import type { Db } from '../store/db.ts'
import type { ObjectStore, StoredPart } from '../store/objects/object-store.ts'
import { param, statement } from '../store/statement.ts'
import { partFaults } from './check-parts.ts'
import { STORE_CONCURRENCY } from './limits.ts'
import { isNoSuchUpload, settleBounded } from './objects.ts'
import type { CompletedUpload } from './schemas.ts'
import { nameOfUpload, type UploadRow } from './upload-sql.ts'

const idColumn = columns({ id: column.text('u.id') })

/** Fenced by the attempt; in id order, like every statement that locks several uploads. */
const rememberParts = statement({
  name: 'uploads-remember-parts',
  columns: idColumn,
  params: { ids: param.texts(), parts: param.texts(), attempt: param.text() },
  text: `with locked as materialized (select id from uploads where id = any(:ids::text[]) order by id for update)
    update uploads u set parts = given.parts::jsonb
    from locked join unnest(:ids::text[], :parts::text[]) as given(id, parts) on given.id = locked.id
    where u.id = locked.id and u.attempt = :attempt and u.state = 'completing' returning ${idColumn.sql}`,
})

/** What a completion works with. */
export interface AssembleTools {
  readonly db: Db
  readonly objects: ObjectStore
  readonly signal: AbortSignal
  /** Fencing token of this completion; nothing is written once another one has taken over. */
  readonly attempt: string
}

/** A claimed upload, and what the request names of it. */
export interface ToAssemble {
  readonly upload: UploadRow
  readonly named: CompletedUpload
  /** The upload's place in the request. */
  readonly loc: Loc
}

/** The parts to assemble; null if the store no longer has the upload, because it assembled it before. */
export type PartsToAssemble = readonly StoredPart[] | null

/**
 * Checks the named parts of each claimed upload against the stored ones, and records the parts of all that the store
 * has yet to assemble: one statement and one commit for any number of uploads, one call of the store for each. An
 * upload whose parts are at fault does not keep the others from being recorded. Rejections: 422 `upload.*`, 409 when
 * another completion took the upload over.
 */
export async function recordParts(
  tools: AssembleTools,
  files: readonly ToAssemble[],
): Promise<PromiseSettledResult<PartsToAssemble>[]> {
  const checked = await settleBounded(files, STORE_CONCURRENCY, (file) => checkedParts(tools, file))
  const found = checked.flatMap((outcome, index) => {
    const upload = files[index]?.upload
    return upload && outcome.status === 'fulfilled' && outcome.value ? [{ upload, parts: outcome.value }] : []
  })
  if (found.length === 0) return checked
  const verdictOf = await record(tools, found)
  return checked.map((outcome, index) => {
    const upload = files[index]?.upload
    if (!upload || outcome.status === 'rejected' || !outcome.value) return outcome
    const refusal = verdictOf(upload)
    return refusal ? { status: 'rejected', reason: refusal.reason } : outcome
  })
}

/** Why an upload's parts are not recorded; null if they are. A failure of the database is one of all uploads. */
async function record(
  { db, attempt }: AssembleTools,
  found: readonly { readonly upload: UploadRow; readonly parts: readonly StoredPart[] }[],
): Promise<(upload: UploadRow) => { readonly reason: unknown } | null> {
  try {
    const rows = await db.query(rememberParts, {
      ids: found.map(({ upload }) => upload.id),
      parts: found.map(({ parts }) => JSON.stringify(parts)),
      attempt,
    })
    const recorded = new Set(rows.map(({ id }) => id))
    return (upload) => (recorded.has(upload.id) ? null : { reason: takenOver(upload) })
  } catch (reason) {
    return () => ({ reason })
  }
}

async function checkedParts(tools: AssembleTools, { upload, named, loc }: ToAssemble): Promise<PartsToAssemble> {
  // Bytes that were checked when they were sent ahead.
  if (upload.etag !== null) return null
  const stored = await tools.objects
    .listParts(upload.storageKey, upload.storeUploadId, tools.signal)
    .catch((error: unknown) => {
      if (isNoSuchUpload(error)) return null
      throw error
    })
  const items = partFaults(named, upload, stored ?? upload.parts, loc)
  const [first] = items
  if (first) throw new HubError(first.type, first.detail, { items })
  return stored
}

/** 409: another completion has the upload now. */
export const takenOver = (upload: UploadRow) =>
  new HubError('conflict.in_progress', `Another request took over the completion of ${nameOfUpload(upload)}.`)
