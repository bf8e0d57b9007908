/**
 * The fields of an inference endpoint that the client reads (spec, "Inference endpoint"). Unknown fields pass through.
 */

import { isId } from '@hub/formats/ids'
import { z } from 'zod'
import { type Answer, type Body, conformsTo } from './agreement.ts'
import { readAs } from './run-shapes.ts'
import { nullable, pageOf } from './shapes.ts'
import type * as v1 from './v1.ts'

const number = readAs(z.number())

export const remoteEndpoint = conformsTo<v1.Endpoint>()(
  z.looseObject({
    // Used as a file name.
    id: z.string().refine((id) => isId('ep', id), 'is not an endpoint id'),
    status: z.string(),
    executor: z.string(),
    model_repo: z.looseObject({ full_name: z.string() }),
    artifact: z.looseObject({ kind: z.string(), path: z.string(), policy_format: nullable(z.string()) }),
    model_sha256: z.string(),
    contract_fingerprint: nullable(z.string()),
    control_class: z.string(),
    url: nullable(z.string()),
    name: nullable(z.string()),
    owner: z.looseObject({ handle: z.string() }),
    tier: z.string(),
    priced: z.boolean(),
    claimed_by: nullable(z.string()),
    cost_usd: nullable(number),
    sessions_open: number,
    chunks_served: number,
    gpu_seconds: number,
    service_ms_p95: nullable(number),
    rtt_ms_p95: nullable(number),
    stop_requested_at: nullable(z.string()),
    error: nullable(z.string()),
  }),
)
export type RemoteEndpoint = z.output<typeof remoteEndpoint>

export const endpointPage = conformsTo<Answer<'listEndpoints'>>()(pageOf(remoteEndpoint))

export const reportedEndpoint = conformsTo<Answer<'reportEndpoint'>>()(
  remoteEndpoint.extend({ closed_sessions: z.array(z.string()).default([]) }),
)

export type EndpointClaimBody = Body<'claimEndpoint'>
export type EndpointReportBody = Body<'reportEndpoint'>

export type NewEndpoint = Body<'createEndpoint'>
export type PlannedEndpoint = Body<'estimateEndpoint'>

export const endpointEstimate = conformsTo<Answer<'estimateEndpoint'>>()(
  z.looseObject({
    executor: z.string(),
    tier: z.string(),
    params: number,
    vram_bytes: number,
    rate_usd_per_hour: number,
    hours: number,
    cost_usd_max: number,
    capped_by_budget: z.boolean(),
    priced: z.boolean(),
    artifact: z.looseObject({ kind: z.string(), path: z.string(), sha256: z.string() }),
    notes: z.array(z.string()),
    /** Absent where it is not priced. */
    reservation: nullable(z.looseObject({ amount_usd: number, covers_to: nullable(z.string()) })),
  }),
)
export type EndpointEstimate = z.output<typeof endpointEstimate>
