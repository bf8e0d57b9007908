/** Reads lists, things and the graph, as pages and command lines do. */
import { randomInt } from 'node:crypto'
import { OWNER } from '../lab/lab.ts'
import { assertStatus } from './actor.ts'
import type { Client } from './client.ts'
import type { RunJournals } from './runs.ts'

const documents = [
  '{ repos(first: 20) { nodes { id fullName fileSummary { count } files(first: 20) { nodes { path size sha256 } } } } }',
  `{ account(handle: "${OWNER}") { handle counts { runs { queued { count } running { count } } } runs(first: 20) { nodes { id status attempt progress { iteration } } } } }`,
  '{ viewer { account { id handle } storage { usedBytes } } }',
]

export async function readSomething(client: Client, runs: RunJournals): Promise<void> {
  const made = [...runs.values()].filter(({ id }) => id !== '')
  const run = made[randomInt(Math.max(1, made.length))]
  const paths = [
    '/v1/repos?limit=20',
    '/v1/runs?limit=20',
    '/v1/robot-checks?limit=20',
    '/v1/spend',
    '/v1/spend/holds?limit=20',
    `/v1/repos/${OWNER}/library-0/tree?limit=500`,
    `/v1/repos/${OWNER}/library-0/history?limit=20`,
    ...(run === undefined
      ? []
      : [`/v1/runs/${run.id}`, `/v1/runs/${run.id}/metrics`, `/v1/runs/${run.id}/logs/download`]),
  ]
  if (Math.random() < 0.3) {
    await client.graph(documents[randomInt(documents.length)] ?? '')
    return
  }
  const path = paths[randomInt(paths.length)] ?? ''
  assertStatus(`GET ${path}`, await client.ask('GET', path), 200)
}
