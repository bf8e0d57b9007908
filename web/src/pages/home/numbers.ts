/** The numbers of an account that are worth a line: those that are not zero. */
import type { AccountNumbersFragment } from './counts.graphql.ts'

type Counts = NonNullable<AccountNumbersFragment['counts']>
type CappedCount = Counts['liveEndpoints']

export interface Numbers {
  readonly list: 'runs' | 'checks' | 'endpoints' | 'holds'
  /** The list's filter that shows what was counted; null where it has none for it. */
  readonly status: 'QUEUED' | 'RUNNING' | 'PENDING' | null
  /** `3 runs running`; `more than 1000 runs queued` where counting ended. */
  readonly text: string
}

export function numbersOf({ runs, checks, liveEndpoints, pendingHolds }: Counts): Numbers[] {
  const rows = [
    { list: 'holds', status: 'PENDING', counted: pendingHolds, one: 'request', state: 'to decide' },
    { list: 'runs', status: 'RUNNING', counted: runs.running, one: 'run', state: 'running' },
    { list: 'runs', status: 'QUEUED', counted: runs.queued, one: 'run', state: 'queued' },
    { list: 'checks', status: 'RUNNING', counted: checks.running, one: 'check', state: 'running' },
    { list: 'checks', status: 'QUEUED', counted: checks.queued, one: 'check', state: 'queued' },
    { list: 'endpoints', status: null, counted: liveEndpoints, one: 'endpoint', state: 'queued or running' },
  ] as const
  return rows
    .filter(({ counted }) => counted.count > 0)
    .map(({ list, status, counted, one, state }) => ({ list, status, text: `${numberOf(counted, one)} ${state}` }))
}

const numberOf = ({ count, isCapped }: CappedCount, one: string): string =>
  `${isCapped ? `more than ${count}` : count} ${count === 1 ? one : `${one}s`}`
