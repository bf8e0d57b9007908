import { describe, expect, it } from 'vitest'
import { parseRange } from '../../src/http/byte-range.ts'

describe('the Range header', () => {
  it.each<[string | undefined, number, ReturnType<typeof parseRange>]>([
    ['bytes=0-0', 10, { start: 0, end: 0 }],
    ['bytes=3-', 10, { start: 3, end: 9 }],
    ['bytes=3-99', 10, { start: 3, end: 9 }],
    ['bytes=-4', 10, { start: 6, end: 9 }],
    ['bytes=-99', 10, { start: 0, end: 9 }],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=-1', 0, 'unsatisfiable'],
    ['bytes=5-4', 10, null],
    ['bytes=0-1,3-4', 10, null],
    ['bytes=-', 10, null],
    ['bytes=a-b', 10, null],
    ['items=0-1', 10, null],
    [undefined, 10, null],
  ])('%s of %i bytes', (header, sizeBytes, expected) => {
    expect(parseRange(header, sizeBytes)).toEqual(expected)
  })
})
