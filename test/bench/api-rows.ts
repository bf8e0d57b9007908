/** What the bench of the API asks its servers. */
import type { Ask, Lab, Prepare } from './api-lab.ts'
import { completions, parts, partsByHand, presigns } from './api-uploads.ts'
import { postgraphileFiles, postgraphileRepos } from './postgraphile-documents.ts'
import type { Row } from './rounds.ts'

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

export const rowsOf = ({ runId, heldRunIds }: Lab): readonly Row[] => [
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
  { name: 'PUT of a part of 1 MiB', asks: { hub: parts, bare: partsByHand } },
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
