/** How calls on Kubernetes end: without a word, unclaimed, or canceled. */
import { describe, expect, it } from 'vitest'
import { cancelCheck } from '../../src/checks/end/cancel-check.ts'
import { dispatchHosted, dispatchWaiting } from '../../src/jobs/hosted-kinds.ts'
import { sweepCalls } from '../../src/jobs/sweeps.ts'
import { createRun } from '../../src/runs/create/create-run.ts'
import { cancelRun } from '../../src/runs/end/cancel-run.ts'
import { sweepLeases } from '../../src/runs/lease/sweep-leases.ts'
import { getRun } from '../../src/runs/read/get-run.ts'
import type { Json } from '../support/kube-api-server.ts'
import { kubernetesCalls } from './support/kubernetes-calls.ts'

const lab = await kubernetesCalls()
const { cluster, rowOf, nameOf, jobsOf, dispatched, claimed } = lab

describe('a call whose pod ended without a word', () => {
  const oom = {
    containerStatuses: [{ name: 'function', state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } }],
  }
  it.each<[string, Json, Json, string]>([
    [
      'for want of memory',
      { type: 'Failed', reason: 'BackoffLimitExceeded' },
      oom,
      'its container function ended with code 137 (OOMKilled).',
    ],
    ['with success', { type: 'Complete' }, {}, 'its container ended with code 0.'],
  ])('%s has its job failed with that, claimed or not', async (_how, condition, pod, reason) => {
    const [one, two] = [await dispatched(), await dispatched()]
    await claimed(two.id)
    await sweepCalls(lab.deps)
    expect([(await rowOf(one.id)).status, (await rowOf(two.id)).status]).toEqual(['queued', 'running'])
    for (const { call } of [one, two]) cluster.endJob(nameOf(call), condition, pod)
    await sweepCalls(lab.deps)
    const [first, second] = [await rowOf(one.id), await rowOf(two.id)]
    expect([first, second]).toMatchObject([
      { status: 'failed', state: 'ended' },
      { status: 'failed', state: 'ended' },
    ])
    expect(first.error).toContain(`The hosted function could not be started: ${reason}`)
    expect(second.error).toContain(`The hosted function ended without a report: ${reason}`)
  })

  it('and whose Job is gone has its job failed after a minute; an API server that does not answer fails nobody', async () => {
    const { id, call } = await dispatched()
    cluster.jobs.delete(nameOf(call))
    await sweepCalls(lab.deps)
    await lab.world.sql(`update hosted_calls set missing_since = now() - interval '2 minutes' where job_id = $1`, [id])
    cluster.fault({ method: 'GET', of: 'jobs', does: { status: 500 } })
    await expect(sweepCalls(lab.deps)).rejects.toThrow('the API server answered 500')
    cluster.fault({ method: 'GET', of: 'jobs', does: { status: 200, body: {} } })
    await expect(sweepCalls(lab.deps)).rejects.toThrow()
    expect((await rowOf(id)).status).toBe('queued')
    await sweepCalls(lab.deps)
    expect(await rowOf(id)).toMatchObject({
      status: 'failed',
      error: 'The hosted function could not be started: kubernetes lost its call.',
    })
  })
})

describe('a call that does not claim its job for an hour', () => {
  const silent = async () => {
    const { id, call } = await dispatched()
    await lab.world.sql(`update robot_checks set dispatched_at = now() - interval '61 minutes' where id = $1`, [id])
    return { id, call }
  }
  const error = 'The hosted function could not be started: it did not claim the job within 3600 seconds'

  it('has its job failed with what its pod waits for, and its Job deleted', async () => {
    const { id, call } = await silent()
    const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image' }
    cluster.pods.get(`${nameOf(call)}-x1`).status = { containerStatuses: [{ name: 'function', state: { waiting } }] }
    await dispatchWaiting(lab.deps)
    const why = 'its container function waits (ImagePullBackOff: Back-off pulling image).'
    expect(await rowOf(id)).toMatchObject({ status: 'failed', error: `${error}: ${why}` })
    await sweepCalls(lab.deps)
    expect(jobsOf(id)).toEqual([])
  })

  it('has its job failed where the cluster does not say', async () => {
    const { id } = await silent()
    cluster.fault({ method: 'GET', of: 'pods', does: { status: 500 } })
    await dispatchWaiting(lab.deps)
    expect(await rowOf(id)).toMatchObject({ status: 'failed', error: `${error}.` })
  })
})

describe('cancelRobotCheck', () => {
  it('deletes the Job, with its pod and its Secret', async () => {
    const { id, call } = await dispatched()
    await claimed(id)
    expect(await cancelCheck(lab.ada, { checkId: id })).toMatchObject({ status: 'canceled' })
    const left = [
      cluster.jobs.has(nameOf(call)),
      cluster.secrets.has(nameOf(call)),
      cluster.pods.has(`${nameOf(call)}-x1`),
    ]
    expect(left).toEqual([false, false, false])
    await sweepCalls(lab.deps)
    expect(await rowOf(id)).toMatchObject({ status: 'canceled', state: 'ended', error: null })
  })

  it.each<[string, Json]>([
    ['is refused', { status: 403, body: { message: 'no deletes' } }],
    ['fails', { status: 500 }],
    ['is not answered', 'refused'],
  ])('is 502 where the DELETE %s, and nothing changes', async (_what, does) => {
    const { id } = await dispatched()
    cluster.fault({ method: 'DELETE', of: 'jobs', does })
    await expect(cancelCheck(lab.ada, { checkId: id })).rejects.toMatchObject({ status: 502 })
    expect([(await rowOf(id)).status, jobsOf(id).length]).toEqual(['queued', 1])
    expect(await cancelCheck(lab.ada, { checkId: id })).toMatchObject({ status: 'canceled' })
  })

  it('of a Job that someone deleted is 202', async () => {
    const { id, call } = await dispatched()
    cluster.jobs.delete(nameOf(call))
    expect(await cancelCheck(lab.ada, { checkId: id })).toMatchObject({ status: 'canceled' })
  })

  it('that overtakes the spawn leaves a Job that the next sweep deletes', async () => {
    const { id, call } = await dispatched()
    cluster.jobs.delete(nameOf(call))
    await cancelCheck(lab.ada, { checkId: id })
    const late = { callId: call, jobId: id, kind: 'robot_check', functionName: 'x', token: 'x' }
    await lab.deps.hosted.spawn({ ...late, tier: null, maxSeconds: null })
    expect(await sweepCalls(lab.deps)).toBe(1)
    expect(jobsOf(id)).toEqual([])
  })
})

describe('cancelRun of a running run', () => {
  const recipe = { template: 'act', executor: 'hosted', gpu: 'l4', max_hours: 1 } as const

  it('asks its function to stop; where that does not, the hub ends the run and deletes its Job', async () => {
    const begunMs = performance.now()
    const { id } = await createRun(lab.ada, { recipe })
    await dispatchHosted(lab.deps, id)
    const job = () => jobsOf(id).length
    await lab.world.sql(
      `update runs set status = 'running', attempt = 1, claimed_by = 'pod', claim_credential = hosted_credential, claimed_at = now(),
        heartbeat_at = now(), lease_expires_at = now() + interval '5 minutes' where id = $1`,
      [id],
    )
    expect(await cancelRun(lab.ada, { runId: id })).toMatchObject({
      status: 'running',
      cancelRequestedAt: expect.any(String),
    })
    await sweepCalls(lab.deps)
    expect(job()).toBe(1)
    await lab.world.sql(
      `update runs set claimed_at = claimed_at - interval '40 s', cancel_requested_at = cancel_requested_at - interval '40 s' where id = $1`,
      [id],
    )
    await sweepLeases(lab.deps)
    expect(await sweepCalls(lab.deps)).toBe(1)
    expect([job(), (await getRun(lab.ada, id))?.status]).toEqual([0, 'canceled'])
    const text = `select l.amount_usd::float8 as usd, extract(epoch from finished_at - claimed_at)::float8 as seconds
      from ledger l join runs r on r.id = l.job_id where r.id = $1`
    const bills = await lab.world.sql<{ usd: number; seconds: number }>(text, [id])
    // Forty seconds, and what this test took on a busy machine.
    const ranS = (performance.now() - begunMs) / 1000
    expect(bills).toEqual([
      { usd: expect.closeTo((0.7992 * (bills[0]?.seconds ?? 0)) / 3600, 3), seconds: expect.any(Number) },
    ])
    expect(bills[0]?.seconds).toBeGreaterThanOrEqual(40)
    expect(bills[0]?.seconds).toBeLessThanOrEqual(40 + ranS)
  })
})
