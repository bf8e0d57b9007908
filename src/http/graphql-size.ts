/** The size of a GraphQL operation, from its document alone: nesting, numbers of fields, and a cost that page sizes in variables complete. */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql'
import { CHANGES_PER_READ } from '../accounts/changes/read-changes.ts'
import { DEFAULT_TREE_LIMIT } from '../files/limits.ts'
import { DEFAULT_LOG_LINES } from '../work/log/read-log.ts'

type Variables = Readonly<Record<string, unknown>>

/** Fragments are counted wherever they are spread. */
export interface Shape {
  /** Levels of fields; introspection has none. */
  readonly depth: number
  readonly rootFields: number
  readonly fields: number
  readonly aliases: number
  /** Fields at or below `__schema` and `__type`. */
  readonly introspected: number
}

const DEFAULT_PAGE = 20
/** Fields with another default page size. */
const defaultPages: ReadonlyMap<string, number> = new Map([
  ['files', DEFAULT_TREE_LIMIT],
  ['tree', DEFAULT_TREE_LIMIT],
  ['runLog', DEFAULT_LOG_LINES],
  ['robotCheckLog', DEFAULT_LOG_LINES],
  ['runsUpdated', CHANGES_PER_READ],
  ['checksUpdated', CHANGES_PER_READ],
  ['holdsUpdated', CHANGES_PER_READ],
  ['endpointsUpdated', CHANGES_PER_READ],
  ['sessionsUpdated', CHANGES_PER_READ],
])

/** Large fields without pages, and their cost in objects: one run can select all of them, a page of runs cannot. */
const longFields: ReadonlyMap<string, number> = new Map([
  ['config', 250],
  ['checkpoints', 250],
  ['gateResults', 250],
  ['attempts', 250],
  ['metrics', 250],
  ['orgs', 20],
])

/** Connection fields such as `edges` are not objects themselves. */
const envelopes: ReadonlySet<string> = new Set(['nodes', 'edges', 'node', 'pageInfo'])

export const operationsOf = (document: DocumentNode): OperationDefinitionNode[] =>
  document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)

const nothing: Shape = { depth: 0, rootFields: 0, fields: 0, aliases: 0, introspected: 0 }

/** Measures selections; each fragment once, since nested spreads would otherwise take exponential time. */
export class DocumentSizer {
  readonly #fragments = new Map<string, FragmentDefinitionNode>()
  readonly #shapes = new Map<string, Shape>()
  readonly #costs = new Map<string, Cost>()
  readonly #members = new Map<string, boolean>()

  constructor(document: DocumentNode) {
    for (const node of document.definitions)
      if (node.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(node.name.value, node)
  }

  shapeOf(set: SelectionSetNode): Shape {
    let [depth, rootFields, fields, aliases, introspected] = [0, 0, 0, 0, 0]
    for (const selection of set.selections) {
      const shape = this.#shapeOf(selection)
      depth = Math.max(depth, shape.depth)
      rootFields += shape.rootFields
      fields += shape.fields
      aliases += shape.aliases
      introspected += shape.introspected
    }
    return { depth, rootFields, fields, aliases, introspected }
  }

  #shapeOf(selection: SelectionNode): Shape {
    if (selection.kind === Kind.INLINE_FRAGMENT) return this.shapeOf(selection.selectionSet)
    if (selection.kind === Kind.FRAGMENT_SPREAD)
      return this.#ofFragment(selection.name.value, this.#shapes, nothing, (set) => this.shapeOf(set))
    const isMeta = selection.name.value.startsWith('__')
    const inner = selection.selectionSet ? this.shapeOf(selection.selectionSet) : nothing
    const own = { rootFields: 1, aliases: inner.aliases + (selection.alias ? 1 : 0) }
    if (isMeta) return { ...own, depth: 0, fields: 1, introspected: selection.selectionSet ? inner.fields + 1 : 0 }
    return { ...own, depth: inner.depth + 1, fields: inner.fields + 1, introspected: inner.introspected }
  }

  /** Objects that an answer has if every page is full. Only of a document whose shape is within its limits, and that is valid. */
  costOf(set: SelectionSetNode, defaults: Variables): Cost {
    let sum: Cost = { fixed: 0, further: [] }
    for (const selection of set.selections) sum = plus(sum, this.#costOf(selection, defaults))
    return sum
  }

  #costOf(selection: SelectionNode, defaults: Variables): Cost {
    if (selection.kind === Kind.INLINE_FRAGMENT) return this.costOf(selection.selectionSet, defaults)
    if (selection.kind === Kind.FRAGMENT_SPREAD)
      return this.#ofFragment(selection.name.value, this.#costs, noCost, (set) => this.costOf(set, defaults))
    if (!selection.selectionSet || selection.name.value.startsWith('__')) return noCost
    const own = envelopes.has(selection.name.value) ? 0 : 1
    const one = plus(this.costOf(selection.selectionSet, defaults), { fixed: own, further: [] })
    return times(pageOf(selection, this.#hasMembers(selection.selectionSet), defaults), one)
  }

  /** Whether a connection's members are selected: by itself, or in a fragment of any depth. */
  #hasMembers({ selections }: SelectionSetNode): boolean {
    return selections.some((selection) => {
      if (selection.kind === Kind.FIELD) return selection.name.value === 'nodes' || selection.name.value === 'edges'
      if (selection.kind === Kind.INLINE_FRAGMENT) return this.#hasMembers(selection.selectionSet)
      return this.#ofFragment(selection.name.value, this.#members, false, (set) => this.#hasMembers(set))
    })
  }

  #ofFragment<Size>(
    name: string,
    known: Map<string, Size>,
    cycle: Size,
    measure: (set: SelectionSetNode) => Size,
  ): Size {
    const before = known.get(name)
    if (before !== undefined) return before
    const fragment = this.#fragments.get(name)
    // Set before the walk to stop at cycles, which validation rejects anyway.
    known.set(name, cycle)
    const size = fragment ? measure(fragment.selectionSet) : cycle
    known.set(name, size)
    return size
  }
}

/** A number, and the terms that depend on variables. Most documents have none of those. */
export interface Cost {
  readonly fixed: number
  readonly further: readonly Term[]
}
type Term = (variables: Variables) => number
type Page = number | Term

const noCost: Cost = { fixed: 0, further: [] }

export const evaluate = ({ fixed, further }: Cost, variables: Variables): number =>
  further.reduce((sum, term) => sum + term(variables), fixed)

const plus = (a: Cost, b: Cost): Cost => ({
  fixed: a.fixed + b.fixed,
  further: b.further.length === 0 ? a.further : [...a.further, ...b.further],
})

function times(page: Page, cost: Cost): Cost {
  if (typeof page !== 'number')
    return { fixed: 0, further: [(variables) => page(variables) * evaluate(cost, variables)] }
  const { fixed, further } = cost
  return {
    fixed: page * fixed,
    further: further.map((term) => (variables: Variables) => page * term(variables)),
  }
}

/** How many objects a field returns. */
function pageOf(field: FieldNode, hasMembers: boolean, defaults: Variables): Page {
  const usual = hasMembers
    ? (defaultPages.get(field.name.value) ?? DEFAULT_PAGE)
    : (longFields.get(field.name.value) ?? 1)
  for (const { name, value } of field.arguments ?? []) {
    if (name.value === 'first' || name.value === 'last') return given(value, defaults, numberOr(usual))
    if (name.value === 'ids')
      return value.kind === Kind.LIST ? Math.max(1, value.values.length) : given(value, defaults, lengthOf)
  }
  return usual
}

function given(value: ValueNode, defaults: Variables, read: (value: unknown) => number): Page {
  if (value.kind === Kind.INT) return read(Number(value.value))
  if (value.kind !== Kind.VARIABLE) return read(null)
  const { value: name } = value.name
  return (variables) => read(Object.hasOwn(variables, name) ? variables[name] : defaults[name])
}

const numberOr = (usual: number) => (value: unknown) => (typeof value === 'number' ? Math.max(1, value) : usual)
const lengthOf = (value: unknown) => (Array.isArray(value) ? Math.max(1, value.length) : 1)

/** The default values of an operation's variables that are whole numbers. */
export function numberDefaults({ variableDefinitions }: OperationDefinitionNode): Variables {
  const defaults: Record<string, unknown> = {}
  for (const { variable, defaultValue } of variableDefinitions ?? [])
    if (defaultValue?.kind === Kind.INT) defaults[variable.name.value] = Number(defaultValue.value)
  return defaults
}
