/** What the command line of `npm run reliability` says: which faults, or how long a soak; or what is printed instead. */
import { parseArgs } from 'node:util'

type Told =
  | { readonly faults: readonly string[] }
  | { readonly soakMinutes: number }
  | { readonly says: string; readonly code: 0 | 2 }

const usage = (all: readonly string[]) => `npm run reliability [-- --faults NAME,NAME | --soak MINUTES]

Without arguments it has all faults: ${all.join(', ')}.
`

export function told(args: readonly string[], all: readonly string[]): Told {
  const refused = (line: string) => ({ says: `${line}\n\n${usage(all)}`, code: 2 as const })
  const options = {
    faults: { type: 'string' },
    soak: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const
  const parsed = (() => {
    try {
      return parseArgs({ args: [...args], options }).values
    } catch (error) {
      return (error as Error).message.split('. ')[0] ?? ''
    }
  })()
  if (typeof parsed === 'string') return refused(`${parsed}.`)
  const { faults, soak, help } = parsed
  if (help) return { says: usage(all), code: 0 }
  if (faults !== undefined && soak !== undefined) return refused('--faults and --soak are two runs.')
  if (soak !== undefined)
    return Number(soak) > 0 ? { soakMinutes: Number(soak) } : refused(`--soak ${soak} is not a number of minutes.`)
  const names = faults?.split(',') ?? all
  const unknown = names.filter((name) => !all.includes(name))
  return unknown.length === 0 ? { faults: names } : refused(`No such fault: ${unknown.join(', ')}.`)
}
