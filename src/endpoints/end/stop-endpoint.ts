/**
 * stopEndpoint (spec, "DELETE /v1/endpoints/{endpoint_id}"): a queued endpoint ends at once, the server of a running
 * one is asked to stop.
 */
import type { RequestContext } from '../../operation/context.ts'
import type { Tx } from '../../store/db.ts'
import { type CancelKind, cancelJob } from '../../work/cancel.ts'
import { askToStop, endCanceled } from '../../work/stop.ts'
import { endpointJob } from '../endpoint-job.ts'
import { findEndpoint, type HeldEndpoint, lockEndpoint, nextStatus } from '../endpoint-row.ts'
import type { Endpoint } from '../endpoint-shape.ts'
import { readEndpoint } from '../read/get-endpoint.ts'
import { settleEndpoint } from './settle-endpoint.ts'

const stopKind: CancelKind<HeldEndpoint, Endpoint> = {
  job: endpointJob,
  verb: 'stop',
  scope: 'train',
  find: findEndpoint,
  lock: lockEndpoint,
  next: (endpoint) => nextStatus('stop', endpoint, { credentialId: null }),
  apply,
  read: readEndpoint,
}

/**
 * The endpoint after the change; idempotent. Everyone who sees it may stop it. Errors: 401, 403, 404, 409
 * `conflict.terminal`.
 */
export function stopEndpoint(ctx: RequestContext, input: { readonly endpointId: string }): Promise<Endpoint> {
  return cancelJob(ctx, stopKind, input.endpointId)
}

async function apply(
  _ctx: RequestContext,
  tx: Tx,
  endpoint: HeldEndpoint,
  to: HeldEndpoint['status'],
): Promise<boolean> {
  // Whatever it was asked to stop for first: its server has a minute from then, and bills end with it.
  if (endpoint.cancelRequestedAt !== null) return false
  if (to === 'stopped') {
    const costUsd = await settleEndpoint(tx, endpoint, 'endpoint_stopped')
    await endCanceled(tx, endpointJob, endpoint.id, { status: to, costUsd })
  } else await askToStop(tx, endpointJob, endpoint.id, 'cancel')
  return true
}
