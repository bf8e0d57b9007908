/**
 * validateRobotCard (spec, "POST /v1/robots/{owner}/{repo}/validate"): reports what PUT would reject, with the same
 * codes. Writes nothing.
 */

import { type Check, type CheckStatus, gradeOf } from '@hub/mjcf/verdict/check'
import { modelSummary, type RobotModelSummary } from '@hub/mjcf/verdict/model-checks'
import type { RobotCardDocument } from '@hub/robot-card/card-schema'
import { interfaceFingerprint } from '@hub/robot-card/fingerprint'
import { mayHaveReadDefaults, withoutReadDefaults } from '@hub/robot-card/read-defaults'
import { assertReachesRepo } from '../auth/policy.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../operation/context.ts'
import { notFound } from '../platform/errors.ts'
import { findRepo, type RepoFacts } from '../repos/get-repo.ts'
import { cardOf } from '../repos/repo-shape.ts'
import { assertRobotRepo, judgeCard, type Verdict } from './judge-card.ts'
import { storedCard } from './robot-card.ts'

export interface ValidateRobotCardInput {
  readonly owner: string
  readonly repo: string
  /** A candidate in `/v1` names; absent or null: the stored card. */
  readonly document?: unknown
}

/** Spec, "RobotValidationReport". */
export interface RobotValidationReport {
  readonly ok: boolean
  readonly grade: CheckStatus
  /** Source of the card. */
  readonly source: 'stored' | 'request'
  readonly engine: string
  readonly mjcfPath: string | null
  readonly interfaceFingerprint: string | null
  readonly model: RobotModelSummary | null
  readonly checks: readonly Check[]
}

/** The hub's own model reader, without a physics engine. */
const ENGINE = 'hub-static'

/**
 * The report on a candidate, or on the stored card. Errors: 401, 403 for a key limited to other repos, 404 (also if no
 * card is stored), 409 for another kind of repo, 503.
 */
export function validateRobotCard(ctx: RequestContext, input: ValidateRobotCardInput): Promise<RobotValidationReport> {
  return guarded(
    ctx,
    () => mayValidate(ctx, input),
    (allowed, repo) => validate(allowed, repo, input),
  )
}

async function mayValidate(ctx: RequestContext, input: ValidateRobotCardInput): Promise<RepoFacts> {
  const repo = await findRepo(ctx, { owner: input.owner, slug: input.repo })
  assertReachesRepo(ctx.viewer, repo, repo.fullName)
  return repo
}

async function validate(
  ctx: AllowedContext,
  repo: RepoFacts,
  input: ValidateRobotCardInput,
): Promise<RobotValidationReport> {
  assertRobotRepo(repo)
  const isStored = input.document === null || input.document === undefined
  const [stored] = isStored ? await ctx.deps.db.query(storedCard, { repoId: repo.id }) : []
  if (isStored && !stored) throw notFound(`The robot card of ${repo.fullName}`)
  const verdict = await judgeCard(ctx, repo, stored ? cardOf(stored).card : input.document)
  const kept = isStored || !verdict.card ? verdict.card : await asPut(ctx, repo, verdict.card)
  const report = reportOf({ ...verdict, card: kept }, isStored ? 'stored' : 'request')
  // Read-only: a transaction is needed only to store the response for replays.
  return ctx.idempotency ? commitVerb(ctx, async () => report) : report
}

/** The candidate as a put would store it. */
async function asPut(ctx: RequestContext, repo: RepoFacts, card: RobotCardDocument): Promise<RobotCardDocument> {
  if (!mayHaveReadDefaults(card)) return card
  const [stored] = await ctx.deps.db.query(storedCard, { repoId: repo.id })
  return withoutReadDefaults(card, stored ? cardOf(stored).card : null)
}

function reportOf({ card, entry, reading, checks }: Verdict, source: 'stored' | 'request'): RobotValidationReport {
  const isThere = checks.some(({ code, status }) => code === 'mjcf.exists' && status === 'pass')
  return {
    ok: checks.every(({ status }) => status !== 'fail'),
    grade: gradeOf(checks),
    source,
    engine: ENGINE,
    mjcfPath: entry,
    interfaceFingerprint: interfaceFingerprint(card?.interface),
    model: reading && isThere ? modelSummary(reading) : null,
    checks,
  }
}
