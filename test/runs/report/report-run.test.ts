import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectRunObjects } from '../../../src/jobs/collect-job-objects.ts'
import { writeMetricsFile } from '../../../src/jobs/run-metrics-file.ts'
import { purgeRun } from '../../../src/jobs/run-purge.ts'
import type { AccountRef, RequestContext } from '../../../src/operation/context.ts'
import { HubError } from '../../../src/platform/errors.ts'
import { claimRun } from '../../../src/runs/claim/claim-run.ts'
import { deleteRun } from '../../../src/runs/end/delete-run.ts'
import { sweepLeases } from '../../../src/runs/lease/sweep-leases.ts'
import type { ReportRunInput } from '../../../src/runs/report/judge-report.ts'
import { reportRun } from '../../../src/runs/report/report-run.ts'
import { readJobObject } from '../../../src/work/job-objects.ts'
import { testDb } from '../../support/database.ts'
import { putRun, type RunGiven } from '../../support/runs.ts'
import { makeWorld, type World } from '../../support/world.ts'

const t = testDb()
let world: World
let ada: AccountRef
let runner: RequestContext
beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  ada = await world.user()
  runner = world.as(ada, { kind: 'key', credentialId: 'key_runner' })
})
afterAll(() => world?.close())

const running = (change: Partial<RunGiven> = {}) =>
  putRun(t.db, { ownerId: ada.id, status: 'running', claimCredential: 'key_runner', ...change })
const report = (runId: string, input: Omit<ReportRunInput, 'runId'> = {}, ctx = runner) =>
  reportRun(ctx, { runId, ...input })
const refusal = (work: Promise<unknown>): Promise<HubError> =>
  work.then(
    () => Promise.reject(new Error('It was not refused.')),
    (error: unknown) => (error instanceof HubError ? error : Promise.reject(error)),
  )
const typeOf = async (work: Promise<unknown>) => (await refusal(work)).type

interface ChunkRow {
  seq: number
  stream: string
  key: string
  lines: number
  first: number
  bytes: number
}
const chunksOf = (runId: string) =>
  world.sql<ChunkRow>(
    'select seq, stream, storage_key as key, line_count as lines, first_line as first, byte_count as bytes from run_log_chunks where run_id = $1 order by seq',
    [runId],
  )
const logOf = async (runId: string) => {
  const texts = await Promise.all((await chunksOf(runId)).map(({ key }) => readJobObject(world.deps, key)))
  return texts.join('')
}
const linesOf = async (runId: string) => (await chunksOf(runId)).filter(({ stream }) => stream === 'stdout').length
const metricsOf = async (runId: string) =>
  (await world.sql<{ line: unknown }>('select line from run_metrics where run_id = $1 order by seq', [runId])).map(
    ({ line }) => line,
  )
const objectsOf = async (runId: string) => {
  const keys: string[] = []
  for await (const { key } of world.disk.list(`runs/${runId}/`)) keys.push(key)
  return keys
}
const row = async (runId: string) =>
  (await world.sql<Record<string, unknown>>('select * from runs where id = $1', [runId]))[0] ?? {}

describe('a report', () => {
  it('stores a log chunk as an object, and metrics in their order', async () => {
    const runId = await running()
    await report(runId, { logChunk: 'one\ntwo\n', metrics: [{ step: 1, reward: 0.5 }, { step: 2 }] })
    const run = await report(runId, { logChunk: 'drei: größer\nvier', metrics: [{ 'eval/reward': 2, iteration: 7 }] })
    expect(await logOf(runId)).toBe('one\ntwo\ndrei: größer\nvier')
    expect((await chunksOf(runId)).map(({ seq, lines, first }) => [seq, lines, first])).toEqual([
      [1, 2, 0],
      // The last line of the log has no end yet.
      [2, 1, 2],
    ])
    expect(await row(runId)).toMatchObject({ log_seq: 2, log_lines: 3, log_bytes: 27, metrics_seq: 3 })
    expect(await row(runId)).toMatchObject({ log_open_from: 2, log_open_bytes: 4 })
    expect(await metricsOf(runId)).toEqual([{ step: 1, reward: 0.5 }, { step: 2 }, { 'eval/reward': 2, iteration: 7 }])
    expect(run.latestMetrics).toEqual({ 'eval/reward': 2, iteration: 7 })
    expect(run.logsKey).toBe(`runs/${runId}/logs/`)
    expect((await objectsOf(runId)).every((key) => key.startsWith(`runs/${runId}/logs/`))).toBe(true)
    expect(run.sparkline).toEqual({
      metric: 'reward',
      points: [
        [1, 0.5],
        [7, 2],
      ],
    })
  })

  it('renews the lease, whatever else it contains', async () => {
    const runId = await running({ set: { lease_expires_at: new Date(Date.now() + 1000).toISOString() } })
    const run = await report(runId)
    expect(Date.parse(run.leaseExpiresAt ?? '') - Date.now()).toBeGreaterThan(290_000)
    expect(await objectsOf(runId)).toEqual([])
  })

  it('stores config and scorecard, and a later one replaces an earlier one', async () => {
    const runId = await running()
    await report(runId, { configYaml: 'a: 1\n', scorecardJson: { cells: [{ name: 'x', status: 'FAIL' }] } })
    const cells = [
      { name: 'x', status: 'PASS' },
      { name: 'y', status: 'SKIP', detail: 'no arm' },
    ]
    const run = await report(runId, { configYaml: 'a: 2\n', scorecardJson: { cells } })
    expect(await readJobObject(world.deps, run.configKey ?? '')).toBe('a: 2\n')
    expect(JSON.parse(await readJobObject(world.deps, run.scorecardKey ?? ''))).toEqual({ cells })
    expect(run.gate).toEqual({ passed: 1, total: 1 })
    expect(run.gates).toEqual([
      { name: 'x', status: 'PASS', detail: null },
      { name: 'y', status: 'SKIP', detail: 'no arm' },
    ])
    await expect.poll(() => objectsOf(runId)).toHaveLength(2)
  })

  it('replaces the progress as a whole', async () => {
    const runId = await running()
    await report(runId, { progress: { iteration: 10, total_iterations: 100 } })
    const run = await report(runId, { progress: { iteration: 20 } })
    expect(run.progress).toMatchObject({ iteration: 20, totalIterations: null })
  })

  it('rates iterations over the last minute of metrics', async () => {
    const runId = await running({ set: { pace: JSON.stringify([[Date.now() - 30_000, 100]]) } })
    const run = await report(runId, { metrics: [{ step: 130 }] })
    expect(run.progress?.iterationsPerS).toBeCloseTo(1, 1)
  })
})

describe('a report is rejected', () => {
  it('as not found if the run is not visible', async () => {
    const runId = await running()
    expect(await typeOf(report(runId, {}, world.as(await world.user())))).toBe('not_found')
    expect(await typeOf(report('run_nonsense'))).toBe('not_found')
  })

  it('below key:train, and without a credential', async () => {
    const runId = await running()
    const weak = world.as(ada, { kind: 'key', credentialId: 'key_runner', level: 'write' })
    expect(await typeOf(report(runId, {}, weak))).toBe('forbidden.scope')
    expect(await typeOf(report(runId, {}, world.anonymous()))).toBe('auth.missing')
  })

  it("from any credential but the claimer's, and for any attempt but the current one", async () => {
    const runId = await running()
    expect(await typeOf(report(runId, {}, world.as(ada)))).toBe('conflict.not_claimer')
    expect(await typeOf(report(runId, { attempt: 2, logChunk: 'late\n' }))).toBe('conflict.not_claimer')
    expect(await objectsOf(runId)).toEqual([])
    await report(runId, { attempt: 1 })
  })

  it.each([['queued'], ['succeeded'], ['failed'], ['canceled']] as const)('while the run is %s', async (status) => {
    const runId = await putRun(t.db, { ownerId: ada.id, status })
    for (const next of [null, 'succeeded', 'failed', 'canceled'] as const)
      expect(await typeOf(report(runId, { status: next, logChunk: 'x' }))).toBe(
        status === 'queued' ? 'conflict.not_claimer' : 'conflict.terminal',
      )
    expect(await objectsOf(runId)).toEqual([])
  })

  it('as canceled without a cancel request', async () => {
    const runId = await running()
    const refused = await refusal(report(runId, { status: 'canceled' }))
    expect([refused.status, refused.items[0]?.loc]).toEqual([422, ['status']])
  })

  it('with a log chunk over 256 KiB in UTF-8, however few its characters, and nothing is stored', async () => {
    const runId = await running()
    const fits = 'ü'.repeat(131_072)
    const refused = await refusal(report(runId, { logChunk: `${fits}.`, metrics: [{ step: 1 }] }))
    expect([refused.type, refused.items[0]?.loc]).toEqual(['too_large', ['logChunk']])
    expect([await objectsOf(runId), await metricsOf(runId)]).toEqual([[], []])
    await report(runId, { logChunk: fits })
    expect((await row(runId)).log_bytes).toBe(262_144)
  })

  it('with more than 10,000 metrics lines, and takes 10,000', async () => {
    const runId = await running()
    const lines = (count: number) => Array.from({ length: count }, (_, step) => ({ step, reward: step / 2 }))
    expect(await typeOf(report(runId, { metrics: lines(10_001), logChunk: 'x' }))).toBe('too_large')
    expect(await typeOf(report(runId, { metrics: lines(100_000) }))).toBe('too_large')
    expect(await objectsOf(runId)).toEqual([])
    const run = await report(runId, { metrics: lines(10_000) })
    expect((await row(runId)).metrics_seq).toBe(10_000)
    expect(run.sparkline?.points.at(-1)).toEqual([9_999, 4_999.5])
  })

  it('with an artifact over its limit', async () => {
    const runId = await running()
    const small = world.with({ config: { runs: { ...world.deps.config.runs, maxArtifactBytes: 10 } } })
    const ctx = small.as(ada, { kind: 'key', credentialId: 'key_runner' })
    expect(await typeOf(report(runId, { configYaml: 'ä'.repeat(6) }, ctx))).toBe('too_large')
    expect(await typeOf(report(runId, { scorecardJson: { a: 'longer than ten' } }, ctx))).toBe('too_large')
    expect(await objectsOf(runId)).toEqual([])
  })

  it('if the owner has no room left, or the hub no store', async () => {
    const runId = await running()
    const full = world.with({ config: { storageQuotaBytes: 3 } })
    const ctx = full.as(ada, { kind: 'key', credentialId: 'key_runner' })
    expect(await typeOf(report(runId, { logChunk: 'four' }, ctx))).toBe('quota.storage')
    const bare = world.with({ objects: null }).as(ada, { kind: 'key', credentialId: 'key_runner' })
    expect(await typeOf(report(runId, { logChunk: 'four' }, bare))).toBe('not_configured.object_store')
    await report(runId, { metrics: [{ step: 1 }] }, bare)
  })
})

describe('a report that is sent again', () => {
  it('changes nothing if its numbers were stored', async () => {
    const runId = await running()
    const input = { logSeq: 0, logChunk: 'one\n', metricsSeq: 0, metrics: [{ step: 1 }] }
    await report(runId, input)
    await report(runId, input)
    expect([await logOf(runId), await metricsOf(runId)]).toEqual(['one\n', [{ step: 1 }]])
    expect(await objectsOf(runId)).toHaveLength(1)
    await report(runId, { logSeq: 0, logChunk: 'one\n', metricsSeq: 1, metrics: [{ step: 2 }] })
    expect([await logOf(runId), await metricsOf(runId)]).toEqual(['one\n', [{ step: 1 }, { step: 2 }]])
  })

  it('at the end gets the same response as the first, and only if it is the same', async () => {
    const runId = await running()
    const last = { logSeq: 3, logChunk: 'bye\n', status: 'succeeded' as const }
    await report(runId, last)
    expect((await report(runId, last)).status).toBe('succeeded')
    expect(await typeOf(report(runId, { ...last, status: 'failed' }))).toBe('conflict.terminal')
    expect(await typeOf(report(runId, { ...last, logSeq: 4 }))).toBe('conflict.terminal')
    expect(await world.sql('select 1 from ledger where job_id = $1', [runId])).toHaveLength(1)
  })

  it('together with others is stored once, each in order', async () => {
    const runId = await running()
    const numbers = Array.from({ length: 12 }, (_, index) => index % 6)
    await Promise.all(
      numbers.map((number) =>
        report(runId, { logSeq: number, logChunk: `${number}\n`, metricsSeq: number, metrics: [{ step: number }] }),
      ),
    )
    const lines = (await logOf(runId)).trim().split('\n')
    expect(lines.toSorted()).toEqual(['0', '1', '2', '3', '4', '5'])
    expect((await metricsOf(runId)).map((line) => String((line as { step: number }).step))).toEqual(lines)
    await expect.poll(() => objectsOf(runId)).toHaveLength(6)
  })
})

describe('the end of a run', () => {
  it('of a worker costs nothing and is recorded', async () => {
    const runId = await running({ set: { gpu_type: 'l4' } })
    const run = await report(runId, { status: 'failed', error: 'CUDA out of memory' })
    expect(run).toMatchObject({ status: 'failed', error: 'CUDA out of memory', costUsd: 0, leaseExpiresAt: null })
    expect(run.finishedAt).not.toBeNull()
    expect(
      await world.sql('select account_id, job_kind, attempt, kind, amount_usd from ledger where job_id = $1', [runId]),
    ).toEqual([{ account_id: ada.id, job_kind: 'run', attempt: 1, kind: 'gpu', amount_usd: '0.0000' }])
    expect(await world.sql('select action, credential_id, after from audit_log where target_id = $1', [runId])).toEqual(
      [{ action: 'run.finish', credential_id: 'key_runner', after: { status: 'failed', costUsd: '0.0000' } }],
    )
  })

  it('of a priced run bills the time since the claim at its rate', async () => {
    const claimed_at = new Date(Date.now() - 3_600_000).toISOString()
    const runId = await running({
      executor: 'hosted',
      set: { priced: true, rate_usd_per_hour: '0.7992', gpu_type: 'l4', claimed_at },
    })
    const run = await report(runId, { status: 'succeeded' })
    expect(run.costUsd).toBeCloseTo(0.7992, 2)
    expect(run.spend.final && run.spend.accruedUsd === run.costUsd).toBe(true)
    const [entry] = await world.sql<{ amount_usd: string }>('select amount_usd from ledger where job_id = $1', [runId])
    expect(Number(entry?.amount_usd)).toBe(run.costUsd)
  })

  it('has its metrics written into one object, without those of a lost attempt', async () => {
    const runId = await running()
    await report(runId, { metrics: Array.from({ length: 1200 }, (_, step) => ({ step, note: 'größer' })) })
    await world.sql('update run_metrics set hidden = true where run_id = $1 and seq <= 3', [runId])
    const run = await report(runId, { status: 'succeeded' })
    expect(world.sent).toContainEqual({ job: 'run-metrics-file', input: { runId } })
    await writeMetricsFile(world.deps, world.disk, runId, new AbortController().signal)
    const lines = (await readJobObject(world.deps, run.metricsKey ?? '')).split('\n')
    expect([lines.length, lines[0], lines.at(-2)]).toEqual([
      1198,
      '{"step":3,"note":"größer"}',
      '{"step":1199,"note":"größer"}',
    ])
  })

  it('leaves no object of its metrics, if the run is deleted while that is written', async () => {
    const runId = await running()
    await report(runId, { metrics: [{ step: 1, loss: 0.5 }] })
    const { metricsKey } = await report(runId, { status: 'succeeded' })
    const disk = Object.assign(Object.create(world.disk) as typeof world.disk, {
      put: async (key: string, body: Readable, options: Parameters<typeof world.disk.put>[2]) => {
        const bytes = await buffer(body)
        await deleteRun(world.as(ada), { runId })
        await purgeRun(world.deps, runId, new AbortController().signal)
        return world.disk.put(key, Readable.from([bytes]), options)
      },
    })
    await writeMetricsFile(world.deps, disk, runId, new AbortController().signal)
    await expect(readJobObject(world.deps, metricsKey ?? '')).rejects.toThrow()
  })

  it('as canceled follows a request to stop', async () => {
    const runId = await running({ set: { cancel_requested_at: new Date().toISOString() } })
    expect((await report(runId, { status: 'canceled' })).status).toBe('canceled')
  })

  it('is requested once a budget is spent, with a notice', async () => {
    const claimed_at = new Date(Date.now() - 3_600_000).toISOString()
    const priced = { priced: true, rate_usd_per_hour: '1.0000', claimed_at }
    const runId = await running({ executor: 'hosted', set: { ...priced, budget_usd: '0.5' } })
    const run = await report(runId, { logChunk: 'on it goes\n' })
    expect(run.cancelRequestedAt).not.toBeNull()
    expect(await row(runId)).toMatchObject({ stop_reason: 'budget', log_seq: 2, log_lines: 2 })
    await report(runId)
    expect(await chunksOf(runId)).toHaveLength(2)
    const cheap = await running({ executor: 'hosted', set: { ...priced, budget_usd: '5' } })
    expect((await report(cheap)).cancelRequestedAt).toBeNull()
  })
})

describe('the output repo', () => {
  it('is a model repo that the caller can write, and is kept from deletion and stamped at the end', async () => {
    const runId = await running({ recipe: { template: 'ppo_sim_a', dataset: [], robot: 'acme/arm' } })
    const model = await world.repo(ada, { kind: 'model' })
    const name = `${model.owner}/${model.repo}`
    const run = await report(runId, { outputModelRepo: name })
    expect(run.outputModelRepo).toEqual({ id: model.id, fullName: name })
    expect(run.displayName).toBe(name)
    const meta = () => world.sql('select * from model_meta where repo_id = $1', [model.id])
    expect(await meta()).toEqual([])
    await report(runId, { status: 'succeeded' })
    expect(await meta()).toMatchObject([{ policy_type: 'ppo_sim_a', source_run_id: runId, robot: 'acme/arm' }])
    expect(await world.sql('select reason from repo_references where referrer_id = $1', [runId])).toEqual([
      { reason: 'output' },
    ])
  })

  it('keeps the meta block that it has', async () => {
    const model = await world.repo(ada, { kind: 'model' })
    await world.sql(`insert into model_meta (repo_id, policy_type) values ($1, 'mine')`, [model.id])
    await report(await running(), { outputModelRepo: `${model.owner}/${model.repo}`, status: 'succeeded' })
    expect(await world.sql('select policy_type from model_meta where repo_id = $1', [model.id])).toEqual([
      { policy_type: 'mine' },
    ])
  })

  it('replaces the reference to an earlier one', async () => {
    const runId = await running()
    const [one, two] = [await world.repo(ada, { kind: 'model' }), await world.repo(ada, { kind: 'model' })]
    await report(runId, { outputModelRepo: `${one.owner}/${one.repo}` })
    await report(runId, { outputModelRepo: `${two.owner}/${two.repo}` })
    expect(await world.sql('select repo_id from repo_references where referrer_id = $1', [runId])).toEqual([
      { repo_id: two.id },
    ])
  })

  it('returns 422 otherwise', async () => {
    const runId = await running()
    const bob = await world.user()
    const foreign = await world.repo(bob, { kind: 'model', visibility: 'public' })
    const hidden = await world.repo(bob, { kind: 'model' })
    const dataset = await world.repo(ada)
    for (const { owner, repo } of [foreign, hidden, dataset, { owner: ada.handle, repo: 'none' }]) {
      const refused = await refusal(report(runId, { outputModelRepo: `${owner}/${repo}`, logChunk: 'x' }))
      expect([refused.status, refused.items[0]?.loc]).toEqual([422, ['outputModelRepo']])
    }
    expect(await objectsOf(runId)).toEqual([])
  })
})

describe('a race', () => {
  it('with a sweep is won by one of the two, and a later report is rejected', async () => {
    for (let round = 0; round < 16; round += 1) {
      const runId = await running({ set: { lease_expires_at: new Date(Date.now() - 1000).toISOString() } })
      const [swept, reported] = await Promise.all([
        delay(round % 8).then(() => sweepLeases(world.deps)),
        report(runId, { logChunk: 'line\n', metrics: [{ step: 1 }] }).then(
          () => 'stored',
          (error: HubError) => error.type,
        ),
      ])
      expect([
        [1, 'conflict.not_claimer'],
        [0, 'stored'],
      ]).toContainEqual([swept, reported])
      const stored = reported === 'stored' ? 1 : 0
      expect([await linesOf(runId), (await metricsOf(runId)).length]).toEqual([stored, stored])
      await expect.poll(() => objectsOf(runId)).toHaveLength(stored)
      if (swept) expect(await typeOf(report(runId, { logChunk: 'late\n' }))).toBe('conflict.not_claimer')
    }
  })

  it('of two claims of one credential is distinguished by the attempt', async () => {
    const runId = await running({ set: { lease_expires_at: new Date(Date.now() - 1000).toISOString() } })
    await report(runId, { attempt: 1, logSeq: 7, metrics: [{ step: 5, reward: 9 }], metricsSeq: 7 })
    await world.sql(`update runs set lease_expires_at = now() - interval '1 second' where id = $1`, [runId])
    await sweepLeases(world.deps)
    expect(await typeOf(report(runId, { attempt: 1, logChunk: 'too late\n' }))).toBe('conflict.not_claimer')
    const again = await claimRun(runner, { runId, worker: 'second' })
    expect(again).toMatchObject({ attempt: 2, latestMetrics: null, sparkline: null })
    expect(await typeOf(report(runId, { attempt: 1, logChunk: 'late\n' }))).toBe('conflict.not_claimer')
    const run = await report(runId, { attempt: 2, logSeq: 0, logChunk: 'new\n', metricsSeq: 0, metrics: [{ step: 1 }] })
    expect(run.latestMetrics).toEqual({ step: 1 })
    const rows = await world.sql('select seq, attempt, hidden from run_metrics where run_id = $1 order by seq', [runId])
    expect(rows).toEqual([
      { seq: 1, attempt: 1, hidden: true },
      { seq: 2, attempt: 2, hidden: false },
    ])
  })

  it('between two ends is won by one', async () => {
    const runId = await running()
    const ends = await Promise.allSettled([
      report(runId, { status: 'succeeded' }),
      report(runId, { status: 'failed' }),
      report(runId, { status: 'succeeded' }),
    ])
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await world.sql('select 1 from ledger where job_id = $1', [runId])).toHaveLength(1)
  })
})

describe('a hub that crashes between the object and the transaction', () => {
  it('leaves an invisible object, and the report can be sent again; collection deletes the object', async () => {
    const runId = await running()
    const withTx = () => Promise.reject(new Error('The process is gone.'))
    const dying = { ...runner, deps: { ...world.deps, db: { ...world.deps.db, withTx } } }
    const input = { logSeq: 0, logChunk: 'once\n', configYaml: 'a: 1\n', scorecardJson: { cells: [] } }
    await expect(report(runId, input, dying)).rejects.toThrow('The process is gone.')
    expect([await chunksOf(runId), (await objectsOf(runId)).length]).toEqual([[], 3])
    await report(runId, input)
    expect([await logOf(runId), (await objectsOf(runId)).length]).toEqual(['once\n', 6])
    await collectRunObjects(world.deps, world.disk, new AbortController().signal)
    expect(await objectsOf(runId)).toHaveLength(6)
    await collectRunObjects(world.deps, world.disk, new AbortController().signal, -1)
    expect([await logOf(runId), (await objectsOf(runId)).length]).toEqual(['once\n', 3])
  })

  it('after the commit has stored the report, and a retry is a repeat', async () => {
    const runId = await running()
    const withTx: typeof t.db.withTx = async (work) => {
      await world.deps.db.withTx(work)
      throw new HubError('unavailable', 'The database does not answer; try again.')
    }
    const losing = { ...runner, deps: { ...world.deps, db: { ...world.deps.db, withTx } } }
    const input = { logSeq: 0, logChunk: 'once\n' }
    expect(await typeOf(report(runId, input, losing))).toBe('unavailable')
    await report(runId, input)
    expect([await logOf(runId), await objectsOf(runId)]).toEqual(['once\n', [expect.any(String)]])
  })
})
