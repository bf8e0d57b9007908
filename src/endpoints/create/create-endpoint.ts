/**
 * createEndpoint (spec, "POST /v1/endpoints"): a queued endpoint, pinned to the bytes that it serves, or the spend hold
 * of an agent's hosted one.
 */
import { lockAccounts } from '../../accounts/lock-accounts.ts'
import type { SpendHold } from '../../billing/holds/hold-shape.ts'
import type { StoredPolicy } from '../../models/stored-policy/read-stored-policy.ts'
import type { Credentialed, RequestContext } from '../../operation/context.ts'
import { HubError, notFound } from '../../platform/errors.ts'
import { type Usd, usdLimit } from '../../platform/money.ts'
import { lockRepo, type RepoFacts } from '../../repos/get-repo.ts'
import { addReferences } from '../../repos/references.ts'
import type { Tx } from '../../store/db.ts'
import { insertInto, sql } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import { type CreateKind, createJob, type JobToMake, type MadeJob } from '../../work/create.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import { endpointJob } from '../endpoint-job.ts'
import { findEndpoint } from '../endpoint-row.ts'
import type { Endpoint, EndpointArtifact } from '../endpoint-shape.ts'
import { readEndpoint } from '../read/get-endpoint.ts'
import type { Artifact } from './find-artifact.ts'
import { endpointOfRecord, heldEndpoint } from './held-endpoint.ts'
import { judgeRequest } from './judge-request.ts'
import {
  type CreateEndpointInput,
  type EndpointPlan,
  findServed,
  type Granted,
  mayServe,
  planOf,
} from './plan-endpoint.ts'
import { mostOf, reserveEndpoint } from './reserve-endpoint.ts'

const endpointRow = insertInto('endpoints', {
  id: param.text(),
  status: 'queued',
  executor: param.enum('RunExecutor'),
  ownerId: param.text(),
  createdBy: param.text.orNull(),
  filedBy: param.text(),
  name: param.text.orNull(),
  modelRepoId: param.text(),
  modelRepoName: param.text(),
  repoIds: sql('array[:modelRepoId]'),
  artifactKind: param.enum('EndpointArtifactKind'),
  artifactPath: param.text(),
  modelSha256: param.text(),
  policyFormat: param.text.orNull(),
  artifactFiles: param.int4(),
  artifactBytes: param.int8(),
  repoSeq: param.int4(),
  contractFingerprint: param.text.orNull(),
  policyBody: sql(':policyBody::text::json', { policyBody: param.text.orNull() }),
  controlClass: param.enum('ControlClass'),
  tier: param.text(),
  params: param.int8(),
  vramBytes: param.int8(),
  priced: sql(':rateUsdPerHour::numeric is not null'),
  rateUsdPerHour: param.numeric.orNull<Usd>(),
  maxHours: param.numeric.orNull<number>(),
  budgetUsd: param.numeric.orNull<Usd>(),
})

const insertEndpoint = statement({
  name: 'endpoint-insert',
  params: endpointRow.params,
  text: endpointRow.sql,
})

/** A request that was validated, and whose model was read, outside of the transaction that creates its endpoint. */
export interface PreparedEndpoint extends Granted {
  readonly input: CreateEndpointInput
  /** What `declared` was read from. */
  readonly read: Artifact
  readonly declared: StoredPolicy
}

/** What is decided under the lock of the repo, which keeps its files and its meta as they are. */
interface LockedEndpoint {
  readonly repo: RepoFacts
  readonly plan: EndpointPlan
}

/** How an endpoint is created. */
export const endpointCreation: CreateKind<
  CreateEndpointInput,
  Granted,
  PreparedEndpoint,
  LockedEndpoint,
  JobExecutor,
  Endpoint
> = {
  job: endpointJob,
  scope: 'train',
  mayMake: mayServe,
  prepare,
  lock,
  mostUsd: (_ctx, tx, { input }, { plan: { rateUsdPerHour } }) =>
    rateUsdPerHour === null ? '0.0000' : mostOf(tx, { ...limitsOf(input), rateUsdPerHour }),
  reserve,
  insert,
  find: findEndpoint,
  read: readEndpoint,
  ofRecord: endpointOfRecord,
}

/**
 * The endpoint, or the hold of a hosted one that an agent's key asks for: GPU work is never within the free allowance.
 * Errors: as `mayServe`, and as `judgeRequest` with a hosted app; 409 `conflict.in_progress` where the files changed
 * while they were read, 429 `quota.spend_cap` and `quota.spend_holds`. Of an endpoint that is refused or held nothing
 * is recorded.
 */
export function createEndpoint(ctx: RequestContext, input: CreateEndpointInput): Promise<Endpoint | SpendHold> {
  return createJob(ctx, endpointCreation, input)
}

async function prepare(ctx: RequestContext, granted: Granted, input: CreateEndpointInput): Promise<PreparedEndpoint> {
  const end = { hours: input.maxHours ?? null, member: 'maxHours' } as const
  const { found, declared } = await judgeRequest(ctx, granted, input, { end, needsApp: true })
  return { ...granted, input, read: found.artifact, declared }
}

async function lock(
  ctx: RequestContext,
  tx: Tx,
  viewer: Credentialed,
  { repo: asked, input, read, declared }: PreparedEndpoint,
): Promise<LockedEndpoint> {
  const repo = await lockRepo(tx, asked.id)
  if (!repo) throw notFound(`The repo ${asked.fullName}`)
  const found = await findServed(tx, viewer, repo.id, input)
  assertSame(found.artifact, read, repo)
  return { repo, plan: planOf(found, declared, input, ctx.deps.config.tiers) }
}

type EndpointToMake = JobToMake<PreparedEndpoint, LockedEndpoint>

/** Reserves what a hosted endpoint can cost; 429 `quota.spend_cap`. */
async function reserve(
  ctx: RequestContext,
  tx: Tx,
  { id, viewer, prepared, locked: { plan } }: EndpointToMake,
  isApproved: boolean,
) {
  const { owner, input } = prepared
  const { executor, rateUsdPerHour } = plan
  if (rateUsdPerHour === null) return { place: executor }
  const limits = { ...limitsOf(input), rateUsdPerHour }
  if (viewer.agent && !isApproved) return { held: await heldEndpoint(tx, { owner, input, plan, limits }) }
  await lockAccounts(tx, [owner.id])
  await reserveEndpoint(tx, ctx, { id, ownerId: owner.id, ...limits })
  return { place: executor }
}

async function insert(tx: Tx, { id, viewer, prepared, locked }: EndpointToMake): Promise<MadeJob> {
  const { owner, input } = prepared
  const { repo, plan } = locked
  const { executor, sizing, artifact } = plan
  await tx.query(insertEndpoint, { id, ...valuesOf(viewer, plan, input), ownerId: owner.id, ...repoOf(repo) })
  await addReferences(tx, { id, kind: 'endpoint', ownerId: owner.id }, [{ repoId: repo.id, reason: 'endpoint' }])
  const { path, sha256 } = artifact
  const audited = { modelRepo: repo.fullName, executor, tier: sizing.tier.tier, path, sha256 }
  return { ownerId: owner.id, executor, audited }
}

const digestsOf = ({ files, beside }: Artifact) =>
  [...files, ...beside].map(({ path, sha256 }) => `${path} ${sha256}`).join('\n')

function assertSame(now: Artifact, read: Artifact, { fullName }: RepoFacts): void {
  if (now.path === read.path && now.sha256 === read.sha256 && digestsOf(now) === digestsOf(read)) return
  throw new HubError('conflict.in_progress', `The files of ${fullName} changed while they were read; try again.`)
}

/** The limits that a request gives. */
export const limitsOf = ({ maxHours, budgetUsd }: Pick<CreateEndpointInput, 'maxHours' | 'budgetUsd'>) => ({
  maxHours: maxHours ?? null,
  budgetUsd: budgetUsd == null ? null : usdLimit(budgetUsd),
})

const repoOf = ({ id, fullName, seq }: RepoFacts) => ({ modelRepoId: id, modelRepoName: fullName, repoSeq: seq })

/** The artifact of a plan as it is shown. */
export function pinnedOf({ artifact: { kind, path, sha256, files }, policyFormat }: EndpointPlan): EndpointArtifact {
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return { kind, path, sha256, policyFormat, files: files.length, bytes }
}

function valuesOf(viewer: Credentialed, plan: EndpointPlan, input: CreateEndpointInput) {
  const { executor, controlClass, contractFingerprint, policyBody, rateUsdPerHour, sizing } = plan
  const pinned = pinnedOf(plan)
  return {
    ...limitsOf(input),
    artifactKind: pinned.kind,
    artifactPath: pinned.path,
    modelSha256: pinned.sha256,
    artifactFiles: pinned.files,
    artifactBytes: pinned.bytes,
    policyFormat: pinned.policyFormat,
    executor,
    controlClass,
    contractFingerprint,
    policyBody,
    rateUsdPerHour,
    tier: sizing.tier.tier,
    params: sizing.params,
    vramBytes: sizing.vramBytes,
    name: input.name ?? null,
    createdBy: viewer.personId,
    filedBy: viewer.credentialId,
  }
}
