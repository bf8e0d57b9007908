/** Curves as lines of text. */
import { describe, expect, it } from 'vitest'
import { linearAxis, logAxis, plainNumber } from '../src/axis-ticks.ts'
import { type ChartPoint, chartLines } from '../src/braille-chart.ts'

const curve = (count: number, value: (at: number) => number): ChartPoint[] =>
  Array.from({ length: count }, (_, at) => [at, value(at)] as const)
const small = { width: 22, height: 4 }
/** What stands left of the vertical axis. */
const labels = (lines: readonly string[]) =>
  lines.flatMap((line) => (line.includes('┤') ? [line.slice(0, line.indexOf('┤')).trim()] : []))
/** How many dots are set. */
const dots = (lines: readonly string[]) =>
  [...lines.join('')]
    .map((character) => (character.codePointAt(0) ?? 0) - 0x2800)
    .filter((bits) => bits >= 0 && bits < 256)
    .reduce((sum, bits) => sum + bits.toString(2).replaceAll('0', '').length, 0)

describe('a chart', () => {
  it('goes from the first value to the last, with its scale and its steps', () => {
    expect(
      chartLines(
        curve(37, (at) => at),
        small,
      ),
    ).toEqual([
      '   │⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⠀⢀⡠⠤⠒⠉',
      '20 ┤⠀⠀⠀⠀⠀⠀⠀⠀⠀⣀⠤⠒⠊⠁',
      '   │⠀⠀⠀⠀⢀⡠⠤⠒⠉⠁',
      ' 0 ┤⣀⠤⠒⠊⠁',
      '   └──────────────────',
      '    0       18      36',
    ])
  })

  it('is never wider than it may be, whatever its numbers are', () => {
    for (const scale of [1e-300, 1e-7, 0.003, 1, 12345.678, 1e9, 1e300])
      for (const width of [20, 40, 80, 200])
        for (const isLog of [false, true]) {
          const points = curve(30, (at) => (at + 1) * scale)
          const lines = chartLines(points, { width, height: 8, isLog })
          expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width)
          expect(lines).toHaveLength(10)
          expect(labels(lines).length).toBeGreaterThanOrEqual(2)
        }
  })

  it('is interrupted where a value is not a number, and says how many are', () => {
    const whole = chartLines(
      [
        [0, 0],
        [1, 1],
        [2, 2],
      ],
      small,
    )
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const lines = chartLines(
        [
          [0, 0],
          [1, value],
          [2, 2],
        ],
        small,
      )
      expect([dots(lines), dots(whole) > 20]).toEqual([2, true])
      expect(lines.at(-1)).toBe('1 of 3 values are not finite numbers and are left out')
    }
  })

  it('is not joined backwards where a trainer began again at an earlier step', () => {
    const lines = chartLines(
      [
        [0, 0],
        [100, 10],
        [50, 10],
        [100, 0],
      ],
      { width: 43, height: 4 },
    )
    // Joined, the top row would be full from the middle to the end.
    expect(lines[0]).toMatch(/┤\u2800*[⠁-⣿]+\u2800+[⠁-⣿]+$/)
  })

  it('of one value, and of one that stays, has it as its only mark, in the middle', () => {
    expect(chartLines([[7, 0.25]], small)).toEqual([
      '     │',
      '     │',
      '0.25 ┤⠀⠀⠀⠀⠀⠀⠀⠀⠁',
      '     │',
      '     └────────────────',
      '             7',
    ])
    for (const value of [-3, 0, 5e-324]) {
      const lines = chartLines(
        curve(5, () => value),
        small,
      )
      expect([labels(lines), lines.findIndex((line) => line.includes('┤'))]).toEqual([[plainNumber(value)], 2])
    }
  })

  it('with a logarithmic axis draws a decay as a line, and leaves out what has no logarithm', () => {
    const decay = curve(33, (at) => 10 ** (-at / 8))
    const straight = chartLines(decay, { width: 60, height: 8, isLog: true })
    expect(labels(straight)).toEqual(['1', '0.01', '0.0001'])
    const steps = straight.slice(0, 8).map((line) => line.search(/[⠁-⣿]/))
    expect(steps).toEqual([...steps].sort((a, b) => a - b))
    expect(new Set(steps).size).toBe(8)
    expect(
      chartLines(
        [
          [0, 1],
          [1, 0],
          [2, -1],
          [3, 10],
        ],
        { ...small, isLog: true },
      ).at(-1),
    ).toBe('2 of 4 values are not numbers above 0 and are left out')
  })

  it('without a value is a sentence', () => {
    expect(chartLines([], small)).toEqual(['no value yet'])
    expect(chartLines([[1, Number.NaN]], small)[0]).toBe('no value to draw')
  })

  it('spans the largest numbers, and paints the curve alone', () => {
    const lines = chartLines(
      [
        [0, -Number.MAX_VALUE],
        [1, Number.MAX_VALUE],
      ],
      {
        width: 40,
        height: 4,
        paint: (text) => `<${text}>`,
      },
    )
    expect(labels(lines)).toEqual(['1.7977e308', '-1.7977e308'])
    expect(lines.filter((line) => /┤<.+>$|│<.+>$/.test(line))).toHaveLength(4)
  })
})

describe('the marks of an axis', () => {
  it('are round', () => {
    const marked = ({ marks, label }: ReturnType<typeof linearAxis>) => marks.map(label)
    expect(marked(linearAxis(0.013, 0.98, 5))).toEqual(['0.2', '0.4', '0.6', '0.8'])
    expect(marked(linearAxis(-3, 97, 3))).toEqual(['0', '50'])
    expect(marked(linearAxis(-0.99, 0.99, 3))).toEqual(['-0.5', '0', '0.5'])
    expect(marked(logAxis(3, 80, 4))).toEqual(['5', '10', '20', '50'])
    expect(marked(logAxis(3e-7, 2, 4))).toEqual(['0.00001', '0.001', '0.1'])
    expect(marked(linearAxis(0, 3e12, 3))).toEqual(['0', '1e12', '2e12', '3e12'])
  })
})
