/** The rows of a check's artifacts: one for each name, inserted when its upload is presigned. */
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { assign, each, excluded, insertEach, sql } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'

const artifactColumns = columns({
  name: column.text('a.name'),
  storageKey: column.text('a.storage_key'),
  storeUploadId: column.text('a.store_upload_id'),
  size: column.int8('a.size'),
  contentType: column.text.orNull('a.content_type'),
  /** Null until a report has named the artifact. */
  sha256: column.text.orNull('a.sha256'),
})

export type ArtifactRow = RowOf<typeof artifactColumns>

const byName = statement({
  name: 'robot-check-artifacts',
  exact: 'each-request',
  columns: artifactColumns,
  params: { checkId: param.text(), names: param.texts() },
  text: `select ${artifactColumns.sql} from robot_check_artifacts a where a.check_id = :checkId and a.name = any(:names::text[])`,
})

/** The presigned artifacts among these names. */
export function findArtifacts(querier: Querier, checkId: string, names: readonly string[]): Promise<ArtifactRow[]> {
  return querier.query(byName, { checkId, names })
}

const namesOf = statement({
  name: 'robot-check-artifact-names',
  exact: 'in-transaction',
  columns: columns({ name: column.text('a.name') }),
  params: { checkId: param.text() },
  text: 'select a.name as "name" from robot_check_artifacts a where a.check_id = :checkId',
})

/** The names of all artifacts that the check has presigned. */
export async function artifactNames(querier: Querier, checkId: string): Promise<string[]> {
  return (await querier.query(namesOf, { checkId })).map(({ name }) => name)
}

const artifactRows = insertEach('robot_check_artifacts', {
  checkId: param.text(),
  name: each('names', param.texts()),
  storageKey: each('keys', param.texts()),
  storeUploadId: each('uploadIds', param.texts()),
  size: each('sizes', param.int8s()),
  contentType: each('contentTypes', param.texts<readonly (string | null)[]>()),
})

const replaced = assign('robot_check_artifacts', {
  storageKey: excluded,
  storeUploadId: excluded,
  size: excluded,
  contentType: excluded,
  sha256: null,
  createdAt: sql('now()'),
})

const put = statement({
  name: 'robot-check-artifacts-put',
  params: artifactRows.params,
  text: `${artifactRows.sql} on conflict (check_id, name) do update set ${replaced.sql}`,
})

/** Inserts artifacts. A new artifact replaces one of the same name, which then no longer counts as reported. */
export async function putArtifacts(
  tx: Querier,
  checkId: string,
  artifacts: readonly Omit<ArtifactRow, 'sha256'>[],
): Promise<void> {
  await tx.query(put, {
    checkId,
    names: artifacts.map(({ name }) => name),
    keys: artifacts.map(({ storageKey }) => storageKey),
    uploadIds: artifacts.map(({ storeUploadId }) => storeUploadId),
    sizes: artifacts.map(({ size }) => size),
    contentTypes: artifacts.map(({ contentType }) => contentType),
  })
}

const forget = statement({
  name: 'robot-check-card-forget',
  params: { checkId: param.text() },
  text: 'update robot_checks set card = null, needs_you = null, updated_at = now() where id = :checkId',
})

/**
 * Clears what was read from a `robot_card.json` that is replaced: a card without its artifact would be published from
 * bytes that no longer exist.
 */
export async function forgetCard(tx: Querier, checkId: string): Promise<void> {
  await tx.query(forget, { checkId })
}

const keep = statement({
  name: 'robot-check-artifacts-keep',
  columns: columns({ name: column.text('a.name') }),
  params: { checkId: param.text(), keys: param.texts(), digests: param.texts() },
  text: `update robot_check_artifacts a set sha256 = given.sha256
    from unnest(:keys::text[], :digests::text[]) as given (key, sha256)
    where a.check_id = :checkId and a.storage_key = given.key returning a.name as "name"`,
})

/**
 * Records the digests that the hub computed; returns how many of the hashed artifacts were not replaced in the
 * meantime.
 */
export async function keepDigests(
  tx: Querier,
  checkId: string,
  hashed: readonly { readonly storageKey: string; readonly sha256: string }[],
): Promise<number> {
  if (hashed.length === 0) return 0
  const kept = await tx.query(keep, {
    checkId,
    keys: hashed.map(({ storageKey }) => storageKey),
    digests: hashed.map(({ sha256 }) => sha256),
  })
  return kept.length
}

const drop = statement({
  name: 'robot-check-artifacts-drop-unreported',
  columns: columns({ size: column.int8('size') }),
  params: { checkId: param.text() },
  text: 'delete from robot_check_artifacts where check_id = :checkId and sha256 is null returning size as "size"',
})

/** Forgets artifacts that no report named; returns their bytes. Their objects and uploads are collected later. */
export async function dropUnreported(tx: Querier, checkId: string): Promise<number> {
  const dropped = await tx.query(drop, { checkId })
  return dropped.reduce((sum, { size }) => sum + size, 0)
}
