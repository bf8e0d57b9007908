/** A stored robot card, and its row. Spec, "RobotCard". */
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Statement } from '../store/db.ts'
import { statement } from '../store/statement.ts'
import type { RobotCardDocument } from './card-schema.ts'

declare module '../repos/repo-shape.ts' {
  interface Repo {
    /** Of a robot repo, where one is set; undefined where it was not read with the repo's own row. */
    readonly robotCard: RobotCard | null | undefined
  }
}

/** Of a row of robot_cards. */
export const cardColumns = columns({
  /** As it was put; typed by `putRobotCard`, which checked it. */
  card: column<RobotCardDocument>('card'),
  interfaceFingerprint: column<string | null>('interface_fingerprint'),
  updatedAt: column<string>('updated_at'),
})

export type RobotCard = RowOf<typeof cardColumns>

/** Of a repo ($1). */
export const storedCard = statement({
  name: 'robot-card',
  columns: cardColumns,
  text: `select ${cardColumns.sql} from robot_cards where repo_id = $1`,
})

/**
 * JSON as text, not JSONB: that would sort the members, and write 1e308 with 309 digits. The time of a transaction is that of its beginning, so that the later
 * of two puts may have the earlier one; no time goes back.
 */
export const upsertCard: Statement<{ updatedAt: string }> = {
  name: 'robot-card-put',
  text: `insert into robot_cards (repo_id, card, card_bytes, interface_fingerprint) values ($1, $2::text::json, octet_length($2::text), $3)
    on conflict (repo_id) do update set card = excluded.card, card_bytes = excluded.card_bytes,
      interface_fingerprint = excluded.interface_fingerprint, updated_at = greatest(now(), robot_cards.updated_at)
    returning updated_at as "updatedAt"`,
}
