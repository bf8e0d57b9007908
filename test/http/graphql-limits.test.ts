import { parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { refuseOversized } from '../../src/http/graphql-limits.ts'

const size = (text: string, variables: Record<string, unknown> = {}) => refuseOversized(parse(text), null, variables)

describe('the nodes that an operation may yield', () => {
  it('are counted with each page full', () => {
    const nested = (repos: number, files: number) =>
      `{ repos(first: ${repos}) { nodes { files(first: ${files}) { nodes { path } } } } }`
    expect(() => size(nested(100, 100))).not.toThrow()
    expect(() => size(nested(100, 200))).toThrow(/20100 nodes/)
  })

  it('count 500 files where no number of them is asked for, as many as come', () => {
    expect(() => size('{ repos { nodes { files { nodes { path } } } } }')).not.toThrow()
    expect(() => size('{ repos(first: 100) { nodes { files { nodes { path } } } } }')).toThrow(/50100 nodes/)
  })

  it('read page sizes from variables and their defaults', () => {
    const text = 'query ($n: Int = 100) { repos(first: $n) { nodes { files(first: 500) { nodes { path } } } } }'
    expect(() => size(text)).toThrow(/50100 nodes/)
    expect(() => size(text, { n: 2 })).not.toThrow()
  })
})
