/** The right to publish a check, and the target repo. Spec, "POST /v1/robot-checks/{check_id}/publish". */

import { assertLevel, assertNotJob } from '../../auth/policy.ts'
import type { ChangeMessage } from '../../files/versions/record-change.ts'
import type { Credentialed, RequestContext } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { findOrPlanRepo, type MissingRepo } from '../../repos/found-or-made.ts'
import { findRepoByIdToWrite, type RepoFacts } from '../../repos/get-repo.ts'
import type { Visibility } from '../../repos/repo-shape.ts'
import { isClaimer } from '../../work/held-job.ts'
import { findCheck, type HeldCheck } from '../check-row.ts'

/** Every member except the id is optional; null counts as absent. */
export interface PublishCheckInput extends ChangeMessage {
  readonly checkId: string
  readonly visibility?: Visibility | null
  /** `owner/slug`; only for a model check. */
  readonly repo?: string | null
  readonly smoke?: boolean | null
}

/** The repo that a check is published into; null if it was deleted. A `missing` repo is created. */
export type PublishTarget = { readonly repo: RepoFacts | null } | { readonly missing: MissingRepo }

export interface PublishGrant {
  readonly check: HeldCheck
  readonly target: PublishTarget
}

/**
 * Errors: 401; 403 for a missing scope, a job's key, the credential that claimed the check, and a repo that the caller
 * sees but may not write; 404 for a check or repo that the caller does not see, and for an unknown owner; 422 for a
 * slug that no repo can have.
 */
export async function mayPublish(ctx: RequestContext, input: PublishCheckInput): Promise<PublishGrant> {
  const check = await findCheck(ctx, input.checkId)
  const viewer = assertLevel(ctx.viewer, 'write')
  assertNotJob(viewer, 'publish a check')
  assertNotClaimer(check, viewer)
  const { robotRepoId, robotRepoName, modelRepoId, modelRepoName } = check
  const robot = robotRepoId === null ? null : await findRepoByIdToWrite(ctx, robotRepoId, robotRepoName ?? '')
  if (check.kind === 'robot') return { check, target: { repo: robot } }
  if (input.repo) {
    const wanted = { kind: 'model', visibility: input.visibility ?? null } as const
    return { check, target: await findOrPlanRepo(ctx, input.repo, wanted) }
  }
  const repo = modelRepoId === null ? null : await findRepoByIdToWrite(ctx, modelRepoId, modelRepoName ?? '')
  return { check, target: { repo } }
}

function assertNotClaimer(check: HeldCheck, { credentialId }: Credentialed): void {
  if (!isClaimer(check, { credentialId })) return
  throw new HubError(
    'forbidden.claimer',
    'The credential that claimed the check may not publish it; use a session or another key.',
  )
}
