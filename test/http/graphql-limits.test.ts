import { getIntrospectionQuery, parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { schema } from '../../schema/index.ts'
import { Documents, PreparedDocument, parseBounded } from '../../src/http/graphql-documents.ts'
import { assertWithinLimits } from '../../src/http/graphql-limits.ts'
import { schemaValues } from '../../src/http/schema-values.ts'

const aliases = (count: number, field: string) => Array.from({ length: count }, (_, n) => `a${n}: ${field}`).join(' ')

function cost(text: string, variables: Record<string, unknown> = {}) {
  const document = parse(text)
  expect(validate(schema, document)).toEqual([])
  return assertWithinLimits(schema, document, null, variables)
}
const objects = (text: string, variables: Record<string, unknown> = {}) => cost(text, variables).objects

describe('the objects of an operation', () => {
  it('are those of full pages', () => {
    const nested = (repos: number, files: number) =>
      `{ repos(first: ${repos}) { nodes { files(first: ${files}) { nodes { path } } } } }`
    expect(objects(nested(100, 99))).toBe(100 * (99 + 1))
    expect(() => objects(nested(100, 100))).toThrow(/10100 objects, more than 10020/)
  })

  it('are a number also of a page that has no size', () => {
    const text = 'query ($first: Int) { repos(first: $first) { nodes { slug } } }'
    for (const first of [1e308, Number.POSITIVE_INFINITY])
      expect(() => cost(text, { first })).toThrow(/yield 2147483647 objects, more than 10020/)
  })

  it('are a page also where none of its members is selected, since it is read', () => {
    expect(objects('{ repos(first: 100) { pageInfo { hasNextPage } } }')).toBe(100)
  })

  it('are 250 or more for each large field: allowed for one run, not for a page of runs', () => {
    const whole =
      'config { keys { path } groups { entries { path } } } checkpoints { items { files { path } } } metrics { series { key } } gateResults { step }'
    expect(objects(`{ run(id: "run_1") { ${whole} } }`)).toBe(1 + 1000 + 2 * 250 + 400)
    expect(objects(`{ runs(first: 20) { nodes { id metrics { series { key } } } } }`)).toBe(20 * 251)
    expect(() => cost(`{ runs(first: 100) { nodes { id metrics { series { key } } } } }`)).toThrow(/25100 objects/)
    expect(objects('{ viewer { orgs { repos(first: 5) { nodes { id } } } } }')).toBe(1 + 20 * 5)
  })

  it('are 500 files in a page without a size', () => {
    expect(objects('{ repos { nodes { files { nodes { path } } } } }')).toBe(20 * 501)
    expect(() => cost('{ repos(first: 100) { nodes { files { nodes { path } } } } }')).toThrow(/50100 objects/)
  })

  it('are the same whatever fragments the members of a page are selected in', () => {
    const of = (
      members: string,
    ) => `{ repos(first: 2) { nodes { files ${members} } } } fragment F on RepoFileConnection { ... { nodes { path } } }
      fragment G on RepoFileConnection { pageInfo { hasNextPage } ...F }`
    for (const members of [
      '{ nodes { path } ...G }',
      '{ ... { nodes { path } } ...G }',
      '{ ...F ...G }',
      '{ ... @include(if: true) { ...G } }',
      '{ edges { cursor node { path } } ...G }',
    ])
      expect([members, objects(of(members))]).toEqual([members, 2 + 2 * 500])
  })

  it('are counted with the page sizes of variables and their defaults', () => {
    const text = 'query ($n: Int = 100) { repos(first: $n) { nodes { files(first: 500) { nodes { path } } } } }'
    expect(() => cost(text)).toThrow(/50100 objects/)
    expect(objects(text, { n: 2 })).toBe(2 * 501)
  })

  it('are those of the default page where a size is null, given or in a variable', () => {
    const text = 'query ($n: Int) { repos(first: $n) { nodes { id } } }'
    for (const variables of [{}, { n: null }, { n: 'x' }]) expect(objects(text, variables)).toBe(20)
    expect(objects('{ repos(first: null) { nodes { id } } }')).toBe(20)
  })

  it('are as many as the ids that are asked for', () => {
    expect(objects('{ nodes(ids: ["a", "b", "c"]) { id } }')).toBe(3)
    const text = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }'
    expect(objects(text, { ids: Array.from({ length: 90 }, () => 'x') })).toBe(90)
    expect(objects(text, {})).toBe(100)
  })

  it('are those of the dearest type where an interface is selected', () => {
    expect(objects('{ node(id: "x") { ... on Job { owner { repos(first: 7) { nodes { id } } } } } }')).toBeGreaterThan(
      7,
    )
  })

  it('are no more with `last` and `before`, which no connection has', () => {
    const attack = '{repos(last:null,first:100){nodes{owner{repos(last:null,first:100){nodes{id}}}}}}'
    expect(validate(schema, parse(attack)).map(({ message }) => message)).toEqual([
      'Unknown argument "last" on field "Query.repos".',
      'Unknown argument "last" on field "Account.repos".',
    ])
    expect(() => cost(attack.replaceAll('last:null,', ''))).toThrow(/10100 objects/)
  })
})

describe('the values of an operation', () => {
  it('are its fields, each as often as its lists may have items', () => {
    expect(cost('{ repos(first: 2) { nodes { id tags } } }').values).toBe(1 + 1 + 2 * (1 + 1 + 1 + 20 * 0.05))
  })

  it.each([
    ['actuators', '{ repos(first: 10) { nodes { card { ALL } } } }', 'actuators { name model }'],
    ['keys', '{ run(id: "run_1") { config { ALL } } }', 'keys { path value group }'],
    ['pairs', '{ run(id: "run_1") { config { ALL } } }', 'pairs { group parentPath childPath from to changed rule }'],
    ['files', '{ run(id: "run_1") { checkpoints { items { ALL } } } }', 'files { path size }'],
  ])('are counted for each alias of a list without pages: %s', (_name, text, list) => {
    expect(() => cost(text.replace('ALL', aliases(1, list)))).not.toThrow()
    expect(() => cost(text.replace('ALL', aliases(40, list)))).toThrow(/values, more than 200000/)
  })

  it('are counted for each alias of a scalar', () => {
    const page = (count: number) =>
      `{ repos(first: 100) { nodes { files(first: 99) { nodes { ${aliases(count, 'path')} } } } } }`
    expect(() => cost(page(18))).not.toThrow()
    expect(() => cost(page(22))).toThrow(/values, more than 200000/)
  })
})

describe('introspection', () => {
  const documents = new Documents(() => schema)
  const prepared = (text: string) => documents.prepare(text)
  const refusalOf = (text: string) => {
    const answer = prepared(text)
    return answer instanceof PreparedDocument ? null : answer.faults[0]?.message
  }

  it('allows the usual queries', () => {
    const usual = getIntrospectionQuery({
      inputValueDeprecation: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
    })
    expect(refusalOf(usual)).toBe(null)
    expect(refusalOf(usual.replace('query IntrospectionQuery {', 'query IntrospectionQuery { __typename '))).toBe(null)
  })

  it('rejects a document that repeats them', () => {
    const size = (text: string) => assertWithinLimits(schema, parse(text), null, {})
    expect(() => size(`{ ...Q } fragment Q on Query { ${aliases(601, '__schema { types { name } }')} }`)).toThrow(
      /1803 fields/,
    )
    expect(() => size(`{ __schema { types { ${aliases(601, 'name')} } } }`)).toThrow(/603 fields/)
  })

  it('rejects one that selects the schema again and again in few fields', () => {
    const tooMany = /more than 80000 values of the schema/
    expect(refusalOf(`{ __schema { ${aliases(100, 'types { fields { args { name description } } }')} } }`)).toMatch(
      tooMany,
    )
    expect(
      refusalOf(
        `{ ${aliases(19, '__schema { types { ...T } }')} } fragment T on __Type { ${'name kind description '.repeat(9)} }`,
      ),
    ).toMatch(tooMany)
    expect(refusalOf('{ __type(name: "Run") { fields { name args { name } } } }')).toBe(null)
  })
})

it('a type of the schema that a variable names counts as the largest', () => {
  const values = (start: string) => schemaValues(schema, parse(`${start} { fields { name args { name } } } }`), 80_000)
  expect(values('query ($n: String!) { __type(name: $n)')).toBe(values('{ __type(name: "Mutation")'))
  expect(values('{ __type(name: "Mutation")')).toBeGreaterThan(100)
})

describe('root fields', () => {
  const size = (text: string) => assertWithinLimits(schema, parse(text), null, {})
  const goes = (count: number) => aliases(count, 'go')

  it('are limited to 20, including those in fragments', () => {
    expect(() => size(`mutation { ${goes(20)} }`)).not.toThrow()
    for (const text of [
      `mutation { ${goes(21)} }`,
      `mutation { ... on Mutation { ${goes(21)} } }`,
      `mutation { ...F ...F } fragment F on Mutation { ${goes(11)} }`,
    ])
      expect(() => size(text)).toThrow(/2[12] root fields, more than 20/)
  })

  it('are counted in fragments that spread each other', () => {
    const cycle = 'mutation { ...A } fragment A on Mutation { ...B } fragment B on Mutation { ...A }'
    expect(() => assertWithinLimits(schema, parse(cycle), 'none', {})).not.toThrow()
  })
})

describe('a document nested too deep for the parser', () => {
  it('is a syntax error', () => {
    // The caller's stack counts too, so a shallow document shows the same error.
    const deep = `{ a(b: ${'['.repeat(2490)}${']'.repeat(2490)}) }`
    const atDepth = (depth: number): unknown => {
      try {
        return atDepth(depth + 1)
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        return parseBounded(deep)
      }
    }
    expect(() => atDepth(0)).toThrow(/nested too deep/)
  })
})
