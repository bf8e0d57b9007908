/** Parts of JSON that someone wrote: what has the wrong type counts as not said. */

type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** No member at all where the value is not an object. */
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {})

/** A finite number. A value that keeps its digits, such as an exact number, is a number by its text. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'object' && value !== null && 'text' in value ? Number(value.text) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** A finite number above zero. */
export function positiveOf(value: unknown): number | null {
  const number = numberOf(value)
  return number !== null && number > 0 ? number : null
}

export const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)

/** Null where the value is not a list of different texts: an order with a gap or a name twice is not an order. */
export function namesIn(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string' && one !== '')) return null
  return new Set(value).size === value.length ? (value as readonly string[]) : null
}

/** Numbers by name; null where there is none. */
export function numbersByName(value: unknown): Readonly<Record<string, number>> | null {
  const entries = Object.entries(objectOf(value)).flatMap(([name, member]) => {
    const number = numberOf(member)
    return number === null ? [] : [[name, number] as const]
  })
  return entries.length === 0 ? null : Object.fromEntries(entries)
}
