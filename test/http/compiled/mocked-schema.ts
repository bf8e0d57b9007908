/**
 * A schema whose resolvers answer from numbers: values, nulls, errors of every kind, and promises that take their time,
 * the same for the same number. Objects have every member, and each object below has a number of its own.
 */

import { MapperKind, mapSchema } from '@graphql-tools/utils'
import { parseExact } from '@hub/formats/exact-json'
import {
  defaultFieldResolver,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { HubError } from '../../../src/platform/errors.ts'
import { Dice } from '../../generated-requests/dice.ts'

/** How often a field has something else than a value of its type, in 1,000. */
interface Faults {
  readonly share: number
  /** Members and items are not promises. */
  readonly isAtHand?: boolean
}

const membersOf = new WeakMap<object, number>()
const numberOf = (source: unknown) => (typeof source === 'object' && source ? (membersOf.get(source) ?? 0) : 0)

/** The numbers of a name below an object. */
function diceOf(seed: number, name: string): Dice {
  let hash = seed
  for (const letter of name) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0
  return new Dice(hash, name.length)
}

/** The schema, with fields that are members of their object still read by graphql-js's own resolver. */
export function mockedSchema(schema: GraphQLSchema, faults: Faults): GraphQLSchema {
  const made = mapSchema(schema, {
    [MapperKind.OBJECT_FIELD]: (field, name) => {
      const own = field.resolve
      if (!own || own === defaultFieldResolver) return { ...field, resolve: defaultFieldResolver }
      return {
        ...field,
        resolve: (source, args) => {
          const dice = diceOf(numberOf(source), `${name} ${JSON.stringify(args)}`)
          return later(dice, () => faultOr(dice, faults, () => madeValue(made, field.type as never, dice, faults)))
        },
      }
    },
  })
  return made
}

/** A source: each member is a value of the field with its name. */
export function objectOf(schema: GraphQLSchema, type: GraphQLNamedType, seed: number, faults: Faults): object {
  const possible = isObjectType(type) ? [type] : schema.getPossibleTypes(type as never)
  const own = possible[Math.abs(seed) % possible.length]
  const source = new Proxy(
    {},
    {
      has: (_target, name) => typeof name === 'string' && seed % 7 !== 0,
      get: (_target, name) => {
        if (name === '__typename') return own?.name
        const field = typeof name === 'string' ? own?.getFields()[name] : undefined
        if (!field || typeof name !== 'string') return undefined
        const dice = diceOf(seed, name)
        if (dice.chance(0.02)) return () => madeValue(schema, field.type, dice, faults)
        const value = faultOr(dice, faults, () => madeValue(schema, field.type, dice, faults))
        return dice.chance(0.05) && !faults.isAtHand ? later(dice, () => value) : value
      },
    },
  )
  membersOf.set(source, seed)
  return source
}

/** The source of an operation or an event. */
export const rootOf = (schema: GraphQLSchema, kind: 'query' | 'subscription', seed: number, faults: Faults): object => {
  const type = schema.getRootType(kind as never)
  if (!type) throw new Error(`The schema has no type for a ${kind}.`)
  return objectOf(schema, type, seed, faults)
}

function later<T>(dice: Dice, work: () => T): T | Promise<T> {
  if (dice.chance(0.5)) return work()
  const ticks = dice.below(4)
  const fails = dice.chance(0.02)
  return (async () => {
    for (let at = 0; at < ticks; at += 1) await null
    if (dice.chance(0.2)) await new Promise((resolve) => setImmediate(resolve))
    if (fails) throw new HubError('not_found', 'later')
    return work()
  })()
}

function faultOr(dice: Dice, { share }: Faults, work: () => unknown): unknown {
  if (!dice.chance(share / 1000)) return work()
  return dice.weighted<() => unknown>([
    [3, () => null],
    [1, () => undefined],
    [
      2,
      () => {
        throw new HubError('not_found', 'No such thing.')
      },
    ],
    [1, () => new Error('as a value')],
    [1, () => ({ odd: true })],
    [1, () => 'text'],
    [
      0.5,
      () => {
        throw 'no error'
      },
    ],
  ])()
}

function madeValue(schema: GraphQLSchema, type: GraphQLOutputType, dice: Dice, faults: Faults): unknown {
  if (isNonNullType(type)) return madeValue(schema, type.ofType, dice, faults)
  if (isListType(type)) {
    const one = () => faultOr(dice, faults, () => madeValue(schema, type.ofType, dice, faults))
    const items = Array.from({ length: dice.below(4) }, () =>
      dice.chance(0.1) && !faults.isAtHand ? later(dice, one) : safely(one),
    )
    return dice.chance(0.1) ? new Set(items) : items
  }
  const named = getNamedType(type)
  if (!isLeafType(named)) return objectOf(schema, named, dice.below(2 ** 30), faults)
  if (dice.chance(0.15)) return null
  if (isEnumType(named)) return dice.pick(named.getValues()).value
  return dice.pick(leaves[named.name] ?? ['text', '"ü\u2028"', ''])
}

/** A list is an array before its items are looked at: what throws is in it as an error. */
function safely(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error instanceof Error ? error : null
  }
}

const leaves: Readonly<Record<string, readonly unknown[]>> = {
  Int: [0, 1, -5, 2 ** 31 - 1],
  Float: [0.5, 1e21, -0],
  Boolean: [true, false],
  ID: ['run_1', 7],
  SafeInt: [2 ** 53 - 1, 12n],
  DateTime: ['2026-01-31T09:30:00.000Z', new Date(0)],
  JSON: [parseExact('{"a":1e400,"b":[1.10]}'), [], 'x', 3, false],
}
