import { cpuWithin } from '@hub/testing/cpu'
import stripAnsi from 'strip-ansi'
import { describe, expect, it } from 'vitest'
import { joined, linesOf, openEndOf } from '../../../src/work/log/log-lines.ts'
import { positionText, readPosition } from '../../../src/work/log/position.ts'
import { linesAfter, type OpenLine, shapeOf } from '../../../src/work/log/write-chunks.ts'
import { isStored, type StoredNumbers, withNumber } from '../../../src/work/report.ts'

const ESC = '\x1b'

describe('escape sequences', () => {
  it.each([
    ['colours', `${ESC}[31mred${ESC}[0m`, 'red'],
    ['colours with colons', `${ESC}[38:2::255:0:0mX${ESC}[0m`, 'X'],
    ['links', `${ESC}]8;;https://x.y\x07text${ESC}]8;;\x07`, 'text'],
    ['links that end in ST', `${ESC}]8;;https://x.y${ESC}\\text${ESC}]8;;${ESC}\\`, 'text'],
    ['titles', `${ESC}]0;a title\x07rest`, 'rest'],
    ['movements of the cursor', `${ESC}[2K${ESC}[1Gbar ${ESC}[?25h`, 'bar '],
    ['eight-bit ones', '\x9b31mred', 'red'],
    ['character sets and saved cursors', `${ESC}(Btext${ESC}7a${ESC}8`, 'texta'],
    ['nothing in plain text', 'grün é 中文 [0m', 'grün é 中文 [0m'],
  ])('are taken out: %s', (_what, text, plain) => {
    expect(stripAnsi(text)).toBe(plain)
  })

  it('that end with the line stay, and cost no more than their length', async () => {
    expect(stripAnsi(`abc${ESC}[3`)).toBe(`abc${ESC}[3`)
    const hostile = [`${ESC}]a`, `${ESC}[1;`, `${ESC}(`, ESC, `${ESC}P`, `${ESC} `]
    const stripped = () => {
      for (const piece of hostile) stripAnsi(piece.repeat(262_144 / piece.length))
      stripAnsi(`${ESC}]${'a;'.repeat(131_000)}`)
    }
    expect(await cpuWithin(1_000, stripped)).toBeLessThan(1_000)
  })
})

describe('lines of a chunk', () => {
  it.each([
    ['', []],
    ['one', ['one']],
    ['one\n', ['one']],
    ['one\ntwo', ['one', 'two']],
    ['one\r\n\r\ntwo\r\n', ['one', '', 'two']],
    ['\n\n', ['', '']],
    ['10%\r20%\r30%\n', ['10%\r20%\r30%']],
  ])('of %j', (text, lines) => {
    expect(linesOf(text)).toEqual(lines)
  })

  it.each([
    ['', 0, 0],
    ['one', 0, 3],
    ['one\n', 1, 0],
    ['é\ngrün', 1, 5],
    ['\n\n', 2, 0],
  ])('of %j are counted by their ends', (text, lineEnds, openBytes) => {
    expect(shapeOf(Buffer.from(text))).toEqual({ lineEnds, openBytes })
  })

  it('are those that end in it: what is after the last line end is of a later chunk, unless it says so', () => {
    expect(openEndOf('one\ntwo', 1)).toBe('two')
    expect(openEndOf('one\ntwo', 2)).toBe('')
    expect(openEndOf('one\n', 1)).toBe('')
  })

  it('that were cut are joined, also inside a line end', () => {
    expect([joined('a', 'b'), joined('a\r', 'b'), joined('a\r', ''), joined('', '')]).toEqual(['ab', 'a\rb', 'a', ''])
  })
})

describe('the lines of a log', () => {
  const KIB = 1024
  /** What each chunk does to the lines, one after the other; notices of the hub are numbers too. */
  function after(...chunks: readonly (string | null)[]) {
    let open: OpenLine | null = null
    return chunks.flatMap((text, place) => {
      if (text === null) return []
      const lines = linesAfter(open, place + 1, shapeOf(Buffer.from(text)))
      open = lines.open
      return [[lines.lineCount, lines.lineFrom, lines.open]]
    })
  }

  it('end where their line end is, whichever chunk they began in', () => {
    expect(after('a\nb', 'c', null, 'd\ne\n', 'f\n')).toEqual([
      [1, null, { from: 1, bytes: 1 }],
      [0, 1, { from: 1, bytes: 2 }],
      [2, 1, null],
      [1, null, null],
    ])
    expect(after('a', 'b\nc', '\n')).toEqual([
      [0, null, { from: 1, bytes: 1 }],
      [1, 1, { from: 2, bytes: 1 }],
      [1, 2, null],
    ])
  })

  it('end with a chunk where they are longer than 1 MiB, or in a hundred chunks', () => {
    const long = 'x'.repeat(256 * KIB)
    expect(after(long, long, long, long, 'y\n').map(([count, from]) => [count, from])).toEqual([
      [0, null],
      [0, 1],
      [0, 1],
      [1, 1],
      [1, null],
    ])
    const dots = after(...Array.from({ length: 250 }, () => '.'))
    expect(dots.flatMap(([count], place) => (count === 1 ? [place + 1] : []))).toEqual([100, 200])
    expect(dots.at(-1)).toEqual([0, 201, { from: 201, bytes: 50 }])
  })
})

describe('a position', () => {
  it('comes back from its text, and no other text is one', () => {
    const position = { chunk: 5, line: 3, metric: 12 }
    expect(positionText(position)).toBe('5.3-12')
    expect(readPosition('5.3-12')).toEqual(position)
    for (const text of ['', '5', '5.3', '5.3-', '-5.3-12', '5.3-12 ', 'a.b-c', `${'9'.repeat(16)}.0-0`])
      expect(readPosition(text)).toBeNull()
  })
})

describe('the numbers of a runner', () => {
  const stored = (...numbers: number[]) =>
    numbers.reduce<StoredNumbers>((state, number) => withNumber(state, number), { last: null, gaps: [] })

  it('say whether a report was stored, in whatever order reports came', () => {
    expect(isStored(stored(), 0)).toBe(false)
    expect([0, 1, 2, 3].map((number) => isStored(stored(0, 1, 2), number))).toEqual([true, true, true, false])
    const overtaken = stored(1, 4, 2)
    expect([0, 1, 2, 3, 4, 5].map((number) => isStored(overtaken, number))).toEqual([
      false,
      true,
      true,
      false,
      true,
      false,
    ])
  })

  it('keep few gaps however far they jump', () => {
    const far = stored(1_000_000_000, 5_000_000_000)
    expect(far.gaps.length).toBe(64)
    expect(isStored(far, 4_999_999_999)).toBe(false)
    expect(isStored(far, 3)).toBe(true)
  })
})
