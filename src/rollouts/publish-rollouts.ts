/** Keeps the result of rollouts with the model that drove them. Contract, "Results of rollouts". */

import { canonicalSha256 } from '@hub/formats/canonical-hash'
import { newId } from '@hub/formats/ids'
import { wilson } from '@hub/formats/wilson'
import { lockAccounts } from '../accounts/lock-accounts.ts'
import { assertNotJob } from '../auth/policy.ts'
import { findState, type RepoState } from '../files/versions/states.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../operation/context.ts'
import { HubError, notFound } from '../platform/errors.ts'
import { findRepo, findRepoToWrite, lockWithOther, type RepoFacts } from '../repos/get-repo.ts'
import type { Tx } from '../store/db.ts'
import { assign, each, insertEach, insertInto, sql } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'
import { differenceOf, sameSeeds } from './differing-result.ts'
import {
  assertOfSeeds,
  type EpisodeContent,
  keepEpisodes,
  type SentEpisodes,
  withEpisodes,
} from './episodes/keep-episodes.ts'
import { MAX_RESULTS_PER_MODEL } from './limits.ts'
import { policyDigestAt } from './policy-digest.ts'
import {
  type Conditions,
  outcomeColumns,
  type Rollout,
  type RolloutOutcome,
  rolloutColumns,
  rolloutParties,
} from './rollout-rows.ts'
import { storedTexts } from './stored-texts.ts'

/** The outcome of a seed as it is given. */
export type SeedOutcome = Omit<RolloutOutcome, 'rolloutId'>

export interface PublishRolloutsInput {
  readonly owner: string
  readonly repo: string
  /** Names of versions: commit ids, snapshots, change numbers. */
  readonly version: string
  readonly policy: string
  /** Full name. */
  readonly robot: string
  readonly robotVersion: string
  readonly conditions: Conditions
  readonly software: Readonly<Record<string, string>>
  readonly mapFingerprint?: string | null
  /** What drew the pictures that the policy saw. */
  readonly drawnBy?: string | null
  /** Names of the robot's cameras by those of the pictures that they drew, where others were chosen. */
  readonly cameras?: Readonly<Record<string, string>> | null
  /** Of seeds that follow each other. */
  readonly outcomes: readonly SeedOutcome[]
  /** Of some of these seeds: bytes that were sent to the repo of the model. */
  readonly episodes?: readonly EpisodeContent[] | null
}

const byKey = statement({
  name: 'rollout-by-key',
  exact: 'verb-answer',
  columns: rolloutColumns,
  params: { modelRepoId: param.text(), key: param.text() },
  text: `select ${rolloutColumns.sql} from rollouts x ${rolloutParties}
    where x.model_repo_id = :modelRepoId and x.key = :key`,
})

const outcomesOf = statement({
  name: 'rollout-outcomes-whole',
  exact: 'in-transaction',
  columns: outcomeColumns,
  params: { rolloutId: param.text() },
  text: `select ${outcomeColumns.sql} from rollout_outcomes s where s.rollout_id = :rolloutId order by s.seed`,
})

const row = insertInto('rollouts', {
  id: param.text(),
  modelRepoId: param.text(),
  modelOwnerId: sql('(select owner_id from repos where id = :modelRepoId)'),
  modelIsPublic: sql(`(select visibility = 'public' from repos where id = :modelRepoId)`),
  modelSeq: param.int4(),
  modelCommit: param.text(),
  policyPath: param.text(),
  policyDigest: param.text(),
  robotRepoId: param.text(),
  robotSeq: param.int4(),
  robotCommit: param.text(),
  task: param.text(),
  conditions: sql(':conditionsText::text::json', { conditionsText: param.text() }),
  fingerprint: param.text(),
  mapFingerprint: param.text.orNull(),
  firstSeed: param.int4(),
  seeds: param.int4(),
  successes: param.int4(),
  lowest: param.float8(),
  highest: param.float8(),
  meanReturn: param.float8(),
  meanSeconds: param.float8(),
  software: sql(':softwareText::text::json', { softwareText: param.text() }),
  drawnBy: param.text.orNull(),
  cameras: sql(':camerasText::text::json', { camerasText: param.text.orNull() }),
  key: param.text(),
  createdBy: param.text.orNull(),
  byAgent: param.bool(),
})

const insert = statement({ name: 'rollout-insert', params: row.params, text: row.sql })

const outcomeRows = insertEach('rollout_outcomes', {
  rolloutId: param.text(),
  seed: each('seeds', param.int4s()),
  success: each('successes', param.bools()),
  ending: each('endings', param.texts(), 'RolloutEnding'),
  return: each('returns', param.float8s()),
  seconds: each('durations', param.float8s()),
  steps: each('stepCounts', param.int4s()),
  fingerprint: each('fingerprints', param.texts()),
})

const insertOutcomes = statement({
  name: 'rollout-outcomes-insert',
  params: outcomeRows.params,
  text: outcomeRows.sql,
})

const vouched = assign('rollouts', { createdBy: param.text.orNull(), byAgent: sql('false') })

/** A result that an agent published, as another credential sends it again. */
const vouch = statement({
  name: 'rollout-vouch',
  params: { ...vouched.params, id: param.text() },
  text: `update rollouts set ${vouched.sql} where id = :id and by_agent`,
})

/** Of agents and of all others apart: what agents publish pushes out nothing that a gate counts. */
const dropOldest = statement({
  name: 'rollouts-drop-oldest',
  params: { modelRepoId: param.text(), byAgent: param.bool() },
  text: `delete from rollouts where id in (select id from rollouts where model_repo_id = :modelRepoId
    and by_agent = :byAgent order by id desc offset ${MAX_RESULTS_PER_MODEL})`,
})

const dropOfAgent = statement({
  name: 'rollout-drop-of-agent',
  params: { id: param.text() },
  text: 'delete from rollouts where id = :id and by_agent',
})

/** What is published: two repos, each at a version. */
interface Found {
  readonly model: RepoFacts
  readonly robot: RepoFacts
  readonly at: RepoState
  readonly robotAt: RepoState
}

/**
 * The kept result. One that was published before, with the same numbers, is answered as it is; of pictures the count
 * of successes is what is compared (`differenceOf`). Sent again, a request changes nothing, but that it keeps episodes
 * of seeds that it had none of, and that the result of an agent becomes that of the one who sends it with another
 * credential, and gives way to other numbers of theirs.
 * Errors: 401, 403, 404 either repo or its version, 409 `conflict.wrong_kind`, `conflict.unverified`,
 * `conflict.rollout_differs` and `conflict.in_progress`, 413 `quota.storage`, 422 (also `upload.*` for bytes that were
 * not sent), 503.
 */
export function publishRollouts(ctx: RequestContext, input: PublishRolloutsInput): Promise<Rollout> {
  return guarded(
    ctx,
    () => findBoth(ctx, input),
    (allowed, found) =>
      withEpisodes(allowed, found.model, input.episodes ?? [], (sent) =>
        commitVerb(allowed, (tx) => publish(tx, allowed, found, { input, sent })),
      ),
  )
}

async function publish(
  tx: Tx,
  ctx: AllowedContext,
  found: Found,
  { input, sent }: { readonly input: PublishRolloutsInput; readonly sent: SentEpisodes | null },
): Promise<Rollout> {
  // Publishes of one model go one after another; pushes to the robot go on.
  const model = await lockWithOther(tx, found.model, found.robot)
  // Before results go, as a deletion of their robot has it.
  if (sent) await lockAccounts(tx, [model.ownerId])
  const made = await madeOf(tx, found, input)
  const { key } = made
  const publisher = publisherOf(ctx)
  const [there] = await tx.query(byKey, { modelRepoId: model.id, key })
  const isAgents = there?.isByAgent === true && !publisher.byAgent
  const before = there ? await tx.query(outcomesOf, { rolloutId: there.id }) : []
  // What a person takes over from an agent is theirs to the bit.
  const differs = there && differenceOf(there, before, input, there.drawnBy !== null && !isAgents)
  if (differs && !isAgents) throw differs
  const isKept = there !== undefined && !differs
  const rolloutId = isKept ? there.id : made.id
  if (isKept && isAgents) await tx.query(vouch, { id: there.id, createdBy: publisher.createdBy })
  if (!isKept) {
    if (there) await tx.query(dropOfAgent, { id: there.id })
    await tx.query(insert, { ...made, ...publisher })
    await tx.query(insertOutcomes, { rolloutId: made.id, ...listsOf(input.outcomes) })
    await tx.query(dropOldest, { modelRepoId: model.id, byAgent: publisher.byAgent })
  }
  const ofKept = sent && isKept ? { ...sent, episodes: sameSeeds(sent.episodes, before, input.outcomes) } : sent
  const episodes = ofKept ? await keepEpisodes(tx, ctx, { rolloutId, ownerId: model.ownerId }, ofKept) : 0
  if (isKept && !isAgents && episodes === 0) return there
  const { successes, seeds, task } = made
  await audit(tx, ctx, {
    action: 'rollouts.publish',
    accountId: model.ownerId,
    targetId: model.id,
    after: { robot: found.robot.fullName, task, seeds, successes, ...(episodes > 0 && { episodes }) },
  })
  tx.afterCommit(() => ctx.deps.events.hint(model.id))
  const [kept] = await tx.query(byKey, { modelRepoId: model.id, key })
  if (!kept) throw new Error('The result was not kept.')
  return kept
}

const publisherOf = ({ viewer }: RequestContext) =>
  viewer.kind === 'anonymous'
    ? { createdBy: null, byAgent: true }
    : { createdBy: viewer.personId, byAgent: viewer.agent }

async function findBoth(ctx: RequestContext, input: PublishRolloutsInput): Promise<Found> {
  assertOfSeeds(input.episodes ?? [], input.outcomes)
  const model = await findRepoToWrite(ctx, input)
  assertNotJob(ctx.viewer, 'publish results of rollouts')
  const [owner = '', slug = ''] = input.robot.split('/')
  const robot = await findRepo(ctx, { owner, slug })
  assertKind(model, 'model')
  assertKind(robot, 'robot')
  const at = await findState(ctx, model, input.version, ['version'])
  const robotAt = await findState(ctx, robot, input.robotVersion, ['robotVersion'])
  return { model, robot, at, robotAt }
}

function assertKind({ kind, fullName }: RepoFacts, needed: RepoFacts['kind']): void {
  if (kind === needed) return
  const detail = `${fullName} is a ${kind} repo; rollouts are of a model repo that drives a robot repo.`
  throw new HubError('conflict.wrong_kind', detail)
}

async function madeOf(tx: Tx, { model, robot, at, robotAt }: Found, input: PublishRolloutsInput) {
  const { policy: policyPath, conditions, mapFingerprint = null, drawnBy = null, outcomes, software } = input
  const cameras = Object.keys(input.cameras ?? {}).length > 0 ? (input.cameras ?? null) : null
  const { conditionsText, softwareText, camerasText } = storedTexts({ conditions, software, cameras })
  const [seeds, firstSeed] = [outcomes.length, outcomes[0]?.seed ?? 0]
  const question = {
    ...{ modelSeq: at.seq, policyPath, robotRepoId: robot.id, robotSeq: robotAt.seq },
    ...{ fingerprint: canonicalSha256(conditions), mapFingerprint, firstSeed, seeds },
  }
  const successes = outcomes.filter(({ success }) => success).length
  const [lowest, highest] = wilson(successes, seeds)
  const mean = (read: (one: SeedOutcome) => number) => outcomes.reduce((sum, one) => sum + read(one), 0) / seeds
  return {
    ...question,
    ...{ drawnBy, camerasText },
    // Without them it is the key that it was before results named what draws pictures, and which cameras.
    ...{
      id: newId('roll'),
      key: canonicalSha256({ ...question, ...(drawnBy !== null && { drawnBy }), ...(cameras && { cameras }) }),
      modelRepoId: model.id,
      task: conditions.task.name,
    },
    policyDigest: await policyDigestAt(tx, model, at.seq, policyPath),
    modelCommit: commitOf(at),
    robotCommit: commitOf(robotAt),
    ...{ successes, lowest, highest, conditionsText, softwareText },
    meanReturn: mean((one) => one.return),
    meanSeconds: mean((one) => one.seconds),
  }
}

function commitOf({ commitId, fullName, seq }: RepoState): string {
  if (commitId === null) throw notFound(`The commit id of change ${seq} of ${fullName}`)
  return commitId
}

const listsOf = (outcomes: readonly SeedOutcome[]) => ({
  seeds: outcomes.map(({ seed }) => seed),
  successes: outcomes.map(({ success }) => success),
  endings: outcomes.map(({ ending }) => ending),
  returns: outcomes.map((one) => one.return),
  durations: outcomes.map(({ seconds }) => seconds),
  stepCounts: outcomes.map(({ steps }) => steps),
  fingerprints: outcomes.map(({ fingerprint }) => fingerprint),
})
