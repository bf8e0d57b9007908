/** Documents that were executed a few times: their operations are planned, and executed by their plans. */
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql'
import { LRUCache } from 'lru-cache'
import type { RequestContext } from '../../operation/context.ts'
import { conditionsIn, MAX_CONDITIONS } from './conditions.ts'
import { executePlan } from './execution.ts'
import { type Fragments, OperationPlan } from './plan.ts'

interface CompiledLimits {
  readonly documents: number
  /** Of all documents together: 0.4 KiB each, so 20 MiB. */
  readonly fields: number
  /** Of one document; one that has more is executed by graphql-js. */
  readonly fieldsOfOne: number
}

const defaultLimits: CompiledLimits = { documents: 500, fields: 50_000, fieldsOfOne: 5000 }

type Arguments = ExecutionArgs & { readonly contextValue: RequestContext }

/** The plans of documents, the least recently used dropped first. */
export class CompiledDocuments {
  readonly #schema: GraphQLSchema
  readonly #limits: CompiledLimits
  readonly #kept: LRUCache<DocumentNode, CompiledDocument>
  #fields = 0

  constructor(schema: GraphQLSchema, limits: CompiledLimits = defaultLimits) {
    this.#schema = schema
    this.#limits = limits
    this.#kept = new LRUCache({
      max: limits.documents,
      dispose: (compiled) => {
        this.#fields -= compiled.fields
        compiled.isKept = false
      },
    })
  }

  /** What is held. */
  get held(): { readonly documents: number; readonly fields: number } {
    return { documents: this.#kept.size, fields: this.#fields }
  }

  /**
   * As `execute` of graphql-js. Mutations are left to it, since each of their fields is a transaction; as is a request
   * whose variables have faults.
   */
  execute(args: Arguments): Promise<ExecutionResult> | ExecutionResult {
    const operation = getOperationAST(args.document, args.operationName)
    if (!operation || operation.operation === OperationTypeNode.MUTATION) return execute(args)
    while (this.#fields > this.#limits.fields) this.#kept.pop()
    const compiled = this.#kept.get(args.document) ?? this.#compiled(args.document)
    if (compiled.fields > this.#limits.fieldsOfOne) compiled.drop()
    return compiled.run(operation, args) ?? execute(args)
  }

  #compiled(document: DocumentNode): CompiledDocument {
    const compiled = new CompiledDocument(this.#schema, document, (count) => {
      this.#fields += count
    })
    this.#kept.set(document, compiled)
    return compiled
  }
}

class CompiledDocument {
  /** Planned so far: those under an interface only as its types occur. */
  fields = 0
  isKept = true
  readonly #schema: GraphQLSchema
  readonly #document: DocumentNode
  readonly #fragments: Fragments
  readonly #onFields: (count: number) => void
  readonly #plans = new Map<string, OperationPlan>()
  readonly #conditions = new Map<OperationDefinitionNode, readonly string[] | null>()
  #isDropped = false

  constructor(schema: GraphQLSchema, document: DocumentNode, onFields: (count: number) => void) {
    this.#schema = schema
    this.#document = document
    this.#onFields = onFields
    const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
    this.#fragments = Object.fromEntries(fragments.map((node) => [node.name.value, node]))
  }

  /** It keeps no plans from now on. */
  drop(): void {
    this.#isDropped = true
    this.#plans.clear()
    this.#count(-this.fields)
  }

  /** Null if graphql-js is to execute it. */
  run(operation: OperationDefinitionNode, args: Arguments): Promise<ExecutionResult> | ExecutionResult | null {
    if (this.#isDropped) return null
    const { variableDefinitions = [] } = operation
    const { coerced, errors } = getVariableValues(this.#schema, variableDefinitions, args.variableValues ?? {}, {
      maxErrors: 1,
    })
    if (errors) return null
    const plan = this.#planOf(operation, coerced)
    return plan && executePlan(plan, { context: args.contextValue, rootValue: args.rootValue, variables: coerced })
  }

  #planOf(operation: OperationDefinitionNode, variables: Readonly<Record<string, unknown>>): OperationPlan | null {
    const names = this.#conditionsOf(operation)
    const conditions: Record<string, unknown> = {}
    let key = `${operation.name?.value ?? ''}:`
    if (!names) return null
    for (const name of names) {
      const value = variables[name]
      // Null is an error of the field that has the directive.
      if (typeof value !== 'boolean') return null
      conditions[name] = value
      key += value ? '1' : '0'
    }
    const before = this.#plans.get(key)
    if (before) return before
    const plan = new OperationPlan(this.#schema, operation, this.#fragments, conditions, () => this.#count(1))
    this.#plans.set(key, plan)
    return plan
  }

  /** The operation's variables in `@skip` and `@include`, anywhere in the document; null if they are too many. */
  #conditionsOf(operation: OperationDefinitionNode): readonly string[] | null {
    const before = this.#conditions.get(operation)
    if (before !== undefined) return before
    const own = new Set(operation.variableDefinitions?.map(({ variable }) => variable.name.value))
    const found = conditionsIn(this.#document).filter((name) => own.has(name))
    const names = found.length > MAX_CONDITIONS ? null : found
    this.#conditions.set(operation, names)
    return names
  }

  /** Those that an execution plans after its document was dropped go with it. */
  #count(fields: number): void {
    this.fields += fields
    if (this.isKept) this.#onFields(fields)
  }
}
