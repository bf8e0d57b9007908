/** The guards of operations whose input names a check, or the repos of a new one. */
import { findCheck } from '../../src/checks/check-row.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { findRepo } from '../../src/repos/get-repo.ts'

/** What an operation acts on whose input has `checkId`: 404 where the caller does not see it. */
export function targetCheck(ctx: RequestContext, input: { checkId: string }) {
  return findCheck(ctx, input.checkId)
}

interface NewCheck {
  readonly robotRepo?: string | null
  readonly model?: { readonly repo: string } | null
}

/** The repos that a new check is to be about: 404 where the caller does not see one. */
export async function targetsOfNewCheck(ctx: RequestContext, { robotRepo, model }: NewCheck): Promise<void> {
  for (const name of [robotRepo, model?.repo]) {
    const [owner, slug] = name?.split('/') ?? []
    if (owner && slug) await findRepo(ctx, { owner, slug })
  }
}
