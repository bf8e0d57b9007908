/** Hosted calls as Jobs of a cluster: each is spawned once, whatever the API server answers, and every end of a pod is the end of its job. */
import { join } from 'node:path'
import * as k8s from '@kubernetes/client-node'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createCheck } from '../../src/checks/create/create-check.ts'
import { cancelCheck } from '../../src/checks/end/cancel-check.ts'
import type { HostedBackend } from '../../src/hosting/backend.ts'
import { openKubeApi } from '../../src/hosting/kubernetes/kube-api.ts'
import { kubernetesBackend, openKubernetes } from '../../src/hosting/kubernetes/kubernetes-backend.ts'
import { openBackend, openCluster } from '../../src/hosting/open-backend.ts'
import { dispatchHosted, dispatchWaiting } from '../../src/jobs/hosted-kinds.ts'
import { sweepCalls } from '../../src/jobs/sweeps.ts'
import type { Deps, RequestContext } from '../../src/operation/context.ts'
import { runDoctor } from '../../src/operator/doctor.ts'
import { readConfig } from '../../src/platform/config.ts'
import { createRun } from '../../src/runs/create/create-run.ts'
import { cancelRun } from '../../src/runs/end/cancel-run.ts'
import { sweepLeases } from '../../src/runs/lease/sweep-leases.ts'
import { getRun } from '../../src/runs/read/get-run.ts'
import { testDb } from '../support/database.ts'
import { type Json, kubeApiServer } from '../support/kube-api-server.ts'
import { makeWorld, type World, type WorldRepo } from '../support/world.ts'
import { clockOf, expectPutOff } from './support/put-off.ts'

const t = testDb()
const cluster = await kubeApiServer()
const env = {
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: '*',
  HOSTED_BACKEND: 'kubernetes',
  HOSTED_KUBECONFIG: cluster.kubeconfig,
  HOSTED_KUBE_TEMPLATE: join(import.meta.dirname, '../../examples/kubernetes/job-template.yaml'),
  PUBLIC_URL: 'https://hub.test',
}
const config = readConfig(env)
const log = pino({ level: 'silent' })
let world: World
let ada: RequestContext
let robot: WorldRepo
let deps: Deps

beforeAll(async () => {
  world = await makeWorld({ db: t.db, config: { hosted: config.hosted, publicUrl: config.publicUrl } })
  deps = { ...world.deps, hosted: await openBackend(config, log, await openCluster(config)) }
  const account = await world.user()
  ada = { ...world.as(account), deps }
  robot = await world.repo(account, { kind: 'robot' })
  await world.upload(ada, robot, 'arm.xml', Buffer.from('<mujoco/>'))
})
afterAll(async () => {
  await world?.close()
  await cluster.close()
})
beforeEach(() => {
  cluster.requests.length = 0
})

async function hostedCheck(): Promise<string> {
  const robotRepo = `${robot.owner}/${robot.repo}`
  const how = { entry: 'arm.xml', controlHz: 50, action: 'position', executor: 'hosted' } as const
  return (await createCheck(ada, { kind: 'robot', robotRepo, ...how })).id
}
async function rowOf(id: string) {
  const text = `select u.status::text, u.hosted_call_id as call, u.error, c.state::text, c.tries, c.sealed_token as key
      from robot_checks u join hosted_calls c on c.job_id = u.id where u.id = $1`
  const [row] = await world.sql<Json>(text, [id])
  return row
}
const nameOf = (call: string) => call.replace('_', '-')
const jobsOf = (id: string): Json[] =>
  [...cluster.jobs.values()].filter(({ metadata }) => metadata.labels['hub/job'] === id)
const posts = () => cluster.requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/jobs')).length
const isDue = (id: string) =>
  world.sql('update hosted_calls set next_try_at = now() - make_interval(secs => 1) where job_id = $1', [id])

async function dispatched(): Promise<{ id: string; call: string }> {
  const id = await hostedCheck()
  await dispatchHosted(deps, id)
  return { id, call: (await rowOf(id)).call }
}
const claimed = (id: string) =>
  world.sql(
    `update robot_checks set status = 'running', attempt = 1, claim_credential = hosted_credential, claimed_at = now() - interval '1 minute' where id = $1`,
    [id],
  )

describe('a hosted call', () => {
  it('is a Job with the name of the call, its environment and a key that is in a Secret of the Job alone', async () => {
    const { id, call } = await dispatched()
    expect(await rowOf(id)).toMatchObject({ status: 'queued', state: 'spawned', key: null })
    const job = cluster.jobs.get(nameOf(call))
    const { env: given } = job.spec.template.spec.containers[0]
    expect(given.filter(({ value }: Json) => value)).toEqual([
      { name: 'HUB_URL', value: 'https://hub.test' },
      { name: 'HUB_JOB_KIND', value: 'robot_check' },
      { name: 'HUB_JOB_ID', value: id },
      { name: 'HUB_CALL_ID', value: call },
      { name: 'HUB_JOB_TEMPLATE', value: 'robot_check' },
    ])
    expect(job.spec).toMatchObject({
      backoffLimit: 0,
      ttlSecondsAfterFinished: 3600,
      activeDeadlineSeconds: 3600 + 3720,
    })
    const secret = cluster.secrets.get(nameOf(call))
    expect(secret.metadata.ownerReferences).toEqual([
      { apiVersion: 'batch/v1', kind: 'Job', name: nameOf(call), uid: job.metadata.uid },
    ])
    const token = Buffer.from(secret.data.token, 'base64').toString()
    const [key] = await world.sql<{ sha: string }>(
      `select encode(token_sha256, 'hex') as sha from api_keys where job_id = $1`,
      [id],
    )
    const { createHash } = await import('node:crypto')
    expect(createHash('sha256').update(token).digest('hex')).toBe(key?.sha)
    expect(JSON.stringify(job)).not.toContain(token)
  })

  it.each<[string, 'jobs' | 'secrets', 'lost' | 'refused']>([
    ['of the POST was lost before it had its effect', 'jobs', 'refused'],
    ['of the POST was lost after it had its effect', 'jobs', 'lost'],
    ['for its Secret was lost', 'secrets', 'lost'],
  ])('whose answer %s is tried again, and is one Job with one Secret', async (_what, of, does) => {
    cluster.fault({ method: 'POST', of, does })
    const { id, call } = await dispatched()
    expect(await rowOf(id)).toMatchObject({ status: 'queued', state: 'pending', key: expect.any(Buffer) })
    await isDue(id)
    await sweepCalls(deps)
    expect(await rowOf(id)).toMatchObject({ status: 'queued', state: 'spawned', call, tries: 2 })
    expect(jobsOf(id)).toHaveLength(1)
    expect(cluster.secrets.get(nameOf(call)).metadata.ownerReferences[0].uid).toBe(jobsOf(id)[0].metadata.uid)
    expect([posts(), await world.sql('select 1 from api_keys where job_id = $1', [id])]).toMatchObject([2, [{}]])
  })

  it.each<[string, Json, number]>([
    ['429 with Retry-After', { status: 429, headers: { 'retry-after': '17' } }, 17],
    ['500', { status: 500 }, 2],
    ['503 of a proxy', { status: 503, body: '<html>', headers: { 'content-type': 'text/html' } }, 2],
    ['403 by a full quota', { status: 403, body: { message: 'jobs.batch "x" is forbidden: exceeded quota: gpus' } }, 2],
    ['401 while its token is renewed', { status: 401 }, 2],
    ['201 and no JSON', { status: 201, body: '{"kind":' }, 2],
    ['201 and no Job', { status: 201, body: {} }, 2],
  ])('that is answered with %s is tried again', async (_what, does, wait) => {
    cluster.fault({ method: 'POST', of: 'jobs', does })
    const before = await clockOf(world)
    const { id, call } = await dispatched()
    expect(await rowOf(id)).toMatchObject({ status: 'queued', state: 'pending' })
    await expectPutOff(world, call, wait, before)
    await isDue(id)
    await sweepCalls(deps)
    expect([await rowOf(id), jobsOf(id).length]).toMatchObject([{ state: 'spawned', call }, 1])
  })

  it('that gets no answer in time is tried again', async () => {
    const parts = await openKubernetes(config.hosted.kubernetes ?? fail())
    const api = openKubeApi(k8s, { kubeconfig: cluster.kubeconfig, namespace: null }, 200)
    const hosted = kubernetesBackend(config, { ttlSeconds: 600 }, { ...parts, api })
    cluster.fault({ method: 'POST', of: 'jobs', does: 'silent' })
    const id = await hostedCheck()
    await dispatchHosted({ ...deps, hosted }, id)
    expect(await rowOf(id)).toMatchObject({ status: 'queued', state: 'pending' })
    await isDue(id)
    await sweepCalls({ ...deps, hosted })
    expect(await rowOf(id)).toMatchObject({ state: 'spawned' })
  })

  it.each([
    [403, 'jobs.batch is forbidden: User "hub" cannot create resource "jobs"'],
    [422, 'Job.batch "x" is invalid: spec.template.spec.containers[0].image: Required value'],
    [404, 'namespaces "robots" not found'],
  ])('that is refused with %s leaves its job failed with the reason, at once', async (status, message) => {
    cluster.fault({ method: 'POST', of: 'jobs', does: { status, body: { kind: 'Status', message } } })
    const id = await hostedCheck()
    await dispatchHosted(deps, id)
    expect(await rowOf(id)).toMatchObject({
      status: 'failed',
      call: null,
      error: `The hosted function could not be started: the API server answered ${status}: ${message}.`,
    })
    await isDue(id)
    await sweepCalls(deps)
    expect([await rowOf(id), posts()]).toMatchObject([{ state: 'ended', key: null }, 1])
  })

  it('whose Secret is refused leaves no Job behind', async () => {
    cluster.fault({ method: 'POST', of: 'secrets', does: { status: 403, body: { message: 'no secrets' } } })
    const id = await hostedCheck()
    await dispatchHosted(deps, id)
    expect([(await rowOf(id)).status, jobsOf(id).length]).toEqual(['failed', 1])
    await isDue(id)
    await sweepCalls(deps)
    await sweepCalls(deps)
    expect([(await rowOf(id)).state, jobsOf(id).length]).toEqual(['ended', 0])
  })

  it('that no server takes fails its job after ten attempts', async () => {
    const unreachable = { status: 503, body: { message: 'etcd is away' } }
    cluster.fault({ method: 'POST', of: 'jobs', does: unreachable }, { method: 'POST', of: 'jobs', does: unreachable })
    const { id } = await dispatched()
    await world.sql(
      'update hosted_calls set tries = 9, next_try_at = now() - make_interval(secs => 1) where job_id = $1',
      [id],
    )
    await sweepCalls(deps)
    expect(await rowOf(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('503: etcd is away') })
  })

  it('is not spawned into a Job of the same name that is not its own', async () => {
    const { call } = await dispatched()
    cluster.jobs.get(nameOf(call)).metadata.labels = {}
    const again = { callId: call, jobId: 'check_1', kind: 'robot_check', functionName: 'x', token: 'x' }
    await expect(deps.hosted.spawn({ ...again, tier: null, maxSeconds: null })).rejects.toThrow(
      `the Job ${nameOf(call)} in the namespace robots is not of this call.`,
    )
  })
})

describe('a hub that dies', () => {
  const killed = async (): Promise<never> => {
    throw new Error('The hub was killed.')
  }
  /** Two hubs find it at once. */
  const recovered = async (hosted: HostedBackend) => {
    const id = await hostedCheck()
    await dispatchHosted({ ...deps, hosted }, id).catch(() => undefined)
    const { call } = await rowOf(id)
    await isDue(id)
    const other = { ...deps, hosted: await openBackend(config, log, await openCluster(config)) }
    await Promise.all([sweepCalls(deps), sweepCalls(other), sweepCalls(deps), sweepCalls(other)])
    expect(await rowOf(id)).toMatchObject({ status: 'queued', state: 'spawned', call, key: null })
    expect([jobsOf(id).length, cluster.secrets.has(nameOf(call))]).toEqual([1, true])
    return posts()
  }

  it('after the commit and before the POST loses nothing: of two hubs one sends it', async () => {
    expect(await recovered({ ...deps.hosted, spawn: killed })).toBe(1)
  })

  it('after the POST and before it is recorded doubles nothing: the Job is there (409)', async () => {
    const spawn: HostedBackend['spawn'] = async (call) => {
      await deps.hosted.spawn(call)
      await killed()
    }
    expect(await recovered({ ...deps.hosted, spawn })).toBe(2)
  })

  it('between the Job and its Secret leaves a Job whose pod gets its key from the next hub', async () => {
    cluster.fault({ method: 'POST', of: 'secrets', does: 'refused' })
    expect(await recovered(deps.hosted)).toBe(2)
  })
})

describe('a hub that is slow', () => {
  it('and spawns a call that another hub has spawned meanwhile does not end it', async () => {
    const id = await hostedCheck()
    const spawn: HostedBackend['spawn'] = async (call) => {
      await isDue(id)
      await sweepCalls({ ...deps, hosted: await openBackend(config, log, await openCluster(config)) })
      expect(await rowOf(id)).toMatchObject({ state: 'spawned' })
      await deps.hosted.spawn(call)
    }
    await dispatchHosted({ ...deps, hosted: { ...deps.hosted, spawn } }, id)
    const { call, state } = await rowOf(id)
    expect([state, jobsOf(id).length, cluster.secrets.has(nameOf(call))]).toEqual(['spawned', 1, true])
  })
})

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
    await sweepCalls(deps)
    expect([(await rowOf(one.id)).status, (await rowOf(two.id)).status]).toEqual(['queued', 'running'])
    for (const { call } of [one, two]) cluster.endJob(nameOf(call), condition, pod)
    await sweepCalls(deps)
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
    await sweepCalls(deps)
    await world.sql(`update hosted_calls set missing_since = now() - interval '2 minutes' where job_id = $1`, [id])
    cluster.fault({ method: 'GET', of: 'jobs', does: { status: 500 } })
    await expect(sweepCalls(deps)).rejects.toThrow('the API server answered 500')
    cluster.fault({ method: 'GET', of: 'jobs', does: { status: 200, body: {} } })
    await expect(sweepCalls(deps)).rejects.toThrow()
    expect((await rowOf(id)).status).toBe('queued')
    await sweepCalls(deps)
    expect(await rowOf(id)).toMatchObject({
      status: 'failed',
      error: 'The hosted function could not be started: kubernetes lost its call.',
    })
  })
})

describe('a call that does not claim its job for an hour', () => {
  const silent = async () => {
    const { id, call } = await dispatched()
    await world.sql(`update robot_checks set dispatched_at = now() - interval '61 minutes' where id = $1`, [id])
    return { id, call }
  }
  const error = 'The hosted function could not be started: it did not claim the job within 3600 seconds'

  it('has its job failed with what its pod waits for, and its Job deleted', async () => {
    const { id, call } = await silent()
    const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image' }
    cluster.pods.get(`${nameOf(call)}-x1`).status = { containerStatuses: [{ name: 'function', state: { waiting } }] }
    await dispatchWaiting(deps)
    const why = 'its container function waits (ImagePullBackOff: Back-off pulling image).'
    expect(await rowOf(id)).toMatchObject({ status: 'failed', error: `${error}: ${why}` })
    await sweepCalls(deps)
    expect(jobsOf(id)).toEqual([])
  })

  it('has its job failed where the cluster does not say', async () => {
    const { id } = await silent()
    cluster.fault({ method: 'GET', of: 'pods', does: { status: 500 } })
    await dispatchWaiting(deps)
    expect(await rowOf(id)).toMatchObject({ status: 'failed', error: `${error}.` })
  })
})

describe('cancelRobotCheck', () => {
  it('deletes the Job, with its pod and its Secret', async () => {
    const { id, call } = await dispatched()
    await claimed(id)
    expect(await cancelCheck(ada, { checkId: id })).toMatchObject({ status: 'canceled' })
    const left = [
      cluster.jobs.has(nameOf(call)),
      cluster.secrets.has(nameOf(call)),
      cluster.pods.has(`${nameOf(call)}-x1`),
    ]
    expect(left).toEqual([false, false, false])
    await sweepCalls(deps)
    expect(await rowOf(id)).toMatchObject({ status: 'canceled', state: 'ended', error: null })
  })

  it.each<[string, Json]>([
    ['is refused', { status: 403, body: { message: 'no deletes' } }],
    ['fails', { status: 500 }],
    ['is not answered', 'refused'],
  ])('is 502 where the DELETE %s, and nothing changes', async (_what, does) => {
    const { id } = await dispatched()
    cluster.fault({ method: 'DELETE', of: 'jobs', does })
    await expect(cancelCheck(ada, { checkId: id })).rejects.toMatchObject({ status: 502 })
    expect([(await rowOf(id)).status, jobsOf(id).length]).toEqual(['queued', 1])
    expect(await cancelCheck(ada, { checkId: id })).toMatchObject({ status: 'canceled' })
  })

  it('of a Job that somebody deleted is 202', async () => {
    const { id, call } = await dispatched()
    cluster.jobs.delete(nameOf(call))
    expect(await cancelCheck(ada, { checkId: id })).toMatchObject({ status: 'canceled' })
  })

  it('that overtakes the spawn leaves a Job that the next sweep deletes', async () => {
    const { id, call } = await dispatched()
    cluster.jobs.delete(nameOf(call))
    await cancelCheck(ada, { checkId: id })
    const late = { callId: call, jobId: id, kind: 'robot_check', functionName: 'x', token: 'x' }
    await deps.hosted.spawn({ ...late, tier: null, maxSeconds: null })
    expect(await sweepCalls(deps)).toBe(1)
    expect(jobsOf(id)).toEqual([])
  })
})

describe('cancelRun of a running run', () => {
  const recipe = { template: 'act', executor: 'hosted', gpu: 'l4', max_hours: 1 } as const

  it('asks its function to stop; where that does not, the hub ends the run and deletes its Job', async () => {
    const begunMs = performance.now()
    const { id } = await createRun(ada, { recipe })
    await dispatchHosted(deps, id)
    const job = () => jobsOf(id).length
    await world.sql(
      `update runs set status = 'running', attempt = 1, claimed_by = 'pod', claim_credential = hosted_credential, claimed_at = now(),
        heartbeat_at = now(), lease_expires_at = now() + interval '5 minutes' where id = $1`,
      [id],
    )
    expect(await cancelRun(ada, { runId: id })).toMatchObject({
      status: 'running',
      cancelRequestedAt: expect.any(String),
    })
    await sweepCalls(deps)
    expect(job()).toBe(1)
    await world.sql(
      `update runs set claimed_at = claimed_at - interval '40 s', cancel_requested_at = cancel_requested_at - interval '40 s' where id = $1`,
      [id],
    )
    await sweepLeases(deps)
    expect(await sweepCalls(deps)).toBe(1)
    expect([job(), (await getRun(ada, id))?.status]).toEqual([0, 'canceled'])
    const text = `select l.amount_usd::float8 as usd, extract(epoch from finished_at - claimed_at)::float8 as seconds
      from ledger l join runs r on r.id = l.job_id where r.id = $1`
    const bills = await world.sql<{ usd: number; seconds: number }>(text, [id])
    // Forty seconds, and what this test took on a busy machine.
    const ranS = (performance.now() - begunMs) / 1000
    expect(bills).toEqual([
      { usd: expect.closeTo((0.7992 * (bills[0]?.seconds ?? 0)) / 3600, 3), seconds: expect.any(Number) },
    ])
    expect(bills[0]?.seconds).toBeGreaterThanOrEqual(40)
    expect(bills[0]?.seconds).toBeLessThanOrEqual(40 + ranS)
  })
})

describe('hub doctor', () => {
  const doctor = async (more: Record<string, string> = {}) =>
    (
      await runDoctor({
        env: { ...env, DATABASE_URL: t.url, HUB_SECRET: 's'.repeat(32), OBJECT_STORE: 'none', ...more },
      })
    ).hosted
  const base = { configured: true, backend: 'kubernetes', warning: null }

  it('has the cluster try a call, without creating anything', async () => {
    const before = cluster.jobs.size
    expect(await doctor()).toEqual({ ...base, reachable: true, fault: null })
    expect(cluster.jobs.size).toBe(before)
  })

  it('names what the cluster refuses, and a cluster that is not reachable', async () => {
    cluster.fault({ method: 'POST', of: 'secrets', does: { status: 403, body: { message: 'no secrets' } } })
    expect(await doctor()).toEqual({ ...base, reachable: true, fault: 'the API server answered 403: no secrets' })
    cluster.fault({ method: 'POST', of: 'jobs', does: 'refused' })
    expect(await doctor()).toMatchObject({ reachable: false, fault: expect.stringContaining('cannot be reached') })
    expect(await doctor({ HOSTED_KUBECONFIG: '/nowhere' })).toMatchObject({
      reachable: null,
      fault: expect.stringContaining('HOSTED_KUBECONFIG: /nowhere cannot be read (ENOENT)'),
    })
  })
})

function fail(): never {
  throw new Error('The backend is kubernetes.')
}
