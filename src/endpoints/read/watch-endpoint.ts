/** The source of the subscription `endpointUpdated`. */
import type { RequestContext } from '../../operation/context.ts'
import { watchJob } from '../../work/watch-job.ts'
import { endpointJob } from '../endpoint-job.ts'
import type { Endpoint } from '../endpoint-shape.ts'
import { getEndpointsById } from './get-endpoint.ts'

/**
 * The endpoint at once and after every change. Ends with the endpoint, or when it is hidden. 401, 404 where it is not
 * visible to begin with.
 */
export function watchEndpoint(ctx: RequestContext, endpointId: string): Promise<AsyncGenerator<Endpoint>> {
  const textOf = (endpoint: Endpoint) => JSON.stringify(endpoint)
  return watchJob(ctx, { job: endpointJob, byId: getEndpointsById, textOf }, endpointId)
}
