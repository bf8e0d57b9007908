/**
 * Limits the size of a GraphQL response, counted field by field during execution: one query may select the same long text a thousand times, and a check
 * after serialization would come when the memory is already full.
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
/** Memory of an error during execution, including its stack; in JSON it is a tenth of that. */
const ERROR_BYTES = 8192
const NUMBER_BYTES = 8

type Resolver = GraphQLFieldResolver<unknown, RequestContext>

/** Keyed by the context, which is unique to each execution. */
const sizes = new WeakMap<RequestContext, AnswerSize>()

/** The response size of one execution. */
export class AnswerSize {
  readonly #maxBytes: number
  /** Sizes of free-form JSON values, so that each is serialized only once. */
  readonly #known = new WeakMap<object, number>()
  #bytes = 0
  /** Set once the response is over its limit and shared by all later fields. It already has a path, so graphql-js does not wrap it again. */
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

  /** Counts a leaf value. */
  addLeaf(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.addLeaf(item)
    else if (typeof value === 'string') this.add(textBytes(value))
    else if (typeof value === 'object' && value !== null) this.add(this.#jsonBytes(value))
    else this.add(NUMBER_BYTES)
  }

  /** Counts the keys of an object or list of objects. */
  addObjects(value: unknown, bytesOfOne: number): void {
    this.add(Array.isArray(value) ? value.length * (bytesOfOne + 1) : value === null ? NUMBER_BYTES : bytesOfOne)
  }

  /** Counts introspection, which graphql-js resolves without passing a counting field. */
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

/** The same schema, with every field counting its value towards the response size. */
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
    // Over the limit, the remaining fields are not resolved: null if the type allows it, otherwise the error.
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
  return new HubError('too_large', `The response is over ${mib} MiB; request fewer fields or smaller pages.`)
}

const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

/** Bytes of a string in JSON, including quotes. */
function textBytes(text: string): number {
  return plain.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text))
}
