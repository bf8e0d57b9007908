/**
 * Faults of a Job template by the published types of `batch/v1`, which the client library carries: what it does not
 * know it would leave out of the request without a word.
 */

/** Of a class of the client library. */
interface Typed {
  getAttributeTypeMap(): readonly { readonly name: string; readonly type: string }[]
}

export type TypeNames = Readonly<Record<string, unknown>>

/** Quantities, which may be written as numbers. */
const QUANTITIES = /\.(limits|requests)\.[^.]+$|\.sizeLimit$/

/** The first member of `value` that is not of the type `type`, as a sentence; null if there is none. */
export function typeFault(types: TypeNames, type: string, value: unknown, path: string): string | null {
  const [, item] = /^Array<(.*)>$/.exec(type) ?? []
  if (item !== undefined) {
    if (!Array.isArray(value)) return `${path} must be a list`
    return first(value, (one, at) => typeFault(types, item, one, `${path}[${at}]`))
  }
  const [, member] = /^\{ \[key: string\]: (.*); \}$/.exec(type) ?? []
  if (member !== undefined) {
    if (!isObject(value)) return `${path} must be a map`
    return first(Object.entries(value), ([name, one]) => typeFault(types, member, one, `${path}.${name}`))
  }
  const known = types[type] as Partial<Typed> | undefined
  return known?.getAttributeTypeMap ? objectFault(types, known as Typed, value, path) : plainFault(type, value, path)
}

function objectFault(types: TypeNames, known: Typed, value: unknown, path: string): string | null {
  if (!isObject(value)) return `${path} must be an object`
  const members = new Map(known.getAttributeTypeMap().map(({ name, type }) => [name, type]))
  return first(Object.entries(value), ([name, one]) => {
    const type = members.get(name)
    const place = path === '' ? name : `${path}.${name}`
    return type === undefined
      ? `${place} is not a field of this version of Kubernetes`
      : typeFault(types, type, one, place)
  })
}

function plainFault(type: string, value: unknown, path: string): string | null {
  if (type === 'any') return null
  if (type === 'number' && !Number.isInteger(value)) return `${path} must be a whole number`
  if (type === 'boolean' && typeof value !== 'boolean') return `${path} must be true or false`
  const isNumberToo = type === 'IntOrString' || QUANTITIES.test(path)
  if ((type === 'string' || type === 'IntOrString') && typeof value !== 'string')
    return isNumberToo && typeof value === 'number' ? null : `${path} must be text (quote it)`
  if (type === 'Date') return `${path} is set by Kubernetes`
  return null
}

function first<T>(items: readonly T[], faultOf: (item: T, at: number) => string | null): string | null {
  for (const [at, item] of items.entries()) {
    const fault = faultOf(item, at)
    if (fault !== null) return fault
  }
  return null
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
