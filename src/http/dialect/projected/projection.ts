/**
 * A function from what a root field has read to its value in the answer: the members that are selected, under their
 * keys, as one object literal for each object. It is what a person would write by hand, and what an executor gives
 * where nothing is wrong and nothing waits; where something is, it throws, and the document is executed.
 */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  TypeNameMetaFieldDef,
} from 'graphql'
import { collectSubfields } from 'graphql/execution/collectFields.js'

export interface Selected {
  readonly schema: GraphQLSchema
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>
  /** The variables that `@skip` and `@include` ask for. */
  readonly conditions: Readonly<Record<string, unknown>>
  /** Whether a field has its values as JSON has them, so that nothing serializes them. */
  readonly isReady: (parent: GraphQLObjectType, field: GraphQLField<unknown, unknown>) => boolean
}

/** Throws for a value that has an error or waits. */
export type Projection = (value: unknown) => unknown

/**
 * Of a root field whose value is one object or null; null if something below it asks for more than its object, which
 * only an executor has.
 */
export function projectionOf(
  root: GraphQLField<unknown, unknown>,
  node: FieldNode,
  selected: Selected,
): Projection | null {
  const type = getNullableType(root.type)
  if (!isObjectType(type)) return null
  try {
    return new ProjectionSource(selected).compiled(type, node)
  } catch (error) {
    if (error instanceof NotProjected) return null
    throw error
  }
}

/** A field that only an executor can resolve. */
class NotProjected extends Error {}

/** An error, or a null that may be none: the executor says which. */
class Unusual extends Error {}

/** A field that waits, in a document that was taken for one whose values are at hand. */
export class Waits extends Error {}

/** The code: a function for each object and list that is selected, and the values that they refer to. */
class ProjectionSource {
  readonly #selected: Selected
  readonly #functions: string[] = []
  readonly #constants: unknown[] = []

  constructor(selected: Selected) {
    this.#selected = selected
  }

  compiled(type: GraphQLObjectType, node: FieldNode): Projection {
    const root = this.#objectFunction(type, [node])
    const names = this.#constants.map((_, at) => `c${at}`)
    const body = `'use strict'\n${this.#functions.join('\n')}\nreturn ${root}`
    const make = new Function(...Object.keys(helpers), ...names, body)
    return make(...Object.values(helpers), ...this.#constants) as Projection
  }

  /** The name of a function of an object that is there. */
  #objectFunction(type: GraphQLObjectType, nodes: readonly FieldNode[]): string {
    const { schema, fragments, conditions } = this.#selected
    const collected = collectSubfields(schema, { ...fragments }, { ...conditions }, type, [...nodes])
    const members = [...collected].map(([key, ofKey]) => {
      // It would set the prototype.
      if (key === '__proto__') throw new NotProjected()
      return `${JSON.stringify(key)}: ${this.#member(type, ofKey)}`
    })
    const isIt = type.isTypeOf ? `if (!${this.#constant(type.isTypeOf)}(v)) unusual()\n` : ''
    return this.#function(
      `(v) { if (v instanceof Error || atHand(v) !== v) unusual()\n${isIt} return { ${members.join(',\n')} } }`,
    )
  }

  /** The code of a member of `v`. */
  #member(type: GraphQLObjectType, nodes: readonly FieldNode[]): string {
    const name = nodes[0]?.name.value ?? ''
    if (name === TypeNameMetaFieldDef.name) return JSON.stringify(type.name)
    const field = type.getFields()[name]
    if (!field) throw new NotProjected()
    const value = this.#valueFunction(field.type, this.#selected.isReady(type, field), nodes)
    if (!field.resolve) return `${value}(v.${name})`
    if (field.args.length > 0 || field.resolve.length !== 1) throw new NotProjected()
    return `${value}(atHand(${this.#constant(field.resolve)}(v)))`
  }

  /** The name of a function of a value. */
  #valueFunction(type: GraphQLOutputType, isReady: boolean, nodes: readonly FieldNode[]): string {
    const isNeeded = isNonNullType(type)
    const there = getNullableType(type)
    if (isLeafType(there) && (isReady || isEnumType(there) || isSpecifiedScalarType(there)))
      return isNeeded ? 'neededLeaf' : 'leaf'
    const ifNull = isNeeded ? 'unusual()' : 'null'
    return this.#function(
      `(v) { return v === null || v === undefined ? ${ifNull} : ${this.#there(there, isReady, nodes)}(v) }`,
    )
  }

  #there(type: GraphQLOutputType, isReady: boolean, nodes: readonly FieldNode[]): string {
    if (isLeafType(type)) return this.#constant(serializer(type))
    if (isObjectType(type)) return this.#objectFunction(type, nodes)
    if (!isListType(type)) throw new NotProjected()
    const item = this.#valueFunction(type.ofType, isReady, nodes)
    return this.#function(`(list) { if (!Array.isArray(list)) unusual()
 const all = []
 for (let at = 0; at < list.length; at += 1) all.push(${item}(list[at]))
 return all }`)
  }

  #function(code: string): string {
    const name = `f${this.#functions.length}`
    this.#functions.push(`function ${name}${code}`)
    return name
  }

  #constant(value: unknown): string {
    return `c${this.#constants.push(value) - 1}`
  }
}

function unusual(): never {
  throw new Unusual()
}

function leaf(value: unknown): unknown {
  if (typeof value !== 'object') return value === undefined ? null : callable(value)
  return value instanceof Error ? unusual() : atHand(value)
}

function neededLeaf(value: unknown): unknown {
  return value === null || value === undefined || value instanceof Error ? unusual() : callable(atHand(value))
}

/** A method of a row would be called by an executor. */
const callable = (value: unknown) => (typeof value === 'function' ? unusual() : value)

/** What a resolver returned, which may be a promise. */
function atHand(value: unknown): unknown {
  if (typeof value !== 'object' || typeof (value as Partial<Promise<unknown>> | null)?.then !== 'function') return value
  // The executor makes it again: this one has no other reader.
  Promise.resolve(value).catch(() => undefined)
  throw new Waits()
}

const helpers = { unusual, leaf, neededLeaf, atHand }

function serializer(type: GraphQLLeafType): (value: unknown) => unknown {
  return (value) => {
    if (value instanceof Error) return unusual()
    return type.serialize(value) ?? unusual()
  }
}
