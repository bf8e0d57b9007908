/**
 * `npm run bench [-- NAME]`: processor time of one request, of the server and of its database, beside servers that do
 * the same without the hub's graph: by hand with every duty of the hub (`fair`), by hand with few (`bare`), and
 * PostGraphile over the same tables. All in turn in one run; a ratio of 1.00 means that the hub is as cheap, as median
 * and quartiles of the rounds.
 */
import { type Ask, type Cost, type Lab, openLab, type Prepare, type ServerName } from './api-lab.ts'
import { completions, presigns } from './api-uploads.ts'
import { postgraphileFiles, postgraphileRepos } from './postgraphile-documents.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 12)
const SLICE_MS = Number(process.env.BENCH_SLICE_MS ?? 1500)
const WARM_MS = 2 * SLICE_MS

interface Row {
  readonly name: string
  /** What each server is asked: again and again, or in batches that are prepared. */
  readonly asks: Readonly<Partial<Record<ServerName, Ask | Prepare>>> & { readonly hub: Ask | Prepare }
  /** The ratio that is wanted, and to which server. */
  readonly goal?: readonly [ServerName, number]
}

/** A read of `/v1` that the servers by hand have too. */
const read = (name: string, path: string, goal: number): Row => ({
  name,
  asks: { hub: { path }, fair: { path }, bare: { path } },
  goal: ['fair', goal],
})

const write = (name: string, goal: number, ask: Ask | Prepare): Row => ({
  name,
  asks: { hub: ask, fair: ask },
  goal: ['fair', goal],
})

/** Ten lines of five numbers, and 4 KiB of log in 64 lines. */
function reportOf(n: number): object {
  const metrics = Array.from({ length: 10 }, (_, at) => ({
    step: n * 10 + at,
    loss: 1 / (n + at + 1),
    grad_norm: n % 7,
    lr: 0.001,
    samples: at * 8,
  }))
  return {
    metrics,
    log_chunk: `${'a line of the log, as trainers write them: 63 characters long..'.slice(0, 63)}\n`.repeat(64),
  }
}

const graph = (query: string): Ask => ({ path: '/graphql', body: { query } })

const rowsOf = ({ runId, heldRunIds }: Lab): readonly Row[] => [
  read('getRepo', '/v1/repos/bench/repo-0', 0.95),
  read('listRepos, 20', '/v1/repos?limit=20', 0.85),
  read('getRepoTree, 500 files', '/v1/repos/bench/repo-0/tree?limit=500', 0.95),
  ...['gzip', 'br', 'zstd'].map((encoding) => ({
    name: `getRepoTree, 500 files, ${encoding}`,
    asks: { hub: { path: '/v1/repos/bench/repo-0/tree?limit=500', encoding } },
  })),
  read('getRun', `/v1/runs/${runId}`, 0.95),
  read('listRuns, 20', '/v1/runs?limit=20', 0.85),
  write('report, 10 lines of 5 metrics and 4 KiB of log', 0.6, {
    path: (connection) => `/v1/runs/${heldRunIds[connection]}/report`,
    body: reportOf,
  }),
  write('presign of 100 files', 0.4, presigns),
  write('complete of 100 files of 1 KiB', 0.4, completions),
  {
    name: 'graph: 20 repos',
    asks: {
      hub: graph('{ repos(first: 20) { nodes { id slug kind visibility description tags createdAt updatedAt } } }'),
      postgraphile: graph(postgraphileRepos),
    },
    goal: ['postgraphile', 0.8],
  },
  {
    name: 'graph: 20 repos, 20 files of each',
    asks: {
      hub: graph(`{ repos(first: 20) { nodes { id slug fileSummary { count }
        files(first: 20) { nodes { path size sha256 } } } } }`),
      postgraphile: graph(postgraphileFiles),
    },
    goal: ['postgraphile', 1.1],
  },
]

/** All servers warmed, then slices in turn; each round begins with another one. */
async function measure({ name, asks, goal }: Row): Promise<void> {
  const asked = Object.entries(asks) as [ServerName, Ask | Prepare][]
  if (asks.bare) await assertSameItems(asked)
  for (const [server, ask] of asked) await costOf(server, ask, WARM_MS)
  const costs = new Map<ServerName, Cost[]>(asked.map(([server]) => [server, []]))
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = round % asked.length
    for (const [server, ask] of [...asked.slice(first), ...asked.slice(0, first)])
      costs.get(server)?.push(await costOf(server, ask, SLICE_MS))
  }
  const hub = costs.get('hub') ?? []
  const others = asked.flatMap(([server]) => (server === 'hub' ? [] : [server]))
  if (others.length === 0) console.log(`| ${name} | | | | ${cells(hub)} | | |`)
  for (const other of others) {
    const theirs = costs.get(other) ?? []
    const ratios = theirs.map(({ server }, round) => server / (hub[round]?.server ?? Number.NaN))
    const wanted = goal?.[0] === other ? goal[1].toFixed(2) : ''
    console.log(`| ${name} | ${other} | ${cells(theirs)} | ${cells(hub)} | ${spread(ratios)} | ${wanted} |`)
  }
}

const costOf = (server: ServerName, ask: Ask | Prepare, ms: number): Promise<Cost> =>
  typeof ask === 'function' ? lab.batch(server, ask) : lab.load(server, ask, ms)

const cells = (costs: readonly Cost[]) =>
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
async function assertSameItems(asked: readonly [ServerName, Ask | Prepare][]): Promise<void> {
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

const lab = await openLab()
try {
  const only = process.argv[2]
  console.log('| request | beside | its server | its database | hub | its database | ratio (quartiles) | goal |')
  console.log('|---|---|---|---|---|---|---|---|')
  for (const row of rowsOf(lab)) if (!only || row.name.includes(only)) await measure(row)
} finally {
  await lab.close()
}
process.exit(0)
