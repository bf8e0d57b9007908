/** `/v1` as a Fastify plugin: every route of the table goes through these steps. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { mayCompress, vary } from '../../src/http/compression.ts'
import { parseBody } from '../../src/http/dialect/json-body.ts'
import { runDocument } from '../../src/http/dialect/planned-document.ts'
import { refuseOtherMethods } from '../../src/http/refuse-other-methods.ts'
import { sendProblem } from '../../src/http/send-problem.ts'
import type { Edge } from '../../src/http/server.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { type Claim, StoredRefusal, StoredReplay } from '../../src/operation/idempotency.ts'
import type { StoredAnswer } from '../../src/operation/stored-answer.ts'
import { type HubError, notFound, toProblem } from '../../src/platform/errors.ts'
import { noneMatchCovers, strongEtag } from '../../src/platform/etag.ts'
import { coerceRequest } from './coerce.ts'
import type { RoutePlan } from './dialect.ts'
import { firstOf, RequestRefusal } from './faults.ts'
import { claimFor, settleAnswer, settleProblem } from './keyed-request.ts'
import { placeItems } from './places.ts'
import { refuseAnonymous } from './refuse-anonymous.ts'
import { defaultBodyLimitBytes, type HeldAnswer, type Method, type Route } from './route.ts'

type Answer = Readonly<Record<string, unknown>>

/** The response body, null for none. `held`: it is what a create returns instead of its job. */
interface Answered {
  readonly answer: Answer | null
  readonly held?: HeldAnswer
}

/** Mounts the routes, and answers other methods of their paths with 405 and `Allow`. */
export function registerRest(app: FastifyInstance, edge: Edge, plans: readonly RoutePlan[]): void {
  app.removeAllContentTypeParsers()
  // The raw bytes: JSON is parsed here once.
  app.addContentTypeParser(/^application\/(?:[\w.-]+\+)?json\b/i, { parseAs: 'buffer' }, (_request, bytes, done) =>
    done(null, bytes),
  )
  const methods = new Map<string, Method[]>()
  for (const plan of plans) {
    const { method, path, bodyLimitBytes = defaultBodyLimitBytes } = plan.route
    methods.set(path, [...(methods.get(path) ?? []), method])
    const config = { operation: plan.route.operation }
    app.route({
      method,
      url: path,
      bodyLimit: bodyLimitBytes,
      config,
      onRequest: [edge.identify, ...refuseAnonymous(plan)],
      handler: (request, reply) => handle(edge, plan, request, reply),
    })
  }
  for (const [path, present] of methods)
    refuseOtherMethods(app, edge, path, present.includes('GET') ? [...present, 'HEAD'] : present)
}

async function handle(
  edge: Edge,
  plan: RoutePlan,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    return await edge.admit(request, () => answer(edge, plan, request, reply))
  } catch (error) {
    const known = edge.knownError(error, request)
    return sendProblem(reply, toProblem(known, request.id), known.headers)
  }
}

async function answer(
  edge: Edge,
  plan: RoutePlan,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  let claim: Claim | null = null
  try {
    const base = edge.contextOf(request)
    const body = parseBody(plan, request.body)
    const variables = coerceRequest(plan, {
      path: request.params as Record<string, string>,
      query: request.query as Record<string, string | string[]>,
      body,
    })
    edge.spend(request, reply, plan.costOf(variables).objects)
    // Each wait costs a read about a percent.
    if (plan.route.method === 'POST') claim = await claimFor(plan, base, request, body)
    if (claim?.kind === 'replay') return await replay({ edge, plan, request, reply, variables, stored: claim.answer })
    const ctx = claim ? edge.contextOf(request, { idempotency: claim.slot }) : base
    const answered = await execute(plan, ctx, variables, request)
    if (claim) await settleAnswer(claim, answered.answer)
    return send({ plan, request, reply, answered, status: plan.route.status })
  } catch (error) {
    const known = placed(plan, edge.knownError(error, request))
    const problem = toProblem(known, request.id)
    if (claim?.kind === 'claimed') await settleProblem(claim, problem, (failure) => edge.knownError(failure, request))
    return sendProblem(reply, problem, known.headers)
  }
}

/**
 * The stored response, after the verb's guard has accepted the caller again; a rejection is answered with its current
 * error.
 */
async function replay({
  edge,
  plan,
  request,
  reply,
  variables,
  stored,
}: {
  readonly edge: Edge
  readonly plan: RoutePlan
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly variables: Record<string, unknown>
  readonly stored: StoredAnswer
}): Promise<FastifyReply> {
  const kept = 'again' in stored ? null : new StoredReplay(stored)
  const ctx = kept ? edge.contextOf(request, { replay: kept }) : edge.contextOf(request)
  try {
    const answered = await execute(plan, ctx, variables, request)
    if (kept && !kept.isTaken) throw new Error(`${plan.route.operation} stored a response but has no guard.`)
    reply.header('idempotent-replayed', 'true')
    return send({ plan, request, reply, answered, status: plan.route.replayStatus ?? plan.route.status })
  } catch (error) {
    if (!(error instanceof StoredRefusal)) throw error
    reply.header('idempotent-replayed', 'true')
    return sendProblem(reply, error.problem, {})
  }
}

async function execute(
  plan: RoutePlan,
  ctx: RequestContext,
  variables: Record<string, unknown>,
  request: FastifyRequest,
): Promise<Answered> {
  let value = await runDocument(plan, { name: plan.route.operation, ctx, variables })
  const { unwrap, held } = plan.route
  const hold = held && value && (value as Answer)[held.unwrap]
  if (held && hold) return { answer: hold as Answer, held }
  for (const member of unwrap?.split('.') ?? []) value = value && (value as Answer)[member]
  if (plan.route.result === 'empty') return { answer: {} }
  if (value === null || value === undefined) {
    if (plan.route.emptyWhenNull) return { answer: null }
    throw notFound(missing(plan.route, request))
  }
  const answer = plan.route.result === 'page' ? toPage(value as Answer) : (value as Answer)
  if (plan.route.onlyWhenSet) leaveOutUnset(answer, plan.route.onlyWhenSet)
  return { answer }
}

/** `undefined` is what `JSON.stringify` leaves out; deleting the member would cost the object its shape. */
function leaveOutUnset(answer: Answer, members: readonly string[]): void {
  const objects = Array.isArray(answer.items)
    ? (answer.items as Record<string, unknown>[])
    : [answer as Record<string, unknown>]
  for (const object of objects) {
    for (const member of members) if (isUnset(object[member])) object[member] = undefined
  }
}

const isUnset = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0)

function missing(route: Route, request: FastifyRequest): string {
  const params = request.params as Record<string, string>
  return route.missing ? route.missing.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '') : 'It'
}

function toPage({ items, pageInfo, ...rest }: Answer): Answer {
  const { hasNextPage, endCursor } = pageInfo as { hasNextPage: boolean; endCursor: string | null }
  return { items, next_cursor: hasNextPage ? endCursor : null, ...rest }
}

function send({
  plan,
  request,
  reply,
  answered: { answer, held },
  status,
}: {
  readonly plan: RoutePlan
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly answered: Answered
  readonly status: number
}): FastifyReply {
  const { route } = plan
  if (answer === null) return reply.code(204).send()
  reply.code(held?.status ?? status)
  const { headers } = held ?? route
  if (headers) reply.headers(headers(answer))
  if (route.result === 'empty') return reply.send()
  if (route.result === 'page' && typeof answer.next_cursor === 'string')
    reply.header('link', nextLink(request.url, answer.next_cursor))
  const text = JSON.stringify(answer)
  if (route.method === 'GET') {
    const etag = strongEtag(text)
    reply.header('etag', etag).header('cache-control', 'private, no-cache')
    vary(reply, 'Authorization', 'Cookie')
    if (!plan.carriesSecrets()) mayCompress(request)
    if (noneMatchCovers(request.headers['if-none-match'], etag)) return reply.code(304).send()
  }
  return reply.type('application/json; charset=utf-8').send(text)
}

/** Parameters that are written as they came. */
const plainQuery = /^[\w*.-]+=[\w*.-]*(?:&[\w*.-]+=[\w*.-]*)*$/

/** Link to the next page, as a relative reference, which clients resolve against the request URL. */
function nextLink(url: string, cursor: string): string {
  // A query may contain further question marks: only the first one ends the path.
  const end = url.includes('?') ? url.indexOf('?') : url.length
  const path = url.slice(0, end)
  const given = url.slice(end + 1)
  if (plainQuery.test(given) && !/(?:^|&)cursor=/.test(given)) return `<${path}?${given}&cursor=${cursor}>; rel="next"`
  const query = new URLSearchParams(given)
  query.set('cursor', cursor)
  return `<${path}?${query}>; rel="next"`
}

/** The same error with its places, and a message that quotes one, in `/v1` names. */
function placed(plan: RoutePlan, error: HubError): HubError {
  // Request coercion already uses `/v1` names.
  if (error instanceof RequestRefusal || error.items.every((item) => !item.loc)) return error
  const items = placeItems(plan, error.items)
  const [first] = error.items
  const quotesPlace = error.message === `${first?.loc?.join('.')}: ${first?.detail}`
  const detail = error.type === 'validation.failed' || quotesPlace ? firstOf(items) : error.message
  return error.reworded(detail, items, error.cause)
}
