import { expect, it } from 'vitest'
import { startArguments, usage } from '../../src/workers/start-arguments.ts'

const environment = { PORT: '4000', WORKERS: '3' }

it('lets --workers win over WORKERS, and changes nothing without it', () => {
  expect(startArguments([], environment)).toEqual({ environment })
  expect(startArguments(['--workers', '2'], environment)).toEqual({ environment: { PORT: '4000', WORKERS: '2' } })
  expect(startArguments(['--workers=many'], {})).toEqual({ environment: { WORKERS: 'many' } })
})

it('tells its usage, and what it does not know in one line', () => {
  expect(startArguments(['--help', '--workers', '2'], environment)).toEqual({ says: usage, code: 0 })
  const refused = [
    [['--wrokers', '2'], "Unknown option '--wrokers'"],
    [['--workers'], "Option '--workers <value>' argument missing"],
    [['serve'], "Unexpected argument 'serve'"],
  ] as const
  for (const [args, fault] of refused)
    expect(startArguments(args, environment)).toEqual({
      says: `${fault}. The server knows --workers N and --help; its settings are in the environment.\n`,
      code: 1,
    })
})
