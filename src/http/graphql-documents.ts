/** GraphQL documents, parsed, measured and validated once each: a dashboard sends the same few again and again. */
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  MaxIntrospectionDepthRule,
  type OperationDefinitionNode,
  parse,
  type Source,
  specifiedRules,
  validate,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import type { RequestContext } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { lazy } from '../platform/lazy.ts'
import { CompiledDocuments } from './compiled/compiled-documents.ts'
import { assertShape, graphqlLimits, overLimit } from './graphql-limits.ts'
import { type CostOfVariables, costFunction, type OperationCost, type Variables } from './operation-cost.ts'
import { schemaValues } from './schema-values.ts'
import { carriesSecrets } from './secret-fields.ts'

const rules = [...specifiedRules, MaxIntrospectionDepthRule]

/** Parses a document of at most 5000 tokens. Nesting too deep for the recursive parser is a syntax error. */
export function parseBounded(source: string | Source): DocumentNode {
  try {
    return parse(source, { maxTokens: graphqlLimits.tokens })
  } catch (error) {
    if (error instanceof RangeError) throw new GraphQLError('Syntax Error: The document is nested too deep.')
    if (error instanceof GraphQLError && error.message.includes('tokens. Parsing aborted'))
      throw overLimit('tokens', null)
    throw error
  }
}

/** A document that is executed for the third time will be executed again: it is worth a plan. */
const RUNS_BEFORE_PLAN = 2

let lastNumber = 0

/** A document that may be executed. */
export class PreparedDocument {
  readonly document: DocumentNode
  /** No other document of the process has it. */
  readonly number: number
  /** Whether its answers hold a secret. */
  readonly carriesSecrets: () => boolean
  readonly #schema: GraphQLSchema
  readonly #compiled: CompiledDocuments
  readonly #costs = new Map<OperationDefinitionNode, CostOfVariables>()
  readonly #schemaKeys = new Map<OperationDefinitionNode, readonly string[]>()
  #runsBeforePlan = RUNS_BEFORE_PLAN

  constructor(document: DocumentNode, schema: GraphQLSchema, compiled: CompiledDocuments) {
    lastNumber += 1
    this.number = lastNumber
    this.document = document
    this.#schema = schema
    this.#compiled = compiled
    this.carriesSecrets = lazy(() => carriesSecrets(schema, document))
  }

  /** Its clients name it by its digest, as those do that send the same documents again and again. */
  notePersisted(): void {
    this.#runsBeforePlan = 0
  }

  /** By graphql-js at first, later by its plan: the results are the same. */
  execute(args: ExecutionArgs & { readonly contextValue: RequestContext }): Promise<ExecutionResult> | ExecutionResult {
    if (this.#runsBeforePlan === 0) return this.#compiled.execute(args)
    this.#runsBeforePlan -= 1
    return execute(args)
  }

  /** The response keys of an operation whose values are the schema's, found once. */
  schemaKeysOf(operationName: string | null | undefined): readonly string[] {
    const operation = getOperationAST(this.document, operationName)
    if (!operation) return []
    const known = this.#schemaKeys.get(operation) ?? schemaKeys(this.document, operation)
    this.#schemaKeys.set(operation, known)
    return known
  }

  /** The cost of an operation if its pages are full; nothing if there is no such operation, which execution reports. */
  costOf(operationName: string | null | undefined, variables: Variables): OperationCost {
    const operation = getOperationAST(this.document, operationName)
    if (!operation) return { objects: 0, values: 0 }
    const known = this.#costs.get(operation) ?? costFunction(this.#schema, this.document, operation)
    this.#costs.set(operation, known)
    return known(variables)
  }
}

/** The response keys of introspection fields. */
function schemaKeys(document: DocumentNode, operation: OperationDefinitionNode): readonly string[] {
  const sets = document.definitions.flatMap((node) =>
    node.kind === Kind.FRAGMENT_DEFINITION ? [node.selectionSet] : [],
  )
  sets.push(operation.selectionSet)
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

/** Why a document may not be executed. */
interface RefusedDocument {
  readonly faults: readonly (GraphQLError | HubError)[]
}

const MAX_DOCUMENTS = 1000
/** Of all texts: their syntax trees take about a hundred times as much. */
const MAX_CHARACTERS = 512 * 1024
/** A longer document is prepared again each time. */
export const MAX_CHARACTERS_OF_ONE = 32 * 1024

/** The errors with the code that GraphQL servers commonly give them. */
function coded(faults: readonly GraphQLError[], code: string): readonly GraphQLError[] {
  for (const { extensions } of faults) extensions.code = code
  return faults
}

/** The documents of one schema. */
export class Documents {
  readonly #schema: () => GraphQLSchema
  readonly #known = new LRUCache<string, PreparedDocument | RefusedDocument>({
    max: MAX_DOCUMENTS,
    maxSize: MAX_CHARACTERS,
    maxEntrySize: MAX_CHARACTERS_OF_ONE,
    sizeCalculation: (_document, text) => text.length + 1,
  })

  readonly #isTrusted: (document: DocumentNode) => boolean
  readonly #compiled: () => CompiledDocuments

  /**
   * `schema` makes one of `countedSchema` when the first document comes: a start needs none. `isTrusted` is asked of each
   * valid document once.
   */
  constructor(schema: () => GraphQLSchema, isTrusted: (document: DocumentNode) => boolean = () => true) {
    this.#schema = lazy(schema)
    this.#isTrusted = isTrusted
    this.#compiled = lazy(() => new CompiledDocuments(this.schema))
  }

  /** One of `countedSchema`. */
  get schema(): GraphQLSchema {
    return this.#schema()
  }

  /** What is held of documents that are executed again and again. */
  get planned(): CompiledDocuments['held'] {
    return this.#compiled().held
  }

  /** The document; or its syntax error, the limit that it is over, or what validation finds. */
  prepare(text: string): PreparedDocument | RefusedDocument {
    const known = this.#known.get(text)
    if (known) return known
    const prepared = this.#prepare(text)
    this.#known.set(text, prepared)
    return prepared
  }

  /** A client named the document by its digest. */
  notePersisted(text: string): void {
    const prepared = this.prepare(text)
    if (prepared instanceof PreparedDocument) prepared.notePersisted()
  }

  /** Limits come before validation, whose time grows with the square of some documents. */
  #prepare(text: string): PreparedDocument | RefusedDocument {
    try {
      const document = parseBounded(text)
      assertShape(document)
      const faults = validate(this.schema, document, rules)
      if (faults.length > 0) return { faults: coded(faults, 'GRAPHQL_VALIDATION_FAILED') }
      const maximum = graphqlLimits.schema_values
      if (schemaValues(this.schema, document, maximum) > maximum) throw overLimit('schema_values', null)
      if (this.#isTrusted(document)) return new PreparedDocument(document, this.schema, this.#compiled())
      throw new HubError('forbidden.document', 'This hub executes only the documents that its operator trusts.')
    } catch (error) {
      if (error instanceof GraphQLError) return { faults: coded([error], 'GRAPHQL_PARSE_FAILED') }
      if (error instanceof HubError) return { faults: [error] }
      throw error
    }
  }
}
