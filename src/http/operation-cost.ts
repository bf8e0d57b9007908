/**
 * What an operation may yield if all its pages and lists are full, from its document and the sizes that the schema
 * declares. Page sizes in variables complete it.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql'
import { demandOf, type FieldSize, sizeOfName } from './field-size.ts'

export type Variables = Readonly<Record<string, unknown>>

export interface OperationCost {
  /** Objects that are read or made: rows of pages, and the work of other fields. */
  readonly objects: number
  /** Values of the answer: fields and items of lists. */
  readonly values: number
}

export type CostOfVariables = (variables: Variables) => OperationCost

/** An item of a list of scalars against the value of a field: it has no resolver, and no key in the answer. */
export const SCALAR_ITEM = 0.05

/** The cost of an operation by its variables. Of a valid document. */
export function costFunction(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CostOfVariables {
  const root = schema.getRootType(operation.operation)
  if (!root) return () => noCost
  const cost = new CostSizer(schema, document, numberDefaults(operation)).of(operation.selectionSet, root).once
  const { fixed } = cost
  // Most documents have no page size in a variable.
  return cost.further.length === 0 ? () => fixed : (variables) => evaluate(cost, variables)
}

const noCost: OperationCost = { objects: 0, values: 0 }

/** A number, and the terms that depend on variables. */
interface Cost {
  readonly fixed: OperationCost
  readonly further: readonly CostOfVariables[]
}

const zero: Cost = { fixed: noCost, further: [] }

const evaluate = ({ fixed, further }: Cost, variables: Variables): OperationCost =>
  further.reduce((sum, term) => sumOf(sum, term(variables)), fixed)

const sumOf = (a: OperationCost, b: OperationCost): OperationCost => ({
  objects: a.objects + b.objects,
  values: a.values + b.values,
})

const timesOf = (count: number, { objects, values }: OperationCost): OperationCost => ({
  objects: count * objects,
  values: count * values,
})

const plus = (a: Cost, b: Cost): Cost => ({
  fixed: sumOf(a.fixed, b.fixed),
  further: b.further.length === 0 ? a.further : [...a.further, ...b.further],
})

/** What a selection costs for its object, and again for each member of the page if that is a connection. */
interface Selected {
  readonly once: Cost
  readonly ofEach: Cost
}

const nothing: Selected = { once: zero, ofEach: zero }

/** Each fragment is measured once, since nested spreads would otherwise take exponential time. */
class CostSizer {
  readonly #schema: GraphQLSchema
  readonly #fragments = new Map<string, FragmentDefinitionNode>()
  readonly #known = new Map<string, Selected>()
  readonly #defaults: Variables

  constructor(schema: GraphQLSchema, document: DocumentNode, defaults: Variables) {
    this.#schema = schema
    this.#defaults = defaults
    for (const node of document.definitions)
      if (node.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(node.name.value, node)
  }

  of({ selections }: SelectionSetNode, type: GraphQLNamedType): Selected {
    let { once, ofEach } = nothing
    for (const selection of selections) {
      const one = this.#ofSelection(selection, type)
      once = plus(once, one.once)
      ofEach = plus(ofEach, one.ofEach)
    }
    return { once, ofEach }
  }

  #ofSelection(selection: SelectionNode, type: GraphQLNamedType): Selected {
    if (selection.kind === Kind.FIELD) return this.#ofField(selection, type)
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#ofFragment(selection.name.value)
    const condition = selection.typeCondition?.name.value
    return this.of(selection.selectionSet, condition ? (this.#schema.getType(condition) ?? type) : type)
  }

  #ofFragment(name: string): Selected {
    const before = this.#known.get(name)
    if (before) return before
    const fragment = this.#fragments.get(name)
    const type = fragment && this.#schema.getType(fragment.typeCondition.name.value)
    const selected = fragment && type ? this.of(fragment.selectionSet, type) : nothing
    this.#known.set(name, selected)
    return selected
  }

  #ofField(field: FieldNode, parent: GraphQLNamedType): Selected {
    const size = sizeOfName(this.#schema, parent, field.name.value)
    // Introspection has a limit of its own.
    if (!size) return { once: { fixed: { objects: 0, values: 1 }, further: [] }, ofEach: zero }
    const inner = field.selectionSet
      ? this.of(field.selectionSet, typeOf(parent, field.name.value))
      : ({ once: leaf(size), ofEach: zero } satisfies Selected)
    if (size.isOfPage) {
      const own: Cost = { fixed: { objects: 0, values: 1 }, further: [] }
      return { once: own, ofEach: plus(inner.once, own) }
    }
    return { once: this.#costOf(size, field, inner), ofEach: zero }
  }

  /** The field itself, and what is selected below it as often as it has items. */
  #costOf(size: FieldSize, field: FieldNode, { once, ofEach }: Selected): Cost {
    const isConnection = size.page !== null && size.most === null
    const read = readArguments(size, field, this.#defaults)
    const term = (variables: Variables, [below, ofMember]: readonly [OperationCost, OperationCost]): OperationCost => {
      const { items, objects } = demandOf(size, (arg) => read.argumentOf(arg, variables))
      const own = { objects, values: 1 }
      if (isConnection) return sumOf(sumOf(own, below), timesOf(items, ofMember))
      return sumOf(own, timesOf(items, size.most === null || size.isLeaf ? below : sumOf(below, item)))
    }
    if (read.isFixed && once.further.length === 0 && ofEach.further.length === 0)
      return { fixed: term({}, [once.fixed, ofEach.fixed]), further: [] }
    const whole = (variables: Variables) => term(variables, [evaluate(once, variables), evaluate(ofEach, variables)])
    return { fixed: noCost, further: [whole] }
  }
}

/** An item of a list of objects, besides its fields. */
const item: OperationCost = { objects: 0, values: 1 }

/** What an item of a list of scalars counts; the field of a single one has counted already. */
const leaf = ({ most }: FieldSize): Cost =>
  most === null ? zero : { fixed: { objects: 0, values: SCALAR_ITEM }, further: [] }

function typeOf(parent: GraphQLNamedType, name: string): GraphQLNamedType {
  const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined
  return field ? getNamedType(field.type) : parent
}

/** The size arguments of a field as the document gives them. */
function readArguments({ sizeArgs }: FieldSize, field: FieldNode, defaults: Variables) {
  const given = new Map<string, ValueNode>()
  for (const { name, value } of field.arguments ?? []) if (sizeArgs.includes(name.value)) given.set(name.value, value)
  const hasVariable = [...given.values()].some((value) => value.kind === Kind.VARIABLE)
  const argumentOf = (arg: string, variables: Variables): unknown => {
    const value = given.get(arg)
    if (value?.kind === Kind.INT) return Number(value.value)
    if (value?.kind === Kind.LIST) return value.values
    if (value?.kind !== Kind.VARIABLE) return undefined
    const { value: name } = value.name
    return Object.hasOwn(variables, name) ? variables[name] : defaults[name]
  }
  return { isFixed: !hasVariable, argumentOf }
}

/** The default values of an operation's variables that set sizes: whole numbers, and lists. */
function numberDefaults({ variableDefinitions }: OperationDefinitionNode): Variables {
  const defaults: Record<string, unknown> = {}
  for (const { variable, defaultValue } of variableDefinitions ?? []) {
    if (defaultValue?.kind === Kind.INT) defaults[variable.name.value] = Number(defaultValue.value)
    if (defaultValue?.kind === Kind.LIST) defaults[variable.name.value] = defaultValue.values
  }
  return defaults
}
