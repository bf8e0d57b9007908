/** What the command line of `npm run reliability` can say. */
import { expect, it } from 'vitest'
import { told } from './told.ts'

const all = ['store-gone', 'hub-killed']

it('has all faults, some of them, or a soak', () => {
  expect(told([], all)).toEqual({ faults: all })
  expect(told(['--faults', 'hub-killed'], all)).toEqual({ faults: ['hub-killed'] })
  expect(told(['--soak', '0.5'], all)).toEqual({ soakMinutes: 0.5 })
})

it('says how it is called where it is asked, and with code 2 where it does not understand', () => {
  expect(told(['--help'], all)).toEqual({ says: expect.stringContaining('store-gone, hub-killed'), code: 0 })
  const faults = [
    [['--faults', 'store-gone,x'], 'No such fault: x.'],
    [['--faults'], "Option '--faults <value>' argument missing."],
    [['--soak', 'long'], '--soak long is not a number of minutes.'],
    [['--soak', '0'], '--soak 0 is not a number of minutes.'],
    [['--soak', '1', '--faults', 'x'], '--faults and --soak are two runs.'],
    [['--fault', 'x'], "Unknown option '--fault'."],
    [['store-gone'], "Unexpected argument 'store-gone'."],
  ] as const
  for (const [args, line] of faults)
    expect(told(args, all)).toEqual({ says: expect.stringMatching(RegExp(`^${line.replace('.', '\\.')}\n`)), code: 2 })
})
