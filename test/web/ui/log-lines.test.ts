import { describe, expect, it } from 'vitest'
import { asShown, noLines, noSearch, searched, withLines } from '../../../web/src/ui/log-lines.ts'

const lines = (...texts: readonly string[]) => texts.map((text) => ({ text, mark: '' }))
const textsOf = ({ lines: kept }: { readonly lines: readonly { readonly text: string }[] }) =>
  kept.map(({ text }) => text)
const few = (most: number) => ({ lines: most, chars: 1_000 })

describe('the lines of a log that a page keeps', () => {
  it('are all of them, numbered from 1, while there are no more than it keeps', () => {
    const log = withLines(withLines(noLines, lines('a', 'bb'), few(4)), lines('c', 'd'), few(4))
    expect(log).toEqual({ first: 1, lines: lines('a', 'bb', 'c', 'd'), chars: 5 })
  })

  it('are the newest, and the number of each stays', () => {
    const log = withLines(withLines(noLines, lines('a', 'b', 'c')), lines('d', 'e'), few(3))
    expect(log).toEqual({ first: 3, lines: lines('c', 'd', 'e'), chars: 3 })
    expect(withLines(log, [], few(3))).toEqual(log)
  })

  it('are the last of one report that is longer than all that is kept', () => {
    const log = withLines(withLines(noLines, lines('a')), lines('b', 'c', 'd', 'e'), few(2))
    expect([log.first, textsOf(log), log.chars]).toEqual([4, ['d', 'e'], 2])
  })

  it('are fewer where they are long, but at least the newest', () => {
    const kept = { lines: 100, chars: 10 }
    const log = withLines(withLines(noLines, lines('aaaa', 'bbbb'), kept), lines('cccc'), kept)
    expect(log).toEqual({ first: 2, lines: lines('bbbb', 'cccc'), chars: 8 })
    expect(textsOf(withLines(log, lines('d'.repeat(50)), kept))).toEqual(['d'.repeat(50)])
  })

  it('are never changed in place: what is shown stays what it was', () => {
    const before = withLines(noLines, lines('a'))
    withLines(before, lines('b'))
    expect([textsOf(before), noLines.lines]).toEqual([['a'], []])
  })
})

describe('a line', () => {
  it('that was drawn over itself is what was drawn last', () => {
    expect(asShown(' 10% |#   |\r 50% |##  |\r100% |####|')).toBe('100% |####|')
    expect(asShown('half\rdone\r')).toBe('done\r')
    expect(asShown('plain')).toBe('plain')
    expect(asShown('')).toBe('')
  })

  it('shows no command of a terminal: links, titles, device commands; its colors stay', () => {
    const link = '\x1b]8;;javascript:alert(1)\x1b\\text\x1b]8;;\x07'
    expect(asShown(`${link} \x1b]0;title\x07\x1bP1;2q\x1b\\\x1b[31mred\x1b[0m`)).toBe('text \x1b[31mred\x1b[0m')
    expect(asShown('\x1b]8;;never ended')).toBe('\x1b]8;;never ended')
  })

  it('of a megabyte is cut, and says how much is missing', () => {
    const shown = asShown('x'.repeat(1_000_000))
    expect(shown.length).toBeLessThan(4_100)
    expect(shown).toMatch(/^x{4000} … 996,000 more characters$/)
  })
})

describe('a search in a log', () => {
  const plain = (text: string) => text.replaceAll('~', '')
  const log = withLines(noLines, lines('Loss 1', 'step', 'lo~ss 2'))

  it('finds lines by number, case and colors apart', () => {
    expect(searched(noSearch, log, 'LOSS', plain)).toEqual({ wanted: 'LOSS', next: 4, found: [1, 3] })
    expect(searched(noSearch, log, 'nothing', plain).found).toEqual([])
  })

  it('looks at new lines only, until something else is wanted', () => {
    const looked: string[] = []
    const spy = (text: string) => {
      looked.push(text)
      return plain(text)
    }
    const before = searched(noSearch, log, 'loss', spy)
    const grown = withLines(log, lines('loss 3', 'end'))
    looked.length = 0
    expect(searched(before, grown, 'loss', spy).found).toEqual([1, 3, 4])
    expect(looked).toEqual(['loss 3', 'end'])
    expect(searched(before, grown, 'step', spy).found).toEqual([2])
  })

  it('forgets lines that are no longer kept', () => {
    const before = searched(noSearch, log, 'loss', plain)
    const grown = withLines(log, lines('loss 3'), few(2))
    expect(searched(before, grown, 'loss', plain).found).toEqual([3, 4])
    const gone = withLines(grown, lines('x', 'y'), few(2))
    expect(searched(before, gone, 'loss', plain)).toEqual({ wanted: 'loss', next: 7, found: [] })
  })
})
