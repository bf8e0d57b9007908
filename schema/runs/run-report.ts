/** reportRun: a runner's reports after its claim. Spec, "POST /v1/runs/{run_id}/report". */

import { fullNameText, longNameText, plainText, wordText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { jsonObject, jsonObjectList } from '../../src/platform/json-object-rule.ts'
import { MAX_METRICS_LINES } from '../../src/runs/metrics/metrics-line.ts'
import type { ReportedProgress } from '../../src/runs/read/progress.ts'
import { reportRun } from '../../src/runs/report/report-run.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { input, mutation } from '../root-field.ts'
import { RunReportStatusEnum } from './enums.ts'
import { RunType } from './run.ts'
import { targetRun } from './target-run.ts'

const count = z.int().min(0)
const measured = z.number().min(0)
/** The error of a trainer, with its stack trace. */
const errorText = plainText(65_536)

const RunReportProgressInput = builder.inputType('RunReportProgressInput', {
  description: 'Progress of the trainer; replaces the previous report.',
  fields: (t) => ({
    iteration: t.field({
      type: 'SafeInt',
      ...rule(count),
      description: 'Current iteration, as numbered by the trainer.',
    }),
    totalIterations: t.field({ type: 'SafeInt', ...rule(count), description: 'Total number of iterations.' }),
    finalIteration: t.field({ type: 'SafeInt', ...rule(count), description: 'Number of the last iteration.' }),
    startIteration: t.field({ type: 'SafeInt', ...rule(count), description: 'Number before the first iteration.' }),
    stepKey: t.string({ ...rule(longNameText), description: "Name of the metric that counts the trainer's steps." }),
    iterationsPerS: t.float({ ...rule(measured), description: 'Iterations per second, as measured by the trainer.' }),
  }),
})

mutation('reportRun', {
  type: RunType,
  payload: { name: 'run', description: 'The run after the report; a set `cancelRequestedAt` asks its runner to stop.' },
  description:
    'Stores a report on a running run atomically and renews its lease. Stop the run if the answer has ' +
    '`cancelRequestedAt`. 409 for any credential that has not claimed the run.',
  scope: 'key:train',
  target: targetRun,
  input: input('A report: every member except `runId` is optional, and every report renews the lease.', (t) => ({
    runId: t.id({ required: true, description: 'Id of the run.' }),
    attempt: t.int({
      ...rule(z.int().min(1)),
      description: 'The `attempt` returned by the claim; a report for another attempt is rejected with 409.',
    }),
    status: t.field({
      type: RunReportStatusEnum,
      description: 'Final status; `canceled` only after cancellation was requested.',
    }),
    metrics: t.field({
      type: ['JSON'],
      ...rule(jsonObjectList(MAX_METRICS_LINES)),
      description: 'Metrics lines: JSON objects, at most 10,000.',
    }),
    logChunk: t.string({
      extensions: { anyText: true },
      description: 'Text to append to the log; at most 256 KiB of UTF-8.',
    }),
    error: t.string({
      ...rule(errorText),
      description:
        'Why the run failed. Of one that succeeded: what its log says at the end, such as what the hub did not take.',
    }),
    configYaml: t.string({ description: 'The resolved config; replaces an earlier one.' }),
    scorecardJson: t.field({
      type: 'JSON',
      ...rule(jsonObject),
      description: 'The acceptance scorecard; replaces an earlier one.',
    }),
    outputModelRepo: t.string({
      ...rule(fullNameText),
      description: 'The model repo that the run publishes to; the caller must be able to write to it.',
    }),
    environment: t.field({
      type: 'JSON',
      ...rule(jsonObject),
      description: 'Command, code, packages and machine, at most 256 KiB; the first that is reported stays.',
    }),
    peakVramGb: t.float({ ...rule(measured), description: 'Peak GPU memory use in GB.' }),
    samplesPerS: t.float({ ...rule(measured), description: 'Throughput.' }),
    gpuTier: t.string({ ...rule(wordText), description: 'The hardware tier of the measurement.' }),
    progress: t.field({
      type: RunReportProgressInput,
      description: 'Progress as of the last report; null until there is one.',
    }),
    logSeq: t.field({
      type: 'SafeInt',
      ...rule(count),
      description: 'Sequence number of this log chunk within the attempt: a resent report is stored once.',
    }),
    metricsSeq: t.field({
      type: 'SafeInt',
      ...rule(count),
      description: 'Sequence number of the metrics within the attempt, likewise.',
    }),
  })),
  verb: (ctx, input) => {
    const { progress, ...report } = input
    return reportRun(ctx, { ...report, progress: progress ? documentOf(progress) : null })
  },
})

/** Progress as stored: in `/v1` names. */
function documentOf(progress: typeof RunReportProgressInput.$inferInput): ReportedProgress {
  return {
    iteration: progress.iteration ?? null,
    total_iterations: progress.totalIterations ?? null,
    final_iteration: progress.finalIteration ?? null,
    start_iteration: progress.startIteration ?? null,
    step_key: progress.stepKey ?? null,
    iterations_per_s: progress.iterationsPerS ?? null,
  }
}
