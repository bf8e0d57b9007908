/** Headers of READMEs, of repos that were read without them. */
import { assertAllRead, isLeftOut, sizedRows, unlessLeftOut } from '../../store/bounded-read.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { cardDataColumn } from '../repo-shape.ts'

const dataColumns = columns({
  repoId: column.text('r.id'),
  ...isLeftOut,
  data: column.document.orNull<unknown>(unlessLeftOut(cardDataColumn)),
})

const dataOfRepos = statement({
  name: 'readme-card-data',
  exact: 'client-json',
  columns: dataColumns,
  params: { repoIds: param.texts() },
  text: `select ${dataColumns.sql}
    from ${sizedRows('r.id', 'r.card_bytes', 'repos r', 'r.id = any(:repoIds::text[])')} sized join repos r on r.id = sized.id`,
})

/**
 * The headers of repos visible to the caller (already checked), in the order requested; null if there is none. One
 * statement for any number; 413 if they are too large in total.
 */
export async function getCardData(db: Querier, repoIds: readonly string[]): Promise<unknown[]> {
  const rows = await db.query(dataOfRepos, { repoIds })
  assertAllRead(rows, 'cards')
  const found = new Map(rows.map(({ repoId, data }) => [repoId, data]))
  return repoIds.map((id) => found.get(id)?.value ?? null)
}
