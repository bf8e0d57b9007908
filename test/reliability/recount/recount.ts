/** After a fault: is all that was acknowledged there, and nothing twice? Read from the hubs, their store and the database. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Lab } from '../lab/lab.ts'
import type { Load } from '../load/load.ts'
import { Findings } from './findings.ts'
import { recountChecks, recountHolds } from './jobs.ts'
import { recountRepo } from './repos.ts'
import { recountRuns } from './runs.ts'
import { recountBackground, recountStorage } from './storage.ts'

const HOSTED_MS = 150_000

/** Once the load has ended. */
export async function recount(lab: Lab, { client, journals }: Load): Promise<Findings> {
  const findings = new Findings()
  await hostedRunsEnd(lab)
  for (const journal of journals.repos)
    await findings.read(`the repo ${journal.slug}`, () => recountRepo(client, journal, findings))
  await findings.read('the runs', () => recountRuns(client, journals, findings))
  await findings.read('the checks', () => recountChecks(client, journals, findings))
  await findings.read('the holds', () => recountHolds(client, lab, journals, findings))
  await findings.read('the background jobs', () => recountBackground(lab, findings))
  await findings.read('the quotas', () => recountStorage(lab, journals, findings))
  return findings
}

/** The processes of hosted runs continue through a fault by themselves; what has not ended by then the recount finds. */
async function hostedRunsEnd({ db }: Lab): Promise<void> {
  const text = `select count(*)::int as n from runs where executor::text = 'hosted' and status::text in ('queued', 'running')`
  for (const until = performance.now() + HOSTED_MS; performance.now() < until; await delay(250)) {
    const [row] = await db.query<{ n: number }>({ name: '', text })
    if (row?.n === 0) return
  }
}
