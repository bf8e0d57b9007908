/** The run fields that the client reads (spec, "Run"). Unknown fields pass through. */

import { asDouble } from '@hub/formats/exact-json'
import { isId } from '@hub/formats/ids'
import { z } from 'zod'
import { type Answer, type Body, conformsTo } from './agreement.ts'
import { nullable, pageOf } from './shapes.ts'
import type * as v1 from './v1.ts'

/** Accepts a number or a `ExactNumber`. */
export const readAs = (rule: z.ZodNumber) => z.preprocess((value) => asDouble(value) ?? value, rule)
const number = readAs(z.number())
const anyObject = z.record(z.string(), z.unknown())

export const remoteRun = conformsTo<v1.Run>()(
  z.looseObject({
    // Used as a folder name.
    id: z.string().refine((id) => isId('run', id), 'is not a run id'),
    status: z.string(),
    recipe: anyObject,
    owner: z.looseObject({ handle: z.string() }),
    display_name: z.string(),
    attempt: readAs(z.number().int().min(0)).default(0),
    claimed_by: nullable(z.string()),
    hosted_call_id: nullable(z.string()),
    heartbeat_at: nullable(z.string()),
    lease_expires_at: nullable(z.string()),
    cancel_requested_at: nullable(z.string()),
    deadline_at: nullable(z.string()),
    error: nullable(z.string()),
    output_model_repo: nullable(z.looseObject({ full_name: z.string() })),
    parent_run_id: nullable(z.string()),
    // Older hubs send none of these.
    project: nullable(z.string()),
    notes: nullable(z.string()),
    tags: z.array(z.string()).default([]),
    group: nullable(z.string()),
    job_type: nullable(z.string()),
    created_at: z.string(),
    latest_metrics: nullable(anyObject),
    progress: nullable(
      z.looseObject({ iteration: nullable(number), fraction: nullable(number), eta_s: nullable(number) }),
    ),
    spend: nullable(
      z.looseObject({
        priced: z.boolean().default(false),
        accrued_usd: nullable(number),
        as_of: nullable(z.string()),
      }),
    ),
    sort_value: nullable(number),
    sparkline: nullable(z.looseObject({ metric: z.string(), points: z.array(z.array(number)) })),
  }),
)
export type RemoteRun = z.output<typeof remoteRun>

/** Older hubs send no warnings. */
export const createdRun = conformsTo<Answer<'createRun'>>()(
  remoteRun.extend({ warnings: z.array(z.string()).default([]) }),
)

export const claimedRun = remoteRun.nullable()

export const runPage = conformsTo<Answer<'listRuns'>>()(pageOf(remoteRun))

export const runEnvironment = conformsTo<Answer<'getRunEnvironment'>>()(
  z.looseObject({ environment: nullable(anyObject) }),
)

export const checkpointList = conformsTo<Answer<'listRunCheckpoints'>>()(
  z.looseObject({ items: z.array(z.looseObject({ step: readAs(z.number().int()) })) }),
)

/** What each metric of a run comes to. */
export const runSummary = conformsTo<Answer<'getRunSummary'>>()(
  z.looseObject({
    summary: z.array(
      z.looseObject({
        key: z.string(),
        count: number,
        last: number,
        min: number,
        max: number,
        mean: number,
        best: nullable(number),
        better: nullable(z.string()),
      }),
    ),
  }),
)
export type RemoteSummary = z.output<typeof runSummary>['summary'][number]

/** What a run logged beside numbers, by key, step and index. */
export const mediaPage = conformsTo<Answer<'listRunMedia'>>()(
  pageOf(
    z.looseObject({
      key: z.string(),
      step: readAs(z.number().int().min(0)),
      index: readAs(z.number().int().min(0)),
      kind: z.string(),
      path: nullable(z.string()),
      value: z.unknown(),
      caption: nullable(z.string()),
      size: nullable(number),
      url: nullable(z.string()),
    }),
  ),
)
export type RemoteMedia = z.output<typeof mediaPage>['items'][number]

/** Entries of media (contract, "Media of a run"). */
export type MediaReport = Body<'recordRunMedia'> & { readonly attempt: number }

/** A report's body (spec, reportRun; contract, "Reports"). Absent members change nothing. */
export type RunReport = { readonly [K in keyof ReportBody]: Exclude<ReportBody[K], null> } & {
  readonly metrics?: readonly Readonly<Record<string, unknown>>[]
}
type ReportBody = Omit<Body<'reportRun'>, 'attempt' | 'metrics'>

/** The attempt fences the report: without it, a runner that lost its claim could report in place of the current one. */
export type FencedReport = RunReport & { readonly attempt: number }

/** Gate results of checkpoints (contract, "Gates"). */
export type GateReport = Body<'recordGateResults'> & { readonly attempt: number }

export type NewRun = Body<'createRun'>

/** A run with the name of the process that trains it. */
export type StartedRun = Body<'startRun'>

export const logData = z.looseObject({ ts: z.string(), stream: z.string(), line: z.string() })
export const metricData = anyObject
export const endData = z.looseObject({ status: z.string() })
