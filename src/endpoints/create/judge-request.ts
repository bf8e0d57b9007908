/**
 * What createEndpoint and estimateEndpoint refuse alike: one order, one set of rules. Spec, "POST
 * /v1/endpoints/estimate": validated identically to create.
 */
import { requireCredential } from '../../auth/policy.ts'
import { appRefusal, ownerRefusal } from '../../hosting/hosting-policy.ts'
import type { StoredPolicy } from '../../models/stored-policy/read-stored-policy.ts'
import type { Credentialed, RequestContext } from '../../operation/context.ts'
import { type HubError, invalid, notFound } from '../../platform/errors.ts'
import { getReposById, type RepoFacts } from '../../repos/get-repo.ts'
import {
  assertLongEnough,
  type EndpointPlan,
  type EndpointRequest,
  type Found,
  findServed,
  type Granted,
  hostedPart,
  planOf,
  readDeclared,
} from './plan-endpoint.ts'

/** The hours that end the endpoint, and the member that gives them. */
export interface EndpointEnd {
  readonly hours: number | null
  readonly member: 'maxHours' | 'hours'
}

export interface Judged {
  readonly found: Found
  readonly declared: StoredPolicy
  readonly plan: EndpointPlan
}

/**
 * Errors: 422 a hosted endpoint of less than a minute, then as `findServed`, `readDeclared` and `planOf`; hosted: 503
 * no hosted app if `needsApp` (an estimate is priced on every deployment), then 403 an owner that is not hosted, 422 an
 * agent's without an end. Writes nothing.
 */
export async function judgeRequest(
  ctx: RequestContext,
  { repo, owner }: Granted,
  request: EndpointRequest,
  { end, needsApp }: { readonly end: EndpointEnd; readonly needsApp: boolean },
): Promise<Judged> {
  const viewer = requireCredential(ctx.viewer)
  const { tiers, hosted } = ctx.deps.config
  assertLongEnough(request, end.member, end.hours)
  const { found, declared } = await readServed(ctx, viewer, repo, request)
  const plan = planOf(found, declared, request, tiers)
  const work = hostedPart(request, owner)
  const refusal =
    work &&
    ((needsApp ? appRefusal(work, hosted) : null) ?? ownerRefusal(work, hosted) ?? endRefusal(viewer, request, end))
  if (refusal) throw refusal
  return { found, declared, plan }
}

/** Errors: as `findServed` and `readDeclared`. */
async function readServed(
  ctx: RequestContext,
  viewer: Credentialed,
  { id, fullName }: RepoFacts,
  request: EndpointRequest,
): Promise<{ readonly found: Found; readonly declared: StoredPolicy }> {
  try {
    const found = await findServed(ctx.deps.db, viewer, id, request)
    return { found, declared: await readDeclared(ctx, found, request) }
  } catch (error) {
    // A repo that was deleted meanwhile loses its files, which would be reported as missing.
    const [repo] = await getReposById(ctx.deps.db, viewer, [id])
    throw repo ? error : notFound(`The repo ${fullName}`)
  }
}

/** An agent's endpoint without an end would cost its owner something every month. */
function endRefusal(
  { agent }: Credentialed,
  { budgetUsd }: EndpointRequest,
  { hours, member }: EndpointEnd,
): HubError | null {
  if (!agent || hours !== null || budgetUsd != null) return null
  const detail = 'An agent key gives a hosted endpoint an end: max_hours (hours of an estimate) or budget_usd.'
  return invalid('validation.required', detail, [member])
}
