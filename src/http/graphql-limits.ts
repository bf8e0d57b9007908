/** The limits of a GraphQL document. Each is refused before anything is executed, in an error that names it. Contract, "Limits of GraphQL operations". */
import { type DocumentNode, getOperationAST, type OperationDefinitionNode, visit } from 'graphql'
import { HubError } from '../platform/errors.ts'
import { type Cost, DocumentSizer, evaluate, numberDefaults, operationsOf } from './graphql-size.ts'

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
  /** Objects of an answer whose pages are all full: 20 repos with 500 files each, which are the default pages, and those repos. */
  cost: 20 * (500 + 1),
} as const

export type LimitName = keyof typeof graphqlLimits

const sentences: Readonly<Record<LimitName, (actual: number | null) => string>> = {
  tokens: () => `has more than ${graphqlLimits.tokens} tokens`,
  depth: (actual) => `is nested ${actual} levels deep, more than ${graphqlLimits.depth}`,
  fields: (actual) => `selects ${actual} fields, more than ${graphqlLimits.fields}`,
  aliases: (actual) => `has ${actual} aliases, more than ${graphqlLimits.aliases}`,
  directives: (actual) => `has ${actual} directives, more than ${graphqlLimits.directives}`,
  root_fields: (actual) => `has ${actual} root fields, more than ${graphqlLimits.root_fields}`,
  introspection: (actual) => `selects ${actual} fields of the schema, more than ${graphqlLimits.introspection}`,
  cost: (actual) => `may yield ${actual} nodes, more than ${graphqlLimits.cost}`,
}

/** 422 `validation.limit`: `errors[0].limit` has the name, the maximum and what was found (null where counting stopped at the maximum). */
export function overLimit(name: LimitName, actual: number | null): HubError {
  const detail = `The operation ${sentences[name](actual)}; request less at a time.`
  // JSON has no infinity, which fragments within fragments reach in a few lines.
  const found = actual !== null && Number.isSafeInteger(actual) ? actual : null
  const limit = { name, maximum: graphqlLimits[name], actual: found }
  return new HubError('validation.limit', detail, { items: [{ type: 'validation.limit', detail, limit }] })
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

export type CostOfVariables = (variables: Readonly<Record<string, unknown>>) => number

/** The cost of an operation by its variables. Of a document that `assertShape` and validation accept. */
export function costFunction(document: DocumentNode, operation: OperationDefinitionNode): CostOfVariables {
  const cost: Cost = new DocumentSizer(document).costOf(operation.selectionSet, numberDefaults(operation))
  return (variables) => evaluate(cost, variables)
}

/** Throws 422 for an operation over any limit; returns its cost. */
export function assertWithinLimits(
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Readonly<Record<string, unknown>>,
): number {
  assertShape(document)
  const operation = getOperationAST(document, operationName)
  return operation ? assertCost(costFunction(document, operation)(variables)) : 0
}

/** The cost; throws 422 if it is over the limit. */
export function assertCost(cost: number): number {
  assertWithin('cost', cost)
  return cost
}
