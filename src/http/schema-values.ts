/**
 * The values of an answer about the schema. graphql-js resolves introspection at once and without a resolver that could
 * count it, so it is counted here before it is executed, by the same resolvers: a document of 4 KB may else select the
 * whole schema a hundred times.
 */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql'
import { operationsOf } from './document-shape.ts'

class EnoughCounted extends Error {}

/** The values of the operation that has the most, at most `maximum` + 1. Of a valid document. */
export function schemaValues(schema: GraphQLSchema, document: DocumentNode, maximum: number): number {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
  const counts = operationsOf(document).map(({ selectionSet }) => {
    const counter = new Counter(schema, fragments, maximum)
    try {
      counter.addRoot(selectionSet)
      return counter.count
    } catch (error) {
      if (error instanceof EnoughCounted) return maximum + 1
      throw error
    }
  })
  return Math.max(0, ...counts)
}

/** Introspection takes no context, and of the info only the schema. */
type Resolve = (source: unknown, args: object, context: null, info: { readonly schema: GraphQLSchema }) => unknown

class Counter {
  count = 0
  readonly #schema: GraphQLSchema
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly #maximum: number

  constructor(schema: GraphQLSchema, fragments: ReadonlyMap<string, FragmentDefinitionNode>, maximum: number) {
    this.#schema = schema
    this.#fragments = fragments
    this.#maximum = maximum
  }

  addRoot(set: SelectionSetNode): void {
    for (const selection of set.selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) this.addRoot(selection.selectionSet)
      else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = this.#fragments.get(selection.name.value)
        if (fragment) this.addRoot(fragment.selectionSet)
      } else if (selection.selectionSet && selection.name.value === '__schema')
        this.#addObject(SchemaMetaFieldDef.type, this.#schema, selection.selectionSet)
      else if (selection.selectionSet && selection.name.value === '__type')
        // Whatever type is named, a variable may name the largest.
        this.#addObject(TypeMetaFieldDef.type, largestType(this.#schema), selection.selectionSet)
    }
  }

  #addObject(type: GraphQLOutputType, source: unknown, set: SelectionSetNode): void {
    const meta = getNamedType(type)
    if (isObjectType(meta)) this.#addSelections(meta, source, set)
  }

  #addSelections(meta: GraphQLObjectType, source: unknown, { selections }: SelectionSetNode): void {
    for (const selection of selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) this.#addSelections(meta, source, selection.selectionSet)
      else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = this.#fragments.get(selection.name.value)
        if (fragment) this.#addSelections(meta, source, fragment.selectionSet)
      } else {
        this.#add()
        const field = meta.getFields()[selection.name.value]
        if (!field || !selection.selectionSet) continue
        const resolve = field.resolve as unknown as Resolve & GraphQLFieldResolver<unknown, unknown>
        const value = resolve(source, { includeDeprecated: true }, null, { schema: this.#schema })
        const items = Array.isArray(value) ? value : value == null ? [] : [value]
        for (const item of items) {
          this.#add()
          this.#addObject(field.type, item, selection.selectionSet)
        }
      }
    }
  }

  #add(): void {
    this.count += 1
    if (this.count > this.#maximum) throw new EnoughCounted()
  }
}

function largestType(schema: GraphQLSchema): unknown {
  const sizeOf = (type: object) => ('getFields' in type ? Object.keys((type.getFields as () => object)()).length : 0)
  return Object.values(schema.getTypeMap()).reduce((largest, type) => (sizeOf(type) > sizeOf(largest) ? type : largest))
}
