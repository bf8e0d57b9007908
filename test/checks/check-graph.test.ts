/** The mutations of checks through GraphQL: the same verbs, refusals and answers as `/v1`. Spec, "Robot checks". */
import { beforeAll, describe, expect, it } from 'vitest'
import { checksOf, goodReport } from '../support/checks.ts'
import { contractHub, type Json, type Person, sha256Of, type Who } from '../support/hub.ts'

const hub = contractHub()
const checks = checksOf(hub)
let ada: Person
let key: string
let robot: string

beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada)
  robot = await checks.robot(ada)
})

/** The payload of a mutation, or its error's status, type and place. */
async function mutate(who: Who, name: string, input: Json, fields: string): Promise<Json> {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`
  const { data, errors } = await hub.graphql(
    who,
    `mutation ($input: ${type}!) { ${name}(input: $input) { ${fields} } }`,
    { input },
  )
  if (!errors) return data[name]
  const { status, problem } = errors[0].extensions
  return { status, type: problem.errors[0]?.type, loc: problem.errors[0]?.loc ?? null }
}
const request = () => ({ kind: 'ROBOT', robotRepo: robot, entry: 'arm.xml', controlHz: 50, action: 'POSITION' })
const create = async (who: Who = ada): Promise<Json> =>
  (
    await mutate(
      who,
      'createRobotCheck',
      request(),
      'result { __typename ... on RobotCheck { id status kind action } }',
    )
  ).result
const claim = (who: Who, checkId: string, worker = 'box') =>
  mutate(who, 'claimRobotCheck', { checkId, worker }, 'check { id status claimedBy sources { path sha256 url } }')

describe('the mutations of checks', () => {
  it('lead a check from its creation over a claim, artifacts and reports to its verdict', async () => {
    const made = await create()
    expect(made).toMatchObject({ __typename: 'RobotCheck', status: 'QUEUED', kind: 'ROBOT', action: 'POSITION' })

    const { check } = await claim(key, made.id)
    expect(check).toMatchObject({ id: made.id, status: 'RUNNING', claimedBy: 'box' })
    expect(check.sources.map(({ path }: Json) => path)).toEqual(['arm.xml'])
    expect(await (await fetch(check.sources[0].url)).text()).toBe('<mujoco/>')

    const card = '{"dof":1,"actuators":[]}'
    const files = [{ name: 'robot_card.json', size: card.length, contentType: 'application/json' }]
    const { uploads } = await mutate(
      key,
      'presignRobotCheckArtifacts',
      { checkId: made.id, files },
      'uploads { name key url expiresAt }',
    )
    expect(uploads).toMatchObject([{ name: 'robot_card.json' }])
    expect((await hub.put(uploads[0].url, card)).status).toBe(200)

    const first = await mutate(
      key,
      'reportRobotCheck',
      { checkId: made.id, logSeq: 0, logChunk: 'a\n' },
      'check { status logTail }',
    )
    expect(first.check).toEqual({ status: 'RUNNING', logTail: 'a\n' })
    const ending = {
      checkId: made.id,
      logSeq: 1,
      status: 'SUCCEEDED',
      report: { ...goodReport, grade: 'PASS' },
      artifacts: [{ path: 'robot_card.json' }],
      engine: { name: 'mujoco' },
    }
    const shown =
      'check { status finishedAt report { ok grade } draft { card } artifacts { path sha256 } engine publishBlockers }'
    const done = (await mutate(key, 'reportRobotCheck', ending, shown)).check
    expect(done).toMatchObject({
      status: 'SUCCEEDED',
      report: { ok: true, grade: 'PASS' },
      draft: { card: { dof: 1 } },
      artifacts: [{ path: 'robot_card.json', sha256: sha256Of(card) }],
      engine: { name: 'mujoco' },
      publishBlockers: [],
    })
    expect((await mutate(key, 'reportRobotCheck', ending, shown)).check).toEqual(done)
  })

  it('take the oldest check of an account, and answer null where there is none', async () => {
    const eve = await hub.person()
    const id = await checks.queue(eve, await checks.robot(eve))
    const next = () =>
      mutate(eve, 'claimNextRobotCheck', { worker: 'w', owner: eve.handle }, 'check { id sources { path } }')
    expect((await next()).check).toEqual({ id, sources: [{ path: 'arm.xml' }] })
    expect((await next()).check).toBeNull()
  })

  it('cancel a check, and refuse whatever its worker sends from then on', async () => {
    const { id } = await create()
    await claim(key, id)
    const canceled = await mutate(ada, 'cancelRobotCheck', { checkId: id }, 'check { status finishedAt }')
    expect(canceled.check).toMatchObject({ status: 'CANCELED', finishedAt: expect.any(String) })
    const terminal = expect.objectContaining({ status: 409, type: 'conflict.terminal' })
    expect(
      await mutate(key, 'reportRobotCheck', { checkId: id, status: 'FAILED', error: 'late' }, 'check { id }'),
    ).toEqual(terminal)
    expect(await mutate(key, 'cancelRobotCheck', { checkId: id }, 'check { id }')).toEqual(terminal)
    expect(await claim(key, id)).toEqual(terminal)
    const files = [{ name: 'robot_card.json', size: 1 }]
    expect(await mutate(key, 'presignRobotCheckArtifacts', { checkId: id, files }, 'uploads { name }')).toEqual(
      terminal,
    )
  })

  it('are 404 on a check of others, 403 without the scope, 422 in the names of the graph', async () => {
    const { id } = await create()
    const stranger = await hub.person()
    const read = await hub.key(ada, { scope: 'read' })
    const asked = [
      ['claimRobotCheck', { checkId: id, worker: 'w' }, 'check { id }'],
      ['cancelRobotCheck', { checkId: id }, 'check { id }'],
      ['reportRobotCheck', { checkId: id }, 'check { id }'],
      ['presignRobotCheckArtifacts', { checkId: id, files: [{ name: 'meshes/a', size: 1 }] }, 'uploads { name }'],
    ] as const
    for (const [name, input, fields] of asked) {
      expect([name, (await mutate(stranger, name, input, fields)).status]).toEqual([name, 404])
      expect([name, (await mutate(read, name, input, fields)).status]).toEqual([name, 403])
    }
    const wrong = await mutate(ada, 'createRobotCheck', { ...request(), controlHz: 0 }, 'result { __typename }')
    expect(wrong).toMatchObject({ status: 422, loc: ['input', 'controlHz'] })
  })
})

describe('two workers and one check', () => {
  it('give the claim to one of them, over both dialects and by its id or as the next', async () => {
    const eve = await hub.person()
    const id = await checks.queue(eve, await checks.robot(eve))
    const keys = [await hub.key(eve), await hub.key(eve), await hub.key(eve), await hub.key(eve)]
    const [byId, next, restById, restNext] = await Promise.all([
      claim(keys[0] ?? null, id, 'a'),
      mutate(keys[1] ?? null, 'claimNextRobotCheck', { worker: 'b' }, 'check { id }'),
      checks.post(keys[2] ?? null, id, 'claim', { worker: 'c' }),
      hub.call(keys[3] ?? null, 'POST', '/v1/robot-checks/claim-next', { worker: 'd' }),
    ])
    const won = [byId.check?.id === id, next.check?.id === id, restById.status === 200, restNext.status === 200]
    expect(won.filter(Boolean)).toHaveLength(1)
    const { claimed_by } = await checks.read(eve, id)
    expect(claimed_by).toBe(['a', 'b', 'c', 'd'][won.indexOf(true)])
  })
})

describe('a worker that dies', () => {
  it('leaves its check running, which nobody else claims or reports, until a person cancels it and queues another', async () => {
    const { id } = await create()
    await claim(key, id)
    await hub.sql(
      `update robot_checks set claimed_at = now() - interval '3 days', heartbeat_at = now() - interval '3 days' where id = $1`,
      [id],
    )
    const other = await hub.key(ada)
    expect(await claim(other, id)).toMatchObject({ status: 409, type: 'conflict.already_claimed' })
    expect((await checks.post(other, id, 'report', { log_chunk: 'mine\n' })).json.errors[0].type).toBe(
      'conflict.not_claimer',
    )
    expect((await checks.read(ada, id)).status).toBe('running')
    expect((await checks.post(ada, id, 'cancel')).status).toBe(202)
    const late = await checks.post(key, id, 'report', { status: 'succeeded', report: goodReport, log_chunk: 'late\n' })
    expect([late.status, late.json.errors[0].type]).toEqual([409, 'conflict.terminal'])
    expect(await checks.read(ada, id)).toMatchObject({ status: 'canceled', report: null, log_tail: null })
    expect((await claim(other, (await create()).id)).check.status).toBe('RUNNING')
  })
})

describe('a repo that is deleted while its check runs', () => {
  it('is kept by the check of an account that sees it: 409 names the check', async () => {
    const name = await checks.robot(ada)
    const id = await checks.claimed(key, name)
    const refused = await hub.call(ada, 'DELETE', `/v1/repos/${name}`)
    expect([refused.status, refused.json.errors[0].type]).toEqual([409, 'conflict.referenced'])
    expect(refused.text).toContain(id)
    await checks.report(key, id, { status: 'failed', error: 'broke' })
    expect((await hub.call(ada, 'DELETE', `/v1/repos/${name}`)).status).toBe(204)
  })

  it('goes where the account of the check does not see it; the check goes on and ends without it', async () => {
    const eve = await hub.person()
    const makers = await hub.org([{ user: eve.handle, role: 'owner' }])
    const model = await hub.repo(eve, { kind: 'model' })
    await hub.upload(eve, model, { 'walk.onnx': 'onnx' })
    const robotOfMakers = await checks.robot(eve, { owner: makers })
    const asked = { kind: 'model', robot_repo: robotOfMakers, model: { repo: model }, entry: 'walk.onnx' }
    const { id } = (await hub.call(eve, 'POST', '/v1/robot-checks', asked)).json
    const worker = await hub.key(makers)
    const { json } = await checks.post(worker, id, 'claim', { worker: 'box' })
    // The check belongs to the org, which does not see the private model of its member.
    expect((await hub.call(eve, 'DELETE', `/v1/repos/${model}`)).status).toBe(204)
    expect(await (await fetch(json.sources[0].url)).text()).toBe('onnx')
    const done = await checks.report(worker, id, { status: 'succeeded', intake: { embodiment: 'unstamped' } })
    expect(done).toMatchObject({ status: 'succeeded', model_repo: { full_name: model } })
    const edge = await hub.graphql(eve, `{ robotCheck(id: "${id}") { modelRepo { id } robotRepo { fullName } } }`)
    expect(edge.data.robotCheck).toEqual({ modelRepo: null, robotRepo: { fullName: robotOfMakers } })
  })
})
