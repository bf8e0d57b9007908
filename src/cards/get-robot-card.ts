/** getRobotCard (spec, "GET /v1/robots/{owner}/{repo}/card"). */
import type { RequestContext } from '../operation/context.ts'
import { getRepo } from '../repos/get-repo.ts'
import { cardOf } from '../repos/repo-shape.ts'
import { assertAllRead, isLeftOut, sizedRows, unlessLeftOut } from '../store/bounded-read.ts'
import { column } from '../store/columns.ts'
import type { Querier } from '../store/db.ts'
import { param, statement } from '../store/statement.ts'
import { assertRobotRepo } from './judge-card.ts'
import { cardColumns, type RobotCard } from './robot-card.ts'

/**
 * The card of a robot repo; null if the repo is not visible to the caller or has no card. 409 `conflict.wrong_kind` for
 * another kind of repo. One statement.
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

const sizedColumns = cardColumns.with({
  ...isLeftOut,
  repoId: column.text('repo_id'),
  text: column.text(unlessLeftOut('card::text')),
})

const cardsOfRepos = statement({
  name: 'robot-cards-of-repos',
  exact: 'client-json',
  columns: sizedColumns,
  params: { repoIds: param.texts() },
  text: `select ${sizedColumns.sql}
    from ${sizedRows('repo_id', 'card_bytes', 'robot_cards', 'repo_id = any(:repoIds::text[])')} sized
    join robot_cards on repo_id = sized.id`,
})

/**
 * The cards of repos visible to the caller (already checked), in the order requested; null if there is none. One
 * statement for any number; 413 if they are too large in total.
 */
export async function getCardsOfRepos(db: Querier, repoIds: readonly string[]): Promise<(RobotCard | null)[]> {
  const rows = await db.query(cardsOfRepos, { repoIds })
  assertAllRead(rows, 'cards')
  const found = new Map(rows.map((row) => [row.repoId, cardOf(row)]))
  return repoIds.map((id) => found.get(id) ?? null)
}
