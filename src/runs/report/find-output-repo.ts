/** The model repo that a report names as the output of its run. Spec, reportRun. */
import { assertMayWriteRepo } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError, invalid } from '../../platform/errors.ts'
import { findRepo, type RepoFacts } from '../../repos/get-repo.ts'

const place = ['outputModelRepo'] as const

/** 422 for a repo that a report cannot name. */
export const refused = (why: string) => invalid('validation.value', why, place)

/** The repo that a report names; 422 if it is not a model repo that the caller can see and write. */
export async function findOutputRepo(ctx: RequestContext, fullName: string): Promise<RepoFacts> {
  const [owner = '', slug = ''] = fullName.split('/')
  try {
    const repo = await findRepo(ctx, { owner, slug })
    assertMayWriteRepo(ctx.viewer, repo, repo.fullName)
    if (repo.kind !== 'model') throw refused(`${repo.fullName} is a ${repo.kind} repo; a run makes a model repo.`)
    return repo
  } catch (error) {
    if (error instanceof HubError && (error.status === 403 || error.status === 404)) throw refused(error.message)
    throw error
  }
}
