/** Reads what has changed in accounts since given positions: one statement for all readers that were woken together. */

import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { texts } from '../../store/read-json.ts'
import { param, statement } from '../../store/statement.ts'
import type { ChangeKind, ChangePosition } from './change-position.ts'

/** The most changes in one event. */
export const CHANGES_PER_READ = 50

export interface ChangeRead {
  readonly ownerId: string
  readonly kind: ChangeKind
  /** Null reads no changes, only the horizon. */
  readonly after: ChangePosition | null
}

/** A thing that has changed. For a deleted thing, the last three members decide who could see it. */
export interface ChangedThing {
  readonly thingId: string
  readonly xid: number
  readonly deleted: boolean
  readonly createdBy: string | null
  readonly filedBy: string | null
  readonly repoIds: readonly string[]
}

export interface ChangePage {
  /** At most 50, in the order of their transactions. */
  readonly things: readonly ChangedThing[]
  readonly hasMore: boolean
  /** The oldest transaction that was still running; all earlier ones have ended. */
  readonly horizon: number
}

const pageColumns = columns({
  /** Index of the reader in the request, from 1. */
  reader: column.int4('asked.n::int'),
  horizon: column.int8('pg_snapshot_xmin(pg_current_snapshot())::text::bigint'),
  thingId: column.text.orNull('c.thing_id'),
  xid: column.int8.orNull('c.xid'),
  deleted: column.bool.orNull('c.deleted'),
  createdBy: column.text.orNull('c.created_by'),
  filedBy: column.text.orNull('c.filed_by'),
  repoIds: column.json.orNull('to_json(c.repo_ids)', texts),
})

/**
 * Uses the index of an account's changes. Skips rows from beyond the snapshot: they were loaded from another server,
 * whose transactions had higher numbers. A reader without a position reads no row.
 */
export const changesSince = statement({
  name: 'changes-since',
  exact: 'followed',
  columns: pageColumns,
  params: {
    owners: param.texts(),
    kinds: param.enums('ChangeKind'),
    xids: param.int8s<readonly (number | null)[]>(),
    things: param.texts<readonly (string | null)[]>(),
    limit: param.int4(),
  },
  text: `select ${pageColumns.sql}
    from unnest(:owners::text[], :kinds::"ChangeKind"[], :xids::bigint[],
      :things::text[]) with ordinality asked(owner_id, kind, xid, thing_id, n)
    left join lateral (select c.* from changes c
      where c.owner_id = asked.owner_id and c.kind = asked.kind and (c.xid, c.thing_id) > (asked.xid, asked.thing_id)
        and c.xid < pg_snapshot_xmax(pg_current_snapshot())::text::bigint
      order by c.xid, c.thing_id limit :limit::int) c on true
    order by asked.n, c.xid, c.thing_id`,
})

const keyOf = ({ ownerId, kind, after }: ChangeRead) => `${ownerId}/${kind}/${after?.xid}/${after?.thingId}`

/** The page of each reader; readers at the same position share one. */
export async function readPages(db: Querier, asked: readonly ChangeRead[]): Promise<ChangePage[]> {
  const different = [...new Map(asked.map((one) => [keyOf(one), one])).values()]
  const rows = await db.query(changesSince, {
    owners: different.map(({ ownerId }) => ownerId),
    kinds: different.map(({ kind }) => kind),
    xids: different.map(({ after }) => after?.xid ?? null),
    things: different.map(({ after }) => after?.thingId ?? null),
    limit: CHANGES_PER_READ + 1,
  })
  const byReader = Map.groupBy(rows, ({ reader }) => reader)
  const pages = new Map(different.map((one, index) => [keyOf(one), pageOf(byReader.get(index + 1) ?? [])]))
  return asked.map((one) => pages.get(keyOf(one)) as ChangePage)
}

function pageOf(rows: readonly RowOf<typeof pageColumns>[]): ChangePage {
  const found = rows.flatMap(({ thingId, xid, deleted, repoIds, ...row }) =>
    // A reader without changes has one row of nulls.
    thingId === null || xid === null || deleted === null
      ? []
      : [{ ...row, thingId, xid, deleted, repoIds: repoIds ?? [] }],
  )
  return {
    things: found.slice(0, CHANGES_PER_READ),
    hasMore: found.length > CHANGES_PER_READ,
    horizon: rows[0]?.horizon ?? 0,
  }
}
