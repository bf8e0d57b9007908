/** importRun (spec, "POST /v1/runs/import"): a run that was trained elsewhere. Artifacts, never a log. */

import { newId } from '@hub/formats/ids'
import { requireCredential } from '../../auth/policy.ts'
import { assertRoom } from '../../files/reservation.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { AccountRef, AllowedContext, RequestContext } from '../../operation/context.ts'
import { filledRecipe, type Recipe, recipeHash } from '../../planner/recipe/recipe.ts'
import { boundedBytes } from '../../platform/bounded-text.ts'
import type { Loc } from '../../platform/errors.ts'
import { insertInto, sql } from '../../store/insert.ts'
import { asStoreRefusal, requireObjects } from '../../store/objects/required.ts'
import { param, statement } from '../../store/statement.ts'
import { forgetRefused, putJobObject } from '../../work/job-objects.ts'
import type { JobStatus } from '../../work/job-state.ts'
import { gatesOf } from '../gates/scorecard.ts'
import { type KeptFields, keptParams, keptValues } from '../kept-fields.ts'
import { metricsKey, runObjects } from '../log/run-objects.ts'
import { readRun } from '../read/get-run.ts'
import type { Run } from '../read/run-shape.ts'
import { countedRecipe, countRunBytes, growthOf, type KeptBytes } from '../report/run-storage.ts'
import { findRun } from '../run-row.ts'
import { insertNamedRepos, lockNamedRepos } from './named-repos.ts'
import { billingOwner, findParent, lockParent } from './run-request.ts'

export interface RunImportArtifacts {
  readonly configYaml: string
  readonly metricsSummary: string
  readonly scorecardJson?: unknown
}

export interface ImportRunInput extends KeptFields {
  readonly artifacts: RunImportArtifacts
  readonly owner?: string | null
  readonly parentRunId?: string | null
  readonly template?: string | null
  readonly dataset?: readonly string[] | null
  readonly robot?: string | null
  readonly status?: JobStatus | null
  readonly hyperparams?: Readonly<Record<string, unknown>> | null
}

/** As many as a request that creates a run can have, whose body has this limit; an import's has room for artifacts. */
const MAX_HYPERPARAMS_BYTES = 1024 * 1024

/** The template of an imported run if the import names none. */
const UNKNOWN_TEMPLATE = 'external'

const runRow = insertInto('runs', {
  id: param.text(),
  kind: 'external',
  status: param.enum('JobStatus'),
  ownerId: param.text(),
  createdBy: param.text.orNull(),
  filedBy: param.text(),
  template: param.text(),
  robot: param.text.orNull(),
  robotRepoId: param.text.orNull(),
  /** JSON. */
  recipe: param.json(),
  recipeHash: param.text(),
  parentRunId: param.text.orNull(),
  repoIds: param.texts(),
  finishedAt: sql('now()'),
  configKey: param.text(),
  scorecardKey: param.text.orNull(),
  /** JSON. */
  gates: param.json.orNull(),
  gatePassed: param.int4.orNull(),
  gateTotal: param.int4.orNull(),
  summaryBytes: param.int4(),
  ...keptParams,
})

const insertImported = statement({
  name: 'run-insert-imported',
  params: runRow.params,
  text: runRow.sql,
})

/**
 * Errors: 403 for an owner that is unknown or not the caller's; 422 for a parent that the caller cannot see or a status
 * that is not terminal; 413 for an artifact over its limit or an exceeded storage quota; 503 without an object store.
 * Objects are written before the transaction that names them.
 */
export async function importRun(ctx: RequestContext, input: ImportRunInput): Promise<Run> {
  const artifacts = readArtifacts(input.artifacts, ctx.deps.config.runs.maxArtifactBytes)
  boundedBytes(JSON.stringify(input.hyperparams ?? null), MAX_HYPERPARAMS_BYTES, ['hyperparams'])
  return guarded(
    ctx,
    () => billingOwner(ctx, input.owner ?? null),
    (allowed, owner) => make(allowed, owner, input, artifacts),
    async ({ id }) => void (await findRun(ctx, id)),
  )
}

async function make(ctx: AllowedContext, owner: AccountRef, input: ImportRunInput, artifacts: Artifacts): Promise<Run> {
  const viewer = requireCredential(ctx.viewer)
  const parent = await findParent(ctx, input.parentRunId ?? null)
  const recipe = recipeOf(input)
  const recipeText = JSON.stringify(recipe)
  const kept = bytesOf(artifacts, countedRecipe(recipeText))
  await assertRoom(ctx.deps.db, ctx.deps.config, owner.id, { bytes: growthOf(kept, NOTHING), uploads: 0 })
  const id = newId('run')
  const keys = await putArtifacts(ctx, id, artifacts)
  const { scorecardJson } = input.artifacts
  const gates = scorecardJson == null ? null : gatesOf(scorecardJson)
  try {
    return await commitVerb(ctx, async (tx) => {
      const named = await lockNamedRepos(tx, viewer, recipe)
      await lockParent(tx, parent)
      await tx.query(insertImported, {
        id,
        status: input.status ?? 'succeeded',
        ownerId: owner.id,
        createdBy: viewer.personId,
        filedBy: viewer.credentialId,
        template: recipe.template,
        robot: recipe.robot ?? null,
        robotRepoId: named.robotId,
        recipe: recipeText,
        recipeHash: recipeHash(recipe),
        parentRunId: parent?.id ?? null,
        repoIds: named.ids,
        configKey: keys.config,
        scorecardKey: keys.scorecard,
        gates: gates && JSON.stringify(gates.rows),
        gatePassed: gates?.passed ?? null,
        gateTotal: gates?.total ?? null,
        summaryBytes: artifacts.summary.length,
        ...keptValues(input),
      })
      await insertNamedRepos(tx, { id, ownerId: owner.id }, named)
      tx.afterCommit(() => ctx.deps.events.hint(id))
      const after = { template: recipe.template, status: input.status ?? 'succeeded' }
      await audit(tx, ctx, { action: 'run.import', accountId: owner.id, targetId: id, after })
      await countRunBytes(tx, ctx.deps.config, { id, ownerId: owner.id, ...NOTHING }, kept)
      return readRun(tx, viewer, id)
    })
  } catch (error) {
    await forgetRefused(
      ctx,
      [keys.config, keys.scorecard, metricsKey(id)].filter((key) => key !== null),
      error,
    )
    throw error
  }
}

/** The artifact sizes of a run that does not exist yet. */
const NOTHING = { configBytes: null, scorecardBytes: null } as const

const bytesOf = ({ config, summary, scorecard }: Artifacts, recipeBytes: number): KeptBytes => ({
  added: summary.length + recipeBytes,
  config: config.length,
  scorecard: scorecard?.length ?? null,
})

/** The recipe of an import: members that were not given stay absent or get their default, as in every recipe. */
function recipeOf({ template, dataset, robot, hyperparams }: ImportRunInput): Recipe {
  const given = { dataset, robot, hyperparams }
  const kept = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  return filledRecipe({ template: template ?? UNKNOWN_TEMPLATE, ...kept })
}

interface Artifacts {
  readonly config: Buffer
  readonly summary: Buffer
  readonly scorecard: Buffer | null
}

function readArtifacts(given: RunImportArtifacts, limit: number): Artifacts {
  const { configYaml, metricsSummary, scorecardJson } = given
  const place = (member: keyof RunImportArtifacts): Loc => ['artifacts', member]
  return {
    config: boundedBytes(configYaml, limit, place('configYaml')),
    summary: boundedBytes(metricsSummary, limit, place('metricsSummary')),
    scorecard:
      scorecardJson == null ? null : boundedBytes(JSON.stringify(scorecardJson), limit, place('scorecardJson')),
  }
}

async function putArtifacts(ctx: RequestContext, id: string, { config, summary, scorecard }: Artifacts) {
  const { deps, signal } = ctx
  const [configKey, scorecardKey] = await Promise.all([
    putJobObject(deps, runObjects.config, { jobId: id, bytes: config, signal }),
    scorecard && putJobObject(deps, runObjects.scorecard, { jobId: id, bytes: scorecard, signal }),
    putSummary(ctx, id, summary),
  ])
  return { config: configKey, scorecard: scorecardKey }
}

/** Writes the summary under `metricsKey`, where a run of this hub has its metrics. */
async function putSummary({ deps, signal }: RequestContext, id: string, summary: Buffer): Promise<void> {
  const facts = { sizeBytes: summary.length, contentType: 'text/plain; charset=utf-8', signal }
  try {
    await requireObjects(deps).put(metricsKey(id), summary, facts)
  } catch (error) {
    throw asStoreRefusal(error)
  }
}
