/** Stored maps of joints, from a repo to a robot repo. */
import type { JointMap } from '@hub/embodiment/joint-map'
import { readAccount } from '../auth/account-json.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import { object } from '../store/read-json.ts'

const accountOf = (of: string) =>
  `(select json_build_object('id', a.id, 'kind', a.kind, 'handle', a.handle, 'name', a.name) from accounts a where a.id = ${of})`

/** Of `m`, its repo `f` of the account `fo`, and the robot `t` of the account `ro`. */
export const listedMapColumns = columns({
  fromRepoId: column.text('m.from_repo_id'),
  toRepoId: column.text('m.to_repo_id'),
  /** Of `f`. */
  ownerId: column.text('f.owner_id'),
  repo: column.text("fo.handle || '/' || f.slug"),
  robot: column.text("ro.handle || '/' || t.slug"),
  version: column.int4('m.version'),
  isCurrent: column.bool(
    `not exists (select 1 from joint_maps n where n.from_repo_id = m.from_repo_id and n.to_repo_id = m.to_repo_id
      and n.version > m.version)`,
  ),
  fingerprint: column.text('m.fingerprint'),
  createdAt: column.timestamptz('m.created_at'),
  /** Null if the credential had no person. */
  creator: column.json.orNull(accountOf('m.created_by'), readAccount),
  reviewedAt: column.timestamptz.orNull('m.reviewed_at'),
  reviewer: column.json.orNull(accountOf('m.reviewed_by'), readAccount),
})

/** A version of the map from a repo to a robot, as lists have it: JSON of up to 256 KiB is read apart. */
export type ListedMap = RowOf<typeof listedMapColumns>

export const mapColumns = listedMapColumns.with({
  map: column.json('m.map', (json) => object(json) as unknown as JointMap),
})

/** The same with its JSON, as verbs answer it. */
export type KeptMap = RowOf<typeof mapColumns>

/** The repos of `m` and their owners. */
export const mapParties = `join repos f on f.id = m.from_repo_id join accounts fo on fo.id = f.owner_id
    join repos t on t.id = m.to_repo_id join accounts ro on ro.id = t.owner_id`

/**
 * The newest reviewed version of the map between two repos, which is the one in use: a version that no one has reviewed
 * changes nothing yet. `from` and `to` are SQL.
 */
export const newestReviewedSql = (from: string, to: string) => `select * from joint_maps
      where from_repo_id = ${from} and to_repo_id = ${to} and reviewed_at is not null order by version desc limit 1`
