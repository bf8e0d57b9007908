/**
 * Executes one GraphQL operation, whatever the transport: checks the limits, counts the response size, renders errors.
 */
import { writeExact } from '@hub/formats/exact-json'
import type { FastifyRequest } from 'fastify'
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
} from 'graphql'
import { viewerOfEvent } from '../auth/event-viewer.ts'
import type { RequestContext, Viewer } from '../operation/context.ts'
import { placedAt, placeOf } from '../operation/event-place.ts'
import { timedFor, timeUserHere } from '../platform/processor-time.ts'
import { graphqlOperation } from '../platform/signals.ts'
import type { PreparedDocument } from './graphql-documents.ts'
import { renderError, renderResult } from './graphql-errors.ts'
import { assertCost, type ExecutionLimits, eventLimits, executionLimits } from './graphql-limits.ts'
import { typedNumbers } from './graphql-numbers.ts'
import { OperationMeter } from './operation-meter.ts'
import { hasLeft } from './request-context.ts'
import { type EventResult, SharedExecutions } from './shared-executions.ts'
import { brokenRulesOfVariables } from './variable-faults.ts'

export type MakeContext = (viewer?: Viewer | null) => RequestContext

export interface Operation {
  /** One of `countedSchema`. */
  readonly schema: GraphQLSchema
  readonly prepared: PreparedDocument
  readonly operationName: string | null | undefined
  /** As parsed, with exact numbers. */
  readonly variables: Readonly<Record<string, unknown>>
  /** Adds the cost to what the caller has spent, and throws 429 if that is too much. */
  readonly spend: (cost: number) => void
  /** Runs an event of a subscription when its caller may run an operation, and throws 429 if that is not now. */
  readonly admit: <T>(work: () => Promise<T>) => Promise<T>
  /** Whether the answer is to have its cost in `extensions`. */
  readonly showsCost: boolean
  readonly request: FastifyRequest
  /** Creates a new context each time, because loaders cache per context. `viewer` is the caller's current state. */
  readonly makeContext: MakeContext
}

/** Runs a query or mutation. Errors are in the result. */
export async function executeOperation(given: Operation): Promise<ExecutionResult> {
  const operation = withTypedNumbers(given)
  return (await costFault(operation, executionLimits)) ?? (await executeCounted(operation, executionLimits)).result
}

/** Runs a subscription: a stream of results, each read from the database; or its errors. */
export async function subscribeOperation(
  given: Operation,
): Promise<AsyncGenerator<ExecutionResult, void> | ExecutionResult> {
  const operation = withTypedNumbers(given)
  const fault = await costFault(operation, eventLimits)
  if (fault) return fault
  const source = await createSourceEventStream(argsOf(operation))
  if (!(Symbol.asyncIterator in source)) return renderResult(source, operation.request)
  return resultsOf(operation, source)
}

const sharedExecutions = new SharedExecutions()

/** Each event is charged to who subscribed, no matter who caused it. One that is over a limit is the last. */
async function* resultsOf(operation: Operation, source: AsyncIterable<unknown>): AsyncGenerator<ExecutionResult, void> {
  const subscription = nameOf(operation)
  try {
    for await (const event of source) {
      const { result, objects, isLast } = await operation.admit(() =>
        sharedExecutions.answer(subscription, event, () => executeEvent(operation, event)),
      )
      yield placedAt(placeOf(event), result)
      if (isLast) return
      operation.spend(objects)
    }
  } catch (error) {
    yield { errors: [renderError(error, operation.request)] }
  }
}

/**
 * Equal for subscriptions that are answered alike: of one document, with the same variables and rights, and the same
 * address of the hub in links.
 */
function nameOf({
  prepared,
  operationName,
  variables,
  showsCost,
  makeContext,
  request: { viewer },
}: Operation): string {
  const credential = viewer && viewer.kind !== 'anonymous' ? viewer.credentialId : null
  const address = makeContext(null).peer?.hubUrl ?? null
  return writeExact([prepared.number, operationName ?? null, showsCost, credential, address, variables])
}

async function executeEvent(operation: Operation, event: unknown): Promise<EventResult> {
  const { result, meter } = await executeCounted(operation, eventLimits, event)
  return { result, objects: meter.objects, bytes: meter.bytes, isLast: meter.refusal !== null }
}

interface Executed {
  readonly result: ExecutionResult
  readonly meter: OperationMeter
}

/** Followed by the name that the client gave it, which is not a secret and has no values in it. */
function executeCounted(operation: Operation, limits: ExecutionLimits, rootValue?: unknown): Promise<Executed> {
  const name = graphqlOperation.isWatched
    ? (getOperationAST(operation.prepared.document, operation.operationName)?.name?.value ?? '')
    : ''
  return graphqlOperation.follow({ name }, () => execution(operation, limits, rootValue))
}

async function execution(operation: Operation, limits: ExecutionLimits, rootValue: unknown): Promise<Executed> {
  const { request } = operation
  const args = argsOf(operation, viewerOfEvent(rootValue))
  // Verbs continue: who repeats a request after an interruption should find it done.
  const left = isMutation(operation) ? null : () => hasLeft(request)
  const meter = new OperationMeter(args.contextValue, limits, timeUserHere(), left)
  const executed = await timedFor(meter, async () => operation.prepared.execute({ ...args, rootValue }))
  try {
    for (const key of operation.prepared.schemaKeysOf(operation.operationName)) meter.addTree(executed.data?.[key])
  } catch (error) {
    if (error !== meter.refusal) throw error
  }
  // No data, not even null: the variables have wrong types and nothing was executed.
  const known = executed.data === undefined ? withBrokenRules(executed, args) : executed
  const result = renderResult(meter.refusal ? endedResult(operation, known, meter) : known, request)
  return { result: operation.showsCost ? withCost(operation, limits, result, meter) : result, meter }
}

/**
 * The result of an operation that was ended. A query has no data: a field that is null in it may only have come too
 * late. Of a mutation, the fields that were answered whole stay; the error names also the one that was not.
 */
function endedResult(operation: Operation, { data, errors = [] }: ExecutionResult, meter: OperationMeter) {
  const { refusal, wholeKeys } = meter
  if (!refusal) return { data: data ?? null, errors }
  if (!data || !isMutation(operation)) return { data: null, errors: [refusal] }
  const kept = Object.entries(data).map(([key, value]) => [key, wholeKeys.has(key) ? value : null] as const)
  const own = errors.filter((error) => error !== refusal && wholeKeys.has(String(error.path?.[0])))
  return { data: Object.fromEntries(kept), errors: [refusal, ...own] }
}

const isMutation = ({ prepared, operationName }: Operation): boolean =>
  getOperationAST(prepared.document, operationName)?.operation === 'mutation'

/**
 * For callers that ask with `extensions: { cost: true }`: what the operation was counted as, what it used, and the most
 * that one may.
 */
function withCost(
  { prepared, operationName, variables }: Operation,
  limits: ExecutionLimits,
  result: ExecutionResult,
  meter: OperationMeter,
): ExecutionResult {
  const requested = prepared.costOf(operationName, variables)
  const cost = {
    requested: requested.objects,
    maximum: limits.objects,
    objects: { requested: requested.objects, used: meter.objects, maximum: limits.objects },
    values: { requested: Math.ceil(requested.values), used: meter.values, maximum: limits.values },
  }
  return { ...result, extensions: { ...result.extensions, cost } }
}

function withBrokenRules(result: ExecutionResult, args: ExecutionArgs): ExecutionResult {
  const broken = brokenRulesOfVariables(args)
  if (!broken) return result
  const error = new GraphQLError(broken.message, { originalError: broken })
  return { ...result, errors: [...(result.errors ?? []), error] }
}

function withTypedNumbers(operation: Operation): Operation {
  const { schema, prepared, operationName, variables } = operation
  return { ...operation, variables: typedNumbers(schema, prepared.document, operationName, variables) }
}

function argsOf(operation: Operation, viewer?: Viewer | null): ExecutionArgs & { contextValue: RequestContext } {
  const { schema, prepared, operationName, variables, makeContext } = operation
  const { document } = prepared
  return { schema, document, operationName, variableValues: variables, contextValue: makeContext(viewer) }
}

/** The refusal of an operation whose pages are too large, or whose caller has spent too much; null if it may run. */
async function costFault(
  { prepared, operationName, variables, spend, request }: Operation,
  limits: ExecutionLimits,
): Promise<ExecutionResult | null> {
  try {
    const { objects } = assertCost(prepared.costOf(operationName, variables), limits)
    spend(objects)
    return null
  } catch (error) {
    return { errors: [renderError(error, request)] }
  }
}
