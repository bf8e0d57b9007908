import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountRef } from '../../../src/operation/context.ts'
import { claimRun } from '../../../src/runs/claim/claim-run.ts'
import { dropAttempt, hideLines } from '../../../src/runs/lease/drop-attempt.ts'
import { sweepLeases } from '../../../src/runs/lease/sweep-leases.ts'
import { getRun } from '../../../src/runs/read/get-run.ts'
import type { ReportRunInput } from '../../../src/runs/report/judge-report.ts'
import { reportRun } from '../../../src/runs/report/report-run.ts'
import { readJobObject } from '../../../src/work/job-objects.ts'
import { testDb } from '../../support/database.ts'
import { putRun } from '../../support/runs.ts'
import { makeWorld, type World } from '../../support/world.ts'

const t = testDb()
let world: World
beforeAll(async () => {
  world = await makeWorld({ db: t.db })
})
afterAll(() => world?.close())

it.each([
  [null, []],
  [0, []],
  [200, [100, 200]],
])('gates of checkpoints past step %s go with the metrics of a lost attempt', async (step, left) => {
  const runId = await putRun(t.db, { ownerId: (await world.user()).id, status: 'running' })
  await world.sql(
    `insert into run_gate_results (run_id, step, rows, pass_count, cell_count, alive_count, seed_count)
      select $1, step, '[]', 0, 1, 0, 1 from unnest(array[100, 200, 300]) step`,
    [runId],
  )
  await t.db.withTx((tx) => dropAttempt(world.deps, tx, runId, step))
  const results = await world.sql<{ step: number }>(
    'select step from run_gate_results where run_id = $1 order by step',
    [runId],
  )
  expect(results.map((result) => result.step)).toEqual(left)
})

it.each([
  [null, []],
  [2, [1, 2, 3, 4]],
  [9, [1, 2, 3, 4, 5, 6, 7]],
])('lines past step %s are hidden, however few of them each statement looks at', async (step, left) => {
  const runId = await putRun(t.db, { ownerId: (await world.user()).id, status: 'running' })
  await world.sql(
    `insert into run_metrics (run_id, seq, attempt, step, line)
      select $1, seq, 1, step, '{}' from unnest(array[null, 1, null, 2, null, 3, 1]::float8[]) with ordinality as given(step, seq)
      where seq < 7 or $2`,
    [runId, step !== 2],
  )
  await t.db.withTx((tx) => hideLines(tx, runId, step, 2))
  const kept = await world.sql<{ seq: number }>(
    'select seq from run_metrics where run_id = $1 and not hidden order by seq',
    [runId],
  )
  expect(kept.map(({ seq }) => seq)).toEqual(left)
})

describe('reports of a lost attempt', () => {
  let ada: AccountRef
  beforeAll(async () => {
    ada = await world.user()
  })
  const runner = () => world.as(ada, { kind: 'key', credentialId: 'key_runner' })
  const said: Omit<ReportRunInput, 'runId'> = {
    metrics: [{ step: 1, reward: 1 }],
    error: 'out of memory, trying a smaller batch',
    configYaml: 'lr: 1\n',
    scorecardJson: { cells: [{ name: 'stands', status: 'PASS' }] },
    peakVramGb: 10,
    samplesPerS: 5,
    gpuTier: 'l4',
    progress: { iteration: 1, total_iterations: 2 },
  }
  async function reported(change: { executor?: 'hosted'; hostedCallId?: string } = {}): Promise<string> {
    const runId = await putRun(t.db, {
      ownerId: ada.id,
      status: 'running',
      claimCredential: 'key_runner',
      ...change,
    })
    await reportRun(runner(), { runId, ...said })
    return runId
  }
  const keysOf = async (runId: string) => {
    const [row] = await world.sql<{ config: string | null; scorecard: string | null; tier: string | null }>(
      'select config_key as config, scorecard_key as scorecard, gpu_tier as tier from runs where id = $1',
      [runId],
    )
    if (!row) throw new Error('The run is gone.')
    return row
  }
  const isStored = (key: string | null) =>
    readJobObject(world.deps, key ?? '').then(
      () => true,
      () => false,
    )

  it('are dropped with the lease: the queued run shows none of them, and their objects are deleted', async () => {
    const runId = await reported()
    const { config, scorecard } = await keysOf(runId)
    expect([await isStored(config), await isStored(scorecard)]).toEqual([true, true])
    expect(await getRun(runner(), runId)).toMatchObject({ error: said.error, gate: { passed: 1, total: 1 } })
    await world.sql(`update runs set lease_expires_at = now() - interval '1 s' where id = $1`, [runId])
    expect(await sweepLeases(world.deps)).toBe(1)
    expect(await getRun(runner(), runId)).toMatchObject({
      status: 'queued',
      error: null,
      gate: null,
      gates: null,
      configKey: null,
      scorecardKey: null,
      progress: null,
      peakVramGb: null,
      samplesPerS: null,
      latestMetrics: null,
      sparkline: null,
    })
    expect(await keysOf(runId)).toEqual({ config: null, scorecard: null, tier: null })
    await expect.poll(async () => [await isStored(config), await isStored(scorecard)]).toEqual([false, false])
  })

  it('leave a swept run as one that never ran, in each member but its attempt, log and output repo', async () => {
    const fresh = await putRun(t.db, { ownerId: ada.id })
    const runId = await putRun(t.db, { ownerId: ada.id, status: 'running', claimCredential: 'key_runner' })
    const model = await world.repo(ada, { kind: 'model' })
    const outputModelRepo = `${model.owner}/${model.repo}`
    await reportRun(runner(), { runId, ...said, logChunk: 'one\n', outputModelRepo, metricsSeq: 0, logSeq: 0 })
    const shown = async (id: string) => {
      const run = await getRun(runner(), id)
      if (!run) throw new Error('The run is gone.')
      const { id: _id, createdAt: _at, displayName: _name, displayNameSource: _source, spend, ...rest } = run
      const { attempt, logsKey, outputModelRepo: output, ...same } = rest
      const { asOf: _asOf, ...money } = spend
      return { same: { ...same, spend: money }, kept: { attempt, logsKey, output: output?.fullName ?? null } }
    }
    expect((await shown(runId)).same.metricsKey).toBe(`runs/${runId}/metrics.jsonl`)
    await world.sql(`update runs set lease_expires_at = now() - interval '1 s' where id = $1`, [runId])
    expect(await sweepLeases(world.deps)).toBe(1)
    const swept = await shown(runId)
    expect(swept.same).toEqual((await shown(fresh)).same)
    expect(swept.kept).toEqual({ attempt: 1, logsKey: `runs/${runId}/logs/`, output: outputModelRepo })
  })

  it('leave no metrics key, until the next attempt reports metrics', async () => {
    const runId = await reported()
    await world.sql(`update runs set lease_expires_at = now() - interval '1 s' where id = $1`, [runId])
    await sweepLeases(world.deps)
    const next = world.as(ada, { kind: 'key', credentialId: 'key_next' })
    const keyOf = async () => (await getRun(next, runId))?.metricsKey
    expect(await keyOf()).toBeNull()
    await claimRun(next, { runId, worker: 'next' })
    await reportRun(next, { runId, logChunk: 'nothing yet\n' })
    expect(await keyOf()).toBeNull()
    await reportRun(next, { runId, metrics: [{ step: 1 }] })
    expect(await keyOf()).toBe(`runs/${runId}/metrics.jsonl`)
  })

  it('are dropped when its own call starts over; a config stays for a call that resumes', async () => {
    for (const resumes of [true, false]) {
      const runId = await reported({ executor: 'hosted', hostedCallId: 'call_1' })
      const model = await world.repo(ada, { kind: 'model' })
      await world.upload(world.as(ada), model, 'checkpoints/step_1/policy.bin', Buffer.from('policy'))
      await world.sql('update runs set output_repo_id = $2, output_repo_name = $3 where id = $1', [
        runId,
        model.id,
        `${model.owner}/${model.repo}`,
      ])
      const { config, scorecard } = await keysOf(runId)
      const resumeStep = resumes ? 1 : null
      await claimRun(runner(), { runId, worker: 'function', hostedCallId: 'call_1', resumeStep })
      const run = await getRun(runner(), runId)
      expect(run).toMatchObject({ status: 'running', error: null, gate: null, gates: null, scorecardKey: null })
      expect(run?.configKey).toBe(resumes ? config : null)
      expect(run?.metricsKey).toBe(resumes ? `runs/${runId}/metrics.jsonl` : null)
      await expect.poll(async () => [await isStored(config), await isStored(scorecard)]).toEqual([resumes, false])
    }
  })

  it('leave no error on a run that then succeeds', async () => {
    const before = await reported()
    expect((await reportRun(runner(), { runId: before, status: 'succeeded' })).error).toBeNull()
    const atOnce = await reported()
    expect((await reportRun(runner(), { runId: atOnce, status: 'succeeded', error: 'none' })).error).toBeNull()
    const failed = await reported()
    expect((await reportRun(runner(), { runId: failed, status: 'failed' })).error).toBe(said.error)
  })
})
