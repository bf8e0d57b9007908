/**
 * Fields that show a member of their row. Executors read such a field at once where it has no resolver: without a call,
 * without its arguments and info, and without the promise that the Relay plugin makes of each `id`.
 */
import { type GraphQLObjectType, type GraphQLSchema, isObjectType } from 'graphql'

const names = new WeakMap<object, string>()

/** The resolver, known to do nothing but read the member with this name. */
export function member<Resolve extends object>(name: string, resolve: Resolve): Resolve {
  names.set(resolve, name)
  return resolve
}

/** The schema, with no resolver where a field shows the member with its own name. */
export function withMembers(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      const resolve = field.name === 'id' ? (idResolver(type) ?? field.resolve) : field.resolve
      if (resolve && names.get(resolve) === field.name) field.resolve = undefined
    }
  }
  return schema
}

/** Extensions of a node of Prisma whose id is its column `id`; the plugin wraps what the node itself says of it. */
export const idIsColumn = { idIsColumn: true } as const

/** What the type itself says of its id. The Relay plugin calls it, and encodes what it answers: here the same text. */
function idResolver({ extensions }: GraphQLObjectType): object | undefined {
  if (extensions.idIsColumn === true) return columnId
  const options = extensions.pothosOptions as { readonly id?: { readonly resolve?: object } } | undefined
  return options?.id?.resolve
}

const columnId = member('id', {})
