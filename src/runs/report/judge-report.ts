/**
 * Judges a runner's report: where it leads, which of its numbered parts are new, and what it has to store. Spec,
 * reportRun.
 */
import { assertMayWriteRepo } from '../../auth/policy.ts'
import type { RequestContext } from '../../operation/context.ts'
import { boundedBytes } from '../../platform/bounded-text.ts'
import { HubError, invalid } from '../../platform/errors.ts'
import { findRepo, lockRepo, type RepoFacts } from '../../repos/get-repo.ts'
import type { Tx } from '../../store/db.ts'
import type { JobActor } from '../../work/held-job.ts'
import type { JobStatus } from '../../work/job-state.ts'
import { chunkObject, type LogChunk, readChunk } from '../../work/log/write-chunks.ts'
import type { FreshParts, NewObject, ReportNumber } from '../../work/report.ts'
import { type Gates, gatesOf } from '../gates/scorecard.ts'
import { runObjects } from '../log/run-objects.ts'
import { type MetricsBatch, readMetrics } from '../metrics/metrics-line.ts'
import type { ReportedProgress } from '../read/progress.ts'
import { nextStatus } from '../run-row.ts'
import type { ReportedRun } from './report-rows.ts'
import { growthOf, type KeptBytes } from './run-storage.ts'

export type ReportStatus = 'succeeded' | 'failed' | 'canceled'

/** Every member except the id is optional; null counts as absent. */
export interface ReportRunInput {
  readonly runId: string
  readonly attempt?: number | null
  readonly status?: ReportStatus | null
  readonly metrics?: readonly unknown[] | null
  readonly logChunk?: string | null
  readonly error?: string | null
  readonly configYaml?: string | null
  readonly scorecardJson?: unknown
  readonly outputModelRepo?: string | null
  /** Command, code, packages and machine; the first that is reported stays. */
  readonly environment?: unknown
  readonly peakVramGb?: number | null
  readonly samplesPerS?: number | null
  readonly gpuTier?: string | null
  readonly progress?: ReportedProgress | null
  readonly logSeq?: number | null
  readonly metricsSeq?: number | null
}

export type RunPart = 'log' | 'metrics'

/** The runner's own numbers. */
export function numbersOf(
  run: ReportedRun,
  { logSeq = null, metricsSeq = null }: ReportRunInput,
): Readonly<Record<RunPart, ReportNumber>> {
  return {
    log: { stored: { last: run.clientLogSeq, gaps: run.clientLogGaps }, given: logSeq },
    metrics: { stored: { last: run.clientMetricsSeq, gaps: run.clientMetricsGaps }, given: metricsSeq },
  }
}

const triggers = { succeeded: 'succeed', failed: 'fail', canceled: 'confirmCancel' } as const

/**
 * 409 if the caller is not the run's holder in this attempt or the run has ended, 422 for a `canceled` without a cancel
 * request.
 */
export function nextOf(run: ReportedRun, { status }: ReportRunInput, actor: JobActor): JobStatus {
  return nextStatus(status ? triggers[status] : 'report', run, actor)
}

export interface ReadRunReport {
  readonly objects: {
    readonly log: NewObject | null
    readonly config: NewObject | null
    readonly scorecard: NewObject | null
  }
  readonly addedBytes: number
  readonly chunk: LogChunk | null
  readonly metrics: MetricsBatch | null
  readonly gates: Gates | null
  /** JSON; null without one, and where the run has one. */
  readonly environment: string | null
  /** The output repo that the report names. */
  readonly output: RepoFacts | null
  /** The run's output repo when the report arrived. */
  readonly outputRepoId: string | null
}

/** A long command line, a diff, and the versions of some hundred packages have less. */
const MAX_ENVIRONMENT_BYTES = 262_144

/** 413 `too_large` if a part exceeds its limit, then 422 for an output repo that the report cannot name. */
export async function readReport(
  ctx: RequestContext,
  run: ReportedRun,
  input: ReportRunInput,
  fresh: FreshParts<RunPart>,
): Promise<ReadRunReport> {
  const { configYaml, scorecardJson, outputModelRepo } = input
  const limit = ctx.deps.config.runs.maxArtifactBytes
  const config = configYaml == null ? null : boundedBytes(configYaml, limit, ['configYaml'])
  const chunk = readChunk(fresh.log ? input.logChunk : null)
  const metrics = await readMetrics(fresh.metrics ? input.metrics : null)
  const scorecard = scorecardJson == null ? null : boundedBytes(JSON.stringify(scorecardJson), limit, ['scorecardJson'])
  const gates = scorecardJson == null ? null : gatesOf(scorecardJson)
  const environment = environmentOf(run, input)
  const output = outputModelRepo ? await findOutputRepo(ctx, outputModelRepo) : null
  const objects = {
    log: chunkObject(chunk, runObjects.logs),
    config: config && { kind: runObjects.config, bytes: config },
    scorecard: scorecard && { kind: runObjects.scorecard, bytes: scorecard },
  }
  const addedBytes = growthOf(bytesOf({ chunk, metrics, objects, environment }), run)
  return { objects, addedBytes, chunk, metrics, gates, environment, output, outputRepoId: run.outputRepoId }
}

/** 413 `too_large`. */
function environmentOf({ hasEnvironment }: ReportedRun, { environment }: ReportRunInput): string | null {
  if (environment == null || hasEnvironment) return null
  const text = JSON.stringify(environment)
  boundedBytes(text, MAX_ENVIRONMENT_BYTES, ['environment'])
  return text
}

/** The bytes of a report. A metrics line counts with its newline, as in the metrics file. */
export function bytesOf(given: Pick<ReadRunReport, 'chunk' | 'metrics' | 'objects' | 'environment'>): KeptBytes {
  const { chunk, metrics, objects, environment } = given
  const lines = metrics?.lines ?? []
  const kept = (chunk?.bytes.byteLength ?? 0) + Buffer.byteLength(environment ?? '')
  return {
    added: kept + lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0),
    config: objects.config?.bytes.byteLength ?? null,
    scorecard: objects.scorecard?.bytes.byteLength ?? null,
  }
}

const place = ['outputModelRepo'] as const

/** 422 for a repo that a report cannot name. */
const refused = (why: string) => invalid('validation.value', why, place)

/** The repo that a report names; 422 if it is not a model repo that the caller can see and write. */
async function findOutputRepo(ctx: RequestContext, fullName: string): Promise<RepoFacts> {
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

/** Locks the repo of a report; in the lock order, repos come before runs. 422 if the report names a deleted repo. */
export async function lockOutputRepo(tx: Tx, repoId: string, isNamed: boolean): Promise<RepoFacts | null> {
  const repo = await lockRepo(tx, repoId)
  if (!repo && isNamed) throw refused('The repo was deleted.')
  return repo
}
