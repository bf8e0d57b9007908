/** A row of a bench: servers that are asked the same, in turn, in rounds of which each begins with another one. */
import type { Ask, Cost, Lab, Prepare, ServerName } from './api-lab.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 12)
const SLICE_MS = Number(process.env.BENCH_SLICE_MS ?? 1500)
const WARM_MS = 2 * SLICE_MS

export interface Row {
  readonly name: string
  /** What each server is asked: again and again, or in batches that are prepared. */
  readonly asks: Readonly<Partial<Record<ServerName, Ask | Prepare>>> & { readonly hub: Ask | Prepare }
  /** The ratio that is wanted, and to which server. */
  readonly goal?: readonly [ServerName, number]
}

/** The head of the table whose rows `measure` prints. */
export const tableHead = [
  '| request | beside | its server | its database | hub | its database | ratio (quartiles) | goal |',
  '|---|---|---|---|---|---|---|---|',
].join('\n')

/** Prints the lines of the row. */
export async function measure(lab: Lab, row: Row): Promise<void> {
  console.log(rowLine({ ...row, costs: await costsOf(lab, row) }))
}

/** All servers warmed, then slices in turn: what each round cost each. */
export async function costsOf(lab: Lab, { asks }: Pick<Row, 'asks'>): Promise<ReadonlyMap<ServerName, Cost[]>> {
  const asked = Object.entries(asks) as [ServerName, Ask | Prepare][]
  if (asks.bare) await assertSameItems(lab, asked)
  for (const [server, ask] of asked) await costOf(lab, server, ask, WARM_MS)
  const costs = new Map<ServerName, Cost[]>(asked.map(([server]) => [server, []]))
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = round % asked.length
    for (const [server, ask] of [...asked.slice(first), ...asked.slice(0, first)])
      costs.get(server)?.push(await costOf(lab, server, ask, SLICE_MS))
  }
  return costs
}

interface Measured {
  readonly name: string
  readonly costs: ReadonlyMap<ServerName, readonly Cost[]>
  readonly goal?: Row['goal'] | undefined
}

/** A line of the table for each server beside the hub, or one of the hub's alone. */
export function rowLine({ name, costs, goal }: Measured): string {
  const hub = costs.get('hub') ?? []
  const others = [...costs.keys()].filter((server) => server !== 'hub')
  if (others.length === 0) return `| ${name} | | | | ${cells(hub)} | | |`
  const lines = others.map((other) => {
    const theirs = costs.get(other) ?? []
    const wanted = goal?.[0] === other ? goal[1].toFixed(2) : ''
    return `| ${name} | ${other} | ${cells(theirs)} | ${cells(hub)} | ${ratio(theirs, hub)} | ${wanted} |`
  })
  return lines.join('\n')
}

const costOf = (lab: Lab, server: ServerName, ask: Ask | Prepare, ms: number): Promise<Cost> =>
  typeof ask === 'function' ? lab.batch(server, ask) : lab.load(server, ask, ms)

/** Median and quartiles of the ratios of the rounds. */
export const ratio = (costs: readonly Cost[], beside: readonly Cost[]): string =>
  spread(costs.map(({ server }, round) => server / (beside[round]?.server ?? Number.NaN)))

/** Medians of the server and of its database. */
export const cells = (costs: readonly Cost[]) =>
  [costs.map(({ server }) => server), costs.map(({ database }) => database)]
    .map((values) => quantile(values, 0.5).toFixed(3))
    .join(' | ')

const spread = (ratios: readonly number[]) => {
  const [low = 0, middle = 0, high = 0] = [0.25, 0.5, 0.75].map((part) => quantile(ratios, part))
  return `${middle.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** The comparison means something only while all say the same; cursors differ, as those of the hub are opaque. */
async function assertSameItems(lab: Lab, asked: readonly [ServerName, Ask | Prepare][]): Promise<void> {
  const reads = asked.flatMap(([server, ask]) => (typeof ask === 'function' ? [] : [{ server, ask }]))
  const answers = await Promise.all(reads.map(async ({ server, ask }) => comparable(await lab.ask(server, ask))))
  for (const [at, answer] of answers.entries())
    if (answer !== answers[0])
      throw new Error(`${asked[at]?.[0]} and ${asked[0]?.[0]} differ\n${answer}\n${answers[0]}`)
}

function comparable(text: string): string {
  const answer: Record<string, unknown> = JSON.parse(text)
  // The time of the read.
  const plain = (_key: string, value: unknown) => (_key === 'as_of' ? '' : value)
  return JSON.stringify(answer.items ?? answer, plain)
}
