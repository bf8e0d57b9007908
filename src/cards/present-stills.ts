/** The stills that a card names and its repo has. */

import type { ReadableCard } from '@hub/robot-card/readable-card'
import type { RequestContext } from '../operation/context.ts'
import { column, columns } from '../store/columns.ts'
import { param, statement } from '../store/statement.ts'

const pathColumn = columns({ path: column.text('path') })

const livePaths = statement({
  name: 'files-live-paths',
  exact: 'aggregate',
  columns: pathColumn,
  params: { repoId: param.text(), paths: param.texts() },
  text: `select ${pathColumn.sql} from files where repo_id = :repoId and path = any(:paths::text[]) and to_seq is null`,
})

/**
 * Paths of the card's thumbnails that are files of the repo now. One statement, and none if the card names no
 * thumbnails.
 */
export async function presentStills(ctx: RequestContext, repoId: string, card: ReadableCard): Promise<Set<string>> {
  if (!card.thumbnail_paths) return new Set()
  const { light, dark } = card.thumbnail_paths
  const rows = await ctx.deps.db.query(livePaths, { repoId, paths: [light, dark] })
  return new Set(rows.map(({ path }) => path))
}
