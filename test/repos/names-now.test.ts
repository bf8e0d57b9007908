import { beforeAll, describe, expect, it } from 'vitest'
import { checksOf } from '../support/checks.ts'
import { contractHub, type Json, newName, type Person } from '../support/hub.ts'
import { endpointsOf } from '../support/hub-endpoints.ts'

const hub = contractHub()
const checks = checksOf(hub)
const endpoints = endpointsOf(hub)

let ada: Person
/** Has used ada's robot and model while they were public. */
let bob: Person

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
})

const idsAt = async (who: Person, path: string): Promise<string[]> => {
  const page = await hub.call(who, 'GET', path)
  expect(page.status).toBe(200)
  return page.json.items.map(({ id }: { id: string }) => id)
}
const read = async (who: Person, name: string): Promise<Json> => (await hub.call(who, 'GET', `/v1/repos/${name}`)).json
const train = (robot: string): Json => ({ recipe: { template: 'act', robot } })

async function remove(name: string): Promise<void> {
  expect((await hub.call(ada, 'PATCH', `/v1/repos/${name}`, { visibility: 'private' })).status).toBe(200)
  expect((await hub.call(ada, 'DELETE', `/v1/repos/${name}`)).status).toBe(204)
}

const card: Json = {
  dof: 1,
  mjcf_path: 'arm.xml',
  interface: {
    version: 1,
    base: 'fixed',
    joint_order: ['swing'],
    control_rate_hz: 50,
    actuation: [{ joints: ['swing'], mode: 'position' }],
    action: { semantics: 'position', scale: 1 },
  },
}
const xml = '<mujoco><worldbody><body><joint name="swing"/><geom size=".1"/></body></worldbody></mujoco>'

/** A robot with a card; its interface fingerprint. */
async function makeRobot(slug: string): Promise<string> {
  const name = await hub.repo(ada, { kind: 'robot', slug, visibility: 'public' })
  await hub.upload(ada, name, { 'arm.xml': xml })
  const put = await hub.call(ada, 'PUT', `/v1/robots/${name}/card`, card)
  expect([put.status, put.json.errors]).toEqual([200, undefined])
  return put.json.interface_fingerprint
}

async function makeModel(who: Person, robot: string, embodiment_fingerprint: string | null = null): Promise<string> {
  const name = await hub.repo(who, { kind: 'model', visibility: 'public' })
  const meta = { policy_type: 'act', robot, embodiment_fingerprint, control_class: 'skill' }
  expect((await hub.call(who, 'PUT', `/v1/models/${name}/meta`, meta)).status).toBe(200)
  return name
}

const namedRobot = async (who: Person, model: string): Promise<Json> => {
  const [owner, slug] = model.split('/')
  const query = `query ($owner: String!, $slug: String!) { repo(owner: $owner, slug: $slug) { modelMeta { robotName robot { id } } } }`
  return (await hub.graphql(who, query, { owner, slug })).data.repo.modelMeta
}
const robotOfRun = async (who: Person, id: string): Promise<Json> =>
  (await hub.graphql(who, 'query ($id: ID!) { run(id: $id) { robotRepo { id } } }', { id })).data.run.robotRepo
const robotFacet = async (who: Person, value: string): Promise<number | undefined> => {
  const { json } = await hub.call(who, 'GET', '/v1/runs?facets=1&limit=1')
  return json.facets.robot.find((bucket: { value: string }) => bucket.value === value)?.count
}

describe('a robot whose name was taken again', () => {
  it('has nothing of the one before: no checks, runs, models, counts or comparisons', async () => {
    const slug = newName('arm')
    const robot = `${ada.handle}/${slug}`
    const fingerprint = await makeRobot(slug)
    const { id: firstId } = await read(ada, robot)

    const check = await checks.queue(ada, robot)
    expect((await checks.post(ada, check, 'cancel')).status).toBe(202)
    const run = (await hub.call(bob, 'POST', '/v1/runs', train(robot.toUpperCase()))).json.id
    const model = await makeModel(bob, robot, fingerprint)
    const { id: modelId } = await read(bob, model)

    const named = async () => ({
      checks: await idsAt(ada, `/v1/robot-checks?robot_repo=${robot}`),
      runs: await idsAt(bob, `/v1/runs?robot=${robot}`),
      models: await idsAt(bob, `/v1/repos?robot=${robot}`),
      facet: (await robotFacet(bob, robot.toUpperCase())) ?? (await robotFacet(bob, robot)) ?? 0,
      compared: (await read(bob, model)).model_meta.embodiment_check,
      edges: [(await namedRobot(bob, model)).robot?.id ?? null, (await robotOfRun(bob, run))?.id ?? null],
    })
    const nothing = { checks: [], runs: [], models: [], facet: 0, compared: null, edges: [null, null] }
    expect(await named()).toEqual({
      checks: [check],
      runs: [run],
      models: [modelId],
      facet: 1,
      compared: 'match',
      edges: [firstId, firstId],
    })
    expect((await read(ada, robot)).policy_count).toBe(1)

    await remove(robot)
    expect(await named()).toEqual(nothing)

    await makeRobot(slug)
    expect(await named()).toEqual(nothing)
    expect((await read(ada, robot)).policy_count).toBe(0)
    // What they named is still told, and found by its ids and by its owner.
    expect((await read(bob, model)).model_meta.robot).toBe(robot)
    expect((await hub.call(bob, 'GET', `/v1/runs/${run}`)).json.recipe.robot).toBe(robot.toUpperCase())
    expect((await hub.call(ada, 'GET', `/v1/robot-checks/${check}`)).json.robot_repo.full_name).toBe(robot)
    expect(await idsAt(bob, `/v1/runs?owner=${bob.handle}`)).toContain(run)
    expect(await idsAt(ada, '/v1/robot-checks')).toContain(check)
  })

  it('has what names it from then on', async () => {
    const slug = newName('arm')
    const robot = `${ada.handle}/${slug}`
    const fingerprint = await makeRobot(slug)
    const model = await makeModel(ada, robot, fingerprint)
    await remove(robot)
    await makeRobot(slug)
    const { id } = await read(ada, robot)
    const meta = { policy_type: 'act', robot, embodiment_fingerprint: fingerprint }
    expect((await hub.call(ada, 'PUT', `/v1/models/${model}/meta`, meta)).json.model_meta.embodiment_check).toBe(
      'match',
    )
    expect((await namedRobot(ada, model)).robot.id).toBe(id)
    expect((await read(ada, robot)).policy_count).toBe(1)
    const check = await checks.queue(ada, robot)
    const run = (await hub.call(ada, 'POST', '/v1/runs', train(robot))).json.id
    expect(await idsAt(ada, `/v1/robot-checks?robot_repo=${robot}`)).toEqual([check])
    expect(await idsAt(ada, `/v1/runs?robot=${robot}`)).toEqual([run])
  })

  it('is not the robot of a model that an earlier run made for the one before', async () => {
    const slug = newName('arm')
    const robot = `${ada.handle}/${slug}`
    await makeRobot(slug)
    const key = await hub.key(bob, { scope: 'train' })
    const output = await hub.repo(bob, { kind: 'model' })
    const start = await hub.call(key, 'POST', '/v1/runs/start', { ...train(robot), worker: 'box' })
    expect(start.status).toBe(201)
    await remove(robot)
    await makeRobot(slug)
    const ended = { status: 'succeeded', output_model_repo: output }
    expect((await hub.call(key, 'POST', `/v1/runs/${start.json.id}/report`, ended)).status).toBe(200)
    expect(await namedRobot(bob, output)).toEqual({ robotName: robot, robot: null })
  })
})

describe('a model whose name was taken again', () => {
  it('has no endpoints of the one before', async () => {
    const slug = newName('policy')
    const model = await endpoints.model(ada, undefined, { slug, visibility: 'public' })
    const { id } = await endpoints.queued(bob, model)
    const listed = () => idsAt(bob, `/v1/endpoints?model_repo=${model}`)
    expect(await listed()).toEqual([id])
    await remove(model)
    expect(await listed()).toEqual([])
    await endpoints.model(ada, undefined, { slug, visibility: 'public' })
    expect(await listed()).toEqual([])
    expect(await idsAt(bob, `/v1/endpoints?owner=${bob.handle}`)).toContain(id)
    const again = await endpoints.queued(bob, model)
    expect(await listed()).toEqual([again.id])
  })
})

describe('a name that no repo had when it was written', () => {
  it('is text: whoever has the name is meant, and it is found as it was written', async () => {
    const slug = newName('arm')
    const robot = `${ada.handle}/${slug}`
    const model = await makeModel(ada, robot)
    const run = (await hub.call(ada, 'POST', '/v1/runs', train(robot))).json.id
    const label = newName('so100')
    const labelled = (await hub.call(ada, 'POST', '/v1/runs', train(label))).json.id
    expect(await idsAt(ada, `/v1/runs?robot=${robot}`)).toEqual([run])
    expect(await idsAt(ada, `/v1/runs?robot=${label.toUpperCase()}`)).toEqual([labelled])
    expect([await robotFacet(ada, robot), await robotFacet(ada, label)]).toEqual([1, 1])
    await makeRobot(slug)
    const { id, policy_count } = await read(ada, robot)
    expect([policy_count, (await namedRobot(ada, model)).robot.id]).toEqual([1, id])
    expect((await read(ada, model)).model_meta.embodiment_check).toBe('policy_unstamped')
  })

  it('is the name of a repo only as a whole', async () => {
    const slug = newName('arm')
    await makeRobot(slug)
    const model = await makeModel(ada, `${ada.handle}/${slug}/left`)
    expect((await read(ada, model)).model_meta.embodiment_check).toBeNull()
    expect(await namedRobot(ada, model)).toMatchObject({ robot: null })
  })
})

it('a robot type of a dataset is a label, which names no repo', async () => {
  const slug = newName('arm')
  const robot = `${ada.handle}/${slug}`
  await makeRobot(slug)
  const data = await hub.repo(ada)
  const meta = { episode_count: 1, total_frames: 1, robot_type: robot }
  expect((await hub.call(ada, 'PUT', `/v1/datasets/${data}/meta`, meta)).status).toBe(200)
  await remove(robot)
  expect(await idsAt(ada, `/v1/repos?robot=${robot}`)).toEqual([(await read(ada, data)).id])
})
