/** Limits of one GraphQL operation: nesting depth, and the number of nodes if every page is full. */
import {
  type ASTVisitor,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  getOperationAST,
  Kind,
  parse,
  type SelectionSetNode,
  type Source,
} from 'graphql'
import { DEFAULT_TREE_LIMIT } from '../files/limits.ts'
import { HubError } from '../platform/errors.ts'
import { DEFAULT_LOG_LINES } from '../work/log/read-log.ts'

const MAX_TOKENS = 5000
const MAX_DEPTH = 15
/** A page of 100 with a page of 100 in each, and the parents. */
const MAX_NODES = 10_200
const DEFAULT_PAGE = 20
/** Fields with another default page size. */
const defaultPages: ReadonlyMap<string, number> = new Map([
  ['files', DEFAULT_TREE_LIMIT],
  ['tree', DEFAULT_TREE_LIMIT],
  ['runLog', DEFAULT_LOG_LINES],
  ['robotCheckLog', DEFAULT_LOG_LINES],
])

/** Large fields without pages, and their cost in nodes: one run can select all of them, a page of runs cannot. */
const longFields: ReadonlyMap<string, number> = new Map([
  ['config', 250],
  ['checkpoints', 250],
  ['gateResults', 250],
  ['attempts', 250],
  ['metrics', 250],
])

/** Parses a document of at most 5000 tokens. Nesting too deep for the recursive parser is a syntax error. */
export function parseBounded(source: string | Source): DocumentNode {
  try {
    return parse(source, { maxTokens: MAX_TOKENS })
  } catch (error) {
    if (error instanceof RangeError) throw new GraphQLError('Syntax Error: The document is nested too deep.')
    throw error
  }
}

interface Size {
  readonly depth: number
  /** Nodes below one parent. */
  readonly nodes: number
  readonly fields: number
  /** Fields at or below `__schema` and `__type`, which have limits of their own. */
  readonly introspected: number
}

const MAX_FIELDS = 2000
/** Twice the fields of the usual introspection queries; each may list the whole schema. */
const MAX_INTROSPECTED = 600

/** Throws 422 when the operation is deeper than 15 levels, yields more than about 10,000 nodes, or selects more than 2,000 fields. Introspection has its own limit of 600 fields. */
export function assertWithinLimits(
  document: DocumentNode,
  operationName: string | null | undefined,
  variables: Readonly<Record<string, unknown>>,
): void {
  const operation = getOperationAST(document, operationName)
  if (!operation) return
  const defaults: Record<string, unknown> = {}
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    if (defaultValue?.kind === Kind.INT) defaults[variable.name.value] = Number(defaultValue.value)
  }
  const sizer = new Sizer(document, { ...defaults, ...variables })
  const { depth, nodes, fields, introspected } = sizer.sizeOf(operation.selectionSet)
  const refuse = (what: string) => {
    throw new HubError('validation.failed', `The operation ${what}; request less at a time.`)
  }
  if (depth > MAX_DEPTH) refuse(`is nested ${depth} levels deep, more than ${MAX_DEPTH}`)
  if (nodes > MAX_NODES) refuse(`may yield ${nodes} nodes, more than ${MAX_NODES}`)
  if (fields > MAX_FIELDS) refuse(`selects ${fields} fields, more than ${MAX_FIELDS}`)
  if (introspected > MAX_INTROSPECTED)
    refuse(`selects ${introspected} fields of the schema, more than ${MAX_INTROSPECTED}`)
}

const nothing: Size = { depth: 0, nodes: 0, fields: 0, introspected: 0 }

class Sizer {
  readonly #fragments = new Map<string, FragmentDefinitionNode>()
  /** Each fragment is measured once: nested spreads would otherwise take exponential time. */
  readonly #measured = new Map<string, Size>()
  readonly #variables: Readonly<Record<string, unknown>>

  constructor(document: DocumentNode, variables: Readonly<Record<string, unknown>>) {
    this.#variables = variables
    for (const node of document.definitions)
      if (node.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(node.name.value, node)
  }

  sizeOf(set: SelectionSetNode): Size {
    let depth = 0
    let nodes = 0
    let fields = 0
    let introspected = 0
    for (const selection of set.selections) {
      const size =
        selection.kind === Kind.FIELD
          ? this.#sizeOfField(selection)
          : selection.kind === Kind.INLINE_FRAGMENT
            ? this.sizeOf(selection.selectionSet)
            : this.#sizeOfFragment(selection.name.value)
      depth = Math.max(depth, size.depth)
      nodes += size.nodes
      fields += size.fields
      introspected += size.introspected
    }
    return { depth, nodes, fields, introspected }
  }

  #sizeOfFragment(name: string): Size {
    const known = this.#measured.get(name)
    if (known) return known
    const fragment = this.#fragments.get(name)
    // Set before the walk to stop at cycles, which validation rejects anyway.
    this.#measured.set(name, nothing)
    const size = fragment ? this.sizeOf(fragment.selectionSet) : nothing
    this.#measured.set(name, size)
    return size
  }

  #sizeOfField(field: FieldNode): Size {
    const isMeta = field.name.value.startsWith('__')
    if (!field.selectionSet) return { ...nothing, depth: isMeta ? 0 : 1, fields: 1 }
    const inner = this.sizeOf(field.selectionSet)
    if (isMeta) return { ...nothing, fields: 1, introspected: inner.fields + 1 }
    const page = this.#pageOf(field)
    // Connection fields such as `edges` are not nodes themselves.
    const own = isEnvelope(field) ? 0 : 1
    return {
      depth: inner.depth + 1,
      nodes: page * (inner.nodes + own),
      fields: inner.fields + 1,
      introspected: inner.introspected,
    }
  }

  #pageOf(field: FieldNode): number {
    for (const { name, value } of field.arguments ?? []) {
      const given =
        value.kind === Kind.VARIABLE
          ? this.#variables[value.name.value]
          : value.kind === Kind.INT
            ? Number(value.value)
            : undefined
      if ((name.value === 'first' || name.value === 'last') && typeof given === 'number') return Math.max(1, given)
      if (name.value === 'ids') {
        if (value.kind === Kind.LIST) return Math.max(1, value.values.length)
        if (Array.isArray(given)) return Math.max(1, given.length)
      }
    }
    const members = field.selectionSet?.selections.some(
      (node) => node.kind === Kind.FIELD && (node.name.value === 'nodes' || node.name.value === 'edges'),
    )
    return members ? (defaultPages.get(field.name.value) ?? DEFAULT_PAGE) : (longFields.get(field.name.value) ?? 1)
  }
}

const envelopes: ReadonlySet<string> = new Set(['nodes', 'edges', 'node', 'pageInfo'])
const isEnvelope = (field: FieldNode): boolean => envelopes.has(field.name.value)

const MAX_ROOT_FIELDS = 20

/** Validation rule: at most 20 root fields, including those in fragments, because each mutation field is a transaction. */
export function fewRootFields(context: {
  reportError(error: GraphQLError): void
  getFragment(name: string): FragmentDefinitionNode | null | undefined
}): ASTVisitor {
  const known = new Map<string, number>()
  const count = (set: SelectionSetNode): number => {
    let total = 0
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) total += 1
      else if (selection.kind === Kind.INLINE_FRAGMENT) total += count(selection.selectionSet)
      else total += countFragment(selection.name.value)
    }
    return total
  }
  const countFragment = (name: string): number => {
    const before = known.get(name)
    if (before !== undefined) return before
    // Set before the walk to stop at cycles, which another rule rejects.
    known.set(name, 0)
    const fragment = context.getFragment(name)
    const total = fragment ? count(fragment.selectionSet) : 0
    known.set(name, total)
    return total
  }
  return {
    OperationDefinition(node) {
      if (count(node.selectionSet) > MAX_ROOT_FIELDS) {
        context.reportError(
          new GraphQLError(`An operation has at most ${MAX_ROOT_FIELDS} root fields.`, { nodes: node }),
        )
      }
    },
  }
}
