/** JSON shapes of the graph's scalars: request coercion and the OpenAPI document share this table. */
import type { GraphQLScalarType } from 'graphql'

export interface ScalarShape {
  readonly json: 'string' | 'integer' | 'number' | 'boolean' | 'any'
  readonly schema: Readonly<Record<string, unknown>>
}

const maxSafe = Number.MAX_SAFE_INTEGER
const shapes: Readonly<Record<string, ScalarShape>> = {
  ID: { json: 'string', schema: { type: 'string' } },
  String: { json: 'string', schema: { type: 'string' } },
  Int: { json: 'integer', schema: { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 } },
  Float: { json: 'number', schema: { type: 'number' } },
  Boolean: { json: 'boolean', schema: { type: 'boolean' } },
  SafeInt: { json: 'integer', schema: { type: 'integer', minimum: -maxSafe, maximum: maxSafe } },
  Bytes: { json: 'integer', schema: { type: 'integer', minimum: 0, maximum: maxSafe } },
  DateTime: { json: 'string', schema: { type: 'string', format: 'date-time' } },
  JSON: { json: 'any', schema: {} },
  JSONObject: { json: 'any', schema: { type: 'object', additionalProperties: true } },
}

/** The shape of a scalar; a scalar missing from the table is a string that its `parseValue` validates. */
export function scalarShape(type: GraphQLScalarType): ScalarShape {
  return shapes[type.name] ?? { json: 'string', schema: { type: 'string' } }
}

/**
 * What is wrong with a number outside the range of the scalar, or null. A member may have a rule with a narrower
 * range, which reports the numbers within this one.
 */
export function rangeFault(value: unknown, { json, schema }: ScalarShape): string | null {
  const { minimum, maximum } = schema as { readonly minimum?: number; readonly maximum?: number }
  if (json !== 'integer' || typeof value !== 'number' || minimum === undefined || maximum === undefined) return null
  return value >= minimum && value <= maximum ? null : `must be a whole number from ${minimum} to ${maximum}`
}
