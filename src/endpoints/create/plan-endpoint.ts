/**
 * What create and estimate have in common: what is served, by whom and on which hardware. Spec, createEndpoint rules 1
 * to 3.
 */
import { assertLevel, assertReachesRepo } from '../../auth/policy.ts'
import type { HostedWork } from '../../hosting/hosting-policy.ts'
import { readStoredPolicy, type StoredPolicy } from '../../models/stored-policy/read-stored-policy.ts'
import type { AccountRef, RequestContext, Viewer } from '../../operation/context.ts'
import { assertHostedBudget, assertHostedHours } from '../../planner/least-hosted.ts'
import { HubError, invalid, notFound } from '../../platform/errors.ts'
import { type Usd, usdLimit } from '../../platform/money.ts'
import type { TierTable } from '../../platform/tier-table.ts'
import { findRepo, getReposById, type RepoFacts } from '../../repos/get-repo.ts'
import type { ControlClass } from '../../repos/repo-shape.ts'
import { assertGates } from '../../rollouts/assert-gates.ts'
import { policyDigest } from '../../rollouts/policy-digest.ts'
import { billingOwner } from '../../runs/create/run-request.ts'
import type { Querier } from '../../store/db.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import type { ArtifactRequest } from './choose-shape.ts'
import { type Artifact, findArtifact } from './find-artifact.ts'
import { policyBodyOf } from './policy-body.ts'
import { type Sizing, sizeOf } from './sizing.ts'

export interface EndpointRequest extends ArtifactRequest {
  /** `owner/slug`. */
  readonly modelRepo: string
  readonly executor?: JobExecutor | null
  /** Handle of the account that is billed; absent: the account of the credential. */
  readonly owner?: string | null
  /** Taken where the model declares none. */
  readonly params?: number | null
  readonly budgetUsd?: number | null
}

export interface CreateEndpointInput extends EndpointRequest {
  readonly name?: string | null
  /** Hours from the claim; null: no cap. */
  readonly maxHours?: number | null
}

/** Who is billed, and what for. */
export interface Granted {
  readonly repo: RepoFacts
  readonly owner: AccountRef
}

/**
 * 401, 403 a level too low, 404 a repo that the caller does not see, 403 a key limited to other repos, and an owner
 * that is unknown or not the caller's.
 */
export async function mayServe(ctx: RequestContext, { modelRepo, owner }: EndpointRequest): Promise<Granted> {
  const [handle = '', slug = ''] = modelRepo.split('/')
  const repo = await findRepo(ctx, { owner: handle, slug })
  assertLevel(ctx.viewer, 'train')
  assertReachesRepo(ctx.viewer, repo, repo.fullName)
  return { repo, owner: await billingOwner(ctx, owner ?? null, 'make an endpoint') }
}

/** What is to be served as the database has it now. */
export interface Found {
  readonly fullName: string
  readonly declaredClass: ControlClass | null
  readonly artifact: Artifact
}

/**
 * Errors: 404 a repo that is hidden by now, 409 `conflict.wrong_kind` and `conflict.gate_failed`, and those of
 * `findArtifact`.
 */
export async function findServed(
  querier: Querier,
  viewer: Viewer,
  repoId: string,
  request: EndpointRequest,
): Promise<Found> {
  const [repo] = await getReposById(querier, viewer, [repoId])
  if (!repo) throw notFound(`The repo ${request.modelRepo}`)
  const { fullName } = repo
  if (repo.kind !== 'model')
    throw new HubError('conflict.wrong_kind', `${fullName} is a ${repo.kind} repo, not a model repo.`)
  const artifact = await findArtifact(querier, repo, request)
  await assertGates({ viewer, querier }, repo, digestOf(artifact))
  return { fullName, declaredClass: repo.modelMeta?.controlClass ?? null, artifact }
}

/** As results of rollouts have it; null for a checkpoint, which rollouts do not run. */
const digestOf = ({ kind, path, files, beside }: Artifact) =>
  kind === 'onnx'
    ? policyDigest(
        path,
        [...files, ...beside].map((file) => ({ path: file.path, sha256: file.sha256 ?? '' })),
      )
    : null

/**
 * What the policy's own files declare. Errors: 409 `conflict.no_artifact` for a file that cannot be read, or that keeps
 * weights in others; 503 of the store.
 */
export async function readDeclared(
  ctx: Pick<RequestContext, 'deps' | 'signal'>,
  { fullName, artifact }: Found,
  { params }: EndpointRequest,
): Promise<StoredPolicy> {
  const files = [...artifact.files, ...artifact.beside]
  const input = { kind: artifact.kind, path: artifact.path, files, params: params ?? null }
  const policy = await readStoredPolicy(ctx.deps, input, ctx.signal)
  if (policy.outside.length > 0) throw new HubError('conflict.no_artifact', outsideWeights(fullName, artifact, policy))
  // The bytes of an ONNX file are its server's to judge: without a file next to it nothing is declared, and that is
  // all.
  if (policy.broken === null || files.length === 1) return policy
  throw new HubError('conflict.no_artifact', `${fullName}: ${policy.broken}`)
}

/** An approval is for bytes: those of other files could change under it. */
function outsideWeights(fullName: string, { path }: Artifact, { outside }: StoredPolicy): string {
  const [first = ''] = outside
  const files = outside.length === 1 ? JSON.stringify(first.slice(0, 200)) : `${outside.length} other files`
  return `${path} of ${fullName} keeps weights in ${files}, which its digest does not pin: export one file, or a checkpoint directory with all of them in policy/.`
}

/** The formats that endpoints serve a checkpoint in. */
const policyFormats: readonly string[] = ['vla-lib', 'vla-lib-peft']

export interface EndpointPlan {
  readonly artifact: Artifact
  readonly policyFormat: string | null
  readonly controlClass: ControlClass
  readonly contractFingerprint: string | null
  /** What decides which robots fit, as JSON; null where the policy's files name no joints. */
  readonly policyBody: string | null
  readonly sizing: Sizing
  readonly executor: JobExecutor
  /** Null where it is not priced. */
  readonly rateUsdPerHour: Usd | null
}

/**
 * Pure. Errors: 409 `conflict.no_artifact` for another format than those, 409 `conflict.reflex`, 422 a class or a size
 * that is not declared, 422 a model that fits no tier, 422 a budget that does not pay a hosted endpoint's minute.
 */
export function planOf(found: Found, declared: StoredPolicy, request: EndpointRequest, tiers: TierTable): EndpointPlan {
  const { artifact } = found
  const policyFormat = artifact.kind === 'checkpoint' ? servedFormat(found, declared) : null
  const controlClass = servedClass(found, declared)
  const params = declared.params ?? request.params ?? null
  if (params === null || params < 1) {
    const detail = `Nothing says how many parameters the model has: give params, or declare it in a contract.json or manifest.json of ${found.fullName}.`
    throw invalid('validation.required', detail, ['params'])
  }
  const sizing = sizeOf(params, tiers)
  const executor = request.executor ?? 'worker'
  const rateUsdPerHour = executor === 'hosted' ? sizing.tier.rateUsdPerHour : null
  assertHostedBudget(request.budgetUsd == null ? null : usdLimit(request.budgetUsd), rateUsdPerHour, ['budgetUsd'])
  const { contractFingerprint } = declared
  const policyBody = policyBodyOf(declared.contract)
  return { artifact, policyFormat, controlClass, contractFingerprint, policyBody, sizing, executor, rateUsdPerHour }
}

function servedFormat({ fullName, artifact }: Found, { policyFormat }: StoredPolicy): string {
  if (policyFormat !== null && policyFormats.includes(policyFormat)) return policyFormat
  const named = policyFormat === null ? 'no policy_format' : `the policy_format ${JSON.stringify(policyFormat)}`
  const manifest = artifact.path === '' ? 'manifest.json' : `${artifact.path}/manifest.json`
  throw new HubError(
    'conflict.no_artifact',
    `${manifest} of ${fullName} names ${named}; endpoints serve ${policyFormats.join(' and ')}.`,
  )
}

/**
 * The manifest of a checkpoint decides for it. Of an ONNX file the repo's model meta does, and its contract file where
 * that declares none; a reflex in either is one.
 */
function servedClass({ fullName, declaredClass, artifact }: Found, declared: StoredPolicy): ControlClass {
  const said = [declared.controlClass, declaredClass]
  const own = artifact.kind === 'checkpoint' ? (said[0] ?? said[1]) : (said[1] ?? said[0])
  const isReflex = own === 'reflex' || (artifact.kind === 'onnx' && said.includes('reflex'))
  if (isReflex)
    throw new HubError(
      'conflict.reflex',
      `${fullName} is a reflex: it runs on the robot, and is not served over a network.`,
    )
  if (own) return own
  const detail = `${fullName} declares no control class: set control_class (skill or planner) in its model meta.`
  throw invalid('validation.required', detail, ['modelRepo'])
}

/** Throws 422 for a hosted endpoint of less than a minute; `member` is where the request gives the hours. */
export function assertLongEnough(
  { executor }: EndpointRequest,
  member: 'maxHours' | 'hours',
  hours: number | null | undefined,
): void {
  if (executor === 'hosted') assertHostedHours(hours, [member])
}

/** The hosted part of the request; null for a worker. */
export function hostedPart({ executor }: EndpointRequest, owner: AccountRef): HostedWork | null {
  return executor === 'hosted' ? { isSim: false, owner: owner.handle, loc: ['executor'], what: 'The endpoint' } : null
}
