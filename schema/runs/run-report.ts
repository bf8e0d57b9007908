/** reportRun: what a runner writes after its claim. Spec, "POST /v1/runs/{run_id}/report". */
import { z } from 'zod'
import { jsonObject, jsonObjectList } from '../../src/platform/json-object-rule.ts'
import { fullNameText, longNameText, wordText } from '../../src/platform/text-rules.ts'
import type { ReportedProgress } from '../../src/runs/read/progress.ts'
import { MAX_METRICS_LINES } from '../../src/runs/report/report-input.ts'
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
const errorText = z
  .string()
  .max(65_536)
  .refine((text) => !text.includes('\0'), 'must not contain a NUL character')

const RunReportProgressInput = builder.inputType('RunReportProgressInput', {
  description: 'How far the trainer has come; replaces what was reported before.',
  fields: (t) => ({
    iteration: t.field({ type: 'SafeInt', ...rule(count), description: "Newest one, in the trainer's numbering." }),
    totalIterations: t.field({ type: 'SafeInt', ...rule(count), description: 'How many there will be.' }),
    finalIteration: t.field({ type: 'SafeInt', ...rule(count), description: 'The number of the last one.' }),
    startIteration: t.field({ type: 'SafeInt', ...rule(count), description: 'The number before the first one.' }),
    stepKey: t.string({ ...rule(longNameText), description: "The metric that counts the trainer's steps." }),
    iterationsPerS: t.float({ ...rule(measured), description: 'As the trainer measures it.' }),
  }),
})

mutation('reportRun', {
  type: RunType,
  payload: { name: 'run', description: 'The run as it is now; `cancelRequestedAt` asks its runner to stop.' },
  description:
    'Stores what the runner of a running run reports, whole or not at all, and renews its lease. Read `cancelRequestedAt` of the answer, and stop when it is set. 409 for everybody but the credential that holds the run.',
  scope: 'key:train',
  target: targetRun,
  input: input('What a runner has to report: all of it is optional, and every report renews the lease.', (t) => ({
    runId: t.id({ required: true, description: 'The run.' }),
    attempt: t.int({
      ...rule(z.int().min(1)),
      description: 'The attempt that the claim answered; a report of another one is refused.',
    }),
    status: t.field({
      type: RunReportStatusEnum,
      description: 'How it ended; `canceled` only after it was asked to stop.',
    }),
    metrics: t.field({
      type: ['JSON'],
      ...rule(jsonObjectList(MAX_METRICS_LINES)),
      description: 'Metrics lines, objects of finite numbers and whatever else; 10,000 at most.',
    }),
    logChunk: t.string({
      extensions: { anyText: true },
      description: 'Further lines of the log; 256 KiB in UTF-8 at most.',
    }),
    error: t.string({ ...rule(errorText), description: 'Why it failed.' }),
    configYaml: t.string({
      extensions: { anyText: true },
      description: 'The resolved config, in the place of an earlier one.',
    }),
    scorecardJson: t.field({
      type: 'JSON',
      ...rule(jsonObject),
      description: 'The acceptance scorecard, in the place of an earlier one.',
    }),
    outputModelRepo: t.string({
      ...rule(fullNameText),
      description: 'The model repo that the run publishes to: one that the caller can write.',
    }),
    peakVramGb: t.float({ ...rule(measured), description: 'Most GPU memory that was in use.' }),
    samplesPerS: t.float({ ...rule(measured), description: 'Throughput.' }),
    gpuTier: t.string({ ...rule(wordText), description: 'The hardware tier that this was measured on.' }),
    progress: t.field({ type: RunReportProgressInput, description: 'How far it has come.' }),
    logSeq: t.field({
      type: 'SafeInt',
      ...rule(count),
      description:
        "The runner's own number of this log chunk, counted within the attempt: a report sent again is stored once.",
    }),
    metricsSeq: t.field({ type: 'SafeInt', ...rule(count), description: 'The same of its metrics.' }),
  })),
  verb: (ctx, input) => {
    const { progress, ...report } = input
    return reportRun(ctx, { ...report, progress: progress ? documentOf(progress) : null })
  },
})

/** Progress as it is kept: in the names of `/v1`. */
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
