/** Executes one GraphQL operation, whatever the transport: checks the limits, counts the response size, renders errors. */
import type { FastifyRequest } from 'fastify'
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
} from 'graphql'
import { viewerOfEvent } from '../auth/event-viewer.ts'
import type { RequestContext, Viewer } from '../operation/context.ts'
import { placedAt, placeOf } from '../operation/event-place.ts'
import { graphqlOperation } from '../platform/signals.ts'
import { AnswerSize } from './answer-size.ts'
import type { PreparedDocument } from './graphql-documents.ts'
import { renderError, renderResult } from './graphql-errors.ts'
import { assertCost, graphqlLimits } from './graphql-limits.ts'
import { typedNumbers } from './graphql-numbers.ts'
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
  readonly spend: (cost: number) => Promise<void>
  /** Whether the answer is to have its cost in `extensions`. */
  readonly showsCost: boolean
  readonly request: FastifyRequest
  /** Creates a new context each time, because loaders cache per context. `viewer` is the caller's current state. */
  readonly makeContext: MakeContext
}

/** Runs a query or mutation. Errors are in the result. */
export async function executeOperation(given: Operation): Promise<ExecutionResult> {
  const operation = withTypedNumbers(given)
  return (await costFault(operation)) ?? (await executeCounted(operation, undefined))
}

/** Runs a subscription: a stream of results, each read from the database; or its errors. */
export async function subscribeOperation(
  given: Operation,
): Promise<AsyncGenerator<ExecutionResult, void> | ExecutionResult> {
  const operation = withTypedNumbers(given)
  const fault = await costFault(operation)
  if (fault) return fault
  const source = await createSourceEventStream(argsOf(operation))
  if (!(Symbol.asyncIterator in source)) return renderResult(source, operation.request)
  return resultsOf(operation, source)
}

async function* resultsOf(operation: Operation, source: AsyncIterable<unknown>): AsyncGenerator<ExecutionResult, void> {
  try {
    for await (const event of source) yield placedAt(placeOf(event), await executeCounted(operation, event))
  } catch (error) {
    yield { errors: [renderError(error, operation.request)] }
  }
}

/** Followed by the name that the client gave it, which is no secret and has no values in it. */
function executeCounted(operation: Operation, rootValue: unknown): Promise<ExecutionResult> {
  const name = graphqlOperation.isWatched
    ? (getOperationAST(operation.prepared.document, operation.operationName)?.name?.value ?? '')
    : ''
  const result = graphqlOperation.follow({ name }, () => execution(operation, rootValue))
  return operation.showsCost ? result.then((shown) => withCost(operation, shown)) : result
}

/** For callers that ask with `extensions: { cost: true }`: what the operation was counted as, and the most that one may be. */
function withCost({ prepared, operationName, variables }: Operation, result: ExecutionResult): ExecutionResult {
  const cost = { requested: prepared.costOf(operationName, variables), maximum: graphqlLimits.cost }
  return { ...result, extensions: { ...result.extensions, cost } }
}

async function execution(operation: Operation, rootValue: unknown): Promise<ExecutionResult> {
  const { request } = operation
  const args = argsOf(operation, viewerOfEvent(rootValue))
  const size = new AnswerSize(args.contextValue)
  const result = await execute({ ...args, rootValue })
  try {
    size.addSchema(result.data, schemaKeys(operation))
  } catch (error) {
    if (error !== size.refusal) throw error
  }
  // A nullable field may have absorbed the size error.
  if (size.refusal) return { data: null, errors: [renderError(size.refusal, request)] }
  // No data, not even null: the variables have wrong types and nothing was executed.
  return renderResult(result.data === undefined ? withBrokenRules(result, args) : result, request)
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
async function costFault({
  prepared,
  operationName,
  variables,
  spend,
  request,
}: Operation): Promise<ExecutionResult | null> {
  try {
    await spend(assertCost(prepared.costOf(operationName, variables)))
    return null
  } catch (error) {
    return { errors: [renderError(error, request)] }
  }
}

/** The response keys of introspection fields. */
function schemaKeys({ prepared: { document }, operationName }: Operation): string[] {
  const sets = document.definitions.flatMap((node) =>
    node.kind === Kind.FRAGMENT_DEFINITION ? [node.selectionSet] : [],
  )
  const operation = getOperationAST(document, operationName)
  if (operation) sets.push(operation.selectionSet)
  const keys: string[] = []
  // The list grows during the loop.
  for (const { selections } of sets) {
    for (const node of selections)
      if (node.kind === Kind.INLINE_FRAGMENT) sets.push(node.selectionSet)
      else if (node.kind === Kind.FIELD && /^__(?:schema|type)$/.test(node.name.value))
        keys.push(node.alias?.value ?? node.name.value)
  }
  return keys
}
