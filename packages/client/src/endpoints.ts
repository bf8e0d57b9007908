/** Inference endpoints over `/v1`, for those who run them and for their servers (spec, "Inference endpoints"). */
import { z } from 'zod'
import type { Caller } from './call.ts'
import {
  type EndpointClaimBody,
  type EndpointReportBody,
  endpointEstimate,
  endpointPage,
  type NewEndpoint,
  type PlannedEndpoint,
  type RemoteEndpoint,
  remoteEndpoint,
  reportedEndpoint,
} from './endpoint-shapes.ts'
import { pages } from './pages.ts'
import type { Query } from './request.ts'
import { remoteHold } from './spend-shapes.ts'

/** Filters of the listing. */
export type EndpointFilters = Omit<Query<'GET /v1/endpoints'>, 'limit' | 'cursor'>

const endpointOrHeld = z.union([remoteEndpoint, remoteHold])

/** The operations on endpoints, as functions of one caller. */
export function endpointCalls(caller: Caller) {
  const { call } = caller
  const of = (endpointId: string) => ({ path: { endpoint_id: endpointId } })

  /** Pages of at most 100 endpoints, newest first. */
  const list = (filters: EndpointFilters) =>
    pages<RemoteEndpoint>(caller.url, (cursor) =>
      call('GET /v1/endpoints', endpointPage, { query: { limit: 100, ...filters, cursor } }),
    )

  return {
    list,
    get: (endpointId: string) => call('GET /v1/endpoints/{endpoint_id}', remoteEndpoint, of(endpointId)),
    /** The endpoint, or the spend hold of an agent's hosted endpoint: `isHeld` tells. */
    create: (endpoint: NewEndpoint) => call('POST /v1/endpoints', endpointOrHeld, { body: endpoint }),
    estimate: (endpoint: PlannedEndpoint) => call('POST /v1/endpoints/estimate', endpointEstimate, { body: endpoint }),
    stop: (endpointId: string) => call('DELETE /v1/endpoints/{endpoint_id}', remoteEndpoint, of(endpointId)),
    /** Pages of endpoints that wait for a server. */
    queued: () => list({ status: 'queued', executor: 'worker' }),
    /** A repeat under the same key returns the same claim while it lasts. */
    claim: (endpointId: string, body: EndpointClaimBody, key: string) =>
      call('POST /v1/endpoints/{endpoint_id}/claim', remoteEndpoint, { ...of(endpointId), body, key }),
    report: (endpointId: string, body: EndpointReportBody, signal?: AbortSignal) =>
      call('POST /v1/endpoints/{endpoint_id}/report', reportedEndpoint, { ...of(endpointId), body, signal }),
  }
}
