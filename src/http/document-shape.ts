/** The shape of a GraphQL operation, from its document alone: nesting and numbers of fields. */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'

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

export const operationsOf = (document: DocumentNode): OperationDefinitionNode[] =>
  document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)

const nothing: Shape = { depth: 0, rootFields: 0, fields: 0, aliases: 0, introspected: 0 }

/** Measures selections; each fragment once, since nested spreads would otherwise take exponential time. */
export class DocumentSizer {
  readonly #fragments = new Map<string, FragmentDefinitionNode>()
  readonly #shapes = new Map<string, Shape>()

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
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#ofFragment(selection.name.value)
    const isMeta = selection.name.value.startsWith('__')
    const inner = selection.selectionSet ? this.shapeOf(selection.selectionSet) : nothing
    const own = { rootFields: 1, aliases: inner.aliases + (selection.alias ? 1 : 0) }
    if (isMeta) return { ...own, depth: 0, fields: 1, introspected: selection.selectionSet ? inner.fields + 1 : 0 }
    return { ...own, depth: inner.depth + 1, fields: inner.fields + 1, introspected: inner.introspected }
  }

  #ofFragment(name: string): Shape {
    const before = this.#shapes.get(name)
    if (before !== undefined) return before
    const fragment = this.#fragments.get(name)
    // Set before the walk to stop at cycles, which validation rejects anyway.
    this.#shapes.set(name, nothing)
    const shape = fragment ? this.shapeOf(fragment.selectionSet) : nothing
    this.#shapes.set(name, shape)
    return shape
  }
}
