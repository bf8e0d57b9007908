/**
 * The graph as it is executed for clients: each field counts what it needs and what it yields against the limits of its
 * operation (`operation-meter.ts`).
 */
import { MapperKind, mapSchema } from '@graphql-tools/utils'
import {
  defaultFieldResolver,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isNonNullType,
} from 'graphql'
import type { RequestContext } from '../operation/context.ts'
import { turns } from '../platform/turns.ts'
import { type FieldSize, fieldSize } from './field-size.ts'
import { meterOf, type OperationMeter } from './operation-meter.ts'

type Resolver = GraphQLFieldResolver<unknown, RequestContext>

/** Instead of the value of a member that is a function or a promise: it is started, and `begun` does the rest. */
export const unread = Symbol('unread')

/** A counted field whose value is the member of its object with its name. */
export interface CountedRead {
  /** The counted value, without arguments and info. */
  read(meter: OperationMeter, source: unknown, name: string, keyBytes: number): unknown
  begun(meter: OperationMeter, call: Parameters<Resolver>): unknown
}

const reads = new WeakMap<Resolver, CountedRead>()

/** Of a field of `countedSchema`; null if its resolver does more than read a member. */
export const countedRead = (resolve: GraphQLFieldResolver<unknown, RequestContext> | undefined): CountedRead | null =>
  (resolve && reads.get(resolve)) ?? null

/** Made once, and shared by the hubs of a process. */
const made = new WeakMap<GraphQLSchema, GraphQLSchema>()

/** The same schema, with every field counted. */
export function countedSchema(schema: GraphQLSchema): GraphQLSchema {
  const before = made.get(schema)
  if (before) return before
  const counted = withCounts(schema)
  made.set(schema, counted)
  return counted
}

function withCounts(schema: GraphQLSchema): GraphQLSchema {
  const [mutation, subscription] = [schema.getMutationType()?.name, schema.getSubscriptionType()?.name]
  return mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (field, name, typeName) => {
      const type = schema.getType(typeName)
      const own = type && 'getFields' in type ? type.getFields()[name] : undefined
      if (!type || !own || !('args' in own)) return field
      const resolve: Resolver = field.resolve ?? defaultFieldResolver
      const size = fieldSize(own as never, type)
      const isNeeded = isNonNullType(field.type)
      if (typeName === mutation) return { ...field, resolve: countedVerb(resolve, size) }
      // What an event carries was read before it: its fields are counted.
      return { ...field, resolve: counted(resolve, typeName === subscription ? { ...size, work: 0 } : size, isNeeded) }
    },
  })
}

function counted(resolve: Resolver, size: FieldSize, isNeeded: boolean): Resolver {
  const take = (meter: OperationMeter, value: unknown, info: GraphQLResolveInfo): unknown => {
    if (meter.refusal) return stopped(meter, isNeeded)
    meter.take(size, value ?? null, info)
    return inTurn(meter, size, value ?? null)
  }
  const answer: Resolver = (source, args, ctx, info) => {
    const meter = meterOf(ctx)
    if (!meter) return resolve(source, args, ctx, info)
    // Over a limit, the remaining fields are not resolved: null if the type allows it, otherwise the error.
    if (meter.refusal) return stopped(meter, isNeeded)
    meter.begin(size, args)
    return settled(resolve, [source, args, ctx, info], meter, take)
  }
  const resolver = isNeeded ? observed(answer) : answer
  if (resolve === defaultFieldResolver && size.work === 0 && size.page === null)
    reads.set(resolver, countedMember(size, isNeeded, take))
  return resolver
}

/** As the resolver that `counted` makes of the default one. */
function countedMember(size: FieldSize, isNeeded: boolean, take: Take): CountedRead {
  const rejected = (error: unknown, meter: OperationMeter) => {
    if (isNeeded && meter.isWaiting) return Promise.reject(error)
    throw error
  }
  return {
    read(meter, source, name, keyBytes) {
      try {
        if (meter.refusal) return stopped(meter, isNeeded)
        meter.beginRead()
        const value = memberOf(source, name, meter)
        if (typeof value === 'function') return unread
        if (value instanceof Promise) {
          // `begun` reads the member again, and a getter gives another promise then: this one has no other reader.
          value.catch(() => undefined)
          return unread
        }
        meter.takeKeyed(size, value ?? null, keyBytes)
        return inTurn(meter, size, value ?? null)
      } catch (error) {
        return rejected(error, meter)
      }
    },
    begun(meter, call) {
      try {
        return settled(defaultFieldResolver, call, meter, take)
      } catch (error) {
        return rejected(error, meter)
      }
    },
  }
}

function memberOf(source: unknown, name: string, meter: OperationMeter): unknown {
  if (source === null || (typeof source !== 'object' && typeof source !== 'function')) return undefined
  try {
    return (source as Record<string, unknown>)[name]
  } catch (error) {
    meter.fail()
    throw error
  }
}

/** The field of a verb: once begun, it finishes, and is noted before anything of its result is counted. */
function countedVerb(resolve: Resolver, size: FieldSize): Resolver {
  const take = (meter: OperationMeter, value: unknown, info: GraphQLResolveInfo): unknown => {
    meter.finished.push({ key: String(info.path.key), field: info.fieldName, value })
    meter.take(size, value ?? null, info)
    return inTurn(meter, size, value ?? null)
  }
  return (source, args, ctx, info) => {
    const meter = meterOf(ctx)
    if (!meter) return resolve(source, args, ctx, info)
    if (meter.refusal) throw meter.refusal
    meter.beginVerb(size, args)
    return settled(resolve, [source, args, ctx, info], meter, take)
  }
}

function stopped(meter: OperationMeter, isNeeded: boolean): null {
  if (isNeeded && meter.refusal) throw meter.refusal
  return null
}

/**
 * An error that ends a list while items before it still wait leaves their promises without a handler in graphql-js 16:
 * the rejection of one of them would end the process. While anything waits, the error of a field that cannot be null is
 * a rejection itself, which the list waits for with all others.
 */
function observed(resolve: Resolver): Resolver {
  return (source, args, ctx, info) => {
    try {
      return resolve(source, args, ctx, info)
    } catch (error) {
      if (meterOf(ctx)?.isWaiting) return Promise.reject(error)
      throw error
    }
  }
}

/** Of a turn of the event loop, for what is below one object: what follows in the same turn is counted again. */
const TURN_SHARE = 1 / 16

/**
 * The value of a field, in a later turn when this one is full: a large answer is not completed at once, and others are
 * served in between.
 */
function inTurn(meter: OperationMeter, size: FieldSize, value: unknown): unknown {
  if (size.isLeaf || value === null || !meter.isTurnFull) return value
  const turn = turns.next(Array.isArray(value) ? 1 : TURN_SHARE)
  return meter.waitFor(turn, () => {
    if (meter.refusal) throw meter.refusal
    return value
  })
}

type Take = (meter: OperationMeter, value: unknown, info: GraphQLResolveInfo) => unknown

/** The counted value; an error counts too. */
function settled(resolve: Resolver, call: Parameters<Resolver>, meter: OperationMeter, take: Take): unknown {
  let value: unknown
  try {
    value = resolve(...call)
  } catch (error) {
    meter.fail()
    throw error
  }
  const info = call[3]
  if (!(value instanceof Promise)) return take(meter, value, info)
  return meter.waitFor(
    value,
    (settledValue) => take(meter, settledValue, info),
    (error: unknown) => {
      meter.fail()
      throw error
    },
  )
}
