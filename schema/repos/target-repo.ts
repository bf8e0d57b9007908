/** The guard of operations whose input names a repo. */
import type { RequestContext } from '../../src/operation/context.ts'
import { findRepo } from '../../src/repos/get-repo.ts'

/** The target of an operation whose input has `owner` and `repo`: 404 if it is not visible to the caller. */
export function targetRepo(ctx: RequestContext, input: { owner: string; repo: string }) {
  return findRepo(ctx, { owner: input.owner, slug: input.repo })
}
