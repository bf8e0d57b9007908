/** A stored robot card, and its row. Spec, "RobotCard". */

import type { RobotCardDocument } from '@hub/robot-card/card-schema'
import { column, columns, type RowOf } from '../store/columns.ts'
import { insertInto, sql } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'

declare module '../repos/repo-shape.ts' {
  interface Repo {
    /** Card of a robot repo; undefined if it was not read with the repo's own row. */
    readonly robotCard: RobotCard | null | undefined
  }
}

/** Columns of a row of robot_cards. */
export const cardColumns = columns({
  text: column.text('card::text'),
  interfaceFingerprint: column.text.orNull('interface_fingerprint'),
  updatedAt: column.timestamptz('updated_at'),
})

/** A stored card; the document, as submitted, is parsed where it is read. */
export interface RobotCard extends Omit<RowOf<typeof cardColumns>, 'text'> {
  readonly card: RobotCardDocument
}

/** The card of a repo. */
export const storedCard = statement({
  name: 'robot-card',
  exact: 'client-json',
  columns: cardColumns,
  params: { repoId: param.text() },
  text: `select ${cardColumns.sql} from robot_cards where repo_id = :repoId`,
})

const updatedAtColumn = columns({ updatedAt: column.timestamptz('updated_at') })

const robotCardRow = insertInto('robot_cards', {
  repoId: param.text(),
  card: sql(':text::text::json', { text: param.text() }),
  cardBytes: sql('octet_length(:text::text)'),
  interfaceFingerprint: param.text.orNull(),
})

/**
 * JSON as text, not JSONB, which sorts members and writes 1e308 with 309 digits. `now()` is the start of the
 * transaction, so a later put may have an earlier time; `greatest` keeps `updated_at` monotonic.
 */
export const upsertCard = statement({
  name: 'robot-card-put',
  columns: updatedAtColumn,
  params: robotCardRow.params,
  text: `${robotCardRow.sql}
    on conflict (repo_id) do update set card = excluded.card, card_bytes = excluded.card_bytes,
      interface_fingerprint = excluded.interface_fingerprint, updated_at = greatest(now(), robot_cards.updated_at)
    returning ${updatedAtColumn.sql}`,
})
