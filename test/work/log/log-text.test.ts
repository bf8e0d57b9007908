import stripAnsi from 'strip-ansi'
import { describe, expect, it } from 'vitest'
import { countLines, linesOf } from '../../../src/work/log/log-lines.ts'
import { positionText, readPosition } from '../../../src/work/log/position.ts'
import { isStored, type StoredNumbers, withNumber } from '../../../src/work/report-numbers.ts'
import { cpuWithin } from '../../support/cpu.ts'

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
    expect(countLines(text)).toBe(lines.length)
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
