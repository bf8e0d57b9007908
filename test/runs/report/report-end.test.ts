/** The end that a report brings: the bill, the output repo, and what races or crashes leave. */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { collectRunObjects } from '../../../src/jobs/collect-job-objects.ts'
import { writeMetricsFile } from '../../../src/jobs/run-metrics-file.ts'
import { purgeRun } from '../../../src/jobs/run-purge.ts'
import { HubError } from '../../../src/platform/errors.ts'
import { claimRun } from '../../../src/runs/claim/claim-run.ts'
import { deleteRun } from '../../../src/runs/end/delete-run.ts'
import { sweepLeases } from '../../../src/runs/lease/sweep-leases.ts'
import { readJobObject } from '../../../src/work/job-objects.ts'
import { objectChunk, reportedRun } from './support/reported-run.ts'

const lab = reportedRun()
const { t, running, report, refusal, typeOf, chunksOf, logOf, linesOf, metricsOf, objectsOf, row } = lab

describe('the end of a run', () => {
  it('of a worker costs nothing and is recorded', async () => {
    const runId = await running({ set: { gpu_type: 'l4' } })
    const run = await report(runId, { status: 'failed', error: 'CUDA out of memory' })
    expect(run).toMatchObject({ status: 'failed', error: 'CUDA out of memory', costUsd: 0, leaseExpiresAt: null })
    expect(run.finishedAt).not.toBeNull()
    expect(
      await lab.world.sql('select account_id, job_kind, attempt, kind, amount_usd from ledger where job_id = $1', [
        runId,
      ]),
    ).toEqual([{ account_id: lab.ada.id, job_kind: 'run', attempt: 1, kind: 'gpu', amount_usd: '0.0000' }])
    expect(
      await lab.world.sql('select action, credential_id, after from audit_log where target_id = $1', [runId]),
    ).toEqual([{ action: 'run.finish', credential_id: 'key_runner', after: { status: 'failed', costUsd: '0.0000' } }])
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
    const [entry] = await lab.world.sql<{ amount_usd: string }>('select amount_usd from ledger where job_id = $1', [
      runId,
    ])
    expect(Number(entry?.amount_usd)).toBe(run.costUsd)
  })

  it('has its metrics written into one object, without those of a lost attempt', async () => {
    const runId = await running()
    await report(runId, { metrics: Array.from({ length: 1200 }, (_, step) => ({ step, note: 'größer' })) })
    await lab.world.sql('update run_metrics set hidden = true where run_id = $1 and seq <= 3', [runId])
    const run = await report(runId, { status: 'succeeded' })
    expect(lab.world.sent).toContainEqual({ job: 'run-metrics-file', input: { runId } })
    await writeMetricsFile(lab.world.deps, lab.world.disk, runId, new AbortController().signal)
    const lines = (await readJobObject(lab.world.deps, run.metricsKey ?? '')).split('\n')
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
    const disk = Object.assign(Object.create(lab.world.disk) as typeof lab.world.disk, {
      put: async (key: string, body: Readable, options: Parameters<typeof lab.world.disk.put>[2]) => {
        const bytes = await buffer(body)
        await deleteRun(lab.world.as(lab.ada), { runId })
        await purgeRun(lab.world.deps, runId, new AbortController().signal)
        return lab.world.disk.put(key, Readable.from([bytes]), options)
      },
    })
    await writeMetricsFile(lab.world.deps, disk, runId, new AbortController().signal)
    await expect(readJobObject(lab.world.deps, metricsKey ?? '')).rejects.toThrow()
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
    const model = await lab.world.repo(lab.ada, { kind: 'model' })
    const name = `${model.owner}/${model.repo}`
    const run = await report(runId, { outputModelRepo: name })
    expect(run.outputModelRepo).toEqual({ id: model.id, fullName: name })
    expect(run.displayName).toBe(name)
    const meta = () => lab.world.sql('select * from model_meta where repo_id = $1', [model.id])
    expect(await meta()).toEqual([])
    await report(runId, { status: 'succeeded' })
    expect(await meta()).toMatchObject([{ policy_type: 'ppo_sim_a', source_run_id: runId, robot: 'acme/arm' }])
    expect(await lab.world.sql('select reason from repo_references where referrer_id = $1', [runId])).toEqual([
      { reason: 'output' },
    ])
  })

  it('keeps the meta block that it has', async () => {
    const model = await lab.world.repo(lab.ada, { kind: 'model' })
    await lab.world.sql(`insert into model_meta (repo_id, policy_type) values ($1, 'mine')`, [model.id])
    await report(await running(), { outputModelRepo: `${model.owner}/${model.repo}`, status: 'succeeded' })
    expect(await lab.world.sql('select policy_type from model_meta where repo_id = $1', [model.id])).toEqual([
      { policy_type: 'mine' },
    ])
  })

  it('replaces the reference to an earlier one', async () => {
    const runId = await running()
    const [one, two] = [
      await lab.world.repo(lab.ada, { kind: 'model' }),
      await lab.world.repo(lab.ada, { kind: 'model' }),
    ]
    await report(runId, { outputModelRepo: `${one.owner}/${one.repo}` })
    await report(runId, { outputModelRepo: `${two.owner}/${two.repo}` })
    expect(await lab.world.sql('select repo_id from repo_references where referrer_id = $1', [runId])).toEqual([
      { repo_id: two.id },
    ])
  })

  it('returns 422 otherwise', async () => {
    const runId = await running()
    const bob = await lab.world.user()
    const foreign = await lab.world.repo(bob, { kind: 'model', visibility: 'public' })
    const hidden = await lab.world.repo(bob, { kind: 'model' })
    const dataset = await lab.world.repo(lab.ada)
    for (const { owner, repo } of [foreign, hidden, dataset, { owner: lab.ada.handle, repo: 'none' }]) {
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
        delay(round % 8).then(() => sweepLeases(lab.world.deps)),
        report(runId, { logChunk: objectChunk('line\n'), metrics: [{ step: 1 }] }).then(
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
    await lab.world.sql(`update runs set lease_expires_at = now() - interval '1 second' where id = $1`, [runId])
    await sweepLeases(lab.world.deps)
    expect(await typeOf(report(runId, { attempt: 1, logChunk: 'too late\n' }))).toBe('conflict.not_claimer')
    const again = await claimRun(lab.runner, { runId, worker: 'second' })
    expect(again).toMatchObject({ attempt: 2, latestMetrics: null, sparkline: null })
    expect(await typeOf(report(runId, { attempt: 1, logChunk: 'late\n' }))).toBe('conflict.not_claimer')
    const run = await report(runId, { attempt: 2, logSeq: 0, logChunk: 'new\n', metricsSeq: 0, metrics: [{ step: 1 }] })
    expect(run.latestMetrics).toEqual({ step: 1 })
    const rows = await lab.world.sql('select seq, attempt, hidden from run_metrics where run_id = $1 order by seq', [
      runId,
    ])
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
    expect(await lab.world.sql('select 1 from ledger where job_id = $1', [runId])).toHaveLength(1)
  })
})

describe('a hub that crashes between the object and the transaction', () => {
  it('leaves an invisible object, and the report can be sent again; collection deletes the object', async () => {
    const runId = await running()
    const withTx = () => Promise.reject(new Error('The process is gone.'))
    const dying = { ...lab.runner, deps: { ...lab.world.deps, db: { ...lab.world.deps.db, withTx } } }
    const logChunk = objectChunk('once\n')
    const input = { logSeq: 0, logChunk, configYaml: 'a: 1\n', scorecardJson: { cells: [] } }
    await expect(report(runId, input, dying)).rejects.toThrow('The process is gone.')
    expect([await chunksOf(runId), (await objectsOf(runId)).length]).toEqual([[], 3])
    await report(runId, input)
    expect([await logOf(runId), (await objectsOf(runId)).length]).toEqual([logChunk, 6])
    await collectRunObjects(lab.world.deps, lab.world.disk, new AbortController().signal)
    expect(await objectsOf(runId)).toHaveLength(6)
    await collectRunObjects(lab.world.deps, lab.world.disk, new AbortController().signal, -1)
    expect([await logOf(runId), (await objectsOf(runId)).length]).toEqual([logChunk, 3])
  })

  it('after the commit has stored the report, and a retry is a repeat', async () => {
    const runId = await running()
    const withTx: typeof t.db.withTx = async (work) => {
      await lab.world.deps.db.withTx(work)
      throw new HubError('unavailable', 'The database does not answer; try again.')
    }
    const losing = { ...lab.runner, deps: { ...lab.world.deps, db: { ...lab.world.deps.db, withTx } } }
    const input = { logSeq: 0, logChunk: objectChunk('once\n') }
    expect(await typeOf(report(runId, input, losing))).toBe('unavailable')
    await report(runId, input)
    expect([await logOf(runId), await objectsOf(runId)]).toEqual([input.logChunk, [expect.any(String)]])
  })
})
