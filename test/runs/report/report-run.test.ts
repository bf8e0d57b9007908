import { describe, expect, it } from 'vitest'
import { readJobObject } from '../../../src/work/job-objects.ts'
import { putRun } from '../../support/runs.ts'
import { objectChunk, reportedRun } from './support/reported-run.ts'

const lab = reportedRun()
const { t, running, report, refusal, typeOf, chunksOf, logOf, metricsOf, objectsOf, row } = lab

describe('a report', () => {
  it('stores log chunks and metrics in their order', async () => {
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
    expect(run.sparkline).toEqual({
      metric: 'reward',
      points: [
        [1, 0.5],
        [7, 2],
      ],
    })
  })

  it.each([
    ['of 16 KiB is kept in its row', 'x'.repeat(16_384), true],
    ['of 16 KiB in fewer characters is, too', 'ü'.repeat(8192), true],
    ['of a byte more is an object', 'x'.repeat(16_385), false],
    ['that is longer in bytes than in characters is one', 'ü'.repeat(8193), false],
    ['with a NUL, which no row can keep, is one', 'a\0b\n', false],
  ])('whose log chunk %s', async (_, logChunk, isInRow) => {
    const runId = await running()
    await report(runId, { logChunk })
    const objects = await objectsOf(runId)
    expect(await chunksOf(runId)).toMatchObject([
      isInRow ? { key: null, text: logChunk } : { key: expect.stringMatching(`^runs/${runId}/logs/`), text: null },
    ])
    expect([objects.length, await logOf(runId)]).toEqual([isInRow ? 0 : 1, logChunk])
    expect(await row(runId)).toMatchObject({ stored_bytes: Buffer.byteLength(logChunk) })
  })

  it('whose log chunk has half a surrogate pair keeps U+FFFD for it', async () => {
    const runId = await running()
    await report(runId, { logChunk: 'a\ud800\n' })
    expect([await logOf(runId), await objectsOf(runId)]).toEqual(['a\ufffd\n', []])
    expect(await row(runId)).toMatchObject({ stored_bytes: 5 })
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
    expect(await readJobObject(lab.world.deps, run.configKey ?? '')).toBe('a: 2\n')
    expect(JSON.parse(await readJobObject(lab.world.deps, run.scorecardKey ?? ''))).toEqual({ cells })
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
    expect(await typeOf(report(runId, {}, lab.world.as(await lab.world.user())))).toBe('not_found')
    expect(await typeOf(report('run_nonsense'))).toBe('not_found')
  })

  it('below key:train, and without a credential', async () => {
    const runId = await running()
    const weak = lab.world.as(lab.ada, { kind: 'key', credentialId: 'key_runner', level: 'write' })
    expect(await typeOf(report(runId, {}, weak))).toBe('forbidden.scope')
    expect(await typeOf(report(runId, {}, lab.world.anonymous()))).toBe('auth.missing')
  })

  it("from any credential but the claimer's, and for any attempt but the current one", async () => {
    const runId = await running()
    expect(await typeOf(report(runId, {}, lab.world.as(lab.ada)))).toBe('conflict.not_claimer')
    expect(await typeOf(report(runId, { attempt: 2, logChunk: 'late\n' }))).toBe('conflict.not_claimer')
    expect(await objectsOf(runId)).toEqual([])
    await report(runId, { attempt: 1 })
  })

  it.each([['queued'], ['succeeded'], ['failed'], ['canceled']] as const)('while the run is %s', async (status) => {
    const runId = await putRun(t.db, { ownerId: lab.ada.id, status })
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
    const small = lab.world.with({ config: { runs: { ...lab.world.deps.config.runs, maxArtifactBytes: 10 } } })
    const ctx = small.as(lab.ada, { kind: 'key', credentialId: 'key_runner' })
    expect(await typeOf(report(runId, { configYaml: 'ä'.repeat(6) }, ctx))).toBe('too_large')
    expect(await typeOf(report(runId, { scorecardJson: { a: 'longer than ten' } }, ctx))).toBe('too_large')
    expect(await objectsOf(runId)).toEqual([])
  })

  it('if the owner has no room left, or the hub no store', async () => {
    const runId = await running()
    const full = lab.world.with({ config: { storageQuotaBytes: 3 } })
    const ctx = full.as(lab.ada, { kind: 'key', credentialId: 'key_runner' })
    expect(await typeOf(report(runId, { logChunk: 'four' }, ctx))).toBe('quota.storage')
    const bare = lab.world.with({ objects: null }).as(lab.ada, { kind: 'key', credentialId: 'key_runner' })
    expect(await typeOf(report(runId, { logChunk: objectChunk('four') }, bare))).toBe('not_configured.object_store')
    await report(runId, { logChunk: 'four', metrics: [{ step: 1 }] }, bare)
  })
})

describe('a report that is sent again', () => {
  it('changes nothing if its numbers were stored', async () => {
    const runId = await running()
    const logChunk = objectChunk('one\n')
    const input = { logSeq: 0, logChunk, metricsSeq: 0, metrics: [{ step: 1 }] }
    await report(runId, input)
    await report(runId, input)
    expect([await logOf(runId), await metricsOf(runId)]).toEqual([logChunk, [{ step: 1 }]])
    expect(await objectsOf(runId)).toHaveLength(1)
    await report(runId, { logSeq: 0, logChunk, metricsSeq: 1, metrics: [{ step: 2 }] })
    expect([await logOf(runId), await metricsOf(runId)]).toEqual([logChunk, [{ step: 1 }, { step: 2 }]])
  })

  it('at the end gets the same response as the first, and only if it is the same', async () => {
    const runId = await running()
    const last = { logSeq: 3, logChunk: 'bye\n', status: 'succeeded' as const }
    await report(runId, last)
    expect((await report(runId, last)).status).toBe('succeeded')
    expect(await typeOf(report(runId, { ...last, status: 'failed' }))).toBe('conflict.terminal')
    expect(await typeOf(report(runId, { ...last, logSeq: 4 }))).toBe('conflict.terminal')
    expect(await lab.world.sql('select 1 from ledger where job_id = $1', [runId])).toHaveLength(1)
  })

  it('together with others is stored once, each in order', async () => {
    const runId = await running()
    const numbers = Array.from({ length: 12 }, (_, index) => index % 6)
    await Promise.all(
      numbers.map((number) =>
        report(runId, { logSeq: number, logChunk: `${number}\0\n`, metricsSeq: number, metrics: [{ step: number }] }),
      ),
    )
    const lines = (await logOf(runId)).replaceAll('\0', '').trim().split('\n')
    expect(lines.toSorted()).toEqual(['0', '1', '2', '3', '4', '5'])
    expect((await metricsOf(runId)).map((line) => String((line as { step: number }).step))).toEqual(lines)
    await expect.poll(() => objectsOf(runId)).toHaveLength(6)
  })
})
