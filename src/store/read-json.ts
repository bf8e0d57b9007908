/**
 * Readers of JSON that statements make or verbs wrote. Each checks a value and returns it as it is, and throws for
 * anything else.
 */
import { ExactNumber } from '@hub/formats/exact-json'

export type Reader<T> = (json: unknown) => T

function fault(json: unknown, expected: string): Error {
  const found = Array.isArray(json) ? 'a list' : json === null ? 'null' : typeof json
  return new TypeError(`The database has JSON of another form: ${found} in place of ${expected}.`)
}

/** A text. */
export function text(json: unknown): string {
  if (typeof json !== 'string') throw fault(json, 'a text')
  return json
}

/** A number, also one that is kept as it was written: it compares and calculates like any other. */
export function number(json: unknown): number {
  if (typeof json !== 'number' && !(json instanceof ExactNumber)) throw fault(json, 'a number')
  return json as number
}

/** One of these texts. */
export const oneOf =
  <const T extends string>(...words: readonly T[]): Reader<T> =>
  (json) => {
    if (!words.includes(json as T)) throw fault(json, words.join(' or '))
    return json as T
  }

/** Null, or what `read` reads. */
export const orNull =
  <T>(read: Reader<T>): Reader<T | null> =>
  (json) =>
    json === null ? null : read(json)

/** Absent, null, or what `read` reads. */
export const maybe =
  <T>(read: Reader<T>): Reader<T | null | undefined> =>
  (json) =>
    json == null ? (json as null | undefined) : read(json)

/** Absent, or what `read` reads. */
export const optional =
  <T>(read: Reader<T>): Reader<T | undefined> =>
  (json) =>
    json === undefined ? undefined : read(json)

/** A list of what `read` reads. */
export const listOf =
  <T>(read: Reader<T>): Reader<readonly T[]> =>
  (json) => {
    if (!Array.isArray(json)) throw fault(json, 'a list')
    for (const member of json) read(member)
    return json as readonly T[]
  }

/** An object of any members. */
export function object(json: unknown): Readonly<Record<string, unknown>> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw fault(json, 'an object')
  return json as Readonly<Record<string, unknown>>
}

/** An object with these members, and maybe others. */
export function objectOf<T extends object>(
  members: {
    readonly [Name in keyof T]-?: Reader<T[Name] | (undefined extends T[Name] ? undefined : never)>
  },
): Reader<T> {
  const readers = Object.entries<Reader<unknown>>(members)
  return (json) => {
    const found = object(json)
    for (const [name, read] of readers) read(found[name])
    return json as T
  }
}

/** Two numbers. */
export function pair(json: unknown): readonly [number, number] {
  if (!Array.isArray(json) || json.length !== 2) throw fault(json, 'two numbers')
  number(json[0])
  number(json[1])
  return json as unknown as readonly [number, number]
}

/** A list of texts. */
export const texts = listOf(text)

/** A list of numbers. */
export const numbers = listOf(number)
