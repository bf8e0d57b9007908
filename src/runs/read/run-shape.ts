/** A run as the graph shows it, and the columns that every read of one selects. Spec, "Run". */
import { runVisibleSql } from '../../auth/policy.ts'
import type { AccountRef } from '../../operation/context.ts'
import type { RecipeDocument } from '../../planner/recipe/recipe.ts'
import { type JobStatus, terminalStatuses } from '../../work/job-status.ts'
import { deadlineSql } from '../lease/deadline.ts'
import { metricsKey } from '../log/run-objects.ts'
import type { RunExecutor } from '../run-state.ts'
import { type DisplayNameSource, displayNameOf } from './display-name.ts'
import type { Pace } from './pace.ts'
import { progressOf, type ReportedProgress, type RunProgress } from './progress.ts'
import { type RewardCurve, type RunSparkline, sparklineOf } from './sparkline.ts'
import { type RunSpend, spendOf } from './spend.ts'

export type RunKind = 'cloud' | 'external' | 'orchestration'

export interface RunGateRow {
  readonly name: string
  readonly status: 'PASS' | 'FAIL' | 'ERROR' | 'SKIP'
  readonly detail: string | null
}

/** A dataset that the recipe names; one of this hub is pinned: `seq` is the state of the repo when the run was made. */
export interface PinnedDataset {
  readonly ref: string
  readonly repoId: string | null
  readonly seq: number | null
}

/** Times RFC 3339; money in dollars with four decimals at most. */
export interface Run {
  readonly id: string
  readonly kind: RunKind
  readonly status: JobStatus
  readonly recipe: RecipeDocument
  readonly recipeHash: string
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
  readonly executor: RunExecutor | null
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
}

/** One row of `runColumns`, as an array in their order. */
export type RunRow = readonly [
  id: string,
  kind: RunKind,
  status: JobStatus,
  executor: RunExecutor | null,
  recipe: RecipeDocument,
  recipeHash: string,
  ownerId: string,
  ownerKind: AccountRef['kind'],
  ownerHandle: string,
  ownerName: string | null,
  creatorId: string | null,
  creatorHandle: string | null,
  creatorName: string | null,
  template: string,
  robot: string | null,
  gpuType: string | null,
  priced: boolean,
  rateUsdPerHour: string | null,
  budgetUsd: string | null,
  costUsd: string | null,
  metricsSeq: number,
  logSeq: number,
  configKey: string | null,
  scorecardKey: string | null,
  gates: RunGateRow[] | null,
  gatePassed: number | null,
  gateTotal: number | null,
  outputRepoId: string | null,
  outputRepoName: string | null,
  parentRunId: string | null,
  claimedBy: string | null,
  claimedAt: string | null,
  heartbeatAt: string | null,
  leaseExpiresAt: string | null,
  attempt: number,
  cancelRequestedAt: string | null,
  latestMetrics: Readonly<Record<string, unknown>> | null,
  peakVramGb: number | null,
  samplesPerS: number | null,
  hostedCallId: string | null,
  dispatchedAt: string | null,
  error: string | null,
  createdAt: string,
  startedAt: string | null,
  finishedAt: string | null,
  progress: ReportedProgress | null,
  progressAt: string | null,
  pace: Pace | null,
  rewardCurve: RewardCurve | null,
  datasets: PinnedDataset[],
  deadlineAt: string | null,
  now: string,
]

/** What visible means for the run alias `u`; every read of runs has the viewer's parameters as $1 to $4. */
export const visibleRun = runVisibleSql('u')

/** Reads no metrics and no log: what a run shows of them is kept by its reports. */
export const runColumns = `u.id, u.kind, u.status, u.executor, u.recipe, u.recipe_hash, o.id as owner_id, o.kind as owner_kind,
  o.handle as owner_handle, o.name as owner_name, c.id as creator_id, c.handle as creator_handle, c.name as creator_name,
  u.template, u.robot, u.gpu_type, u.priced, u.rate_usd_per_hour, u.budget_usd, u.cost_usd, u.metrics_seq, u.log_seq,
  u.config_key, u.scorecard_key, u.gates, u.gate_passed, u.gate_total, u.output_repo_id, u.output_repo_name, u.parent_run_id,
  u.claimed_by, u.claimed_at, u.heartbeat_at, u.lease_expires_at, u.attempt, u.cancel_requested_at, u.latest_metrics,
  u.peak_vram_gb, u.samples_per_s, u.hosted_call_id, u.dispatched_at, u.error, u.created_at, u.started_at, u.finished_at,
  u.progress, u.progress_at, u.pace, u.reward_curve,
  coalesce((select json_agg(json_build_object('ref', d.ref, 'repoId', d.repo_id, 'seq', d.seq) order by d.position)
    from run_datasets d where d.run_id = u.id), '[]') as datasets, ${deadlineSql} as deadline_at, now() as now`

/** What `runColumns` reads from. */
export const runTables = 'runs u join accounts o on o.id = u.owner_id left join accounts c on c.id = u.created_by'

/** A row in the graph's shape, as of the row's own `now`. One literal, read by place: destructuring runs an iterator for each row. */
export function toRun(row: RunRow | readonly [...run: RunRow, found: number]): Run {
  const now = row[51]
  const named = displayNameOf({
    id: row[0],
    template: row[13],
    robot: row[14],
    outputRepoName: row[28],
    runName: runNameOf(row[4]),
  })
  return {
    id: row[0],
    kind: row[1],
    status: row[2],
    recipe: row[4],
    recipeHash: row[5],
    owner: { id: row[6], kind: row[7], handle: row[8], name: row[9] },
    createdBy: row[10] === null ? null : { id: row[10], kind: 'user', handle: row[11] ?? '', name: row[12] },
    gpuType: row[15],
    costUsd: row[19] === null ? null : Number(row[19]),
    // An import has no lines, but the summary that came with it.
    metricsKey: row[20] > 0 || row[1] === 'external' ? metricsKey(row[0]) : null,
    logsKey: row[21] > 0 && row[1] !== 'external' ? `runs/${row[0]}/logs/` : null,
    configKey: row[22],
    scorecardKey: row[23],
    gate: row[26] === null ? null : { passed: row[25] ?? 0, total: row[26] },
    gates: row[24],
    outputModelRepo: row[27] === null ? null : { id: row[27], fullName: row[28] ?? '' },
    parentRunId: row[29],
    executor: row[3],
    claimedBy: row[30],
    claimedAt: row[31],
    heartbeatAt: row[32],
    leaseExpiresAt: row[33],
    attempt: row[34],
    cancelRequestedAt: row[35],
    deadlineAt: row[50],
    latestMetrics: row[36],
    peakVramGb: row[37],
    samplesPerS: row[38],
    hostedCallId: row[39],
    dispatchedAt: row[40],
    error: row[41],
    createdAt: row[42],
    startedAt: row[43],
    finishedAt: row[44],
    displayName: named.name,
    displayNameSource: named.source,
    progress: progressOf(
      {
        reported: row[45],
        reportedAt: row[46],
        pace: row[47],
        startStep: startStepOf(row[4]),
        running: row[2] === 'running',
      },
      now,
    ),
    spend: spendOf(
      {
        priced: row[16],
        rateUsdPerHour: row[17],
        budgetUsd: row[18],
        claimedAt: row[31],
        cancelRequestedAt: row[35],
        deadlineAt: row[50],
        finishedAt: terminalStatuses.includes(row[2]) ? row[44] : null,
        costUsd: row[19],
      },
      now,
    ),
    sparkline: sparklineOf(row[48]),
    datasets: row[49],
  }
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
