/**
 * How large a field of the graph can be: what it declares (`schema/declared-size.ts`), and what its type and arguments
 * say.
 */
import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql'
import type { DeclaredSize } from '../platform/declared-size.ts'

export interface FieldSize {
  /** Items of a connection, or of a list with page arguments, when none is given; null for other fields. */
  readonly page: number | null
  /** Items of a list; null for a single value. */
  readonly most: number | null
  readonly work: number
  /** Whether it holds the members of a connection's page: `nodes` and `edges`. */
  readonly isOfPage: boolean
  /** Arguments that set the number of items, as a number or as a list. */
  readonly sizeArgs: readonly string[]
  readonly isLeaf: boolean
}

const DEFAULT_PAGE = 20
/** Of lists that declare nothing, which only other schemas than the hub's have. */
const DEFAULT_MOST = 100

const known = new WeakMap<GraphQLField<unknown, unknown>, FieldSize>()

/** The size of a field of an object type. */
export function fieldSize(field: GraphQLField<unknown, never>, parent: GraphQLNamedType): FieldSize {
  const key = field as unknown as GraphQLField<unknown, unknown>
  const before = known.get(key)
  if (before) return before
  const size = sizeOf(field, parent)
  known.set(key, size)
  return size
}

function sizeOf(field: GraphQLField<unknown, never>, parent: GraphQLNamedType): FieldSize {
  const declared = (field.extensions.size ?? {}) as DeclaredSize
  const type = getNullableType(field.type)
  const named = getNamedType(type)
  const isLeaf = isLeafType(named)
  const isOfPage = (field.name === 'nodes' || field.name === 'edges') && isConnection(parent)
  const sizeArgs = declared.sizedBy ?? field.args.filter((arg) => isSize(arg.type)).map(({ name }) => name)
  const isPaged = isConnection(named) || (isListType(type) && sizeArgs.length > 0 && declared.most === undefined)
  const most = isListType(type) && !isOfPage ? (declared.most ?? DEFAULT_MOST) : null
  const isPlain = !field.resolve || field.resolve === (defaultFieldResolver as unknown)
  const isFree = isLeaf || isPlain || isPaged || isEnvelope(field.name, parent)
  return {
    page: isPaged ? (declared.page ?? DEFAULT_PAGE) : null,
    most: isPaged ? null : most,
    work: declared.work ?? (isFree ? 0 : 1),
    isOfPage,
    sizeArgs: isPaged || declared.most !== undefined ? sizeArgs : [],
    isLeaf,
  }
}

/** A page size (`first`, `tail`), or the ids of the objects to return. */
function isSize(type: unknown): boolean {
  const text = String(type)
  return /^Int!?$/.test(text) || /^\[ID!\]!?$/.test(text)
}

/** Parts of a connection are not objects themselves. */
const isEnvelope = (name: string, parent: GraphQLNamedType): boolean =>
  isConnection(parent) ? ['nodes', 'edges', 'pageInfo'].includes(name) : name === 'node' && parent.name.endsWith('Edge')

export const isConnection = (type: GraphQLNamedType): boolean =>
  isObjectType(type) && type.name.endsWith('Connection') && type.getFields().pageInfo !== undefined

/**
 * The size of a field by its name; of an interface's field, the largest of all types that have it. Null for names that
 * start with `__`.
 */
export function sizeOfName(schema: GraphQLSchema, parent: GraphQLNamedType, name: string): FieldSize | null {
  if (name.startsWith('__') || !(isObjectType(parent) || isInterfaceType(parent))) return null
  const field = parent.getFields()[name]
  if (!field) return null
  if (!isAbstractType(parent)) return fieldSize(field as never, parent)
  const sizes = schema.getPossibleTypes(parent).flatMap((type) => {
    const own = type.getFields()[name]
    return own ? [fieldSize(own as never, type)] : []
  })
  return sizes.reduce(larger, fieldSize(field as never, parent))
}

const larger = (a: FieldSize, b: FieldSize): FieldSize => ({
  ...a,
  page: largerOf(a.page, b.page),
  most: largerOf(a.most, b.most),
  work: Math.max(a.work, b.work),
})

const largerOf = (a: number | null, b: number | null) => (a === null ? b : b === null ? a : Math.max(a, b))

/**
 * The largest `Int`: more is refused when variables are read. Without a bound a product of pages is infinite, and
 * infinitely many of nothing is not a number.
 */
const MOST_ITEMS = 2 ** 31 - 1

/** The number of items that arguments ask for: the largest of all size arguments; null where none says it. */
export function askedItems({ sizeArgs }: FieldSize, argumentOf: (arg: string) => unknown): number | null {
  let asked: number | null = null
  for (const arg of sizeArgs) {
    const value = argumentOf(arg)
    const items = typeof value === 'number' ? value : Array.isArray(value) ? value.length : null
    if (items !== null) asked = Math.min(MOST_ITEMS, Math.max(asked ?? 1, items))
  }
  return asked
}

/** Of one call of the field: the items that it may yield, and what producing them costs, in objects. */
export function demandOf(size: FieldSize, argumentOf: (arg: string) => unknown): { items: number; objects: number } {
  const asked = size.sizeArgs.length === 0 ? null : askedItems(size, argumentOf)
  if (size.page !== null) {
    const items = asked ?? size.page
    return { items, objects: items + size.work }
  }
  if (size.most === null) return { items: 1, objects: size.work }
  return { items: asked ?? size.most, objects: asked ?? size.work }
}
