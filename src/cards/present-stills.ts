/** The stills that a card names and its repo has. */

import type { ReadableCard } from '@hub/robot-card/readable-card'
import type { RequestContext } from '../operation/context.ts'
import type { Statement } from '../store/db.ts'

const livePaths: Statement<{ path: string }> = {
  name: 'files-live-paths',
  text: 'select path from files where repo_id = $1 and path = any($2::text[]) and to_seq is null',
}

/** Paths of the card's thumbnails that are files of the repo now. One statement, and none if the card names no thumbnails. */
export async function presentStills(ctx: RequestContext, repoId: string, card: ReadableCard): Promise<Set<string>> {
  if (!card.thumbnail_paths) return new Set()
  const { light, dark } = card.thumbnail_paths
  const rows = await ctx.deps.db.query(livePaths, [repoId, [light, dark]])
  return new Set(rows.map(({ path }) => path))
}
