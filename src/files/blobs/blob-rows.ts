/**
 * Blobs that were sent ahead of the commit that names them: uploads of a repo without a path, which `uploads` has as the
 * empty one. A checked one is whole in the store, and its etag is recorded. They hold a reservation like every upload,
 * and are abandoned like every upload if no commit names them.
 */
import { requireCredential } from '../../auth/policy.ts'
import type { AllowedContext } from '../../operation/context.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import type { AssembledUpload } from '../assemble-upload.ts'
import { CONTENT_UPLOAD } from '../reservation.ts'
import { type UploadRow, uploadColumns } from '../upload-sql.ts'
import { openStates, sqlStates } from '../upload-state.ts'

/** Bytes by their digest, lowercase hex. */
export interface Content {
  readonly sha256: string
  readonly size: number
}

/**
 * Checked ones first, so that a digest takes the upload that needs no more work; then those of the account, since what
 * others began may never be sent; of each kind the oldest. The digests are a hashed set, which `coalesce` keeps from
 * becoming a join: thousands of open uploads are each compared with thousands of digests else.
 */
const sentAhead = statement({
  name: 'uploads-sent-ahead',
  exact: 'hot',
  columns: uploadColumns,
  params: { repoId: param.text(), accountId: param.text(), digests: param.texts() },
  text: `select ${uploadColumns.sql} from uploads where repo_id = :repoId and path = ''
      and coalesce(sha256 in (select unnest(:digests::text[])), false) and state in (${sqlStates(openStates)})
    order by etag is null, state <> 'assembled', account_id <> :accountId, id`,
})

/** The open uploads without a path in a repo that have one of these digests; those that are checked come first. */
export function findSentAhead(
  { deps, viewer }: AllowedContext,
  repoId: string,
  contents: readonly Content[],
): Promise<UploadRow[]> {
  const accountId = requireCredential(viewer).account.id
  return deps.db.query(sentAhead, { repoId, accountId, digests: contents.map(({ sha256 }) => sha256) })
}

const idColumn = columns({ id: column.text('u.id') })

/** In id order, like every statement that locks several uploads. */
const share = statement({
  name: 'uploads-share',
  columns: idColumn,
  params: { ids: param.texts() },
  text: `with locked as materialized (select id from uploads where id = any(:ids::text[]) order by id for update)
    update uploads u set account_id = u.id, touched_at = now() from locked
    where u.id = locked.id and u.state in (${sqlStates(openStates)}) returning ${idColumn.sql}`,
})

/**
 * Shares contents that a request under way has stored with one more request: when either fails, they stay for the other
 * one. A shared content is of no attempt, and has its own id in its place. Returns those that are still there.
 */
export async function shareContents(tx: Querier, rows: readonly UploadRow[]): Promise<UploadRow[]> {
  const contents = rows.filter(({ storeUploadId }) => storeUploadId === CONTENT_UPLOAD)
  if (contents.length === 0) return [...rows]
  const shared = new Set((await tx.query(share, { ids: contents.map(({ id }) => id) })).map(({ id }) => id))
  return rows.filter(({ id, storeUploadId }) => storeUploadId !== CONTENT_UPLOAD || shared.has(id))
}

const unshared = statement({
  name: 'uploads-unshared',
  columns: idColumn,
  params: { ids: param.texts() },
  text: `select ${idColumn.sql} from uploads u where u.id = any(:ids::text[]) and u.account_id <> u.id
    order by u.id for update`,
})

/** Those of these uploads that no other request shares; no request can share them before the transaction ends. */
export async function lockUnshared(tx: Querier, ids: readonly string[]): Promise<string[]> {
  return (await tx.query(unshared, { ids })).map(({ id }) => id)
}

/**
 * In id order, like every statement that locks several uploads. `coalesce` has each row looked up by its id, whatever
 * the database expects of open uploads.
 */
const keepChecked = statement({
  name: 'uploads-keep-checked',
  columns: idColumn,
  params: {
    ids: param.texts(),
    etags: param.texts(),
    contentTypes: param.texts<readonly (string | null)[]>(),
    attempt: param.text(),
  },
  text: `with locked as materialized (select id from uploads where id = any(:ids::text[]) order by id for update)
    update uploads u set state = 'assembled', attempt = null, attempt_at = null, touched_at = now(), etag = t.etag,
      content_type = t.content_type
    from locked join unnest(:ids::text[], :etags::text[], :contentTypes::text[]) as t(id, etag, content_type)
      on t.id = locked.id
    where u.id = locked.id and coalesce(u.attempt = :attempt and u.state = 'completing', false) returning ${idColumn.sql}`,
})

/**
 * Records that these uploads of the attempt are whole and checked, and ends the attempt. The media type that their
 * bytes show takes the place of the claimed one. Returns false if another request has taken one over.
 */
export async function keepBlobs(tx: Querier, attempt: string, checked: readonly AssembledUpload[]): Promise<boolean> {
  const kept = await tx.query(keepChecked, {
    attempt,
    ids: checked.map(({ upload }) => upload.id),
    etags: checked.map(({ etag }) => etag),
    contentTypes: checked.map(({ mime }) => mime),
  })
  return kept.length === checked.length
}
