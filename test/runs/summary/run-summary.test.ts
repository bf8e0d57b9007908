import { describe, expect, it } from 'vitest'
import { summarizeRun, summarizeRuns } from '../../../src/jobs/run-summaries.ts'
import { dropAttempt } from '../../../src/runs/lease/drop-attempt.ts'
import { countReported } from '../../../src/runs/summary/keep-summaries.ts'
import { summariesOfRuns } from '../../../src/runs/summary/summaries-of-runs.ts'
import { plansOf, scansOf } from '../../support/plans.ts'
import { reportedRun } from '../report/support/reported-run.ts'

const made = reportedRun()
const { t, running, report } = made
const never = new AbortController().signal

const line = (step: number, loss: number) => ({ step, loss })
const summaryOf = async (runId: string, keys: readonly string[] | null = null) =>
  (await summariesOfRuns(made.runner, [runId], keys))[0] ?? []
const lossOf = async (runId: string) => (await summaryOf(runId, ['loss']))[0]
const stateOf = async (runId: string) => {
  const [row] = await t.db.query<{ seq: number; pending: boolean }>({
    name: '',
    text: `select (metrics_seq - summary_seq)::int as seq, summary_pending as pending from runs where id = '${runId}'`,
  })
  return row
}

describe('the summaries of a run', () => {
  it('are there with the report that brings its lines', async () => {
    const runId = await running()
    expect(await summaryOf(runId)).toEqual([])
    await report(runId, { metrics: [line(1, 3), line(2, 1)] })
    await report(runId, { metrics: [line(3, 2), { step: 4, reward: 9 }] })
    expect(await lossOf(runId)).toMatchObject({ count: 3, last: 2, lastStep: 3, min: 1, minStep: 2, max: 3, mean: 2 })
    expect((await summaryOf(runId)).map(({ key }) => key)).toEqual(['step', 'loss', 'reward'])
    expect(await stateOf(runId)).toEqual({ seq: 0, pending: false })
  })

  it('count a report that is sent again once, and another line of the same step as one more', async () => {
    const runId = await running()
    await report(runId, { metrics: [line(1, 4)], metricsSeq: 1 })
    await report(runId, { metrics: [line(1, 4)], metricsSeq: 1 })
    expect(await lossOf(runId)).toMatchObject({ count: 1, mean: 4 })
    await report(runId, { metrics: [line(1, 2)], metricsSeq: 2 })
    expect(await lossOf(runId)).toMatchObject({ count: 2, last: 2, mean: 3 })
  })

  it('are those of one order when reports come at once', async () => {
    const runId = await running()
    await Promise.all(Array.from({ length: 8 }, (_, at) => report(runId, { metrics: [line(at, at)] })))
    expect(await lossOf(runId)).toMatchObject({ count: 8, min: 0, max: 7, mean: expect.closeTo(3.5, 10) })
  })

  it('are nothing of a report that is refused', async () => {
    const runId = await running()
    await report(runId, { metrics: [line(1, 4)] })
    await expect(report(runId, { metrics: [line(2, 1)], outputModelRepo: 'no/model' })).rejects.toThrow()
    expect(await lossOf(runId)).toMatchObject({ count: 1, last: 4 })
  })

  it('are without the lines of a lost attempt', async () => {
    const runId = await running()
    await report(runId, { metrics: [line(1, 5), line(2, 4), line(3, 1), { step: 3, late: 1 }] })
    await t.db.withTx((tx) => dropAttempt(made.world.deps, tx, runId, 2))
    expect(await lossOf(runId)).toMatchObject({ count: 2, last: 4, min: 4, minStep: 2, max: 5, mean: 4.5 })
    expect((await summaryOf(runId)).map(({ key }) => key)).toEqual(['step', 'loss'])
    await report(runId, { metrics: [line(3, 3)] })
    expect(await lossOf(runId)).toMatchObject({ count: 3, last: 3, min: 3 })
    await t.db.withTx((tx) => dropAttempt(made.world.deps, tx, runId, null))
    expect(await summaryOf(runId)).toEqual([])
    await report(runId, { metrics: [line(1, 7)] })
    expect(await lossOf(runId)).toMatchObject({ count: 1, last: 7 })
  })

  it('go with their run', async () => {
    const runId = await running()
    await report(runId, { metrics: [line(1, 5)] })
    await made.world.sql('delete from runs where id = $1', [runId])
    expect(await summaryOf(runId)).toEqual([])
  })
})

/** Lines that a hub from before summaries stored. */
async function olderRun(lines: number): Promise<string> {
  const runId = await running()
  await made.world.sql(
    `insert into run_metrics (run_id, seq, attempt, step, line, hidden)
     select $1, n, 1, n, json_build_object('step', n, 'loss', n % 7), n % 10 = 0 from generate_series(1, $2::int) n`,
    [runId, lines],
  )
  await made.world.sql('update runs set metrics_seq = $2, summary_pending = true where id = $1', [runId, lines])
  return runId
}

describe('a run from before summaries', () => {
  it('is counted by the job, and a report meanwhile leaves its lines to it', async () => {
    const runId = await olderRun(1234)
    await report(runId, { metrics: [line(1235, -1)] })
    expect(await summaryOf(runId)).toEqual([])
    expect(await stateOf(runId)).toEqual({ seq: 1235, pending: true })
    await summarizeRuns(made.world.deps, never)
    expect(await stateOf(runId)).toEqual({ seq: 0, pending: false })
    const visible = Array.from({ length: 1234 }, (_, at) => at + 1).filter((n) => n % 10 !== 0)
    const sum = visible.reduce((total, n) => total + (n % 7), -1)
    const loss = await lossOf(runId)
    expect(loss).toMatchObject({ count: visible.length + 1, last: -1, lastStep: 1235, min: -1, max: 6, maxStep: 6 })
    expect(loss?.mean).toBeCloseTo(sum / (visible.length + 1), 12)
    await report(runId, { metrics: [line(1236, -2)] })
    expect(await lossOf(runId)).toMatchObject({ last: -2, count: visible.length + 2 })
  })

  it('is on the list once a report finds it behind, and counted once when two jobs do', async () => {
    const runId = await olderRun(700)
    await made.world.sql('update runs set summary_pending = false where id = $1', [runId])
    await report(runId, { metrics: [line(701, 0)] })
    expect(await stateOf(runId)).toEqual({ seq: 701, pending: true })
    await Promise.all([summarizeRun(made.world.deps, runId, never), summarizeRun(made.world.deps, runId, never)])
    expect(await lossOf(runId)).toMatchObject({ count: 631 })
    expect(await stateOf(runId)).toEqual({ seq: 0, pending: false })
  })

  it('is found by the index of the list', async () => {
    await made.world.sql(
      `insert into runs (id, kind, status, executor, owner_id, filed_by, template, recipe, recipe_hash)
       select 'run_' || lpad(n::text, 26, '0'), 'cloud', 'queued', 'worker', $1, 'key_many', 'act', '{}', repeat('a', 64)
       from generate_series(1, 3000) n`,
      [made.ada.id],
    )
    await made.world.sql('analyze runs')
    const sent = t.record()
    await summarizeRuns(made.world.deps, never)
    for (const plan of await plansOf(t.db, sent[0] ?? '', [''])) expect(scansOf(plan, 'runs')).toEqual([])
  })
})

it('a page of runs costs one statement, by index, and no keys cost none', async () => {
  const runId = await running()
  await report(runId, { metrics: [line(1, 5)] })
  const ids = [runId, await running()]
  const sent = t.record()
  expect((await summariesOfRuns(made.runner, ids, ['loss'])).map((of) => of.length)).toEqual([1, 0])
  expect(sent).toHaveLength(1)
  expect(await summariesOfRuns(made.runner, ids, [])).toEqual([[], []])
  expect(sent).toHaveLength(1)
  await made.world.sql(
    `insert into run_metric_summaries (run_id, key, owner_id, position, count, last, last_step, min, min_step, max, max_step, mean)
     select id, 'k' || n, owner_id, n, 1, 1, 1, 1, 1, 1, 1, 1 from runs, generate_series(10, 30) n`,
  )
  await made.world.sql('analyze run_metric_summaries')
  for (const plan of await plansOf(t.db, sent[0] ?? '', [ids, ['loss']]))
    expect(scansOf(plan, 'run_metric_summaries')).toEqual([])
})

it('lines that follow lines that are not counted are not counted', async () => {
  const runId = await running()
  const run = { id: runId, ownerId: made.ada.id, metricsSeq: 5, summarySeq: 3 }
  expect(await t.db.withTx(async (tx) => countReported(tx, run, [], ['{"loss":1}']))).toBe(3)
  expect(await summaryOf(runId)).toEqual([])
})
