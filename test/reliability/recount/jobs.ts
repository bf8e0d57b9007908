/** Checks, holds, hosted runs and the money of the account. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Lab, OWNER } from '../lab/lab.ts'
import { assertStatus } from '../load/actor.ts'
import type { Client, Json } from '../load/client.ts'
import type { Journals } from '../load/load.ts'
import { everyItem } from './every-item.ts'
import type { Findings } from './findings.ts'

export async function recountChecks(client: Client, { checks }: Journals, findings: Findings): Promise<void> {
  const listed = await everyItem(client, '/v1/robot-checks')
  findings.compare('checks', listed.length, checks.size)
  for (const { id, log, hasEnded } of checks.values()) {
    findings.count('checks', 1)
    const found = listed.find((check: Json) => check.id === id)
    if (!found) findings.lost.push(`check ${id}`)
    else if (hasEnded && found.status !== 'succeeded') findings.lost.push(`the end of ${id}: it is ${found.status}`)
    if (log === '') continue
    const got = await client.ask('GET', `/v1/robot-checks/${id}/logs/download`)
    assertStatus('downloadRobotCheckLog', got, 200)
    findings.compare(`bytes of the log of ${id}`, got.bytes.length, log.length)
  }
}

/** Each approved hold is one run, which was carried out once and is billed once. */
export async function recountHolds(client: Client, lab: Lab, { holds }: Journals, findings: Findings): Promise<void> {
  const listed = await everyItem(client, '/v1/spend/holds')
  findings.compare('holds', listed.length, holds.size)
  const runs = await everyItem(client, '/v1/runs', { owner: OWNER })
  const calls = startedCalls(lab)
  for (const { id, mark, decided, runId } of holds.values()) {
    findings.count('holds', 1)
    const found = listed.find((hold: Json) => hold.id === id)
    if (decided !== null && found?.status !== decided)
      findings.lost.push(`hold ${id}: ${found?.status}, not ${decided}`)
    const made = runs.filter((run: Json) => run.recipe.hyperparams.mark === mark)
    findings.compare(`runs of hold ${id}`, made.length, decided === 'approved' ? 1 : 0)
    if (runId === null) continue
    findings.count('hosted runs', 1)
    const run = made[0]
    if (run?.status !== 'succeeded') findings.lost.push(`hosted run ${runId}: ${run?.status} ${run?.error ?? ''}`)
    findings.compare(`claims of hosted run ${runId}`, run?.attempt ?? 0, 1)
    findings.compare(
      `processes that carried out ${runId}`,
      calls.filter((call) => call.id === runId && call.claimed === 200).length,
      1,
    )
  }
  await recountMoney(client, lab, findings)
}

interface StartedCall {
  readonly id: string
  readonly claimed: number
}

function startedCalls(lab: Lab): StartedCall[] {
  try {
    const lines = readFileSync(join(lab.folder, 'started'), 'utf8').trim().split('\n')
    return lines.map((line) => {
      const [id = '', , claimed] = line.split(' ')
      return { id, claimed: Number(claimed) }
    })
  } catch {
    return []
  }
}

async function recountMoney(client: Client, { db }: Lab, findings: Findings): Promise<void> {
  const { json } = await client.ask('GET', '/v1/spend')
  const [row] = await db.query<{ billed: number; entries: number; reserved: number; ended: number }>({
    name: '',
    text: `select coalesce(sum(amount_usd), 0)::float8 as billed, count(*)::int as entries,
      (select coalesce(sum(amount_usd), 0)::float8 from spend_reservations) as reserved,
      (select count(*)::int from runs where priced and status::text in ('succeeded', 'failed', 'canceled') and started_at is not null) as ended
      from ledger`,
  })
  findings.count('entries of the ledger', row?.entries ?? 0)
  const cents = (usd: number) => Math.round(usd * 10_000)
  findings.compare('ten-thousandths of a dollar that are billed', cents(json.recorded_usd), cents(row?.billed ?? 0))
  findings.compare('ten-thousandths of a dollar that are reserved', cents(json.reserved_usd), cents(row?.reserved ?? 0))
}
