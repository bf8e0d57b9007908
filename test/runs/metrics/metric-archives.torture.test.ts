/** Metrics of ended runs move from rows to an object, and no answer tells. */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import { collectRunObjects } from '../../../src/jobs/collect-job-objects.ts'
import { archiveMetrics, dropArchivedRows } from '../../../src/jobs/metric-archives.ts'
import { fileLeftMetrics, writeMetricsFile } from '../../../src/jobs/run-metrics-file.ts'
import { purgeRun } from '../../../src/jobs/run-purge.ts'
import { metricsKey } from '../../../src/runs/log/run-objects.ts'
import { readRunMetrics } from '../../../src/runs/metrics/read-metrics.ts'
import type { ObjectStore } from '../../../src/store/objects/object-store.ts'
import { readJobObject } from '../../../src/work/job-objects.ts'
import { putRun } from '../../support/runs.ts'
import { streamedRuns } from '../support/streamed-runs.ts'

// At 0 the hubs themselves archive nothing while these tests do.
const lab = streamedRuns({ METRICS_ARCHIVE_AFTER_S: '0' })
const { hub } = lab
const { signal } = new AbortController()
const database = {
  query: <T>({ text }: { text: string }, values?: readonly unknown[]) => hub.sql<T>(text, [...(values ?? [])]),
}
const storeOf = (): ObjectStore => hub.running.deps.objects as ObjectStore

/**
 * Blocks and pages end at 2000 and 500 numbers: lines are hidden at a border and at the end, the third block is cut by
 * its bytes, some lines have no step, and others are spelled as no parser would.
 */
async function endedRun(lines = 4300): Promise<string> {
  const runId = await putRun(database, { ownerId: lab.ada.id, status: 'succeeded', set: { metrics_seq: lines } })
  await hub.sql(
    `insert into run_metrics (run_id, seq, attempt, step, line, at, hidden)
      select r.id, n, 1, case when n % 7 <> 0 then n * 0.5 end,
        ('{ "loss": ' || n % 97 || '.50, "lr":1e-400, "word":"größer"' || case when n % 1000 = 3 then ', "rare":-0' else '' end
          || case when n between 4100 and 4102 then ', "long":"' || repeat('x', 1100000) || '"' else '' end || '}')::json,
        r.created_at + n * interval '1.001 seconds', n between 1990 and 2010 or n > $2::int - 3
      from runs r, generate_series(1, $2::int) n where r.id = $1`,
    [runId, lines],
  )
  return runId
}

/** The job that follows each end, and then the days in which nothing happens. */
async function letRest(runId: string): Promise<void> {
  await writeMetricsFile(hub.running.deps, storeOf(), runId, signal)
  await hub.sql(`update metric_archives set still_since = now() - interval '8 days' where run_id = $1`, [runId])
}
const afterSeconds = (metricsArchiveAfterSeconds: number) => {
  const { deps } = hub.running
  return { ...deps, config: { ...deps.config, runs: { ...deps.config.runs, metricsArchiveAfterSeconds } } }
}
const archive = (objects = storeOf()) => archiveMetrics(afterSeconds(7 * 86_400), objects, signal)
const rowsOf = async (runId: string) =>
  Number((await hub.sql<{ n: number }>('select count(*) as n from run_metrics where run_id = $1', [runId]))[0]?.n)
const archiveOf = async (runId: string) =>
  (
    await hub.sql<{ key: string | null; isPostponed: boolean; dropped: boolean }>(
      `select storage_key as key, still_since > now() - interval '1 day' as "isPostponed", dropped_at is not null as dropped
      from metric_archives where run_id = $1`,
      [runId],
    )
  )[0]
async function objectsOf(runId: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of storeOf().list(`runs/${runId}/metrics/`)) keys.push(key)
  return keys
}
/** The same store, where something is done in another way. */
const storeWith = (other: Partial<ObjectStore>): ObjectStore =>
  Object.assign(Object.create(storeOf()) as ObjectStore, other)

async function bodyOf(path: string, init: RequestInit = {}): Promise<string> {
  const headers = { authorization: `Bearer ${lab.ada.token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${hub.running.url}${path}`, { ...init, headers })
  expect(answer.status, path).toBe(200)
  return answer.text()
}

const filters = ['', '?keys=loss,rare,none&max_points=5000', '?max_points=2', '?keys=rare']

const ranges = [
  'maxPoints: 50',
  'keys: ["lr", "rare"], fromStep: 990, toStep: 1005.5',
  'fromStep: 2051',
  'toStep: 3',
  'fromStep: 9000',
]

/** Numbers of lines: after the first, up to the second. */
const parts: readonly (readonly [number, number])[] = [
  [0, 4300],
  [499, 2003],
  [1500, 1995],
  [1994, 2600],
  [4099, 4300],
]

/** All that is answered from lines, as text. */
async function answersOf(runId: string): Promise<string[]> {
  const answers: string[] = []
  for (const filter of filters) answers.push(await bodyOf(`/v1/runs/${runId}/metrics${filter}`))
  for (const given of ranges) {
    const query = `{ run(id: "${runId}") { metrics(${given}) { keys series { key count points steps values elapsedS } } } }`
    answers.push(await bodyOf('/graphql', { method: 'POST', body: JSON.stringify({ query }) }))
  }
  for (const [first, upTo] of parts) {
    const pages: unknown[] = []
    for (let after = first; after < upTo; ) {
      const page = await readRunMetrics(hub.running.deps, runId, after, upTo)
      pages.push(page)
      after = page.reaches
    }
    answers.push(JSON.stringify(pages))
  }
  return answers
}

async function streamFrom(url: string, runId: string): Promise<string> {
  const stream = await lab.follow(runId, '', {}, url)
  await stream.ended
  return JSON.stringify(stream.events)
}

describe('the metrics of a run that has ended', () => {
  it('are answered the same from rows, from its archive, and while rows are dropped', async () => {
    const runId = await endedRun()
    const rows = await answersOf(runId)
    const streamed = await streamFrom(hub.running.url, runId)
    expect(rows.join('')).toContain('"rare"')
    await letRest(runId)
    const file = await readJobObject(hub.running.deps, metricsKey(runId))
    await archive()
    expect((await archiveOf(runId))?.key).toMatch(/^runs\/run_\w+\/metrics\/[\d-]+\w+\.zst$/)
    // An instance of an older version may still read rows.
    await dropArchivedRows(hub.running.deps, signal)
    expect(await rowsOf(runId)).toBe(4300)
    await hub.sql('delete from run_metrics where run_id = $1 and (seq < 1700 or seq between 2400 and 4101)', [runId])
    expect(await answersOf(runId)).toEqual(rows)
    await writeMetricsFile(hub.running.deps, storeOf(), runId, signal)
    await dropArchivedRows(hub.running.deps, signal, 0)
    expect([await rowsOf(runId), (await archiveOf(runId))?.dropped]).toEqual([0, true])
    expect(await answersOf(runId)).toEqual(rows)
    // Another hub has cached nothing of it.
    expect(await streamFrom(lab.other.url, runId)).toBe(streamed)
    await writeMetricsFile(hub.running.deps, storeOf(), runId, signal)
    expect(await readJobObject(hub.running.deps, metricsKey(runId))).toBe(file)
    const get = vi.fn<ObjectStore['get']>((...asked) => storeOf().get(...asked))
    await readRunMetrics({ ...hub.running.deps, objects: storeWith({ get }) }, runId, 2100, 4300)
    expect(get).toHaveBeenCalledTimes(1)
  })

  it('stay as rows where the object is not what was written, or its writer dies, and are archived later', async () => {
    const runId = await endedRun(2200)
    const rows = await readRunMetrics(hub.running.deps, runId, 0, 2200)
    await letRest(runId)
    const broken = storeWith({
      put: async (key, body, options) => {
        const bytes = await buffer(body as Readable)
        bytes[bytes.length - 9] = (bytes[bytes.length - 9] ?? 0) ^ 1
        return storeOf().put(key, bytes, options)
      },
    })
    await archive(broken)
    expect(await archiveOf(runId)).toEqual({ key: null, isPostponed: true, dropped: false })
    await letRest(runId)
    const dying = storeWith({
      put: async (key, body, options) => {
        await storeOf().put(key, body, options)
        throw new Error('It is dead.')
      },
    })
    await archive(dying)
    await dropArchivedRows(hub.running.deps, signal, 0)
    expect([await rowsOf(runId), (await objectsOf(runId)).length]).toEqual([2200, 2])
    await letRest(runId)
    await archive()
    await collectRunObjects(hub.running.deps, storeOf(), signal, -60_000)
    expect(await objectsOf(runId)).toEqual([(await archiveOf(runId))?.key])
    await dropArchivedRows(hub.running.deps, signal, 0)
    expect(await readRunMetrics(hub.running.deps, runId, 0, 2200)).toEqual(rows)
  })

  it('are archived once by two hubs, and go with their run', async () => {
    const runId = await endedRun(900)
    await letRest(runId)
    await Promise.all([archive(), archive()])
    expect(await objectsOf(runId)).toEqual([(await archiveOf(runId))?.key])
    expect((await hub.call(lab.ada, 'DELETE', `/v1/runs/${runId}`)).status).toBe(204)
    await purgeRun(hub.running.deps, runId, signal)
    await expect.poll(() => objectsOf(runId)).toEqual([])
    expect(await archiveOf(runId)).toBeUndefined()
  })

  it('leave no object where the run is deleted meanwhile', async () => {
    const runId = await endedRun(900)
    await letRest(runId)
    const deleting = storeWith({
      put: async (key, body, options) => {
        const bytes = await buffer(body as Readable)
        expect((await hub.call(lab.ada, 'DELETE', `/v1/runs/${runId}`)).status).toBe(204)
        return storeOf().put(key, Readable.from([bytes]), options)
      },
    })
    await archive(deleting)
    await expect.poll(() => objectsOf(runId)).toEqual([])
  })

  it('are 502 where the store has lost the archive, and never a part of them', async () => {
    const runId = await endedRun(900)
    await letRest(runId)
    await archive()
    await storeOf().delete(await objectsOf(runId))
    const lost = await hub.call(lab.ada, 'GET', `/v1/runs/${runId}/metrics`)
    expect([lost.status, lost.json.errors[0].type]).toEqual([502, 'store.lost'])
  })

  it('of few lines, of a run that was still for too short a time, and with the setting at 0 stay as rows', async () => {
    const few = await endedRun(199)
    await letRest(few)
    expect(await archiveOf(few)).toBeUndefined()
    const recent = await endedRun(200)
    await writeMetricsFile(hub.running.deps, storeOf(), recent, signal)
    await archive()
    expect((await archiveOf(recent))?.key).toBeNull()
    await letRest(recent)
    await archiveMetrics(hub.running.deps, storeOf(), signal)
    expect((await archiveOf(recent))?.key).toBeNull()
  })
})

/** Ends a run as a hub of any version does: with an update of its row. Its job is another matter. */
async function runEndedAnyhow(lines: number): Promise<string> {
  const runId = await endedRun(lines)
  await hub.sql(
    `update runs set status = 'running', finished_at = null, attempt = 1, claimed_by = 'r', claim_credential = 'key_x',
      claimed_at = now(), lease_expires_at = now() + interval '5 minutes' where id = $1`,
    [runId],
  )
  await hub.sql(
    `update runs set status = 'succeeded', finished_at = now(), claim_credential = null, lease_expires_at = null
    where id = $1`,
    [runId],
  )
  return runId
}
const unfiledOf = (runId: string) =>
  hub.sql<{ isLater: boolean }>(
    `select waits_from > now() - interval '1 minute' as "isLater" from unfiled_metrics where run_id = $1`,
    [runId],
  )
const fileLeft = (objects = storeOf()) => fileLeftMetrics(hub.running.deps, objects, signal)
const waitLonger = () => hub.sql(`update unfiled_metrics set waits_from = now() - interval '16 minutes'`)
const hasFile = async (runId: string) => (await storeOf().head(metricsKey(runId))) !== null

describe('a run that ended without its job', () => {
  it('gets its file and its place for the archive from the sweep, after the time of the job', async () => {
    const [long, short] = [await runEndedAnyhow(300), await runEndedAnyhow(10)]
    await fileLeft()
    expect([await hasFile(long), await unfiledOf(long)]).toEqual([false, [{ isLater: true }]])
    await waitLonger()
    await Promise.all([fileLeft(), fileLeft()])
    for (const runId of [long, short]) expect([await hasFile(runId), await unfiledOf(runId)]).toEqual([true, []])
    expect([await archiveOf(long), await archiveOf(short)]).toEqual([
      { key: null, isPostponed: true, dropped: false },
      undefined,
    ])
    const put = vi.fn<ObjectStore['put']>()
    await fileLeft(storeWith({ put }))
    expect(put).not.toHaveBeenCalled()
  })

  it('waits again where the writer dies before the run is entered, and keeps no other from its turn', async () => {
    const [bad, good] = [await runEndedAnyhow(300), await runEndedAnyhow(300)]
    await waitLonger()
    const dying = storeWith({
      put: async (key, body, options) => {
        const head = await storeOf().put(key, body, options)
        if (key === metricsKey(bad)) throw new Error('It is dead.')
        return head
      },
    })
    await fileLeft(dying)
    expect([await unfiledOf(bad), await archiveOf(bad)]).toEqual([[{ isLater: true }], undefined])
    expect([await unfiledOf(good), (await archiveOf(good))?.dropped]).toEqual([[], false])
    await waitLonger()
    await fileLeft()
    expect([await unfiledOf(bad), (await archiveOf(bad))?.dropped]).toEqual([[], false])
  })

  it('is on no list once its own job has written the file, or where it has no lines', async () => {
    const [filed, empty] = [await runEndedAnyhow(300), await runEndedAnyhow(0)]
    expect(await unfiledOf(empty)).toEqual([])
    expect(await unfiledOf(filed)).toHaveLength(1)
    await writeMetricsFile(hub.running.deps, storeOf(), filed, signal)
    expect(await unfiledOf(filed)).toEqual([])
  })
})
