// @module-tag own-graph
import { GraphQLError, type GraphQLScalarType, type GraphQLSchema, parse } from 'graphql'
import { createSchema } from 'graphql-yoga'
import { beforeAll, describe, expect, it } from 'vitest'
import { coerceRequest } from '../../rest-compat/engine/coerce.ts'
import { planRoute, type RoutePlan } from '../../rest-compat/engine/dialect.ts'
import { openApiDocument } from '../../rest-compat/engine/openapi.ts'
import { restLoc } from '../../rest-compat/engine/places.ts'
import { body, fields, path, query, type Route } from '../../rest-compat/engine/route.ts'
import { restDialect } from '../../src/http/dialect/planned-document.ts'
import { HubError } from '../../src/platform/errors.ts'
import { noneMatchCovers, strongEtag } from '../../src/platform/etag.ts'

function testSchema(): GraphQLSchema {
  const schema = createSchema({
    typeDefs: `
      scalar JSON
      enum Color { RED BLUE }
      input PartInput { partNumber: Int!, etag: String! }
      input FileInput { path: String!, contentType: String, parts: [PartInput!], ifNoneMatch: String }
      input PutThingInput { owner: String!, files: [FileInput!]!, color: Color = BLUE, extra: JSON, note: String }
      type Thing { fullName: String! color: Color! note: String }
      type Query { things(first: Int, color: Color, tag: [String!], deep: Boolean): [Thing!] }
      type Mutation { putThing(input: PutThingInput!): Thing }
    `,
  })
  const color = schema.getType('Color') as unknown as { getValues(): { name: string; value: unknown }[] }
  for (const value of color.getValues()) value.value = value.name.toLowerCase()
  ;(schema.getType('JSON') as GraphQLScalarType).parseValue = (value) => value
  return schema
}

const put: Route = {
  operation: 'putThing',
  method: 'PUT',
  path: '/v1/things/:owner',
  document: 'put-thing',
  params: { input: body({ owner: path('owner') }) },
  status: 200,
  result: 'object',
}
const list: Route = {
  operation: 'listThings',
  method: 'GET',
  path: '/v1/things',
  document: 'list-things',
  params: {
    limit: query('limit'),
    color: query('color'),
    tag: query('tag'),
    deep: query('deep', { '1': true, '': false }),
  },
  status: 200,
  result: 'object',
}

let putPlan: RoutePlan
let listPlan: RoutePlan

beforeAll(() => {
  const dialect = restDialect(testSchema())
  putPlan = planRoute(
    put,
    parse('mutation ($input: PutThingInput!) { putThing(input: $input) { full_name: fullName color } }'),
    dialect,
  )
  listPlan = planRoute(
    list,
    parse(
      'query ($limit: Int, $color: Color, $tag: [String!], $deep: Boolean = false) { things(first: $limit, color: $color, tag: $tag, deep: $deep) { color } }',
    ),
    dialect,
  )
})

const sent = (parts: { path?: object; query?: object; body?: unknown }) =>
  ({ path: {}, query: {}, body: undefined, ...parts }) as Parameters<typeof coerceRequest>[1]

function faultsOf(plan: RoutePlan, parts: Parameters<typeof sent>[0]): [string, ...unknown[]][] {
  try {
    coerceRequest(plan, sent(parts))
    return []
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    return error.items.map((item) => [item.type, ...(item.loc ?? [])])
  }
}

describe('a request becomes the variables of its document', () => {
  it('spells members in camelCase, enums by their internal value, and merges the path in', () => {
    const value = {
      files: [{ path: 'a', content_type: 'x/y', parts: [{ part_number: 1, etag: 'e' }] }],
      color: 'red',
      extra: { Some_Key: [{ aB: 1 }] },
    }
    expect(coerceRequest(putPlan, sent({ path: { owner: 'ann' }, body: value }))).toEqual({
      input: {
        owner: 'ann',
        files: [{ path: 'a', contentType: 'x/y', parts: [{ partNumber: 1, etag: 'e' }] }],
        color: 'red',
        extra: { Some_Key: [{ aB: 1 }] },
      },
    })
  })

  it('keeps null and absent apart', () => {
    const value = coerceRequest(putPlan, sent({ path: { owner: 'ann' }, body: { files: [], note: null } })) as {
      input: object
    }
    expect(Object.keys(value.input).sort()).toEqual(['files', 'note', 'owner'])
  })

  it('reads integers, lists, words and absent parameters from the query', () => {
    expect(coerceRequest(listPlan, sent({ query: { limit: '5', tag: ['a', 'b'], deep: '1' } }))).toEqual({
      limit: 5,
      tag: ['a', 'b'],
      deep: true,
    })
    expect(coerceRequest(listPlan, sent({ query: { tag: 'one', deep: '' } }))).toEqual({ tag: ['one'], deep: false })
  })

  it('names every fault with its place in the names of /v1', () => {
    const value = {
      files: [{ path: 7, parts: [{ part_number: 1.5 }] }, null, 'x'],
      color: 'RED',
      Note: 'x',
      owner: 'eve',
      partNumber: 1,
    }
    expect(faultsOf(putPlan, { path: { owner: 'ann' }, body: value })).toEqual([
      ['validation.type', 'body', 'files', 0, 'path'],
      ['validation.type', 'body', 'files', 0, 'parts', 0, 'part_number'],
      ['validation.required', 'body', 'files', 0, 'parts', 0, 'etag'],
      ['validation.required', 'body', 'files', 1],
      ['validation.type', 'body', 'files', 2],
      ['validation.value', 'body', 'color'],
      ['validation.unknown_member', 'body', 'Note'],
      ['validation.unknown_member', 'body', 'owner'],
      ['validation.unknown_member', 'body', 'partNumber'],
    ])
  })

  it('refuses unknown, repeated and ill-spelt query parameters', () => {
    expect(faultsOf(listPlan, { query: { limit: 'ten', color: ['red', 'blue'], page: '2', deep: 'maybe' } })).toEqual([
      ['validation.unknown_member', 'query', 'page'],
      ['validation.type', 'query', 'limit'],
      ['validation.duplicate', 'query', 'color'],
      ['validation.value', 'query', 'deep'],
    ])
  })

  it.each([
    ['nothing', undefined, [['validation.required', 'body', 'files']]],
    ['an array', [], [['validation.type', 'body']]],
    ['a string', 'files', [['validation.type', 'body']]],
    ['null', null, [['validation.required', 'body', 'files']]],
  ])('says what is wrong with a body that is %s', (_what, value, faults) => {
    expect(faultsOf(putPlan, { path: { owner: 'ann' }, body: value })).toEqual(faults)
  })

  it('refuses a body where the operation takes none', () => {
    expect(faultsOf(listPlan, { body: { limit: 3 } })).toEqual([['validation.unknown_member', 'body', 'limit']])
  })

  it('cannot be made to touch a prototype', () => {
    const nasty = JSON.parse(
      '{"files": [], "__proto__": {"polluted": 1}, "constructor": 1, "extra": {"a": {"__proto__": {"polluted": 1}}}}',
    )
    expect(faultsOf(putPlan, { path: { owner: 'ann' }, body: nasty })).toEqual([
      ['validation.unknown_member', 'body', 'extra', 'a'],
      ['validation.unknown_member', 'body', '__proto__'],
      ['validation.unknown_member', 'body', 'constructor'],
    ])
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  it('refuses text that PostgreSQL cannot keep, inside free-form values too, and endless nesting', () => {
    let deep: unknown = 1
    for (let level = 0; level < 200; level += 1) deep = [deep]
    const base = { files: [{ path: 'a\0b' }], note: '\ud800' }
    expect(faultsOf(putPlan, { path: { owner: 'ann' }, body: { ...base, extra: { k: ['\0'] } } })).toEqual([
      ['validation.value', 'body', 'files', 0, 'path'],
      ['validation.value', 'body', 'extra', 'k', 0],
      ['validation.value', 'body', 'note'],
    ])
    expect(faultsOf(putPlan, { path: { owner: 'ann' }, body: { files: [], extra: deep } })).toEqual([
      ['validation.value', 'body', 'extra'],
    ])
  })
})

describe('places that the graph names come back in the names of /v1', () => {
  it.each([
    [
      ['input', 'files', 0, 'contentType'],
      ['body', 'files', 0, 'content_type'],
    ],
    [
      ['input', 'owner'],
      ['path', 'owner'],
    ],
    [
      ['files', 2, 'ifNoneMatch'],
      ['body', 'files', 2, 'if_none_match'],
    ],
    [
      ['input', 'extra', 'someKey', 'aB'],
      ['body', 'extra', 'someKey', 'aB'],
    ],
    [
      ['query', 'cursor'],
      ['query', 'cursor'],
    ],
  ])('%j is %j', (from, to) => expect(restLoc(putPlan, from)).toEqual(to))

  it('maps an argument to the parameter that feeds it', () =>
    expect(restLoc(listPlan, ['first'])).toEqual(['query', 'limit']))
})

describe('a route that does not fit the schema stops the start', () => {
  const plan = (route: Partial<Route>, text: string) => () =>
    planRoute({ ...list, params: {}, ...route }, parse(text), restDialect(testSchema()))

  it('for an unknown root field, a variable without a source, a source without a variable, two roots', () => {
    expect(plan({}, '{ nothing }')).toThrow(/listThings.*unknown root field/)
    expect(plan({}, 'query ($x: Int) { things(first: $x) { color } }')).toThrow(/\$x has no source/)
    expect(plan({ params: { y: query('y') } }, '{ things { color } }')).toThrow(/source y has no variable/)
    expect(plan({}, '{ a: things { color } b: things { color } }')).toThrow(/exactly one root field/)
  })

  it('for a member taken from elsewhere that the input does not have', () => {
    const route = { params: { input: fields({ nope: path('owner') }) } }
    expect(plan(route, 'mutation ($input: PutThingInput!) { putThing(input: $input) { color } }')).toThrow(/nope/)
  })
})

it('validates a document when it is first used', () => {
  const plan = planRoute({ ...list, params: {} }, parse('{ things { nothing } }'), restDialect(testSchema()))
  for (const _ of [1, 2]) expect(plan.compiled).toThrow(/listThings.*Cannot query field/)
})

describe('validators', () => {
  it('match lists, weak tags and the star', () => {
    const etag = strongEtag('{}')
    expect(noneMatchCovers(`"a", W/${etag}`, etag)).toBe(true)
    expect(noneMatchCovers('*', etag)).toBe(true)
    expect(noneMatchCovers('"a"', etag)).toBe(false)
    expect(noneMatchCovers(undefined, etag)).toBe(false)
  })
})

describe('the OpenAPI document', () => {
  it('describes body, parameters and answer from the schema alone', () => {
    const document = openApiDocument({ plans: [putPlan, listPlan], handlers: [] }, null) as {
      paths: Record<string, Record<string, Record<string, unknown>>>
    }
    expect(document.paths['/v1/things/{owner}']?.put).toMatchObject({
      operationId: 'putThing',
      parameters: [{ name: 'owner', in: 'path', required: true, schema: { type: 'string' } }],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              required: ['files'],
              additionalProperties: false,
              properties: { color: { anyOf: [{ $ref: '#/components/schemas/Color' }, { type: 'null' }] } },
            },
          },
        },
      },
      responses: { 200: { content: { 'application/json': { schema: { required: ['full_name', 'color'] } } } } },
    })
    expect(document.paths['/v1/things']?.get?.parameters).toContainEqual(
      expect.objectContaining({ name: 'tag', in: 'query', schema: { type: 'array', items: { type: 'string' } } }),
    )
  })
})

it('keeps errors of resolvers reachable through a compiled document', async () => {
  const failing = new HubError('conflict.taken', 'taken')
  const schema = createSchema({
    typeDefs: 'type Query { a: Int }',
    resolvers: { Query: { a: () => Promise.reject(failing) } },
  })
  const plan = planRoute({ ...list, params: {} }, parse('{ a }'), restDialect(schema))
  const { errors } = await plan.compiled().query(undefined, {}, {})
  expect(errors?.[0]).toBeInstanceOf(GraphQLError)
  expect(errors?.[0]?.originalError).toBe(failing)
})
