/** getRobotCard (spec, "GET /v1/robots/{owner}/{repo}/card"). */
import type { RequestContext } from '../operation/context.ts'
import { getRepo } from '../repos/get-repo.ts'
import { assertRobotRepo } from './judge-card.ts'
import type { RobotCard } from './robot-card.ts'

/** Null where the caller sees no such repo and where no card is set; 409 `conflict.wrong_kind` on another kind. One statement. */
export async function getRobotCard(
  ctx: RequestContext,
  name: { readonly owner: string; readonly slug: string },
): Promise<RobotCard | null> {
  const repo = await getRepo(ctx, name)
  if (!repo) return null
  assertRobotRepo(repo)
  return repo.robotCard
}
