/**
 * Documents of clients as they are stored: text, which is parsed where someone reads the document. A page of jobs may
 * hold megabytes of documents of which its caller selects none.
 */
import { parseExact } from '@hub/formats/exact-json'

/** Parsing and counting a document takes about as long as writing four times its bytes. */
const PARSED = 4
/** Smaller ones are not a weight: their fields count. */
const LIGHT_CHARACTERS = 4096

const weights = new WeakMap<object, number>()

/** What reading a document has cost, in bytes of an answer; 0 for a value that is none, or a small one. */
export const weightOf = (value: object): number => weights.get(value) ?? 0

/** Notes what reading the document behind an object costs. */
export function weigh<T extends object>(value: T, characters: number): T {
  if (characters > LIGHT_CHARACTERS) weights.set(value, PARSED * characters)
  return value
}

/** A document of the type that its writer guarantees. */
export class JsonText<T> {
  readonly text: string
  #value: T | undefined

  constructor(text: string) {
    this.text = text
  }

  get value(): T {
    if (this.#value !== undefined) return this.#value
    const value = parseExact(this.text)
    if (typeof value === 'object' && value !== null) weigh(value, this.text.length)
    this.#value = value as T
    return this.#value
  }
}

/**
 * Sets a member to the value of a document, or to null. A small one is parsed at once, which is cheaper than the
 * accessor that a larger one gets. An own property either way, so that a recorded answer has it.
 */
export function setDocument<K extends string, T>(
  target: { [Name in K]: T | null },
  name: K,
  document: JsonText<T> | null,
): void {
  if (!document || document.text.length <= LIGHT_CHARACTERS) target[name] = document?.value ?? null
  else readerOf(name)(target, document)
}

type Reader = (target: object, document: JsonText<unknown>) => void

/** One for each name: an accessor of its own for each object would keep its document until the next full collection. */
const readers = new Map<string, Reader>()

function readerOf(name: string): Reader {
  const known = readers.get(name)
  if (known) return known
  const kept = Symbol(name)
  const get = function (this: { readonly [kept]: JsonText<unknown> }) {
    return this[kept].value
  }
  const made: Reader = (target, document) => {
    Object.defineProperty(target, kept, { value: document })
    Object.defineProperty(target, name, { enumerable: true, get })
  }
  readers.set(name, made)
  return made
}
