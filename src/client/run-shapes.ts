/** The members of a run that the client reads (spec, "Run"). Unknown members are let through. */
import { z } from 'zod'
import { isId } from '../platform/ids.ts'
import { asDouble } from './exact-json.ts'

const optional = <T extends z.ZodType>(type: T) => type.nullish().transform((value) => value ?? null)
/** A number that is read, however it is written. */
export const readAs = (rule: z.ZodNumber) => z.preprocess((value) => asDouble(value) ?? value, rule)
const number = readAs(z.number())
const anyObject = z.record(z.string(), z.unknown())

export const remoteRun = z.looseObject({
  // A runner names folders after it.
  id: z.string().refine((id) => isId('run', id), 'is no id of a run'),
  status: z.string(),
  recipe: anyObject,
  owner: z.looseObject({ handle: z.string() }),
  display_name: z.string(),
  attempt: readAs(z.number().int().min(0)).default(0),
  claimed_by: optional(z.string()),
  heartbeat_at: optional(z.string()),
  lease_expires_at: optional(z.string()),
  cancel_requested_at: optional(z.string()),
  deadline_at: optional(z.string()),
  error: optional(z.string()),
  output_model_repo: optional(z.looseObject({ full_name: z.string() })),
  parent_run_id: optional(z.string()),
  created_at: z.string(),
  warnings: z.array(z.string()).default([]),
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
  sparkline: optional(z.looseObject({ metric: z.string(), points: z.array(z.array(number)) })),
})
export type RemoteRun = z.output<typeof remoteRun>

export const claimedRun = remoteRun.nullable()

export const runPage = z.looseObject({ items: z.array(remoteRun), next_cursor: optional(z.string()) })

export const checkpointList = z.looseObject({ items: z.array(z.looseObject({ step: readAs(z.number().int()) })) })

/** A report's body (spec, reportRun; contract, "Reports can be retried"). Absent members leave what they name as it is. */
export interface RunReport {
  readonly status?: 'succeeded' | 'failed' | 'canceled'
  readonly error?: string
  readonly log_chunk?: string
  readonly log_seq?: number
  readonly metrics?: readonly Readonly<Record<string, unknown>>[]
  readonly metrics_seq?: number
  readonly config_yaml?: string
  readonly scorecard_json?: Readonly<Record<string, unknown>>
  readonly output_model_repo?: string
  readonly peak_vram_gb?: number
  readonly samples_per_s?: number
  readonly gpu_tier?: string
  readonly progress?: Readonly<Record<string, unknown>>
}

/** A report is sent with the attempt of its claim: without it a runner that lost the run could be taken for the one that holds it. */
export interface FencedReport extends RunReport {
  readonly attempt: number
}

/** What gating checkpoints found (contract, "Gate results over /v1"). */
export interface GateReport {
  readonly attempt: number
  readonly results: readonly {
    readonly step: number
    readonly cells: readonly { readonly name: string; readonly status: string; readonly detail?: string | null }[]
    readonly seeds_run: number
    readonly seeds_alive: number
    readonly rollout_id?: string | null
  }[]
}

/** One event of a run's log (spec, streamRunLogs). */
export type RunEvent =
  | { readonly kind: 'log'; readonly id: string; readonly ts: string; readonly stream: string; readonly line: string }
  | { readonly kind: 'metric'; readonly id: string; readonly line: Readonly<Record<string, unknown>> }
  | { readonly kind: 'end'; readonly id: string; readonly status: string }

export const logData = z.looseObject({ ts: z.string(), stream: z.string(), line: z.string() })
export const metricData = anyObject
export const endData = z.looseObject({ status: z.string() })
