/** The run fields that the client reads (spec, "Run"). Unknown fields pass through. */

import { asDouble } from '@hub/formats/exact-json'
import { isId } from '@hub/formats/ids'
import { z } from 'zod'
import { type Answer, type Body, conformsTo } from './agreement.ts'
import type * as v1 from './v1.ts'

export const optional = <T extends z.ZodType>(type: T) => type.nullish().transform((value) => value ?? null)
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
    claimed_by: optional(z.string()),
    hosted_call_id: optional(z.string()),
    heartbeat_at: optional(z.string()),
    lease_expires_at: optional(z.string()),
    cancel_requested_at: optional(z.string()),
    deadline_at: optional(z.string()),
    error: optional(z.string()),
    output_model_repo: optional(z.looseObject({ full_name: z.string() })),
    parent_run_id: optional(z.string()),
    // Older hubs send none of these.
    project: optional(z.string()),
    notes: optional(z.string()),
    tags: z.array(z.string()).default([]),
    group: optional(z.string()),
    job_type: optional(z.string()),
    created_at: z.string(),
    latest_metrics: optional(anyObject),
    progress: optional(
      z.looseObject({ iteration: optional(number), fraction: optional(number), eta_s: optional(number) }),
    ),
    spend: optional(
      z.looseObject({
        priced: z.boolean().default(false),
        accrued_usd: optional(number),
        as_of: optional(z.string()),
      }),
    ),
    sort_value: optional(number),
    sparkline: optional(z.looseObject({ metric: z.string(), points: z.array(z.array(number)) })),
  }),
)
export type RemoteRun = z.output<typeof remoteRun>

/** Older hubs send no warnings. */
export const createdRun = conformsTo<Answer<'createRun'>>()(
  remoteRun.extend({ warnings: z.array(z.string()).default([]) }),
)

export const claimedRun = remoteRun.nullable()

export const runPage = conformsTo<Answer<'listRuns'>>()(
  z.looseObject({ items: z.array(remoteRun), next_cursor: optional(z.string()) }),
)

export const runEnvironment = conformsTo<Answer<'getRunEnvironment'>>()(
  z.looseObject({ environment: optional(anyObject) }),
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
        best: optional(number),
        better: optional(z.string()),
      }),
    ),
  }),
)
export type RemoteSummary = z.output<typeof runSummary>['summary'][number]

/** What a run logged beside numbers, by key, step and index. */
export const mediaPage = conformsTo<Answer<'listRunMedia'>>()(
  z.looseObject({
    items: z.array(
      z.looseObject({
        key: z.string(),
        step: readAs(z.number().int().min(0)),
        index: readAs(z.number().int().min(0)),
        kind: z.string(),
        path: optional(z.string()),
        value: z.unknown(),
        caption: optional(z.string()),
        size: optional(number),
        url: optional(z.string()),
      }),
    ),
    next_cursor: optional(z.string()),
  }),
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
