import { getIntrospectionQuery, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { parseBounded } from '../../src/http/graphql-documents.ts'
import { assertWithinLimits } from '../../src/http/graphql-limits.ts'

const size = (text: string, variables: Record<string, unknown> = {}) => assertWithinLimits(parse(text), null, variables)

describe('the node count of an operation', () => {
  it('assumes full pages', () => {
    const nested = (repos: number, files: number) =>
      `{ repos(first: ${repos}) { nodes { files(first: ${files}) { nodes { path } } } } }`
    expect(() => size(nested(100, 99))).not.toThrow()
    expect(() => size(nested(100, 100))).toThrow(/10100 nodes/)
  })

  it('adds 250 per large field: allowed for one run, not for a page of runs', () => {
    const whole =
      'config { keys { path } groups { entries { path } } } checkpoints { items { files { path } } } metrics { series { key } } gateResults { step }'
    expect(() => size(`{ run(id: "run_1") { ${whole} } }`)).not.toThrow()
    expect(() => size(`{ runs(first: 20) { nodes { id metrics { series { key } } } } }`)).not.toThrow()
    expect(() => size(`{ runs(first: 100) { nodes { id metrics { series { key } } } } }`)).toThrow(/50100 nodes/)
    expect(size('{ viewer { orgs { repos(first: 5) { nodes { id } } } } }')).toBe(1 + 20 * (1 + 5))
    expect(() => size(`{ runs { nodes { config { keys { path } diff { changedKeys } } } } }`)).toThrow(/15020 nodes/)
  })

  it('uses the default page size of 500 files', () => {
    expect(() => size('{ repos { nodes { files { nodes { path } } } } }')).not.toThrow()
    expect(() => size('{ repos(first: 100) { nodes { files { nodes { path } } } } }')).toThrow(/50100 nodes/)
  })

  it('is the same whatever fragments the members of a page are selected in', () => {
    const of = (
      members: string,
    ) => `{ repos(first: 2) { nodes { files ${members} } } } fragment F on RepoFileConnection { ... { nodes { path } } }
      fragment G on RepoFileConnection { pageInfo { hasNextPage } ...F }`
    for (const members of [
      '{ nodes { path } }',
      '{ ... { nodes { path } } }',
      '{ ...F }',
      '{ ... @include(if: true) { ...G } }',
      '{ edges { cursor node { path } } }',
    ])
      expect([members, size(of(members))]).toEqual([members, 2 + 2 * 500])
  })

  it('reads page sizes from variables and their defaults', () => {
    const text = 'query ($n: Int = 100) { repos(first: $n) { nodes { files(first: 500) { nodes { path } } } } }'
    expect(() => size(text)).toThrow(/50100 nodes/)
    expect(() => size(text, { n: 2 })).not.toThrow()
  })
})

describe('introspection', () => {
  it('allows the usual queries', () => {
    expect(() =>
      size(getIntrospectionQuery({ inputValueDeprecation: true, directiveIsRepeatable: true })),
    ).not.toThrow()
  })

  it('rejects a document that repeats them', () => {
    const aliases = (field: string) => Array.from({ length: 601 }, (_, n) => `a${n}: ${field}`).join(' ')
    expect(() => size(`{ ...Q } fragment Q on Query { ${aliases('__schema { types { name } }')} }`)).toThrow(
      /1803 fields/,
    )
    expect(() => size(`{ __schema { types { ${aliases('name')} } } }`)).toThrow(/603 fields/)
  })
})

describe('root fields', () => {
  const goes = (count: number) => Array.from({ length: count }, (_, n) => `g${n}: go`).join(' ')

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
    expect(() => size(cycle)).not.toThrow()
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
