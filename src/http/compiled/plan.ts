/**
 * What graphql-js computes again for each object of an answer, computed once for a document: the fields of each type
 * under each field, their resolvers, and how their values are completed. Made as it is first needed.
 */
import {
  defaultFieldResolver,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql'
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js'
import type { RequestContext } from '../../operation/context.ts'
import { keyBytes } from '../answer-keys.ts'
import { type CountedRead, countedRead } from '../counted-schema.ts'

/** How a value is completed: the type without its wrappers, and whether null is an error. */
export type ValuePlan = { readonly isNeeded: boolean } & (
  | { readonly kind: 'leaf'; readonly type: GraphQLLeafType }
  | { readonly kind: 'list'; readonly item: ValuePlan }
  | { readonly kind: 'object'; readonly type: GraphQLObjectType }
  | { readonly kind: 'abstract'; readonly type: GraphQLAbstractType }
)

export interface FieldPlan {
  /** Its key in the answer. */
  readonly key: string
  readonly name: string
  readonly parentType: GraphQLObjectType
  readonly field: GraphQLField<unknown, unknown>
  readonly nodes: readonly FieldNode[]
  readonly resolve: GraphQLFieldResolver<unknown, RequestContext>
  readonly value: ValuePlan
  /** The value of `__typename`, which nothing resolves. */
  readonly typename: string | null
  /** Set where the value is a member of the source: it is read and counted without arguments, info and resolver. */
  readonly read: CountedRead | null
  /** Whether such a value is a leaf, which needs a place in the answer only for its error. */
  readonly isReadLeaf: boolean
  /** Key bytes of one object of it, for the count. */
  readonly keyBytes: number
  /** Whether something asks for the info of a field that is read: which type its value has. */
  readonly needsInfo: boolean
  /** The fields below it, by the type of the object. */
  readonly below: Map<GraphQLObjectType, ObjectPlan>
}

export interface ObjectPlan {
  readonly type: GraphQLObjectType
  readonly fields: readonly FieldPlan[]
  /** An object with a prototype has no own member of the name `__proto__`. */
  readonly isBare: boolean
}

export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>

/** The plan of one operation, for one combination of the variables that `@skip` and `@include` ask for. */
export class OperationPlan {
  readonly schema: GraphQLSchema
  readonly operation: OperationDefinitionNode
  readonly fragments: Fragments
  readonly root: ObjectPlan
  readonly #conditions: Record<string, unknown>
  readonly #count: () => void

  /** `conditions` are those variables; `count` is called for each field. */
  constructor(
    schema: GraphQLSchema,
    operation: OperationDefinitionNode,
    fragments: Fragments,
    conditions: Readonly<Record<string, unknown>>,
    count: () => void,
  ) {
    this.schema = schema
    this.operation = operation
    this.fragments = fragments
    this.#conditions = { ...conditions }
    this.#count = count
    const type = schema.getRootType(operation.operation)
    if (!type) throw new Error(`The schema has no root type for a ${operation.operation}.`)
    const nodes = collectFields(schema, { ...fragments }, this.#conditions, type, operation.selectionSet)
    this.root = this.#objectPlan(type, nodes)
  }

  /** The fields of an object of this type that a field has as its value. */
  below(field: FieldPlan, type: GraphQLObjectType): ObjectPlan {
    const before = field.below.get(type)
    if (before) return before
    const nodes = collectSubfields(this.schema, { ...this.fragments }, this.#conditions, type, [...field.nodes])
    const plan = this.#objectPlan(type, nodes)
    field.below.set(type, plan)
    return plan
  }

  #objectPlan(type: GraphQLObjectType, nodes: ReadonlyMap<string, readonly FieldNode[]>): ObjectPlan {
    const fields = [...nodes].map(([key, ofKey]) => this.#fieldPlan(type, key, ofKey))
    return { type, fields, isBare: nodes.has('__proto__') }
  }

  #fieldPlan(parentType: GraphQLObjectType, key: string, nodes: readonly FieldNode[]): FieldPlan {
    this.#count()
    const name = nodes[0]?.name.value ?? key
    const field = this.#definition(parentType, name)
    const read = countedRead(field.resolve)
    const value = valuePlan(field.type)
    return {
      key,
      name,
      parentType,
      field,
      nodes,
      resolve: field.resolve ?? defaultFieldResolver,
      value,
      typename: name === TypeNameMetaFieldDef.name ? parentType.name : null,
      read,
      isReadLeaf: read !== null && value.kind === 'leaf',
      keyBytes: read && value.kind !== 'leaf' ? keyBytes({ fieldNodes: nodes, fragments: this.fragments }) : 0,
      needsInfo: asksForType(value),
      below: new Map(),
    }
  }

  /** Of a valid document. */
  #definition(parentType: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> {
    if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef
    if (parentType === this.schema.getQueryType()) {
      if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef
      if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef
    }
    const field = parentType.getFields()[name]
    if (!field) throw new Error(`${parentType.name} has no field ${name}.`)
    return field
  }
}

function valuePlan(type: GraphQLOutputType, isNeeded = false): ValuePlan {
  if (isNonNullType(type)) return valuePlan(type.ofType, true)
  if (isListType(type)) return { isNeeded, kind: 'list', item: valuePlan(type.ofType) }
  if (isLeafType(type)) return { isNeeded, kind: 'leaf', type }
  if (isAbstractType(type)) return { isNeeded, kind: 'abstract', type }
  if (isObjectType(type)) return { isNeeded, kind: 'object', type }
  throw new Error(`No value has the type ${String(type)}.`)
}

function asksForType(value: ValuePlan): boolean {
  if (value.kind === 'list') return asksForType(value.item)
  return value.kind === 'abstract' || (value.kind === 'object' && value.type.isTypeOf != null)
}
