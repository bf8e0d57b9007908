/** Handles the Idempotency-Key of a request before and after its verb. */
import type { FastifyRequest } from 'fastify'
import type { RequestContext } from '../../src/operation/context.ts'
import { type Claim, claimKey, digestOf, readIdempotencyKey } from '../../src/operation/idempotency.ts'
import type { Problem } from '../../src/platform/errors.ts'
import type { RoutePlan } from './dialect.ts'

type OwnClaim = Extract<Claim, { kind: 'claimed' }>

/** The claim of an authenticated POST with a key; anonymous requests have no idempotency scope. */
export async function claimFor(
  plan: RoutePlan,
  ctx: RequestContext,
  request: Pick<FastifyRequest, 'body' | 'headers' | 'url'>,
  body: unknown,
): Promise<Claim | null> {
  if (plan.route.method !== 'POST') return null
  const key = readIdempotencyKey(request.headers['idempotency-key'])
  if (key === null || ctx.viewer.kind === 'anonymous') return null
  const path = request.url.split('?', 1)[0] ?? ''
  const bodySha256 = digestOf(body, Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0))
  const scope = { credentialId: ctx.viewer.credentialId, method: 'POST', path, key, bodySha256 }
  return claimKey(ctx.deps, scope, ctx.signal)
}

/**
 * A response that the verb did not store is marked for recomputation; after an empty result the next try runs again.
 */
export async function settleAnswer(claim: OwnClaim, answer: object | null): Promise<void> {
  if (claim.slot.isRecorded) return
  await (answer === null ? claim.release() : claim.finish({ again: true }))
}

/**
 * Errors of the verb itself are stored. Errors from before it started (authorization, validation), internal failures,
 * rate limits and what is in progress elsewhere are not, so that a retry runs again.
 */
export async function settleProblem(claim: OwnClaim, problem: Problem, log: (failure: unknown) => void): Promise<void> {
  const isPassing = problem.status === 429 || /\/(idempotency\.|conflict\.in_progress$)/.test(problem.type)
  const isAnswer = problem.status < 500 && !isPassing
  try {
    await (claim.slot.isBegun && isAnswer ? claim.finish({ problem }) : claim.release())
  } catch (failure) {
    // The row stays in flight and can be taken over after a minute, or when this process ends; the caller still gets
    // the first error.
    log(failure)
  }
}
