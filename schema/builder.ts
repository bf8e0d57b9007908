/** The schema builder: plugins and scalars. */
import SchemaBuilder from '@pothos/core'
import DataloaderPlugin from '@pothos/plugin-dataloader'
import PrismaPlugin from '@pothos/plugin-prisma'
import RelayPlugin from '@pothos/plugin-relay'
import type PrismaTypes from '../prisma/generated/pothos.ts'
import { getDatamodel } from '../prisma/generated/pothos.ts'
import type { RequestContext } from '../src/operation/context.ts'
import { HubError } from '../src/platform/errors.ts'
import { readTime } from '../src/platform/rfc3339.ts'
import DeclaredScopePlugin from './declared-scope.ts'
import DeclaredSizePlugin from './declared-size.ts'
import InputRulesPlugin from './input-rules.ts'
import { jsonLiteral } from './json-literal.ts'
import { relayOptions } from './relay.ts'

export const MAX_PAGE_SIZE = 100

export interface GraphTypes {
  Context: RequestContext
  PrismaTypes: PrismaTypes
  DefaultFieldNullability: false
  DefaultEdgesNullability: false
  Scalars: {
    DateTime: { Input: string; Output: string | Date }
    SafeInt: { Input: number; Output: number | bigint }
    JSON: { Input: unknown; Output: unknown }
    ID: { Input: string; Output: string }
  }
}

/** A builder with the plugins of this graph and no types. */
export const hubBuilder = () =>
  new SchemaBuilder<GraphTypes>({
    // The first plugin in the list is outermost: a caller without the scope learns nothing from validation.
    plugins: [DeclaredScopePlugin, InputRulesPlugin, DataloaderPlugin, RelayPlugin, PrismaPlugin, DeclaredSizePlugin],
    defaultFieldNullability: false,
    prisma: {
      client: (ctx) => ctx.deps.db.prisma,
      dmmf: getDatamodel(),
      // Without the client's selection, Prisma would read each field again for every row.
      onUnusedQuery: 'error',
    },
    relay: relayOptions,
  })

export const builder = hubBuilder()

builder.queryType({ description: 'Reads. An object that is not visible to the caller is null.' })
builder.mutationType({ description: 'Writes. Each is named after its operation and takes one `input`.' })
builder.subscriptionType({ description: 'Changes as they happen, over `/graphql/stream` (SSE).' })

builder.scalarType('DateTime', {
  description: 'RFC 3339 in UTC with milliseconds: `2026-01-31T09:30:00.000Z`.',
  specifiedByURL: 'https://datatracker.ietf.org/doc/html/rfc3339#section-5.6',
  serialize: (value) => (typeof value === 'string' ? value : value.toISOString()),
  parseValue: (value) => parseDateTime(value),
})

builder.scalarType('SafeInt', {
  description: 'A whole number as a JSON number, exact up to 2^53 - 1: bytes and counts.',
  specifiedByURL: 'https://datatracker.ietf.org/doc/html/rfc7493#section-2.2',
  serialize: (value) => Number(value),
  parseValue: (value) => parseSafeInt(value),
})

builder.scalarType('JSON', {
  description: 'Any JSON value, passed through unchanged: numbers keep their original spelling.',
  specifiedByURL: 'https://datatracker.ietf.org/doc/html/rfc8259',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: jsonLiteral,
})

function parseDateTime(value: unknown): string {
  const time = typeof value === 'string' ? readTime(value) : null
  if (time === null) {
    throw new HubError('validation.type', 'must be an RFC 3339 date-time such as 2026-01-31T09:30:00.000Z')
  }
  return time
}

function parseSafeInt(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw new HubError('validation.type', 'must be a whole number within ±(2^53 - 1)')
  }
  return value
}
