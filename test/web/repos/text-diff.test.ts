import { describe, expect, it } from 'vitest'
import { type DiffLine, diffTexts } from '../../../web/src/pages/repos/history/text-diff.ts'

const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`)
const shown = (line: DiffLine | null) =>
  line && `${line.number} ${line.parts.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('')}`
const rowsOf = (before: string, after: string) =>
  diffTexts(before, after)?.hunks.map(({ rows }) => rows.map((row) => [shown(row.before), shown(row.after)]))

describe('the difference of two texts', () => {
  it('has changed lines beside each other, with their words, and three lines around them', () => {
    const [before, after] = [lines(20), lines(20)]
    after[9] = 'line ten\n'
    expect(rowsOf(before.join(''), after.join(''))).toEqual([
      [
        ['7 line 7', '7 line 7'],
        ['8 line 8', '8 line 8'],
        ['9 line 9', '9 line 9'],
        ['10 line [10]', '10 line [ten]'],
        ['11 line 11', '11 line 11'],
        ['12 line 12', '12 line 12'],
        ['13 line 13', '13 line 13'],
      ],
    ])
  })

  it('numbers each side by itself, and leaves a side empty where the other has more', () => {
    expect(rowsOf('a\nb\nc\n', 'a\nx\ny\nb\nc\n')).toEqual([
      [
        ['1 a', '1 a'],
        [null, '2 x'],
        [null, '3 y'],
        ['2 b', '4 b'],
        ['3 c', '5 c'],
      ],
    ])
    expect(rowsOf('', 'a\n')).toEqual([[[null, '1 a']]])
    expect(rowsOf('a\n', '')).toEqual([[['1 a', null]]])
  })

  it('counts lines, and says which last line has no end', () => {
    const diff = diffTexts('one\ntwo', 'one\ntwo\n')
    expect([diff?.added, diff?.removed]).toEqual([1, 1])
    const [, row] = diff?.hunks[0]?.rows ?? []
    expect([row?.before?.isOpen, row?.after?.isOpen]).toEqual([true, false])
    expect(diffTexts('same\n', 'same\n')).toEqual({ hunks: [], added: 0, removed: 0 })
  })

  it('marks no words of lines that have little in common, nor of very long ones', () => {
    expect(rowsOf('mass = 1\n', 'something entirely new\n')).toEqual([[['1 mass = 1', '1 something entirely new']]])
    const long = 'x '.repeat(1500)
    expect(rowsOf(`${long}1\n`, `${long}2\n`)).toEqual([[[`1 ${long}1`, `1 ${long}2`]]])
  })
})
