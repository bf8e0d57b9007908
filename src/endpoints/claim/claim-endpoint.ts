/**
 * claimEndpoint (spec, "POST /v1/endpoints/{endpoint_id}/claim"): exactly one of many servers takes a queued endpoint,
 * with the URL that robots reach it at.
 */
import { assertRunsFor } from '../../auth/policy.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { Credentialed, RequestContext } from '../../operation/context.ts'
import { invalid } from '../../platform/errors.ts'
import type { Tx } from '../../store/db.ts'
import { composed, param } from '../../store/statement.ts'
import { claimParams, claimQueuedSql, recordClaim, takenColumns } from '../../work/claim.ts'
import { isOwnKey } from '../../work/held-job.ts'
import { endpointJob } from '../endpoint-job.ts'
import { findEndpoint, type HeldEndpoint, lockEndpoint, nextStatus } from '../endpoint-row.ts'
import type { Endpoint } from '../endpoint-shape.ts'
import { readEndpoint } from '../read/get-endpoint.ts'

export interface ClaimEndpointInput {
  readonly endpointId: string
  /** The server's name for itself. */
  readonly worker: string
  /** `ws://` or `wss://`. */
  readonly url: string
  /** Of the bytes that the server has loaded. */
  readonly modelSha256: string
}

/** The kernel's compare-and-set, and the URL: no endpoint is running without one. */
const claimQueued = composed({
  name: 'endpoint-claim',
  columns: takenColumns,
  params: { ...claimParams, url: param.text() },
  text: `update endpoints ${claimQueuedSql(endpointJob, ', url = :url')}`,
})

/**
 * The claimed endpoint, which the caller alone now reports on. Errors: 401, 403 not of the account that is billed, 404,
 * 409 `conflict.already_claimed` naming the holder, `conflict.terminal`, `conflict.wrong_kind` for one that a hosted
 * call serves and another credential claims, 422 another digest, or a URL that robots cannot trust to reach a hosted
 * server.
 */
export function claimEndpoint(ctx: RequestContext, input: ClaimEndpointInput): Promise<Endpoint> {
  return guarded(
    ctx,
    () => mayWorkOn(ctx, input.endpointId),
    (allowed, { endpoint, credential }) =>
      commitVerb(allowed, async (tx) => {
        assertClaim(endpoint, input, credential)
        const claimed = await take(allowed, tx, credential, input)
        if (claimed) return claimed
        nextStatus('claim', await lockEndpoint(tx, input.endpointId), credential)
        throw new Error('The endpoint could be claimed, and was not.')
      }),
    // A server that reads a claim goes to work.
    async (_claimed, { endpoint, credential }) => void nextStatus('report', endpoint, credential),
  )
}

/** Of the account that is billed, with the scope `train`: 404, 401, 403. */
export async function mayWorkOn(
  ctx: RequestContext,
  id: string,
): Promise<{ readonly endpoint: HeldEndpoint; readonly credential: Credentialed }> {
  const endpoint = await findEndpoint(ctx, id)
  return { endpoint, credential: assertRunsFor(ctx.viewer, endpoint.ownerId, 'train', 'The endpoint') }
}

/** What an endpoint is pinned to never changes, so this needs no lock. */
function assertClaim(endpoint: HeldEndpoint, claim: ClaimEndpointInput, credential: Credentialed): void {
  const { modelSha256 } = endpoint
  if (claim.modelSha256 !== modelSha256)
    throw invalid(
      'validation.value',
      `The endpoint serves ${modelSha256}, not ${claim.modelSha256}: load the pinned bytes.`,
      ['modelSha256'],
    )
  // No URL lets another credential claim a hosted one: that is the 409 of the claim.
  if (isOwnKey(endpoint, credential) && !/^wss:/i.test(claim.url))
    throw invalid('validation.value', 'A hosted endpoint is reached over the internet: its URL begins with wss://.', [
      'url',
    ])
}

async function take(
  ctx: RequestContext,
  tx: Tx,
  { credentialId }: Credentialed,
  { endpointId, worker, url }: ClaimEndpointInput,
): Promise<Endpoint | null> {
  // Without a lease: its length is not looked at.
  const [taken] = await tx.query(claimQueued, { jobId: endpointId, worker, credentialId, leaseSeconds: 0, url })
  if (!taken) return null
  await recordClaim(ctx, tx, endpointJob, { jobId: endpointId, worker, audited: { url }, taken })
  return readEndpoint(tx, ctx.viewer, endpointId)
}
