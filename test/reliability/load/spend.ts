/** Hosted runs that an agent asks for and a person approves or denies; the hub starts a process for each approved one. */
import { randomBytes } from 'node:crypto'
import { assertStatus } from './actor.ts'
import type { Client } from './client.ts'

/** What was acknowledged of one hold. */
interface HoldJournal {
  readonly mark: string
  readonly id: string
  decided: 'approved' | 'denied' | null
  runId: string | null
}

export type HoldJournals = Map<string, HoldJournal>

export async function fileAndDecide(agent: Client, person: Client, journals: HoldJournals): Promise<void> {
  const mark = randomBytes(8).toString('hex')
  const filed = await agent.ask('POST', '/v1/runs', {
    recipe: { template: 'act', dataset: [], executor: 'hosted', max_hours: 0.1, hyperparams: { mark } },
  })
  assertStatus('createRun of an agent', filed, 202)
  const journal: HoldJournal = { mark, id: filed.json.id, decided: null, runId: null }
  journals.set(journal.id, journal)
  const path = `/v1/spend/holds/${journal.id}`
  if (journals.size % 3 === 0) {
    assertStatus('denySpendHold', await person.ask('POST', `${path}/deny`, { reason: 'not now' }), 200)
    journal.decided = 'denied'
    return
  }
  const approved = await person.ask('POST', `${path}/approve`)
  assertStatus('approveSpendHold', approved, 200, 201)
  journal.decided = 'approved'
  journal.runId = approved.json.result_id
}
