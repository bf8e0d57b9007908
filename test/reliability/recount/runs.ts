/** Runs, their logs and metrics, and what their followers were shown. */
import { OWNER } from '../lab/lab.ts'
import { assertStatus } from '../load/actor.ts'
import type { Client, Json } from '../load/client.ts'
import type { Journals } from '../load/load.ts'
import { lineOf, type RunJournal } from '../load/runs.ts'
import { everyItem } from './every-item.ts'
import type { Findings } from './findings.ts'

export async function recountRuns(client: Client, journals: Journals, findings: Findings): Promise<void> {
  const listed = await everyItem(client, '/v1/runs', { owner: OWNER })
  const byMark = Map.groupBy(listed, (run: Json) => run.recipe.hyperparams.mark as string)
  for (const journal of journals.runs.values()) {
    findings.count('runs', 1)
    const found = byMark.get(journal.mark) ?? []
    findings.compare(`run ${journal.mark}`, found.length, 1)
    if (found[0] && journal.attempt > 0)
      await findings.read(`run ${journal.id}`, () => recountRun(client, journal, found[0], findings))
    if (journal.hasEnded && journals.account.status.get(journal.id) !== 'SUCCEEDED')
      findings.lost.push(`the end of run ${journal.id} for the follower of the account`)
  }
  for (const { kind, journal, lines, metrics, skipped, repeated } of journals.followed) {
    findings.lost.push(...skipped.map((what) => `${kind} of ${journal.id}: ${what}`))
    findings.twice.push(...repeated.map((what) => `${kind} of ${journal.id}: ${what}`))
    if (kind !== 'runMetrics') {
      findings.count('lines that followers saw', lines)
      findings.compare(`lines of ${journal.id} that a follower over ${kind} saw`, lines, journal.lines)
    }
    if (kind !== 'runLog')
      findings.compare(`metrics of ${journal.id} that a follower over ${kind} saw`, metrics, journal.metrics)
  }
}

async function recountRun(client: Client, journal: RunJournal, run: Json, findings: Findings): Promise<void> {
  findings.compare(`attempts of ${run.id}`, run.attempt, 1)
  if (journal.hasEnded && run.status !== 'succeeded') findings.lost.push(`the end of ${run.id}: it is ${run.status}`)
  const log = await client.ask('GET', `/v1/runs/${run.id}/logs/download`)
  assertStatus('downloadRunLog', log, 200)
  const lines = log.bytes
    .toString()
    .split('\n')
    .filter((line) => line.includes(journal.mark))
  findings.count('lines of logs', journal.lines)
  findings.compare(`lines of ${run.id}`, lines.length, journal.lines)
  for (const [at, line] of lines.entries())
    if (line !== lineOf(journal.mark, at)) {
      findings.lost.push(`line ${at} of ${run.id}: ${line}`)
      break
    }
  const { json } = await client.ask('GET', `/v1/runs/${run.id}/metrics?max_points=5000`)
  const series = json.series.find(({ key }: Json) => key === 'reward')
  findings.count('lines of metrics', journal.metrics)
  findings.compare(`metrics of ${run.id}`, series?.count ?? 0, journal.metrics)
}
