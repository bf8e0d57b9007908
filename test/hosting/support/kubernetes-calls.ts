import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { createCheck } from '../../../src/checks/create/create-check.ts'
import { openBackend } from '../../../src/hosting/open-backend.ts'
import { openCluster } from '../../../src/hosting/open-cluster.ts'
import { dispatchHosted } from '../../../src/jobs/hosted-kinds.ts'
import type { Deps, RequestContext } from '../../../src/operation/context.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { testDb } from '../../support/database.ts'
import { type Json, kubeApiServer } from '../../support/kube-api-server.ts'
import { makeWorld, type World, type WorldRepo } from '../../support/world.ts'

/** Hosted calls as Jobs of a Kubernetes API that is a stand-in. */
export async function kubernetesCalls() {
  const t = testDb()
  const cluster = await kubeApiServer()
  const env = {
    HOSTED_APP_NAME: 'coach',
    HOSTED_OWNERS: '*',
    HOSTED_BACKEND: 'kubernetes',
    HOSTED_KUBECONFIG: cluster.kubeconfig,
    HOSTED_KUBE_TEMPLATE: join(import.meta.dirname, '../../../examples/kubernetes/job-template.yaml'),
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
  return {
    t,
    cluster,
    env,
    config,
    log,
    hostedCheck,
    rowOf,
    nameOf,
    jobsOf,
    posts,
    isDue,
    dispatched,
    claimed,
    get world() {
      return world
    },
    get ada() {
      return ada
    },
    get robot() {
      return robot
    },
    get deps() {
      return deps
    },
  }
}
