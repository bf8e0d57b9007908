/**
 * How large an answer of the graph gets, counted field by field while it is made: one query may ask for the same long text a thousand times over, and what is
 * refused when it has been written has already filled the memory.
 */
import { MapperKind, mapSchema } from '@graphql-tools/utils'
import {
  defaultFieldResolver,
  type GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isNonNullType,
  locatedError,
} from 'graphql'
import type { RequestContext } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { keyBytes } from './answer-keys.ts'

const MAX_ANSWER_BYTES = 32 * 1024 * 1024
/** What an error takes while the answer is made, its stack included; in JSON it is a tenth of that. */
const ERROR_BYTES = 8192
const NUMBER_BYTES = 8

type Resolver = GraphQLFieldResolver<unknown, RequestContext>

/** By the context of its execution: each has one of its own. */
const sizes = new WeakMap<RequestContext, AnswerSize>()

/** Of one execution. */
export class AnswerSize {
  readonly #maxBytes: number
  /** Of free-form JSON: the same value again is not written out to be measured again. */
  readonly #known = new WeakMap<object, number>()
  #bytes = 0
  /** Set when the answer is over its limit. One for all fields that are refused from then on: it has a path, so that no field makes another of it. */
  refusal: GraphQLError | null = null

  constructor(ctx: RequestContext, maxBytes = MAX_ANSWER_BYTES) {
    this.#maxBytes = maxBytes
    sizes.set(ctx, this)
  }

  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= this.#maxBytes) return
    this.refusal ??= locatedError(tooLarge(this.#maxBytes), undefined, [])
    throw this.refusal
  }

  /** Counts a value that is in the answer as it is. */
  addLeaf(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.addLeaf(item)
    else if (typeof value === 'string') this.add(textBytes(value))
    else if (typeof value === 'object' && value !== null) this.add(this.#jsonBytes(value))
    else this.add(NUMBER_BYTES)
  }

  /** Counts the objects of a value, each with the names of what is selected of it. */
  addObjects(value: unknown, bytesOfOne: number): void {
    this.add(Array.isArray(value) ? value.length * (bytesOfOne + 1) : value === null ? NUMBER_BYTES : bytesOfOne)
  }

  /** What the schema says of itself is made by graphql-js and passes no field that counts. */
  addSchema(data: Readonly<Record<string, unknown>> | null | undefined, names: readonly string[]): void {
    for (const name of names) this.#addTree(data?.[name])
  }

  #addTree(value: unknown): void {
    if (typeof value !== 'object' || value === null) this.addLeaf(value)
    else if (Array.isArray(value)) for (const item of value) this.#addTree(item)
    else
      for (const [key, member] of Object.entries(value)) {
        this.add(key.length)
        this.#addTree(member)
      }
  }

  #jsonBytes(value: object): number {
    const known = this.#known.get(value)
    if (known !== undefined) return known
    const bytes = Buffer.byteLength(JSON.stringify(value) ?? '')
    this.#known.set(value, bytes)
    return bytes
  }
}

/** The same schema with fields that count what they give towards the size of their execution's answer. */
export function countedSchema(schema: GraphQLSchema): GraphQLSchema {
  return mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (field) => {
      const count = isLeafType(getNamedType(field.type)) ? countLeaf : countObjects
      return { ...field, resolve: counted(field.resolve ?? defaultFieldResolver, count, isNonNullType(field.type)) }
    },
  })
}

type Count = (size: AnswerSize, value: unknown, info: GraphQLResolveInfo) => void

const countLeaf: Count = (size, value) => size.addLeaf(value)
const countObjects: Count = (size, value, info) => size.addObjects(value, keyBytes(info))

function counted(resolve: Resolver, count: Count, isNeeded: boolean): Resolver {
  return (source, args, ctx, info) => {
    const size = sizes.get(ctx)
    if (!size) return resolve(source, args, ctx, info)
    // What is left of an answer that is refused is not made; null costs nothing, where it may stand.
    if (size.refusal && isNeeded) throw size.refusal
    if (size.refusal) return null
    const take = (value: unknown) => {
      count(size, value ?? null, info)
      return value
    }
    const fail = (error: unknown) => {
      size.add(ERROR_BYTES)
      throw error
    }
    let value: unknown
    try {
      value = resolve(source, args, ctx, info)
    } catch (error) {
      return fail(error)
    }
    return value instanceof Promise ? value.then(take, fail) : take(value)
  }
}

function tooLarge(maxBytes: number): HubError {
  const mib = maxBytes / 1024 / 1024
  return new HubError('too_large', `The answer is over ${mib} MiB; ask for fewer fields or smaller pages at a time.`)
}

const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

/** Bytes of a text in JSON, its quotes included. */
function textBytes(text: string): number {
  return plain.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text))
}
