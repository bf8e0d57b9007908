/** getRobotCard (spec, "GET /v1/robots/{owner}/{repo}/card"). */
import type { RequestContext } from '../operation/context.ts'
import { getRepo } from '../repos/get-repo.ts'
import { column } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { assertRobotRepo } from './judge-card.ts'
import { cardColumns, type RobotCard } from './robot-card.ts'

/**
 * The card of a robot repo; null if the repo is not visible to the caller or has no card. 409 `conflict.wrong_kind` for another kind of repo. One statement.
 */
export async function getRobotCard(
  ctx: RequestContext,
  name: { readonly owner: string; readonly slug: string },
): Promise<RobotCard | null> {
  const repo = await getRepo(ctx, name, { cards: true })
  if (!repo) return null
  assertRobotRepo(repo)
  return repo.robotCard ?? null
}

const cardsOfRepos = statement({
  name: 'robot-cards-of-repos',
  columns: cardColumns.with({ repoId: column<string>('repo_id') }),
  params: { repoIds: param<readonly string[]>() },
  text: `select ${cardColumns.sql}, repo_id as "repoId" from robot_cards where repo_id = any(:repoIds::text[])`,
})

/** The cards of repos visible to the caller (already checked), in the order requested; null if there is none. One statement for any number. */
export async function getCardsOfRepos(db: Querier, repoIds: readonly string[]): Promise<(RobotCard | null)[]> {
  const rows = await db.query(cardsOfRepos, { repoIds })
  const found = new Map(rows.map(({ repoId, ...card }) => [repoId, card]))
  return repoIds.map((id) => found.get(id) ?? null)
}
