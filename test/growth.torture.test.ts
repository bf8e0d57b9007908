// @module-tag own-graph
/**
 * What strangers store or send, and the hub's main thread works on: sixteen times as much of the worst of it, up to what the limits allow, stays far from the
 * square of that in CPU time.
 */

import { canonicalSha256 } from '@hub/formats/canonical-hash'
import { freeFormFaults } from '@hub/formats/free-form-faults'
import { readCard } from '@hub/robot-card/read-card'
import { buildSchema } from 'graphql'
import stripAnsi from 'strip-ansi'
import { expect, it } from 'vitest'
import { parseBounded } from '../src/http/graphql-documents.ts'
import { assertWithinLimits } from '../src/http/graphql-limits.ts'
import { eventsOf } from '../src/http/sse.ts'
import { parseDatasetInfo } from '../src/repos/dataset-info.ts'
import { gatesOf } from '../src/runs/gates/scorecard.ts'
import { firedTripwire } from '../src/runs/gates/tripwires.ts'
import { seriesBuilder } from '../src/runs/metrics/metric-series.ts'
import { readMetricsLine } from '../src/runs/metrics/metrics-line.ts'
import { addRewards, type CurvePoint, sparklineOf } from '../src/runs/read/sparkline.ts'
import { linesOf } from '../src/work/log/log-lines.ts'
import { BELOW_QUADRATIC, growthOf } from './support/growth.ts'

const KIB = 1024
const MIB = 1024 * KIB
const filled = (text: string, n: number) => text.repeat(Math.floor(n / text.length))
const counted = <T>(n: number, of: (at: number) => T) => Array.from({ length: Math.floor(n) }, (_, at) => of(at))
const membered = <T>(n: number, of: (at: number) => T) => Object.fromEntries(counted(n, (at) => [`k${at}`, of(at)]))

const graph = buildSchema('type Query { root: Repo } type Repo { a: Int }')

/** V8 remembers what became of a text that it has seen. */
let calls = 0
const stripped = (text: string) => {
  calls += 1
  return stripAnsi(`${text}${calls}`)
}

interface Work {
  readonly what: string
  /** Characters, lines or members: the most that the limits allow. */
  readonly most: number
  readonly make: (n: number) => unknown
  readonly work: (input: never) => unknown
}

const works: readonly Work[] = [
  { what: 'lines of a log of newlines', most: 256 * KIB, make: (n) => filled('\n', n), work: linesOf },
  { what: 'escape sequences that never end', most: 256 * KIB, make: (n) => filled('\x1b]', n), work: stripped },
  { what: 'escape sequences of parameters', most: 256 * KIB, make: (n) => filled('\x1b[1;', n), work: stripped },
  {
    what: 'events of a batch of control characters',
    most: 256 * KIB,
    make: (n) => n,
    work: (n: number) => {
      const at = { chunk: 1, line: 0, metric: 0 }
      const facts = { stream: 'stdout', at: 'now', from: 0, isLast: true, before: at, after: at, cost: 1 } as const
      return eventsOf({ kind: 'log', lines: counted(2000, () => filled('\x01', n / 2000)), ...facts })
    },
  },
  {
    what: 'a metrics line of many names that end in none of a reward',
    most: 50_000,
    make: (n) => membered(n, () => 1),
    work: readMetricsLine,
  },
  {
    what: 'a metrics line of one long name',
    most: MIB,
    make: (n) => ({ [filled('reward/', n)]: 1 }),
    work: readMetricsLine,
  },
  {
    what: 'a metric of many lines',
    most: 400_000,
    make: (n) => n,
    work: (n: number) => {
      const builder = seriesBuilder('loss', 5000)
      for (let step = 0; step < n; step += 1) builder.add(step, (step * 7919) % 1009)
      return builder.series()
    },
  },
  {
    what: 'a reward curve',
    most: 10_000,
    make: (n) => counted(n, (at): CurvePoint => [at, (at * 7919) % 1009]),
    work: (points: readonly CurvePoint[]) => sparklineOf(addRewards(null, 'reward', points)),
  },
  {
    what: 'tripwires over many checkpoints',
    most: 20_000,
    make: (n) =>
      counted(n, (at) => ({ step: n - at, passCount: 1, cellCount: 1, aliveCount: 1, seedCount: 1, rolloutId: null })),
    work: (gated: Parameters<typeof firedTripwire>[1]) =>
      firedTripwire(
        counted(20, () => ({ metric: 'pass_rate' as const, op: '<' as const, threshold: 0 })),
        gated,
      ),
  },
  {
    what: 'a scorecard of many rows',
    most: 50_000,
    make: (n) => membered(n, () => ({ status: 'PASS', detail: 'x' })),
    work: gatesOf,
  },
  { what: 'free-form members with faults', most: 50_000, make: (n) => membered(n, () => '\0'), work: freeFormFaults },
  {
    what: 'free-form members in one another',
    most: 50_000,
    make: (n) => counted(n / 90, () => counted(90, () => 0).reduce<unknown>((inner) => [inner], 1)),
    work: freeFormFaults,
  },
  { what: 'the hash of many members', most: 50_000, make: (n) => membered(n, (at) => at), work: canonicalSha256 },
  {
    what: 'dataset info of other members',
    most: MIB,
    make: (n) => Buffer.from(JSON.stringify({ codebase_version: 'v3.0', x: filled('\u0001', n / 8) })),
    work: parseDatasetInfo,
  },
  {
    what: 'a card of wrong members',
    most: 40_000,
    make: (n) => ({ interface: { joint_order: counted(n / 2, () => 1), parts: counted(n / 2, () => 1) } }),
    work: readCard,
  },
  {
    what: 'a GraphQL document of fragments',
    most: 500,
    make: (n) => `{ root { ...f0 } } ${counted(n, (at) => `fragment f${at} on Repo { a ...f${at + 1} }`).join(' ')}`,
    work: (text: string) => {
      const document = parseBounded(`${text} fragment f${text.split('fragment').length - 1} on Repo { a }`)
      assertWithinLimits(graph, document, null, {})
    },
  },
]

it.each(works)('$what', ({ most, make, work }) => {
  expect(growthOf(make, work as (input: unknown) => unknown, most)).toBeLessThan(BELOW_QUADRATIC)
})
