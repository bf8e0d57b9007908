/**
 * createRobotCheck (spec, "POST /v1/robot-checks"): a queued check with a snapshot of its files, or the spend hold of
 * an agent's check.
 */
import { lockAccounts } from '../../accounts/lock-accounts.ts'
import { assertNotJob, requireCredential } from '../../auth/policy.ts'
import type { SpendHold } from '../../billing/holds/hold-shape.ts'
import type { Credentialed, RequestContext } from '../../operation/context.ts'
import { HubError, notFound } from '../../platform/errors.ts'
import type { Usd } from '../../platform/money.ts'
import { findRepoToWrite, lockRepo, type RepoFacts } from '../../repos/get-repo.ts'
import { addReferences } from '../../repos/references.ts'
import type { Querier, Tx } from '../../store/db.ts'
import { insertInto } from '../../store/insert.ts'
import { requireObjects } from '../../store/objects/required.ts'
import { param, statement } from '../../store/statement.ts'
import { type CreateKind, createJob, type JobToMake, type MadeJob } from '../../work/create.ts'
import { checkJob } from '../check-job.ts'
import { findCheck } from '../check-row.ts'
import type { RobotCheck } from '../check-shape.ts'
import { readCheck } from '../read/get-check.ts'
import { assertWhole, type CheckRequest } from './check-request.ts'
import { type CheckPlace, type HostingTerms, hostingTerms, maxCostUsd } from './choose-executor.ts'
import { assertDailyQuota } from './daily-quota.ts'
import { checkOfRecord, heldCheck } from './held-check.ts'
import { type Snapshot, takeSnapshot } from './snapshot.ts'
import { takePlace } from './take-place.ts'

const robotCheckRow = insertInto('robot_checks', {
  id: param.text(),
  kind: param.enum('RobotCheckKind'),
  status: 'queued',
  executor: param.enum('RunExecutor'),
  ownerId: param.text(),
  createdBy: param.text.orNull(),
  filedBy: param.text(),
  quotaAccountId: param.text(),
  robotRepoId: param.text.orNull(),
  robotRepoName: param.text.orNull(),
  modelRepoId: param.text.orNull(),
  modelRepoName: param.text.orNull(),
  repoIds: param.texts(),
  /** JSON, as are `options` and `drop`. */
  model: param.json.orNull(),
  entry: param.text.orNull(),
  base: param.text.orNull(),
  controlHz: param.float8.orNull(),
  action: param.text.orNull(),
  options: param.json.orNull(),
  drop: param.json.orNull(),
  sourceRepoId: param.text.orNull(),
  sourceSeq: param.int4.orNull(),
  sourcePrefix: param.text(),
  sourceFlat: param.bool(),
  sourcesCount: param.int4(),
  sourcesBytes: param.int8(),
  priced: param.bool(),
  rateUsdPerHour: param.numeric.orNull<Usd>(),
  maxSeconds: param.int4.orNull(),
})

const insertCheck = statement({
  name: 'robot-check-insert',
  params: robotCheckRow.params,
  text: robotCheckRow.sql,
})

/** The repos that a check is about; a robot check has no model. */
export interface CheckRepos {
  readonly robot: RepoFacts | null
  readonly model: RepoFacts | null
  /** The billed account: the owner of the robot, or of the model if there is no robot. */
  readonly ownerId: string
  readonly ownerHandle: string
}

/** A request that was validated outside of the transaction that creates its check. */
export interface PreparedCheck {
  readonly request: CheckRequest
  readonly repos: CheckRepos
  readonly terms: HostingTerms
}

/** How a check is created. The repos are locked and its files counted first, the limits of the accounts last. */
export const checkCreation: CreateKind<
  CheckRequest,
  CheckRepos,
  PreparedCheck,
  Snapshot | null,
  CheckPlace,
  RobotCheck
> = {
  job: checkJob,
  scope: 'write',
  mayMake: mayCheck,
  prepare,
  lock: async (_ctx, tx, _viewer, { repos, request }) => snapshotOf(tx, await lockRepos(tx, repos), request),
  mostUsd: ({ deps }) => maxCostUsd(deps.config.hosted),
  reserve,
  insert,
  find: findCheck,
  read: readCheck,
  ofRecord: checkOfRecord,
}

/**
 * Returns the check, or the spend hold if an agent's key requests more than the rest of the allowance. Errors: 401, 403
 * for a repo that the caller sees and may not write, 404 for a repo that the caller does not see, 409
 * `conflict.wrong_kind` and `conflict.unverified`, 422. For an explicit `hosted`: 503 without a hosted app, 403
 * `forbidden.hosted_owner`, 403 `forbidden.hosted_allowance`. Then 429 `quota.spend_cap`, `quota.spend_holds` and
 * `quota.robot_checks` with their headers. A check that is refused or held has no row.
 */
export function createCheck(ctx: RequestContext, request: CheckRequest): Promise<RobotCheck | SpendHold> {
  return createJob(ctx, checkCreation, request)
}

/** The repos of a request, if the caller may have them checked. Errors: 401, 403, 404, 422. */
async function mayCheck(ctx: RequestContext, request: CheckRequest): Promise<CheckRepos> {
  requireCredential(ctx.viewer)
  assertNotJob(ctx.viewer, 'make a check')
  assertWhole(request)
  const robot = request.robotRepo ? await findNamed(ctx, request.robotRepo) : null
  const model = request.model ? await findNamed(ctx, request.model.repo) : null
  const billed = robot ?? model
  if (!billed) throw new Error('A whole request names a repo.')
  return { robot, model, ownerId: billed.ownerId, ownerHandle: billed.fullName.split('/')[0] ?? '' }
}

function findNamed(ctx: RequestContext, name: string): Promise<RepoFacts> {
  const [owner = '', repo = ''] = name.split('/')
  return findRepoToWrite(ctx, { owner, repo })
}

/** Errors: 409 `conflict.wrong_kind`, 503 without an object store, and those of `hostingTerms`. */
function prepare(ctx: RequestContext, repos: CheckRepos, request: CheckRequest, isApproved: boolean): PreparedCheck {
  const viewer = requireCredential(ctx.viewer)
  assertKind(repos.robot, 'robot')
  assertKind(repos.model, 'model')
  requireObjects(ctx.deps)
  const isAgent = viewer.agent && !isApproved
  const asked = { owner: repos.ownerHandle, isAgent, asked: request.executor ?? null }
  return { request, repos, terms: hostingTerms(ctx.deps.config.hosted, asked) }
}

type CheckToMake = JobToMake<PreparedCheck, Snapshot | null>

/** The account whose daily quota the checks of a viewer count against. */
const quotaAccountId = ({ personId, account }: Credentialed): string => personId ?? account.id

/** The place of the check, with what it can cost reserved, and room in the daily quota. */
async function reserve(ctx: RequestContext, tx: Tx, { id, viewer, prepared }: CheckToMake) {
  const { request, repos, terms } = prepared
  const { hosted, dailyRobotChecks } = ctx.deps.config
  const { ownerId } = repos
  await lockAccounts(tx, [quotaAccountId(viewer), ownerId])
  const place = await takePlace(tx, ctx, hosted, { checkId: id, ownerId, terms, asked: request.executor ?? null })
  if ('leftUsd' in place) return { held: heldCheck(hosted, repos, request, place.leftUsd) }
  await assertDailyQuota(tx, quotaAccountId(viewer), dailyRobotChecks)
  return { place }
}

async function insert(
  tx: Tx,
  { id, viewer, prepared, locked: snapshot, place }: CheckToMake & { readonly place: CheckPlace },
): Promise<MadeJob> {
  const { request, repos } = prepared
  const { robot, model, ownerId } = repos
  await tx.query(insertCheck, {
    id,
    ...place,
    ...reposOf(repos),
    ...answersOf(request),
    ...sourceOf(snapshot),
    ownerId,
    createdBy: viewer.personId,
    filedBy: viewer.credentialId,
    quotaAccountId: quotaAccountId(viewer),
  })
  const named = [robot, model].filter((repo) => repo !== null)
  const references = named.map((repo) => ({ repoId: repo.id, reason: 'check' }))
  await addReferences(tx, { id, kind: 'robot_check', ownerId }, references)
  const { executor } = place
  const { kind, entry = null } = request
  const audited = { kind, executor, robot: robot?.fullName ?? null, model: model?.fullName ?? null, entry }
  return { ownerId, executor, audited }
}

function assertKind(repo: RepoFacts | null, kind: 'robot' | 'model'): void {
  if (repo === null || repo.kind === kind) return
  throw new HubError('conflict.wrong_kind', `${repo.fullName} is a ${repo.kind} repo, not a ${kind} repo.`)
}

/**
 * Locks the repos in the order of ids and returns their current rows. Until the check is committed, the repos are not
 * deleted and their files not changed.
 */
async function lockRepos(tx: Querier, { robot, model }: CheckRepos): Promise<Pick<CheckRepos, 'robot' | 'model'>> {
  const found = new Map<string, RepoFacts>()
  for (const { id, fullName, ownerId } of [robot, model]
    .filter((repo) => repo !== null)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const repo = await lockRepo(tx, id)
    // One that was moved meanwhile would be checked at the cost of the account that has given it away.
    if (repo?.ownerId !== ownerId) throw notFound(`The repo ${fullName}`)
    found.set(id, repo)
  }
  const locked = (repo: RepoFacts | null) => (repo ? (found.get(repo.id) ?? null) : null)
  return { robot: locked(robot), model: locked(model) }
}

/** The snapshot of the robot, or of a model check's draft. Null for a policy that is fetched from another hub. */
async function snapshotOf(
  tx: Querier,
  { robot, model }: Pick<CheckRepos, 'robot' | 'model'>,
  { kind, entry, model: asked }: CheckRequest,
): Promise<Snapshot | null> {
  const repo = kind === 'robot' ? robot : model
  if (!repo || !entry || asked?.hf_repo) return null
  return takeSnapshot(tx, kind, repo, entry)
}

const reposOf = ({ robot, model }: CheckRepos) => ({
  robotRepoId: robot?.id ?? null,
  robotRepoName: robot?.fullName ?? null,
  modelRepoId: model?.id ?? null,
  modelRepoName: model?.fullName ?? null,
  repoIds: [robot, model].flatMap((repo) => (repo ? [repo.id] : [])),
})

function answersOf({ kind, model, entry, base, controlHz, action, options, drop }: CheckRequest) {
  const json = (value: unknown) => (value == null ? null : JSON.stringify(value))
  return {
    kind,
    model: json(model),
    entry: entry ?? null,
    base: base ?? null,
    controlHz: controlHz ?? null,
    action: action ?? null,
    options: json(options),
    drop: json(drop),
  }
}

const sourceOf = (snapshot: Snapshot | null) => ({
  sourceRepoId: snapshot?.repoId ?? null,
  sourceSeq: snapshot?.seq ?? null,
  sourcePrefix: snapshot?.prefix ?? '',
  sourceFlat: snapshot?.flat ?? false,
  sourcesCount: snapshot?.count ?? 0,
  sourcesBytes: snapshot?.bytes ?? 0,
})
