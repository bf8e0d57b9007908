/**
 * What one execution of an operation has used so far: objects, values, bytes of its answer, and processor time. It is
 * counted while the operation runs, field by field, and before the work of a field starts: whatever the count before
 * it said, a query ends soon after it is over a limit. Contract, "Limits of GraphQL operations".
 */
import { type GraphQLError, type GraphQLResolveInfo, locatedError } from 'graphql'
import type { RequestContext } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import { weightOf } from '../platform/json-text.ts'
import { enterSlice, sliceSoFar, type TimeUser } from '../platform/processor-time.ts'
import { keyBytes } from './answer-keys.ts'
import { demandOf, type FieldSize } from './field-size.ts'
import { type ExecutionLimits, executionLimits, type FinishedVerb, overCost } from './graphql-limits.ts'
import { SCALAR_ITEM } from './operation-cost.ts'

/** Memory of an error during execution, including its stack; in JSON it is a tenth of that. */
const ERROR_BYTES = 8192
const NUMBER_BYTES = 8
/** Values between two looks at the clock: a look costs about as much as a value. */
const VALUES_PER_LOOK = 128
/**
 * Values that are completed at once, in 10 to 20 ms. A page of ordinary size has fewer, so that its loaders still see
 * all of it in one batch.
 */
const VALUES_PER_TURN = 10_000

/**
 * A member of the context, which is unique to each execution. In a `WeakMap` of the process V8 keeps what it has set,
 * and with it the whole request, until the next full collection.
 */
const METER = Symbol('meter')

interface Metered {
  [METER]?: OperationMeter
}

/** The meter of the execution that has this context; undefined where nothing is counted. */
export const meterOf = (ctx: RequestContext): OperationMeter | undefined => (ctx as Metered)[METER]

/** The use of one execution, and its limits. */
export class OperationMeter implements TimeUser {
  readonly #limits: ExecutionLimits
  readonly #caller: TimeUser | null
  readonly #hasLeft: (() => boolean) | null
  /** Sizes of free-form JSON values, so that each is serialized only once. */
  readonly #known = new WeakMap<object, number>()
  #objects = 0
  #values = 0
  #bytes = 0
  #timeMs = 0
  #valuesBefore = 0
  #waiting = 0
  #nextLook = VALUES_PER_LOOK
  /**
   * Set once the operation is over a limit and shared by all later fields. It already has a path, so graphql-js does
   * not wrap it again.
   */
  refusal: GraphQLError | null = null
  /** Of a mutation, in the order in which they ran. */
  readonly finished: FinishedVerb[] = []
  /** How many of them were answered whole before the refusal. */
  #wholeCount = 0
  #isBetweenVerbs = true

  /** `caller` is told of the time too. `hasLeft`: nothing more is started once its client has. */
  constructor(
    ctx: RequestContext,
    limits: ExecutionLimits = executionLimits,
    caller: TimeUser | null = null,
    hasLeft: (() => boolean) | null = null,
  ) {
    this.#limits = limits
    this.#caller = caller
    this.#hasLeft = hasLeft
    ;(ctx as Metered)[METER] = this
  }

  /**
   * Not the operation: a verb that completes ten thousand uploads has begun, and its answer is not refused for the time
   * that it took.
   */
  get payer(): TimeUser | null {
    return this.#caller
  }

  get objects(): number {
    return Math.ceil(this.#objects)
  }

  /** Of names and values of the answer so far. */
  get bytes(): number {
    return this.#bytes
  }

  get values(): number {
    return Math.ceil(this.#values)
  }

  /** Processor time in ms. */
  get timeMs(): number {
    return this.#timeMs + sliceSoFar(this)
  }

  addTime(ms: number): void {
    this.#timeMs += ms
    this.#valuesBefore = this.#values
    this.#caller?.addTime(ms)
  }

  /** Also where another field has ended the operation: what it was read for is not answered. */
  assertTimeLeft(): void {
    if (this.refusal) throw this.refusal
    if (this.timeMs > this.#limits.timeMs) this.#refuse('timeMs')
  }

  /** Whether this slice has completed so many values that the rest should wait for another turn of the event loop. */
  get isTurnFull(): boolean {
    return this.#values - this.#valuesBefore > VALUES_PER_TURN
  }

  /** Whether promises of its fields are not settled yet. */
  get isWaiting(): boolean {
    return this.#waiting > 0
  }

  /** `then` of a promise of a field. */
  waitFor<T>(promise: Promise<T>, take: (value: T) => unknown, fail?: (error: unknown) => never): Promise<unknown> {
    this.#waiting += 1
    return promise.then(
      (value) => {
        this.#waiting -= 1
        return take(value)
      },
      (error: unknown) => {
        this.#waiting -= 1
        if (fail) return fail(error)
        throw error
      },
    )
  }

  /**
   * Begins the work of a field, whose time is the operation's. Throws if its objects would be over the limit: nothing
   * of it is started then.
   */
  begin(size: FieldSize, args: Readonly<Record<string, unknown>>): void {
    enterSlice(this)
    this.#addValues(1)
    if (size.work === 0 && size.page === null) return
    if (this.#hasLeft?.()) this.#end(clientLeft)
    this.#objects += demandOf(size, (name) => args[name]).objects
    if (this.#objects > this.#limits.objects) this.#refuse('objects')
  }

  /** The same for a field that is a member of its object. */
  beginRead(): void {
    enterSlice(this)
    this.#addValues(1)
  }

  /** The same for the field of a verb: all before it are answered. */
  beginVerb(size: FieldSize, args: Readonly<Record<string, unknown>>): void {
    this.#isBetweenVerbs = true
    this.begin(size, args)
    this.#isBetweenVerbs = false
  }

  /** The keys of a mutation's fields that were answered whole. */
  get wholeKeys(): ReadonlySet<string> {
    return new Set(this.finished.slice(0, this.#wholeCount).map(({ key }) => key))
  }

  /** Counts the value of a field, before anything below it is resolved. */
  take(size: FieldSize, value: unknown, info: GraphQLResolveInfo): void {
    const hasKeys = !size.isLeaf && typeof value === 'object' && value !== null
    this.takeKeyed(size, value, hasKeys ? keyBytes(info) : 0)
  }

  /** The same; `bytesOfKeys` are those of one object of the field. */
  takeKeyed(size: FieldSize, value: unknown, bytesOfKeys: number): void {
    enterSlice(this)
    if (Array.isArray(value)) this.#addValues(value.length * (size.isLeaf ? SCALAR_ITEM : 1))
    if (size.isLeaf) this.#addLeaf(value)
    else if (Array.isArray(value)) this.#addBytes(value.length * (bytesOfKeys + 1))
    else if (typeof value === 'object' && value !== null) this.#addBytes(bytesOfKeys + weightOf(value))
    else this.#addBytes(NUMBER_BYTES)
  }

  /** Counts the error of a field. */
  fail(): void {
    this.#addBytes(ERROR_BYTES)
  }

  /** Counts a part of the answer that did not pass the fields of the schema: introspection. */
  addTree(value: unknown): void {
    if (typeof value !== 'object' || value === null) this.#addLeaf(value)
    else if (Array.isArray(value)) for (const item of value) this.addTree(item)
    else
      for (const [key, member] of Object.entries(value)) {
        this.#addBytes(key.length)
        this.addTree(member)
      }
  }

  #addValues(count: number): void {
    this.#values += count
    if (this.#values > this.#limits.values) this.#refuse('values')
    if (this.#values < this.#nextLook) return
    this.#nextLook = this.#values + VALUES_PER_LOOK
    if (this.timeMs > this.#limits.timeMs) this.#refuse('timeMs')
  }

  #addBytes(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes > this.#limits.bytes) this.#refuse('bytes')
  }

  #addLeaf(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.#addLeaf(item)
    else if (typeof value === 'string') this.#addBytes(textBytes(value))
    else if (typeof value === 'object' && value !== null) this.#addBytes(this.#jsonBytes(value))
    else this.#addBytes(NUMBER_BYTES)
  }

  #jsonBytes(value: object): number {
    const known = this.#known.get(value)
    if (known !== undefined) return known
    const bytes = Buffer.byteLength(JSON.stringify(value) ?? '')
    this.#known.set(value, bytes)
    return bytes
  }

  #refuse(name: keyof ExecutionLimits): never {
    this.#end(() => overCost(name, this.#limits, this.finished))
  }

  #end(why: () => HubError): never {
    if (!this.refusal) {
      this.refusal = locatedError(why(), undefined, [])
      this.#wholeCount = this.finished.length - (this.#isBetweenVerbs ? 0 : 1)
    }
    throw this.refusal
  }
}

/** No one reads it. */
const clientLeft = () => new HubError('unavailable', 'The request was closed before its response.')

const plain = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

/** Bytes of a string in JSON, including quotes. */
function textBytes(text: string): number {
  return plain.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text))
}
