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
  return isNeeded ? observed(answer) : answer
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
