/**
 * What each viewer sees at the end of each edge of the graph, from visible objects. A hidden object is null or not on
 * the page, without an error.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person, type Who } from '../support/hub.ts'
import { named, ok } from './support/edge-words.ts'

const hub = contractHub()

/** Of an org: its owner, a member, and a person who made a run for it and has left. */
const people = {} as Record<'owner' | 'member' | 'left' | 'stranger', Person>
let viewers: Record<string, Who>
let org: string
/** Full names: of the org, private but for the ones that say otherwise. */
const repos = {} as Record<'data' | 'openData' | 'robot' | 'made' | 'openModel' | 'openFirst', string>
/** Each descends from the previous one; the second was created by a former member. */
const runs = {} as Record<'first' | 'second' | 'third', string>
/** On the private robot: of the robot itself, and of the open model against it, which was made by who has left. */
const checks = {} as Record<'robot' | 'model', string>

async function newRun(who: Person, parent?: string): Promise<string> {
  const recipe = {
    template: 'act',
    dataset: [`svc://${repos.data}`, `svc://${repos.openData}`, 'exthub://a/b'],
    robot: repos.robot.toUpperCase(),
  }
  return (await ok(hub.call(who, 'POST', '/v1/runs', { recipe, owner: org, parent_run_id: parent }), 201)).id
}

beforeAll(async () => {
  for (const name of ['owner', 'member', 'left', 'stranger'] as const) people[name] = await hub.person()
  const { owner, member, left } = people
  org = await hub.org([
    { user: owner.handle, role: 'owner' },
    { user: member.handle, role: 'member' },
    { user: left.handle, role: 'member' },
  ])
  repos.data = await hub.repo(owner, { owner: org })
  repos.openData = await hub.repo(owner, { owner: org, visibility: 'public' })
  repos.robot = await hub.repo(owner, { owner: org, kind: 'robot' })
  repos.made = await hub.repo(owner, { owner: org, kind: 'model' })
  repos.openModel = await hub.repo(owner, { owner: org, kind: 'model', visibility: 'public' })
  repos.openFirst = await hub.repo(owner, { owner: org, kind: 'model', visibility: 'public' })
  runs.first = await newRun(owner)
  runs.second = await newRun(left, runs.first)
  runs.third = await newRun(owner, runs.second)
  await hub.upload(owner, repos.made, { 'checkpoints/step_10/weights': 'w' })
  const runner = await hub.key(org, { scope: 'train' })
  await ok(hub.call(runner, 'POST', `/v1/runs/${runs.second}/claim`, { worker: 'w' }), 200)
  await ok(hub.call(runner, 'POST', `/v1/runs/${runs.second}/report`, { output_model_repo: repos.made }), 200)
  const meta = { policy_type: 'act', robot: repos.robot, source_run_id: runs.second }
  await ok(hub.call(owner, 'PUT', `/v1/models/${repos.openModel}/meta`, meta), 200)
  const ofFirst = { policy_type: 'act', source_run_id: runs.first }
  await ok(hub.call(owner, 'PUT', `/v1/models/${repos.openFirst}/meta`, ofFirst), 200)
  const recorded = { episode_count: 1, total_frames: 2, robot_type: repos.robot }
  await ok(hub.call(owner, 'PUT', `/v1/datasets/${repos.openData}/meta`, recorded), 200)
  await ok(hub.call(owner, 'PUT', `/v1/robots/${repos.robot}/card`, { dof: 7, actuators: [] }), 200)
  await hub.upload(owner, repos.robot, { 'arm.xml': '<mujoco/>' })
  const add = [{ path: 'walk.onnx', content: Buffer.from('onnx').toString('base64') }]
  const commit = { add, run_id: runs.second }
  await ok(hub.call(owner, 'POST', `/v1/repos/${repos.openModel}/commits`, commit), 200)
  await ok(hub.call(owner, 'POST', `/v1/repos/${repos.openModel}/snapshots`, { name: 'walks' }), 201)
  const check = (who: Person, body: Json) => ok(hub.call(who, 'POST', '/v1/robot-checks', body), 201)
  const ofRobot = { kind: 'robot', entry: 'arm.xml', control_hz: 50, action: 'position' }
  checks.robot = (await check(owner, { ...ofRobot, robot_repo: repos.robot })).id
  const ofModel = { kind: 'model', entry: 'walk.onnx', model: { repo: repos.openModel } }
  checks.model = (await check(left, { ...ofModel, robot_repo: repos.robot })).id
  const removal = 'mutation ($input: RemoveOrgMemberInput!) { removeOrgMember(input: $input) { user { handle } } }'
  expect((await hub.graphql(owner, removal, { input: { org, user: left.handle } })).errors).toBeUndefined()
  viewers = {
    ...people,
    'an org key': await hub.key(org, { scope: 'read' }),
    'a key for the open data': await hub.key(org, { repos: [repos.openData] }),
    'a key for all that the run names': await hub.key(org, { repos: [repos.data, repos.openData, repos.robot] }),
    anonymous: null,
  }
})

/** From a visible object to the other end of the edge; `at` finds it in the response. */
interface Edge {
  readonly ask: () => string
  readonly at: (data: Json) => unknown
  /** What the edge leads to, for those who see it. */
  readonly end: () => unknown
  /** What the others get. */
  readonly nothing: unknown
  readonly seenBy: readonly string[]
}

const ofOrg = ['owner', 'member', 'an org key']
const ids = (page: Json) => page.nodes.map(({ id }: Json) => id)
const fromRun = (fields: string) => () => `{ run(id: "${runs.second}") { ${fields} } }`
const fromModel = (fields: string) => () => `{ repo(${named(repos.openModel)}) { ${fields} } }`

const emptyState = {
  seq: 0,
  isCurrent: true,
  fileSummary: { count: 0, totalBytes: 0 },
  withdrawnCount: 0,
  files: { nodes: [] },
}
const page = '{ nodes { id } edges { cursor } pageInfo { hasNextPage } }'
const shownOf = (connection: Json) => [ids(connection), connection.edges.length, connection.pageInfo.hasNextPage]

const ofTheRun: Record<string, Edge> = {
  'Run.parent': {
    ask: fromRun('parent { id }'),
    at: ({ run }) => run.parent,
    end: () => ({ id: runs.first }),
    nothing: null,
    seenBy: [...ofOrg, 'a key for all that the run names'],
  },
  'Run.forks': {
    ask: fromRun('forks { nodes { id } edges { node { id } } pageInfo { hasNextPage endCursor } }'),
    at: ({ run }) => [ids(run.forks), run.forks.edges.length, run.forks.pageInfo.endCursor === null],
    end: () => [[runs.third], 1, false],
    nothing: [[], 0, true],
    seenBy: [...ofOrg, 'a key for all that the run names'],
  },
  'Run.robotRepo': {
    ask: fromRun('robotRepo { fullName }'),
    at: ({ run }) => run.robotRepo,
    end: () => ({ fullName: repos.robot }),
    nothing: null,
    seenBy: [...ofOrg, 'a key for all that the run names'],
  },
  'Run.outputModelRepo': {
    ask: fromRun('outputModelRepo { fullName }'),
    at: ({ run }) => run.outputModelRepo,
    end: () => ({ fullName: repos.made }),
    nothing: null,
    seenBy: ofOrg,
  },
  'RunDataset.repo of a private one': {
    ask: fromRun('datasets { repo { fullName } }'),
    at: ({ run }) => run.datasets.map(({ repo }: Json) => repo?.fullName ?? null),
    end: () => [repos.data, repos.openData, null],
    nothing: [null, expect.any(String), null],
    seenBy: [...ofOrg, 'a key for all that the run names'],
  },
  'RunDataset.state of a private one': {
    ask: fromRun(
      'datasets { state { seq isCurrent fileSummary { count totalBytes } withdrawnCount ' +
        'files(first: 10) { nodes { path } } } }',
    ),
    at: ({ run }) => run.datasets.map(({ state }: Json) => state),
    end: () => [emptyState, emptyState, null],
    nothing: [null, emptyState, null],
    seenBy: [...ofOrg, 'a key for all that the run names'],
  },
  'RunCheckpointList.repo': {
    ask: fromRun('checkpoints { repo { fullName } items { repo { fullName } } }'),
    at: ({ run }) => run.checkpoints,
    end: () => ({ repo: { fullName: repos.made }, items: [{ repo: { fullName: repos.made } }] }),
    nothing: { repo: null, items: [] },
    seenBy: ofOrg,
  },
}

const ofRepos: Record<string, Edge> = {
  'ModelMeta.run': {
    ask: fromModel('modelMeta { run { id } }'),
    at: ({ repo }) => repo.modelMeta.run,
    end: () => ({ id: runs.second }),
    nothing: null,
    seenBy: [...ofOrg, 'left', 'a key for all that the run names'],
  },
  'ModelMeta.robot': {
    ask: fromModel('modelMeta { robot { fullName } }'),
    at: ({ repo }) => repo.modelMeta.robot,
    end: () => ({ fullName: repos.robot }),
    nothing: null,
    seenBy: [...ofOrg, 'a key for all that the run names'],
  },
  'DatasetMeta.robot': {
    ask: () => `{ repo(${named(repos.openData)}) { datasetMeta { robot { fullName } } } }`,
    at: ({ repo }) => repo.datasetMeta.robot,
    end: () => ({ fullName: repos.robot }),
    nothing: null,
    seenBy: [...ofOrg, 'a key for all that the run names'],
  },
  'Repo.runs': {
    ask: () => `{ repo(${named(repos.openData)}) { runs(status: QUEUED) { nodes { id } pageInfo { hasNextPage } } } }`,
    at: ({ repo }) => [ids(repo.runs), repo.runs.pageInfo.hasNextPage],
    end: () => [[runs.third, runs.first], false],
    nothing: [[], false],
    seenBy: [...ofOrg, 'a key for all that the run names'],
  },
  'Repo.runs, of one that made a run and left': {
    ask: () => `{ repo(${named(repos.openData)}) { runs(status: RUNNING) { nodes { id } } } }`,
    at: ({ repo }) => ids(repo.runs),
    end: () => [runs.second],
    nothing: [],
    seenBy: [...ofOrg, 'left', 'a key for all that the run names'],
  },
  'Repo.producedBy, by the source run of its meta block': {
    ask: fromModel(`producedBy ${page}`),
    at: ({ repo }) => shownOf(repo.producedBy),
    end: () => [[runs.second], 1, false],
    nothing: [[], 0, false],
    seenBy: [...ofOrg, 'left', 'a key for all that the run names'],
  },
  'RepoUsage.runs of a dataset': {
    ask: () => `{ repo(${named(repos.openData)}) { usedBy { runs(as: DATASET, status: QUEUED) ${page} } } }`,
    at: ({ repo }) => shownOf(repo.usedBy.runs),
    end: () => [[runs.third, runs.first], 2, false],
    nothing: [[], 0, false],
    seenBy: [...ofOrg, 'a key for all that the run names'],
  },
  'RepoUsage.runs of a model, which go on from its run': {
    ask: fromModel(`usedBy { runs ${page} }`),
    at: ({ repo }) => shownOf(repo.usedBy.runs),
    end: () => [[runs.third], 1, false],
    nothing: [[], 0, false],
    seenBy: [...ofOrg, 'a key for all that the run names'],
  },
  'RepoUsage.runs of a model, where who left made the fork but does not see the run that made the model': {
    ask: () => `{ repo(${named(repos.openFirst)}) { usedBy { runs(as: PARENT) ${page} } } }`,
    at: ({ repo }) => shownOf(repo.usedBy.runs),
    end: () => [[runs.second], 1, false],
    nothing: [[], 0, false],
    seenBy: [...ofOrg, 'a key for all that the run names'],
  },
  'RepoUsage.checks of a public model': {
    ask: fromModel(`usedBy { checks ${page} endpoints ${page} }`),
    at: ({ repo }) => [shownOf(repo.usedBy.checks), shownOf(repo.usedBy.endpoints)],
    end: () => [
      [[checks.model], 1, false],
      [[], 0, false],
    ],
    nothing: [
      [[], 0, false],
      [[], 0, false],
    ],
    seenBy: [...ofOrg, 'left'],
  },
  'Repo.checks of a public model': {
    ask: () =>
      `{ repo(${named(repos.openModel)}) { checks { nodes { id } edges { cursor } pageInfo { hasNextPage } } } }`,
    at: ({ repo }) => [ids(repo.checks), repo.checks.edges.length, repo.checks.pageInfo.hasNextPage],
    end: () => [[checks.model], 1, false],
    nothing: [[], 0, false],
    seenBy: [...ofOrg, 'left'],
  },
}

const seersOfSecond = [...ofOrg, 'left', 'a key for all that the run names']

const ofVersions: Record<string, Edge> = {
  'RepoCommit.run': {
    ask: fromModel('commits(first: 1) { nodes { run { id } } }'),
    at: ({ repo }) => repo.commits.nodes[0].run,
    end: () => ({ id: runs.second }),
    nothing: null,
    seenBy: seersOfSecond,
  },
  'RepoState.run': {
    ask: fromModel('at(state: "walks") { run { id } }'),
    at: ({ repo }) => repo.at.run,
    end: () => ({ id: runs.second }),
    nothing: null,
    seenBy: seersOfSecond,
  },
  'RepoSnapshot.run': {
    ask: fromModel('snapshots { nodes { run { id } } }'),
    at: ({ repo }) => repo.snapshots.nodes[0].run,
    end: () => ({ id: runs.second }),
    nothing: null,
    seenBy: seersOfSecond,
  },
}

const fromCheck = (fields: string) => () => `{ robotCheck(id: "${checks.model}") { ${fields} } }`

const ofTheCheck: Record<string, Edge> = {
  'RobotCheck.robotRepo': {
    ask: fromCheck('robotRepo { fullName }'),
    at: ({ robotCheck }) => robotCheck.robotRepo,
    end: () => ({ fullName: repos.robot }),
    nothing: null,
    seenBy: ofOrg,
  },
  'RobotCheck.modelRepo': {
    ask: fromCheck('modelRepo { fullName }'),
    at: ({ robotCheck }) => robotCheck.modelRepo,
    end: () => ({ fullName: repos.openModel }),
    nothing: null,
    seenBy: [...ofOrg, 'left'],
  },
  'RobotCheck.card': {
    ask: fromCheck('card { dof }'),
    at: ({ robotCheck }) => robotCheck.card,
    end: () => ({ dof: 7 }),
    nothing: null,
    seenBy: ofOrg,
  },
}

const checksOfRobot: Record<string, Edge> = {
  'Repo.checks of a robot': {
    ask: () => `{ repo(${named(repos.robot)}) { checks(kind: ROBOT) { nodes { id } } } }`,
    at: ({ repo }) => ids(repo.checks),
    end: () => [checks.robot],
    nothing: [],
    seenBy: [...ofOrg, 'a key for all that the run names'],
  },
  'Repo.checks of a robot, with one of a model that the viewer may not see': {
    ask: () => `{ repo(${named(repos.robot)}) { checks { nodes { id } pageInfo { hasNextPage } } } }`,
    at: ({ repo }) => [ids(repo.checks), repo.checks.pageInfo.hasNextPage],
    end: () => [[checks.model, checks.robot], false],
    nothing: [[expect.any(String)], false],
    seenBy: ofOrg,
  },
}

/** Each edge with each viewer that sees its start. */
const table = (edges: Record<string, Edge>, who: readonly string[]) =>
  Object.entries(edges).flatMap(([name, edge]) => who.map((viewer) => [name, viewer, edge] as const))

describe('an edge shows only objects visible to the viewer', () => {
  it.each([
    ...table(ofTheRun, [...ofOrg, 'left', 'a key for all that the run names']),
    ...table(ofTheCheck, [...ofOrg, 'left']),
    ...table(checksOfRobot, [...ofOrg, 'a key for all that the run names']),
    ...table({ ...ofRepos, ...ofVersions }, [
      ...ofOrg,
      'left',
      'stranger',
      'a key for the open data',
      'a key for all that the run names',
      'anonymous',
    ]),
  ])('%s to %s', async (_name, viewer, { ask, at, end, nothing, seenBy }) => {
    const { data, errors } = await hub.graphql(viewers[viewer] ?? null, ask())
    expect(errors).toBeUndefined()
    expect(at(data)).toEqual(seenBy.includes(viewer) ? end() : nothing)
  })
})

describe('a deleted object', () => {
  it('is null at the end of an edge that led to it', async () => {
    const { stranger, owner } = people
    const [data, robot] = [await hub.repo(stranger), await hub.repo(stranger, { kind: 'robot' })]
    const model = await hub.repo(stranger, { kind: 'model' })
    const recipe = { template: 'act', dataset: [`svc://${data}`], robot }
    const run = (await ok(hub.call(stranger, 'POST', '/v1/runs', { recipe }), 201)).id
    const made = { policy_type: 'act', robot, source_run_id: run }
    await ok(hub.call(stranger, 'PUT', `/v1/models/${model}/meta`, made), 200)
    const text = `{ repo(${named(model)}) { modelMeta { sourceRunId robotName run { id robotRepo { fullName } } robot { fullName } } } }`
    const meta = async () => (await hub.graphql(stranger, text)).data.repo.modelMeta
    expect(await meta()).toMatchObject({ run: { id: run, robotRepo: { fullName: robot } }, robot: { fullName: robot } })
    await ok(hub.call(stranger, 'POST', `/v1/runs/${run}/cancel`), 202)
    await ok(hub.call(stranger, 'DELETE', `/v1/runs/${run}`), 204)
    await ok(hub.call(stranger, 'DELETE', `/v1/repos/${robot}`), 204)
    expect(await meta()).toEqual({ sourceRunId: run, robotName: robot, run: null, robot: null })
    expect(owner.id).not.toBe(stranger.id)
  })

  it("is null too after another user's repo was made private", async () => {
    const [seller, buyer] = [await hub.person(), await hub.person()]
    const data = await hub.repo(seller, { visibility: 'public' })
    const recipe = { template: 'act', dataset: [`svc://${data}`] }
    const run = (await ok(hub.call(buyer, 'POST', '/v1/runs', { recipe }), 201)).id
    const edge = async () =>
      (await hub.graphql(buyer, `{ run(id: "${run}") { datasets { repo { fullName } } } }`)).data.run.datasets
    expect(await edge()).toEqual([{ repo: { fullName: data } }])
    await ok(hub.call(seller, 'PATCH', `/v1/repos/${data}`, { visibility: 'private' }), 200)
    expect(await edge()).toEqual([{ repo: null }])
    const runsOf = async (who: Who) =>
      (await hub.graphql(who, `{ repo(${named(data)}) { runs { nodes { id } } } }`)).data.repo
    expect([await runsOf(seller), await runsOf(buyer)]).toEqual([{ runs: { nodes: [] } }, null])
  })
})

it('an id that the graph returns is an ID that it accepts', async () => {
  const name = newName()
  const text = `query ($run: ID!, $missing: ID!) { run(id: $run) { parentRunId } other: run(id: $missing) { id } }`
  const { data } = await hub.graphql(people.owner, text, { run: runs.second, missing: name })
  expect(data).toEqual({ run: { parentRunId: runs.first }, other: null })
  expect((await hub.graphql(people.owner, text, { run: data.run.parentRunId, missing: name })).data.run).toEqual({
    parentRunId: null,
  })
})
