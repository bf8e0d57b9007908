/** Hosted calls as Jobs of a cluster: each is spawned once, whatever the API server answers, and every end of a pod is the end of its job. */
import * as k8s from '@kubernetes/client-node'
import { describe, expect, it } from 'vitest'
import type { HostedBackend } from '../../src/hosting/backend.ts'
import { openKubeApi } from '../../src/hosting/kubernetes/kube-api.ts'
import { kubernetesBackend, openKubernetes } from '../../src/hosting/kubernetes/kubernetes-backend.ts'
import { openBackend } from '../../src/hosting/open-backend.ts'
import { openCluster } from '../../src/hosting/open-cluster.ts'
import { dispatchHosted } from '../../src/jobs/hosted-kinds.ts'
import { sweepCalls } from '../../src/jobs/sweeps.ts'
import { runDoctor } from '../../src/operator/doctor.ts'
import type { Json } from '../support/kube-api-server.ts'
import { kubernetesCalls } from './support/kubernetes-calls.ts'
import { clockOf, expectPutOff } from './support/put-off.ts'

const lab = await kubernetesCalls()
const { t, cluster, env, config, log, hostedCheck, rowOf, nameOf, jobsOf, posts, isDue, dispatched } = lab

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
    const [key] = await lab.world.sql<{ sha: string }>(
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
    await sweepCalls(lab.deps)
    expect(await rowOf(id)).toMatchObject({ status: 'queued', state: 'spawned', call, tries: 2 })
    expect(jobsOf(id)).toHaveLength(1)
    expect(cluster.secrets.get(nameOf(call)).metadata.ownerReferences[0].uid).toBe(jobsOf(id)[0].metadata.uid)
    expect([posts(), await lab.world.sql('select 1 from api_keys where job_id = $1', [id])]).toMatchObject([2, [{}]])
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
    const before = await clockOf(lab.world)
    const { id, call } = await dispatched()
    expect(await rowOf(id)).toMatchObject({ status: 'queued', state: 'pending' })
    await expectPutOff(lab.world, call, wait, before)
    await isDue(id)
    await sweepCalls(lab.deps)
    expect([await rowOf(id), jobsOf(id).length]).toMatchObject([{ state: 'spawned', call }, 1])
  })

  it('that gets no answer in time is tried again', async () => {
    const parts = await openKubernetes(config.hosted.kubernetes ?? fail())
    const api = openKubeApi(k8s, { kubeconfig: cluster.kubeconfig, namespace: null }, 200)
    const hosted = kubernetesBackend(config, { ttlSeconds: 600 }, { ...parts, api })
    cluster.fault({ method: 'POST', of: 'jobs', does: 'silent' })
    const id = await hostedCheck()
    await dispatchHosted({ ...lab.deps, hosted }, id)
    expect(await rowOf(id)).toMatchObject({ status: 'queued', state: 'pending' })
    await isDue(id)
    await sweepCalls({ ...lab.deps, hosted })
    expect(await rowOf(id)).toMatchObject({ state: 'spawned' })
  })

  it.each([
    [403, 'jobs.batch is forbidden: User "hub" cannot create resource "jobs"'],
    [422, 'Job.batch "x" is invalid: spec.template.spec.containers[0].image: Required value'],
    [404, 'namespaces "robots" not found'],
  ])('that is refused with %s leaves its job failed with the reason, at once', async (status, message) => {
    cluster.fault({ method: 'POST', of: 'jobs', does: { status, body: { kind: 'Status', message } } })
    const id = await hostedCheck()
    await dispatchHosted(lab.deps, id)
    expect(await rowOf(id)).toMatchObject({
      status: 'failed',
      call: null,
      error: `The hosted function could not be started: the API server answered ${status}: ${message}.`,
    })
    await isDue(id)
    await sweepCalls(lab.deps)
    expect([await rowOf(id), posts()]).toMatchObject([{ state: 'ended', key: null }, 1])
  })

  it('whose Secret is refused leaves no Job behind', async () => {
    cluster.fault({ method: 'POST', of: 'secrets', does: { status: 403, body: { message: 'no secrets' } } })
    const id = await hostedCheck()
    await dispatchHosted(lab.deps, id)
    expect([(await rowOf(id)).status, jobsOf(id).length]).toEqual(['failed', 1])
    await isDue(id)
    await sweepCalls(lab.deps)
    await sweepCalls(lab.deps)
    expect([(await rowOf(id)).state, jobsOf(id).length]).toEqual(['ended', 0])
  })

  it('that no server takes fails its job after ten attempts', async () => {
    const unreachable = { status: 503, body: { message: 'etcd is away' } }
    cluster.fault({ method: 'POST', of: 'jobs', does: unreachable }, { method: 'POST', of: 'jobs', does: unreachable })
    const { id } = await dispatched()
    await lab.world.sql(
      'update hosted_calls set tries = 9, next_try_at = now() - make_interval(secs => 1) where job_id = $1',
      [id],
    )
    await sweepCalls(lab.deps)
    expect(await rowOf(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('503: etcd is away') })
  })

  it('is not spawned into a Job of the same name that is not its own', async () => {
    const { call } = await dispatched()
    cluster.jobs.get(nameOf(call)).metadata.labels = {}
    const again = { callId: call, jobId: 'check_1', kind: 'robot_check', functionName: 'x', token: 'x' }
    await expect(lab.deps.hosted.spawn({ ...again, tier: null, maxSeconds: null })).rejects.toThrow(
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
    await dispatchHosted({ ...lab.deps, hosted }, id).catch(() => undefined)
    const { call } = await rowOf(id)
    await isDue(id)
    const other = { ...lab.deps, hosted: await openBackend(config, log, await openCluster(config)) }
    await Promise.all([sweepCalls(lab.deps), sweepCalls(other), sweepCalls(lab.deps), sweepCalls(other)])
    expect(await rowOf(id)).toMatchObject({ status: 'queued', state: 'spawned', call, key: null })
    expect([jobsOf(id).length, cluster.secrets.has(nameOf(call))]).toEqual([1, true])
    return posts()
  }

  it('after the commit and before the POST loses nothing: of two hubs one sends it', async () => {
    expect(await recovered({ ...lab.deps.hosted, spawn: killed })).toBe(1)
  })

  it('after the POST and before it is recorded doubles nothing: the Job is there (409)', async () => {
    const spawn: HostedBackend['spawn'] = async (call) => {
      await lab.deps.hosted.spawn(call)
      await killed()
    }
    expect(await recovered({ ...lab.deps.hosted, spawn })).toBe(2)
  })

  it('between the Job and its Secret leaves a Job whose pod gets its key from the next hub', async () => {
    cluster.fault({ method: 'POST', of: 'secrets', does: 'refused' })
    expect(await recovered(lab.deps.hosted)).toBe(2)
  })
})

describe('a hub that is slow', () => {
  it('and spawns a call that another hub has spawned meanwhile does not end it', async () => {
    const id = await hostedCheck()
    const spawn: HostedBackend['spawn'] = async (call) => {
      await isDue(id)
      await sweepCalls({ ...lab.deps, hosted: await openBackend(config, log, await openCluster(config)) })
      expect(await rowOf(id)).toMatchObject({ state: 'spawned' })
      await lab.deps.hosted.spawn(call)
    }
    await dispatchHosted({ ...lab.deps, hosted: { ...lab.deps.hosted, spawn } }, id)
    const { call, state } = await rowOf(id)
    expect([state, jobsOf(id).length, cluster.secrets.has(nameOf(call))]).toEqual(['spawned', 1, true])
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
