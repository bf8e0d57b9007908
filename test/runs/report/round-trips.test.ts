/** What a report sends to PostgreSQL, in order: each entry is one round trip. */
import { newId } from '@hub/formats/ids'
import { expect, it, vi } from 'vitest'
import { sqlStatement } from '../../../src/platform/signals.ts'
import type { ReportRunInput } from '../../../src/runs/report/judge-report.ts'
import { isWatchedWork, queriesSentBy } from '../../support/sent-queries.ts'
import { objectChunk, reportedRun } from './support/reported-run.ts'

const lab = reportedRun()
const metrics = Array.from({ length: 50 }, (_, step) => ({ step, reward: step / 7, loss: 1 / (step + 1) }))

/** The round trips of a report, once its statements are prepared. */
async function tripsOf(runId: string, input: (at: number) => Omit<ReportRunInput, 'runId'>): Promise<string[]> {
  await lab.report(runId, input(0))
  const trips: string[] = []
  const stop = sqlStatement.watch(
    ({ name }) => isWatchedWork() && trips.push(name),
    () => {},
  )
  try {
    const sent = await queriesSentBy(() => lab.report(runId, input(1)))
    // None besides: a commit that went alone would not be named.
    expect(sent).toHaveLength(trips.length)
    return trips
  } finally {
    stop()
  }
}

it.each([
  [
    '50 metrics and 4 KiB of log',
    (at: number) => ({ metrics, metricsSeq: at, logChunk: `${'x'.repeat(63)}\n`.repeat(64), logSeq: at }),
    [
      'run-report-read',
      'begin + run-report-lock + run-summaries',
      'run-log-append + run-report-metrics + run-summaries-put + run-report-update + storage-spares-take + runs-by-id + commit',
    ],
  ],
  [
    'a log alone',
    (at: number) => ({ logChunk: `${at}\n` }),
    [
      'run-report-read',
      'begin + run-report-lock',
      'run-log-append + run-report-update + storage-spares-take + runs-by-id + commit',
    ],
  ],
  [
    'nothing: it renews the lease',
    () => ({}),
    ['run-report-read', 'begin + run-report-lock', 'run-report-update + runs-by-id + commit'],
  ],
])('of %s', async (_, input, trips) => {
  expect(await tripsOf(await lab.running(), input)).toEqual(trips)
})

it('a report whose bytes do not fit any more when it is stored is refused, and leaves nothing', async () => {
  const { storageQuotaBytes: quota } = lab.world.deps.config
  const runId = await lab.running()
  // The sum that is written has no spares in it.
  const fill = (left: number) =>
    lab.world.sql(
      'with spares as (delete from storage_spares where owner_id = $1) update accounts set storage_bytes = $2 where id = $1',
      [lab.ada.id, quota - left],
    )
  await fill(10)
  // The account fills up between the check and the transaction.
  const put = vi.spyOn(lab.world.disk, 'put').mockImplementationOnce(async (...given) => {
    put.mockRestore()
    const stored = await lab.world.disk.put(...given)
    await fill(9)
    return stored
  })
  const refused = await lab.refusal(lab.report(runId, { logChunk: objectChunk('nine bits'), attempt: 1 }))
  expect([refused.type, refused.items[0]]).toMatchObject(['quota.storage', { left_bytes: 9, requested_bytes: 10 }])
  expect(await lab.chunksOf(runId)).toEqual([])
  expect(await lab.objectsOf(runId)).toEqual([])
  expect(await lab.row(runId)).toMatchObject({ log_seq: 0, stored_bytes: 0 })
  await lab.report(runId, { logChunk: 'ten bytes' })
  expect(await lab.row(runId)).toMatchObject({ log_seq: 1, stored_bytes: 9 })
})

it('a run that is hidden by the time of its answer keeps what was reported', async () => {
  const runId = await lab.running()
  await lab.world.sql('update accounts set storage_bytes = 0 where id = $1', [lab.ada.id])
  const stranger = newId('user')
  await lab.world.sql(`insert into accounts (id, kind, handle) values ($1, 'user', $2)`, [
    stranger,
    stranger.slice(-12),
  ])
  const put = vi.spyOn(lab.world.disk, 'put').mockImplementationOnce(async (...given) => {
    put.mockRestore()
    const stored = await lab.world.disk.put(...given)
    await lab.world.sql('update runs set owner_id = $2, created_by = null where id = $1', [runId, stranger])
    return stored
  })
  expect(await lab.typeOf(lab.report(runId, { logChunk: objectChunk('kept\n') }))).toBe('not_found')
  expect(await lab.logOf(runId)).toBe(objectChunk('kept\n'))
})
