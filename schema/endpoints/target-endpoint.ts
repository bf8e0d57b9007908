/** The guards of operations whose input names an endpoint, or the model of a new one. */
import { findEndpoint } from '../../src/endpoints/endpoint-row.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { findRepo } from '../../src/repos/get-repo.ts'

/** What an operation acts on whose input has `endpointId`: 404 where the caller does not see it. */
export function targetEndpoint(ctx: RequestContext, input: { endpointId: string }) {
  return findEndpoint(ctx, input.endpointId)
}

/** The model of a new endpoint: 404 where the caller does not see it. */
export function targetModel(ctx: RequestContext, { modelRepo }: { modelRepo: string }) {
  const [owner = '', slug = ''] = modelRepo.split('/')
  return findRepo(ctx, { owner, slug })
}
