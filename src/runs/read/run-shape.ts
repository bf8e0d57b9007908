/** A run as the graph shows it, and the columns that every read of one selects. Spec, "Run". */

import { runVisibleSql } from '../../auth/policy.ts'
import type { AccountRef } from '../../operation/context.ts'
import type { RecipeDocument } from '../../planner/recipe/recipe.ts'
import { setDocument } from '../../platform/json-text.ts'
import { column, type RowOf } from '../../store/columns.ts'
import { listOf, number, object, objectOf, orNull, text } from '../../store/read-json.ts'
import type { JobExecutor } from '../../work/held-job.ts'
import { type JobStatus, terminalStatuses } from '../../work/job-state.ts'
import type { PinnedSelection } from '../create/named-selections.ts'
import { type KeptRow, keptColumns } from '../kept-fields.ts'
import { metricsKey } from '../log/run-objects.ts'
import { deadlineSql } from '../run-job.ts'
import { type DisplayNameSource, displayNameOf } from './display-name.ts'
import { readPace } from './pace.ts'
import { progressOf, type RunProgress, readProgress } from './progress.ts'
import { type RunSparkline, readCurve, sparklineOf } from './sparkline.ts'
import { type RunSpend, spendOf } from './spend.ts'

export type RunKind = 'cloud' | 'external' | 'orchestration'

export interface RunGateRow {
  readonly name: string
  readonly status: 'PASS' | 'FAIL' | 'ERROR' | 'SKIP'
  readonly detail: string | null
}

/**
 * A dataset that the recipe names. A dataset of this hub is pinned: `seq` is the state of its repo when the run was
 * created.
 */
export interface PinnedDataset {
  readonly ref: string
  readonly repoId: string | null
  readonly seq: number | null
  /** The selection of its episodes that the ref names; null for all of them. */
  readonly selection: PinnedSelection | null
}

/** Times RFC 3339; money in dollars with four decimals at most. */
export interface Run extends KeptRow {
  readonly id: string
  readonly kind: RunKind
  readonly status: JobStatus
  readonly recipe: RecipeDocument
  readonly recipeHash: string
  /** The robot repo that had the name in the recipe when the run was created; null where the name is text. */
  readonly robotRepoId: string | null
  readonly owner: AccountRef
  readonly createdBy: AccountRef | null
  readonly gpuType: string | null
  readonly costUsd: number | null
  readonly metricsKey: string | null
  readonly logsKey: string | null
  readonly configKey: string | null
  readonly scorecardKey: string | null
  readonly gate: { readonly passed: number; readonly total: number } | null
  readonly gates: readonly RunGateRow[] | null
  readonly outputModelRepo: { readonly id: string; readonly fullName: string } | null
  readonly parentRunId: string | null
  readonly executor: JobExecutor | null
  readonly claimedBy: string | null
  readonly claimedAt: string | null
  readonly heartbeatAt: string | null
  readonly leaseExpiresAt: string | null
  readonly attempt: number
  readonly cancelRequestedAt: string | null
  readonly deadlineAt: string | null
  readonly latestMetrics: Readonly<Record<string, unknown>> | null
  readonly peakVramGb: number | null
  readonly samplesPerS: number | null
  readonly hostedCallId: string | null
  readonly dispatchedAt: string | null
  readonly error: string | null
  readonly createdAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly displayName: string
  readonly displayNameSource: DisplayNameSource
  readonly progress: RunProgress | null
  readonly spend: RunSpend
  readonly sparkline: RunSparkline | null
  readonly datasets: readonly PinnedDataset[]
  /** The value that a list is sorted by; null where no list is. */
  readonly sortValue: number | null
}

/** SQL condition: the run alias `u` is visible. A statement with this condition has the parameters of `runViewer`. */
export const visibleRun = runVisibleSql('u')

/**
 * Reads neither metrics lines nor log chunks: reports store what a run shows of them in its row. JSON columns have the
 * types of their writers: `recipe` that of createRun and importRun, which parsed it, the others those of reports.
 */
export const runColumns = keptColumns.with({
  id: column.text('u.id'),
  kind: column.enum('RunKind', 'u.kind'),
  status: column.enum('JobStatus', 'u.status'),
  executor: column.enum.orNull('RunExecutor', 'u.executor'),
  recipe: column.json('u.recipe', object),
  recipeHash: column.text('u.recipe_hash'),
  ownerId: column.text('o.id'),
  ownerKind: column.enum('AccountKind', 'o.kind'),
  ownerHandle: column.text('o.handle'),
  ownerName: column.text.orNull('o.name'),
  creatorId: column.text.orNull('c.id'),
  creatorHandle: column.text.orNull('c.handle'),
  creatorName: column.text.orNull('c.name'),
  template: column.text('u.template'),
  robot: column.text.orNull('u.robot'),
  robotRepoId: column.text.orNull('u.robot_repo_id'),
  gpuType: column.text.orNull('u.gpu_type'),
  priced: column.bool('u.priced'),
  rateUsdPerHour: column.numeric.orNull('u.rate_usd_per_hour'),
  budgetUsd: column.numeric.orNull('u.budget_usd'),
  costUsd: column.numeric.orNull('u.cost_usd'),
  logSeq: column.int4('u.log_seq'),
  configKey: column.text.orNull('u.config_key'),
  scorecardKey: column.text.orNull('u.scorecard_key'),
  gates: column.document.orNull<RunGateRow[]>('u.gates'),
  gatePassed: column.int4.orNull('u.gate_passed'),
  gateTotal: column.int4.orNull('u.gate_total'),
  outputRepoId: column.text.orNull('u.output_repo_id'),
  outputRepoName: column.text.orNull('u.output_repo_name'),
  parentRunId: column.text.orNull('u.parent_run_id'),
  claimedBy: column.text.orNull('u.claimed_by'),
  claimedAt: column.timestamptz.orNull('u.claimed_at'),
  heartbeatAt: column.timestamptz.orNull('u.heartbeat_at'),
  leaseExpiresAt: column.timestamptz.orNull('u.lease_expires_at'),
  attempt: column.int4('u.attempt'),
  cancelRequestedAt: column.timestamptz.orNull('u.cancel_requested_at'),
  latestMetrics: column.document.orNull<Readonly<Record<string, unknown>>>('u.latest_metrics'),
  peakVramGb: column.float8.orNull('u.peak_vram_gb'),
  samplesPerS: column.float8.orNull('u.samples_per_s'),
  hostedCallId: column.text.orNull('u.hosted_call_id'),
  dispatchedAt: column.timestamptz.orNull('u.dispatched_at'),
  error: column.text.orNull('u.error'),
  createdAt: column.timestamptz('u.created_at'),
  startedAt: column.timestamptz.orNull('u.started_at'),
  finishedAt: column.timestamptz.orNull('u.finished_at'),
  progress: column.jsonb.orNull('u.progress', readProgress),
  progressAt: column.timestamptz.orNull('u.progress_at'),
  pace: column.jsonb.orNull('u.pace', readPace),
  rewardCurve: column.jsonb.orNull('u.reward_curve', readCurve),
  datasets: column.json(
    `coalesce((select json_agg(json_build_object('ref', d.ref, 'repoId', d.repo_id, 'seq', d.seq,
      'selection', case when d.selection is not null then json_build_object('name', d.selection,
        'count', d.selected_count, 'fingerprint', d.selection_fingerprint) end)
      order by d.position) from run_datasets d where d.run_id = u.id), '[]')`,
    listOf(
      objectOf<PinnedDataset>({
        ...{ ref: text, repoId: orNull(text), seq: orNull(number) },
        selection: orNull(objectOf<PinnedSelection>({ name: text, count: number, fingerprint: text })),
      }),
    ),
  ),
  deadlineAt: column.timestamptz.orNull(deadlineSql),
  now: column.timestamptz('now()'),
})

type RunRow = RowOf<typeof runColumns>

/** The tables of `runColumns`. */
export const runTables = 'runs u join accounts o on o.id = u.owner_id left join accounts c on c.id = u.created_by'

/** Converts a row to the graph's shape; progress and spend are those at the row's `now`. */
export function toRun(row: RunRow, sortValue: number | null = null): Run {
  const named = displayNameOf({
    id: row.id,
    givenName: row.name,
    template: row.template,
    robot: row.robot,
    outputRepoName: row.outputRepoName,
    runName: runNameOf(row.recipe),
  })
  const run: Run = {
    id: row.id,
    kind: row.kind,
    status: row.status,
    recipe: row.recipe,
    recipeHash: row.recipeHash,
    robotRepoId: row.robotRepoId,
    owner: { id: row.ownerId, kind: row.ownerKind, handle: row.ownerHandle, name: row.ownerName },
    createdBy:
      row.creatorId === null
        ? null
        : { id: row.creatorId, kind: 'user', handle: row.creatorHandle ?? '', name: row.creatorName },
    gpuType: row.gpuType,
    costUsd: row.costUsd === null ? null : Number(row.costUsd),
    // An imported run has no metrics lines, but the summary of its import. Lines of a lost attempt are none: the newest
    // is of an attempt that counts.
    metricsKey: row.latestMetrics !== null || row.kind === 'external' ? metricsKey(row.id) : null,
    logsKey: row.logSeq > 0 && row.kind !== 'external' ? `runs/${row.id}/logs/` : null,
    configKey: row.configKey,
    scorecardKey: row.scorecardKey,
    gate: row.gateTotal === null ? null : { passed: row.gatePassed ?? 0, total: row.gateTotal },
    gates: null,
    outputModelRepo: row.outputRepoId === null ? null : { id: row.outputRepoId, fullName: row.outputRepoName ?? '' },
    parentRunId: row.parentRunId,
    project: row.project,
    name: row.name,
    notes: row.notes,
    tags: row.tags,
    group: row.group,
    jobType: row.jobType,
    executor: row.executor,
    claimedBy: row.claimedBy,
    claimedAt: row.claimedAt,
    heartbeatAt: row.heartbeatAt,
    leaseExpiresAt: row.leaseExpiresAt,
    attempt: row.attempt,
    cancelRequestedAt: row.cancelRequestedAt,
    deadlineAt: row.deadlineAt,
    latestMetrics: null,
    peakVramGb: row.peakVramGb,
    samplesPerS: row.samplesPerS,
    hostedCallId: row.hostedCallId,
    dispatchedAt: row.dispatchedAt,
    error: row.error,
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    finishedAt: row.finishedAt,
    displayName: named.name,
    displayNameSource: named.source,
    progress: progressOf(
      {
        reported: row.progress,
        reportedAt: row.progressAt,
        pace: row.pace,
        startStep: startStepOf(row.recipe),
        running: row.status === 'running',
      },
      row.now,
    ),
    spend: spendOfRow(row),
    sparkline: sparklineOf(row.rewardCurve),
    datasets: row.datasets,
    sortValue,
  }
  setDocument(run, 'gates', row.gates)
  setDocument(run, 'latestMetrics', row.latestMetrics)
  return run
}

/** A run that has not ended has no end for its spend, whatever its row has. */
function spendOfRow(row: RunRow): Run['spend'] {
  const { priced, rateUsdPerHour, budgetUsd, claimedAt, cancelRequestedAt, deadlineAt, costUsd } = row
  const finishedAt = terminalStatuses.includes(row.status) ? row.finishedAt : null
  return spendOf(
    { priced, rateUsdPerHour, budgetUsd, claimedAt, cancelRequestedAt, deadlineAt, finishedAt, costUsd },
    row.now,
  )
}

function startStepOf({ parent_checkpoint_step: step }: RecipeDocument): number | null {
  return typeof step === 'number' ? step : null
}

function runNameOf(recipe: RecipeDocument): unknown {
  const { hyperparams } = recipe
  return typeof hyperparams === 'object' && hyperparams !== null && 'run_name' in hyperparams
    ? hyperparams.run_name
    : undefined
}
