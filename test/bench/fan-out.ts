/** Rows of the bench for many followers of one log: the processor time of a report of ten lines until all have them. */
import type { Ask, Cost, Lab, ServerName } from './api-lab.ts'
import { rowLine } from './rounds.ts'

const FOLLOWERS = Number(process.env.BENCH_FOLLOWERS ?? 300)
const REPORTS = 20
const LINES = 10
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 12)

const report = (run: string): Ask => ({
  path: `/v1/runs/${run}/report`,
  body: (n) => ({
    metrics: [],
    log_chunk: `iteration ${n}: loss 0.0123 reward 12.5, 4096 samples/s on the arm\n`.repeat(LINES),
  }),
})

interface FanOut {
  readonly name: string
  /** By the run, of which each server and row has its own: an object of one server is in no other's store. */
  readonly follow: Readonly<Partial<Record<ServerName, (run: string) => Ask>>>
  readonly goal?: number
}

const overSse = (run: string): Ask => ({ path: `/v1/runs/${run}/logs?follow=true`, accept: 'text/event-stream' })
const overGraph = (run: string): Ask => ({
  path: '/graphql/stream',
  accept: 'text/event-stream',
  body: { query: `subscription { runLog(runId: "${run}") { events { ts stream line } cursor status } }` },
})

const rows: readonly FanOut[] = [
  {
    name: `report of ${LINES} lines to ${FOLLOWERS} followers, SSE`,
    follow: { fair: overSse, hub: overSse },
    goal: 0.5,
  },
  { name: `report of ${LINES} lines to ${FOLLOWERS} followers, subscriptions`, follow: { hub: overGraph } },
]

/** Prints a line for each row; followers stay connected over all rounds. */
export async function measureFanOut(lab: Lab, only: string | undefined): Promise<void> {
  const held = [...lab.heldRunIds]
  for (const { name, follow, goal } of rows) {
    if (only && !name.includes(only)) continue
    const servers = Object.keys(follow) as ServerName[]
    const costs = new Map<ServerName, Cost[]>(servers.map((server) => [server, []]))
    const runs = new Map(servers.map((server) => [server, held.pop() ?? '']))
    const crowds = await Promise.all(
      servers.map((server) => lab.follow(server, follow[server]?.(runs.get(server) ?? '') ?? { path: '' }, FOLLOWERS)),
    )
    for (let round = -1; round < ROUNDS; round += 1)
      for (const [place, server] of servers.entries()) {
        const crowd = crowds[place]
        if (!crowd) continue
        const cost = await lab.cost(server, async () => {
          for (let n = 0; n < REPORTS; n += 1) await lab.ask(server, report(runs.get(server) ?? ''))
          await crowd.until(REPORTS * LINES)
          return REPORTS
        })
        // The round before the first one warms up.
        if (round >= 0) costs.get(server)?.push(cost)
      }
    for (const crowd of crowds) crowd.close()
    console.log(rowLine({ name, costs, goal: goal === undefined ? undefined : ['fair', goal] }))
  }
}
