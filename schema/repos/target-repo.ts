/** The guard of operations whose input names a repo. */
import type { RequestContext } from '../../src/operation/context.ts'
import { findRepo } from '../../src/repos/get-repo.ts'

/** What an operation acts on whose input has `owner` and `repo`: 404 where the caller does not see it. */
export function targetRepo(ctx: RequestContext, input: { owner: string; repo: string }) {
  return findRepo(ctx, { owner: input.owner, slug: input.repo })
}
