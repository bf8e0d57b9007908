/** Logs of runs and checks that have ended longer ago than the hub keeps them. */
import { describe, expect, it } from 'vitest'
import { dropOldLogs, purgeDroppedLogs } from '../../src/jobs/log-retention.ts'
import type { ObjectStore } from '../../src/store/objects/object-store.ts'
import { checksOf, goodReport } from '../support/checks.ts'
import type { SentEvent } from '../support/event-stream.ts'
import { linesOf, stepsOf, streamedRuns } from './support/streamed-runs.ts'

// At 0 the hubs themselves delete nothing while these tests do.
const lab = streamedRuns({ LOG_RETENTION_S: '0' })
const { hub } = lab
const checks = checksOf(hub)
const { signal } = new AbortController()
const DAYS = 86_400
const SAYS = 'The log was deleted: this hub keeps the log of a run for 90 days after its end.'

const drop = () => {
  const { deps } = hub.running
  const config = { ...deps.config, runs: { ...deps.config.runs, logKeptSeconds: 90 * DAYS } }
  return dropOldLogs({ ...deps, config }, signal)
}
const purge = (staySeconds = 0) => purgeDroppedLogs(hub.running.deps, signal, staySeconds)
const one = async <T extends object>(text: string, id: string) => (await hub.sql<T>(text, [id]))[0] as T
/** What counts, without what the account has counted ahead for a run. */
const storedOf = async (runId: string) => {
  const spares = `(select coalesce(sum(s.bytes), 0) from storage_spares s where s.owner_id = a.id)`
  const text = `select u.stored_bytes as run, a.storage_bytes - ${spares} as account
    from runs u join accounts a on a.id = u.owner_id where u.id = $1`
  const { run, account } = await one<{ run: string; account: string }>(text, runId)
  return { run: Number(run), account: Number(account) }
}
const chunksOf = async (runId: string) =>
  (await hub.sql<{ seq: number }>('select seq from run_log_chunks where run_id = $1 order by seq', [runId])).map(
    ({ seq }) => seq,
  )
async function objectsOf(runId: string): Promise<number> {
  let found = 0
  const objects = hub.running.deps.objects as ObjectStore
  for await (const { key } of objects.list(`runs/${runId}/logs/`)) found += Number(key.length > 0)
  return found
}

/** A run with two short chunks, one that is an object, an open line and a metric, which ended so many days ago. */
async function ended(days: number, chunks = ['one\n', `${'x'.repeat(40_000)}\n`, 'open']): Promise<string> {
  const runId = await lab.claimed()
  for (const log_chunk of chunks) await lab.report(runId, { log_chunk, metrics: [{ step: 1, loss: 2 }] })
  await lab.report(runId, { status: 'succeeded' })
  await hub.sql(`update runs set finished_at = now() - $2 * interval '1 day' where id = $1`, [runId, days])
  return runId
}
const download = async (runId: string) => (await hub.call(lab.ada, 'GET', `/v1/runs/${runId}/logs/download`)).text
/** All that a stream sends. */
async function followed(...of: Parameters<typeof lab.follow>): Promise<SentEvent[]> {
  const { events, ended: end } = await lab.follow(...of)
  await end
  return events
}

describe('a log past its retention', () => {
  it('is a line that says so, for streams, downloads and pages, and its metrics stay', async () => {
    const runId = await ended(91)
    const before = await storedOf(runId)
    await drop()
    for (const url of [hub.running.url, lab.other.url]) {
      const events = await followed(runId, 'follow=true', {}, url)
      expect([linesOf(events), stepsOf(events), events.at(-1)?.event]).toEqual([[SAYS], [1, 1, 1], 'end'])
    }
    expect(linesOf(await followed(runId, 'tail=3'))).toEqual([SAYS])
    expect(await download(runId)).toBe(`${SAYS}\n`)
    const after = await storedOf(runId)
    expect(before.run - after.run).toBe('one\n'.length + 40_001 + 'open'.length)
    expect(before.account - after.account).toBe(before.run - after.run)
  })

  it('is read to its end by a reader that had begun, and its chunks and objects go later', async () => {
    const runId = await ended(91)
    await drop()
    await purge(3600)
    expect([await chunksOf(runId), await objectsOf(runId)]).toEqual([[1, 2, 3, 4], 1])
    await purge()
    expect([await chunksOf(runId), await objectsOf(runId)]).toEqual([[4], 0])
    expect(await hub.sql('select 1 from log_purges where job_id = $1', [runId])).toEqual([])
    expect(await download(runId)).toBe(`${SAYS}\n`)
  })

  it('is continued from a position in it with the line that is left', async () => {
    const runId = await ended(91)
    const events = await followed(runId)
    const first = events.find(({ event }) => event === 'log')?.id ?? ''
    await drop()
    await purge()
    expect(linesOf(await followed(runId, 'follow=true', { 'last-event-id': first }))).toEqual([SAYS])
    expect(linesOf(await followed(runId, 'follow=true', { 'last-event-id': events.at(-2)?.id ?? '' }))).toEqual([SAYS])
  })

  it('is dropped once, by however many hubs', async () => {
    const runId = await ended(91, ['one\n'])
    const before = await storedOf(runId)
    await Promise.all([drop(), drop(), drop()])
    await drop()
    expect(linesOf(await followed(runId))).toEqual([SAYS])
    expect(before.account - (await storedOf(runId)).account).toBe('one\n'.length)
  })
})

it('keeps a log within its retention, and those of runs that run', async () => {
  const young = await ended(89)
  const running = await lab.claimed()
  await lab.report(running, { log_chunk: 'one\n' })
  await drop()
  await purge()
  expect((await download(young)).slice(0, 8)).toBe('one\nxxxx')
  expect(await download(running)).toBe('one\n')
})

it('drops the log of a check too', async () => {
  const check = await checks.claimed(lab.key, await checks.robot(lab.ada))
  await checks.report(lab.key, check, { log_chunk: 'compiling\n' })
  await checks.report(lab.key, check, { status: 'succeeded', report: goodReport })
  await hub.sql(`update robot_checks set finished_at = now() - interval '91 days' where id = $1`, [check])
  const storedSql = 'select stored_bytes as bytes from robot_checks where id = $1'
  const before = await one<{ bytes: string }>(storedSql, check)
  await drop()
  await purge()
  const { text } = await hub.call(lab.ada, 'GET', `/v1/robot-checks/${check}/logs/download`)
  expect(text).toBe(`${SAYS.replace('a run', 'a check')}\n`)
  const after = await one<{ bytes: string }>(storedSql, check)
  expect(Number(before.bytes) - Number(after.bytes)).toBe('compiling\n'.length)
})

it('leaves a run without a log without one', async () => {
  const runId = await ended(91, [])
  await drop()
  expect([await download(runId), await chunksOf(runId)]).toEqual(['', []])
  const due = `select 1 from runs where id = $1 and log_first is null`
  expect(await hub.sql(due, [runId])).toEqual([])
})

it('gives back no byte that the hub added itself', async () => {
  const runId = await ended(91, ['a\n'])
  // As a lost attempt leaves it: an open line, and the line end of the hub.
  await hub.sql(
    `insert into run_log_chunks (run_id, seq, attempt, stream, text, byte_count, line_count, first_line, line_from)
      values ($1, 2, 1, 'stdout', e'\\n', 1, 1, 1, 1)`,
    [runId],
  )
  await hub.sql('update runs set log_seq = 2 where id = $1', [runId])
  const before = await storedOf(runId)
  await drop()
  expect(before.run - (await storedOf(runId)).run).toBe('a\n'.length)
})
