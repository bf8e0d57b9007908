/**
 * The limits of a GraphQL operation: of its document, of what it may yield, and of what it uses while it runs.
 * Contract, "Limits of GraphQL operations".
 */
import { type DocumentNode, type GraphQLSchema, getOperationAST, visit } from 'graphql'
import { HubError } from '../platform/errors.ts'
import { DocumentSizer, operationsOf } from './document-shape.ts'
import { costFunction, type OperationCost, type Variables } from './operation-cost.ts'

/** Of a document. Each is refused before anything is executed, in an error that names it. */
export const graphqlLimits = {
  /** Words and signs of a document, before it is parsed. */
  tokens: 5000,
  /** Levels of nested fields. */
  depth: 15,
  fields: 2000,
  aliases: 250,
  directives: 50,
  /** Each mutation field is a transaction. */
  root_fields: 20,
  /** Fields of the schema: twice those of the usual introspection queries. */
  introspection: 600,
  /** Values of an answer about the schema: more than twice those of the usual introspection query. */
  schema_values: 80_000,
} as const

export type LimitName = keyof typeof graphqlLimits

/** Of an execution. The first two are also those of the count before it. */
export interface ExecutionLimits {
  readonly objects: number
  readonly values: number
  readonly bytes: number
  readonly timeMs: number
}

export const executionLimits: ExecutionLimits = {
  /** 20 repos with 500 files each, which are the default pages, and those repos. */
  objects: 20 * (500 + 1),
  /** At half a microsecond to a microsecond each, they are what the event loop does at once. */
  values: 200_000,
  bytes: 32 * 1024 * 1024,
  /** A backstop for what the counts do not see. */
  timeMs: 2000,
}

/** Of one event of a subscription, which a change of someone else may cause, for many subscribers at once. */
export const eventLimits: ExecutionLimits = {
  objects: 1000,
  /** A batch of 2,000 lines of a log, with two fields more than lines have. */
  values: 20_000,
  /** A report's metrics may have one line of 8 MiB. */
  bytes: 16 * 1024 * 1024,
  timeMs: 1000,
}

const sentences: Readonly<Record<LimitName, (actual: number | null) => string>> = {
  tokens: () => `has more than ${graphqlLimits.tokens} tokens`,
  depth: (actual) => `is nested ${actual} levels deep, more than ${graphqlLimits.depth}`,
  fields: (actual) => `selects ${actual} fields, more than ${graphqlLimits.fields}`,
  aliases: (actual) => `has ${actual} aliases, more than ${graphqlLimits.aliases}`,
  directives: (actual) => `has ${actual} directives, more than ${graphqlLimits.directives}`,
  root_fields: (actual) => `has ${actual} root fields, more than ${graphqlLimits.root_fields}`,
  introspection: (actual) => `selects ${actual} fields of the schema, more than ${graphqlLimits.introspection}`,
  schema_values: () => `yields more than ${graphqlLimits.schema_values} values of the schema`,
}

/**
 * 422 `validation.limit`: `errors[0].limit` has the name, the maximum and what was found (null where counting stopped
 * at the maximum).
 */
export function overLimit(name: LimitName, actual: number | null): HubError {
  return refusal('validation.limit', `The operation ${sentences[name](actual)}; request less at a time.`, {
    name,
    maximum: graphqlLimits[name],
    // JSON has no infinity, which fragments within fragments reach in a few lines.
    actual: actual !== null && Number.isSafeInteger(actual) ? actual : null,
  })
}

/** A root field of a mutation whose verb has finished. */
export interface FinishedVerb {
  /** Its key in the answer. */
  readonly key: string
  readonly field: string
  readonly value: unknown
}

const namesOfLimits: Readonly<Record<keyof ExecutionLimits, string>> = {
  objects: 'objects',
  values: 'values',
  bytes: 'bytes',
  timeMs: 'time_ms',
}

const yielded: Readonly<Record<keyof ExecutionLimits, (maximum: number) => string>> = {
  objects: (maximum) => `more than ${maximum} objects`,
  values: (maximum) => `more than ${maximum} values`,
  bytes: (maximum) => `a response of over ${maximum / 1024 / 1024} MiB`,
  timeMs: (maximum) => `more than ${maximum / 1000} s of processor time`,
}

/**
 * 422 `limit.cost` of an operation that was running. A mutation's fields that had finished by then are named: what they
 * did is done.
 */
export function overCost(
  name: keyof ExecutionLimits,
  limits: ExecutionLimits,
  finished: readonly FinishedVerb[] = [],
): HubError {
  const maximum = limits[name]
  const done = finished.length === 0 ? '' : ` Done before: ${finished.map(({ key }) => key).join(', ')}.`
  const detail = `The operation needs ${yielded[name](maximum)}, and was ended; request fewer fields or smaller pages.${done}`
  return refusal('limit.cost', detail, { name: namesOfLimits[name], maximum, actual: null }, finished)
}

function refusal(
  type: 'validation.limit' | 'limit.cost',
  detail: string,
  limit: { readonly name: string; readonly maximum: number; readonly actual: number | null },
  finished: readonly FinishedVerb[] = [],
): HubError {
  const done = finished.map(({ key, field, value }) => ({ key, field, ids: idsIn(value) }))
  const { name, maximum, actual } = limit
  return new HubError(type, detail, {
    items: [{ type, detail, ...(done.length > 0 && { done }) }],
    facts: { name, unit: name, limit: maximum, used: actual },
  })
}

/** The ids in the result of a verb: of the thing itself, or of those that its payload holds. */
function idsIn(value: unknown, depth = 0): string[] {
  if (typeof value !== 'object' || value === null || depth > 2) return []
  if (Array.isArray(value)) return value.slice(0, 100).flatMap((item) => idsIn(item, depth + 1))
  const { id, answer } = value as { readonly id?: unknown; readonly answer?: unknown }
  if (typeof id === 'string') return [id]
  return typeof answer === 'string' ? [answer] : idsIn(answer, depth + 1)
}

/** Throws 422 for a document with an operation over a limit that does not depend on variables. It need not be valid. */
export function assertShape(document: DocumentNode): void {
  const sizer = new DocumentSizer(document)
  let directives = 0
  visit(document, {
    Directive() {
      directives += 1
    },
  })
  assertWithin('directives', directives)
  for (const { selectionSet } of operationsOf(document)) {
    const shape = sizer.shapeOf(selectionSet)
    assertWithin('fields', shape.fields)
    assertWithin('depth', shape.depth)
    assertWithin('introspection', shape.introspected)
    assertWithin('aliases', shape.aliases)
    assertWithin('root_fields', shape.rootFields)
  }
}

function assertWithin(name: LimitName, actual: number): void {
  if (actual > graphqlLimits[name]) throw overLimit(name, actual)
}

/** Throws 422 for an operation over any limit; returns its cost. */
export function assertWithinLimits(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Variables,
): OperationCost {
  assertShape(document)
  const operation = getOperationAST(document, operationName)
  const none: OperationCost = { objects: 0, values: 0 }
  return operation ? assertCost(costFunction(schema, document, operation)(variables)) : none
}

/** The cost; throws 422 `limit.cost` if an answer with full pages would be over a limit. */
export function assertCost(cost: OperationCost, limits: ExecutionLimits = executionLimits): OperationCost {
  for (const name of ['objects', 'values'] as const) {
    const [maximum, actual] = [limits[name], Math.ceil(cost[name])]
    if (actual <= maximum) continue
    const detail = `The operation may yield ${actual} ${name}, more than ${maximum}; request less at a time.`
    throw refusal('limit.cost', detail, { name, maximum, actual: Number.isSafeInteger(actual) ? actual : null })
  }
  return cost
}
