/** Runs beside each other: within the width, with the differences from the first. */
import { describe, expect, it } from 'vitest'
import { type Compared, comparedSettings, compareText, deltaText } from '../src/compare-text.ts'

const screen = (width: number, isColored = false) => ({ isTerminal: true, isColored, width, height: 24 })
const metric = (key: string, last: number, better: string | null = null) => ({
  key,
  count: 3,
  last,
  min: last,
  max: last,
  mean: last,
  best: better === null ? null : last,
  better,
})
const run = (at: number, settings: Record<string, string> = {}, values: readonly ReturnType<typeof metric>[] = []) =>
  ({
    id: `run_00000000000000000000${String(at).padStart(6, '0')}`,
    name: `run number ${at} of a long sweep over everything`,
    status: 'succeeded',
    settings: new Map([['seed', '7'], ...Object.entries(settings)]),
    summary: values,
  }) satisfies Compared

describe('the text of a comparison', () => {
  it('has the differing settings alone, or all, and a dash where a run has none', () => {
    const runs = [run(0, { lr: '1' }), run(1, { lr: '2', wide: 'true' })]
    expect(comparedSettings(runs, false)).toEqual([
      ['lr', ['1', '2']],
      ['wide', [null, 'true']],
    ])
    expect(comparedSettings(runs, true).map(([path]) => path)).toEqual(['seed', 'lr', 'wide'])
    expect(compareText(runs, screen(80), false)).toMatch(/^wide +- +true$/m)
    expect(compareText([run(0), run(1)], screen(80), false)).toContain('The settings are the same.\n')
  })

  it.each([40, 80, 120, 240])('of eight runs fits %i columns, the first run in each table', (width) => {
    const long = `policy.${'very_'.repeat(20)}long.name`
    const runs = Array.from({ length: 8 }, (_, at) =>
      run(at, { [long]: `${at} ${'x'.repeat(100)}` }, [metric('train/loss', 0.1 / (at + 1), 'lower')]),
    )
    const lines = compareText(runs, screen(width), false).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width)
    const heads = lines.filter((line) => /…0000\d\d/.test(line))
    expect(heads.every((line) => line.includes('…000000'))).toBe(true)
    for (const { id } of runs) expect(heads.join('\n')).toContain(id.slice(-6))
    expect(lines.some((line) => /^….*long\.name +0 xx/.test(line))).toBe(true)
  })

  it('is green where a value is better and red where it is worse, where colors are wanted', () => {
    const runs = [
      run(0, {}, [metric('loss', 1, 'lower'), metric('reward', 1, 'higher'), metric('size', 1)]),
      run(1, {}, [metric('loss', 2, 'lower'), metric('reward', 2, 'higher'), metric('size', 2)]),
    ]
    const colored = compareText(runs, screen(80, true), false)
    expect(colored).toContain('\x1b[31m2 +100%\x1b[0m')
    expect(colored).toContain('\x1b[32m2 +100%\x1b[0m')
    expect(colored).toMatch(/^size +1 +2 \+100%$/m)
    expect(compareText(runs, screen(80), false)).not.toContain('\x1b')
  })

  it('leaves out metrics of the machine, and says so', () => {
    const runs = [run(0, {}, [metric('system/cpu', 1), metric('step', 3), metric('a', 0)]), run(1)]
    expect(compareText(runs, screen(80), false)).not.toContain('system/cpu')
    expect(compareText(runs, screen(80), false)).toContain('2 metrics of the machine and of steps: --all has them all.')
    expect(compareText(runs, screen(80), true)).toMatch(/^system\/cpu +1 +-$/m)
  })
})

it.each([
  [2, 1, '-50%'],
  [-2, -1, '+50%'],
  [3, 3.0001, '+0.00333%'],
  [0, 0.5, '+0.5'],
  [1e-9, 1, '+1'],
  [5, 5, '='],
])('the difference of %d and %d is %s', (base, own, text) => {
  expect(deltaText(base, own)).toBe(text)
})
