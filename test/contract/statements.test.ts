import { beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../rest-compat/routes.ts'
import { casesOf } from '../support/cases.ts'
import { putEndpoint } from '../support/endpoints.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { statementsOf } from '../support/request-statements.ts'
import { putRun } from '../support/runs.ts'
import { sessionWorld } from '../support/sessions.ts'

const hub = contractHub()
const REPOS = 10
let ada: Person
let key: string
let full: string

beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada)
  for (let at = 0; at < REPOS; at += 1) {
    full = await hub.repo(ada, { kind: at % 2 ? 'robot' : 'model', tags: ['a'] })
    await hub.upload(ada, full, Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`f${n}`, `${at} ${n}`])))
    const model = { policy_type: 'act', robot: `${ada.handle}/none`, embodiment_fingerprint: 'a'.repeat(64) }
    if (at % 2 === 0) await hub.call(ada, 'PUT', `/v1/models/${full}/meta`, model)
    else expect((await hub.call(ada, 'PUT', `/v1/robots/${full}/card`, { dof: 1, actuators: [] })).status).toBe(200)
  }
})

const statements = (ask: () => Promise<unknown>) => statementsOf(hub.running.deps.db, ask)

describe('a nested page costs a small constant number of SQL statements, whatever its size', () => {
  const nested = (first: number) => `{ repos(first: ${first}, owner: "${ada.handle}") {
    nodes { id fullName tags owner { id handle name kind } fileSummary { count totalBytes verifiedCount } policyCount
      modelMeta { policyType embodimentCheck } datasetMeta { fps } card { dof updatedAt }
      files(first: 5) { nodes { path size sha256 } pageInfo { hasNextPage endCursor } } } pageInfo { endCursor } } }`

  it('in GraphQL: repos with owner, file summary, policy count and their first 5 files', async () => {
    const page = await hub.graphql(key, nested(REPOS))
    expect(page.data.repos.nodes).toHaveLength(REPOS)
    for (const node of page.data.repos.nodes) expect(node.files.nodes).toHaveLength(5)
    const [small, large] = [
      await statements(() => hub.graphql(key, nested(5))),
      await statements(() => hub.graphql(key, nested(REPOS))),
    ]
    expect(large).toBe(small)
    // The credential, the owner's id, the page, the files.
    expect(large).toBeLessThanOrEqual(4)
  })

  it('in /v1: the list and its facets, a repo, the tree', async () => {
    const get = (path: string) => statements(async () => expect((await hub.call(key, 'GET', path)).status).toBe(200))
    const list = (limit: number) => get(`/v1/repos?limit=${limit}`)
    expect([await list(5), await list(REPOS)]).toEqual([2, 2])
    expect(await get(`/v1/repos?facets=1&owner=${ada.handle}`)).toBeLessThanOrEqual(5)
    expect(await get(`/v1/repos/${full}`)).toBe(2)
    const tree = (limit: number) => get(`/v1/repos/${full}/tree?limit=${limit}`)
    expect([await tree(1), await tree(5)]).toEqual([2, 2])
  })

  it('in /v1: a card, and the validation of a model that was read before', async () => {
    const robot = await hub.repo(ada, { kind: 'robot' })
    await hub.upload(ada, robot, { 'arm.xml': '<mujoco/>', 'a.png': 'a', 'b.png': 'b' })
    const card = { dof: 0, mjcf_path: 'arm.xml', thumbnail_paths: { light: 'a.png', dark: 'b.png' } }
    expect((await hub.call(key, 'PUT', `/v1/robots/${robot}/card`, card)).status).toBe(200)
    const ask = (method: string, path: string, body?: unknown) =>
      statements(async () =>
        expect((await hub.call(key, method, `/v1/robots/${robot}/${path}`, body)).status).toBe(200),
      )
    // The credential and the repo with its card; then the stored card, the files of the model, the stills.
    expect(await ask('GET', 'card')).toBe(2)
    expect(await ask('POST', 'validate', {})).toBe(5)
    expect(await ask('POST', 'validate', { card: { dof: 0 } })).toBe(2)
  })

  it('in both: endpoints with their approvals, sessions and devices', async () => {
    const world = sessionWorld(hub)
    const device = await world.device(ada)
    const endpoints: string[] = []
    for (let at = 0; at < 5; at += 1) {
      const endpoint = await world.endpoint(ada)
      endpoints.push(endpoint)
      const { token } = await world.approve(ada, endpoint, device)
      for (let of = 0; of < 3; of += 1)
        expect((await world.open(ada, endpoint, { device_id: device, approval_token: token })).status).toBe(201)
    }
    const nested = (first: number) => `{ endpoints(first: ${first}) { nodes {
      approvals(first: 2) { nodes { status device { name } sessions { nodes { id } } } }
      sessions(first: 2) { nodes { id endpoint { id } approval { id mintedBy { handle } } device { name owner { handle } } } } } } }`
    const { nodes } = (await hub.graphql(key, nested(5))).data.endpoints
    expect(nodes.map((node: { sessions: { nodes: unknown[] } }) => node.sessions.nodes.length)).toEqual([2, 2, 2, 2, 2])
    const [small, large] = [
      await statements(() => hub.graphql(key, nested(1))),
      await statements(() => hub.graphql(key, nested(5))),
    ]
    expect(large).toBe(small)
    // The credential, the page; approvals, their devices and sessions; sessions, their endpoints, approvals, devices and the owners of these.
    expect(large).toBeLessThanOrEqual(10)
    const get = (query: string) =>
      statements(async () =>
        expect((await hub.call(key, 'GET', `/v1/endpoints/${endpoints[0]}/sessions?${query}`)).status).toBe(200),
      )
    // The credential, the endpoint, the page.
    expect([await get('limit=1'), await get('limit=100')]).toEqual([3, 3])
  })

  it('in /v1: runs with everything they show, their facets, one run', async () => {
    const { db } = hub.running.deps
    const made = await Promise.all(Array.from({ length: 12 }, () => putRun(db, { ownerId: ada.id })))
    const get = (path: string) => statements(async () => expect((await hub.call(key, 'GET', path)).status).toBe(200))
    expect([await get('/v1/runs?limit=2'), await get('/v1/runs?limit=12')]).toEqual([2, 2])
    expect(await get(`/v1/runs?facets=1&owner=${ada.handle}`)).toBe(4)
    expect(await get(`/v1/runs/${made[0]}`)).toBe(2)
  })

  it('in /v1 and GraphQL: spend holds with caps and jobs', async () => {
    const key = await hub.key(ada)
    await hub.sql(
      `insert into spend_holds (id, status, kind, account_id, filed_by, filed_by_name, request, summary, estimate_usd, reserve_usd, allowance_usd, expires_at,
          decided_at, result_id)
        select 'spend_01h455vb4pex5vsknk084sn0' || (10 + n), 'approved', 'run', $1, 'x', 'x', '{}', 'x', 1, 1, 0, now(), now(), 'run_01h455vb4pex5vsknk084sn0' || (10 + n)
        from generate_series(1, 12) n`,
      [ada.id],
    )
    const get = (path: string) => statements(async () => expect((await hub.call(key, 'GET', path)).status).toBe(200))
    // The credential, the page, the months.
    expect([await get('/v1/spend/holds?limit=2'), await get('/v1/spend/holds?limit=12')]).toEqual([3, 3])
    expect(await get('/v1/spend/holds/spend_01h455vb4pex5vsknk084sn011')).toBe(3)
    // The credential; the cap, the kinds, the allowance.
    expect(await get('/v1/spend')).toBe(4)
    const joined = (first: number) =>
      statements(() =>
        hub.graphql(
          key,
          `{ spendHolds(first: ${first}) { nodes { cap { monthUsd } result { __typename } account { handle } } } }`,
        ),
      )
    // The credential, the page, the months, the runs.
    expect([await joined(2), await joined(12)]).toEqual([4, 4])
  })

  it('in GraphQL: runs with everything that they are joined to, and repos with their runs', async () => {
    const dataset = await hub.repo(ada)
    const robot = await hub.repo(ada, { kind: 'robot' })
    const model = await hub.repo(ada, { kind: 'model' })
    const recipe = { template: 'act', dataset: [`svc://${dataset}`], robot }
    const train = await hub.key(ada, { scope: 'train' })
    let parent_run_id: string | undefined
    for (let at = 0; at < 6; at += 1) {
      const made = await hub.call(train, 'POST', '/v1/runs', { recipe, parent_run_id })
      parent_run_id = made.json.id
      const run = `/v1/runs/${parent_run_id}`
      expect((await hub.call(train, 'POST', `${run}/claim`, { worker: 'w' })).status).toBe(200)
      expect((await hub.call(train, 'POST', `${run}/report`, { output_model_repo: model })).status).toBe(200)
    }
    const meta = { policy_type: 'act', robot, source_run_id: parent_run_id }
    expect((await hub.call(ada, 'PUT', `/v1/models/${model}/meta`, meta)).status).toBe(200)
    const runs = (
      first: number,
    ) => `{ runs(first: ${first}, status: RUNNING) { nodes { parent { id } forks(first: 3) { nodes { id } }
      robotRepo { fullName card { dof } } outputModelRepo { fullName } datasets { repo { fullName } } checkpoints { repo { id } items { repo { id } } } } } }`
    const page = (await hub.graphql(key, runs(6))).data.runs.nodes
    expect(page).toHaveLength(6)
    expect(page[1]).toMatchObject({ forks: { nodes: [{}] }, parent: {}, robotRepo: { fullName: robot } })
    const [small, large] = [
      await statements(() => hub.graphql(key, runs(2))),
      await statements(() => hub.graphql(key, runs(6))),
    ]
    expect(large).toBe(small)
    // The credential, the page; parents, forks (their ids, then they), robots and their cards, outputs, datasets, checkpoints and their repo.
    expect(large).toBeLessThanOrEqual(11)
    const repos = (first: number) => `{ repos(first: ${first}, owner: "${ada.handle}") { nodes {
      runs(first: 3) { nodes { id } } modelMeta { run { id } robot { fullName } } } } }`
    const named = (await hub.graphql(key, repos(8))).data.repos.nodes
    expect(named.slice(0, 3).map(({ runs }: { runs: { nodes: unknown[] } }) => runs.nodes.length)).toEqual([3, 3, 3])
    expect(named[0].modelMeta).toMatchObject({ run: { id: parent_run_id }, robot: { fullName: robot } })
    // The credential, the owner's id, the page; runs (their ids, then they), the runs of metas, the robots.
    const lineage = (first: number) => `{ repos(first: ${first}, owner: "${ada.handle}") { nodes {
      producedBy(first: 3) { nodes { id } }
      usedBy { runs(first: 3) { nodes { datasets { state { seq fileSummary { count } files(first: 2) { nodes { path } } } } } }
        checks(first: 3) { nodes { id } } endpoints(first: 3) { nodes { id } } } } } }`
    const [ofModel, ofRobot, ofData] = (await hub.graphql(key, lineage(8))).data.repos.nodes
    expect([ofModel.producedBy.nodes.length, ofRobot.producedBy.nodes.length]).toEqual([3, 0])
    for (const { usedBy } of [ofModel, ofRobot, ofData])
      expect(usedBy.runs.nodes.map(({ datasets }: Json) => datasets[0].state.seq)).toEqual([0, 0, 0])
    // The credential, the owner's id, the page; producers and users (ids, then they), the ids of checks and of endpoints, the states, their files.
    expect([
      await statements(() => hub.graphql(key, lineage(3))),
      await statements(() => hub.graphql(key, lineage(8))),
    ]).toEqual([11, 11])
    expect([
      await statements(() => hub.graphql(key, repos(3))),
      await statements(() => hub.graphql(key, repos(8))),
    ]).toEqual([7, 7])
  })

  it('in /v1 and GraphQL: checks with everything that they are joined to, and repos with their checks', async () => {
    const eve = await hub.person()
    const read = await hub.key(eve)
    let check = ''
    for (let at = 0; at < REPOS; at += 1) {
      const robot = await hub.repo(eve, { kind: 'robot' })
      expect((await hub.call(eve, 'PUT', `/v1/robots/${robot}/card`, { dof: at, actuators: [] })).status).toBe(200)
      await hub.upload(eve, robot, { 'arm.xml': `<mujoco model="${at}"/>` })
      const asked = { kind: 'robot', robot_repo: robot, entry: 'arm.xml', control_hz: 50, action: 'position' }
      check = (await hub.call(eve, 'POST', '/v1/robot-checks', asked)).json.id
    }
    const get = (path: string) => statements(async () => expect((await hub.call(read, 'GET', path)).status).toBe(200))
    // The credential, the page.
    expect([await get('/v1/robot-checks?limit=1'), await get(`/v1/robot-checks?limit=${REPOS}`)]).toEqual([2, 2])
    expect(await get(`/v1/robot-checks/${check}`)).toBe(2)
    const checks = (first: number) =>
      `{ robotChecks(first: ${first}) { nodes { robotRepo { fullName } modelRepo { id } card { dof } createdBy { handle } } } }`
    const page = (await hub.graphql(read, checks(REPOS))).data.robotChecks.nodes
    expect(page.map(({ card }: { card: { dof: number } }) => card.dof)).toEqual(
      Array.from({ length: REPOS }, (_, at) => REPOS - 1 - at),
    )
    // The credential, the page, the repos, the repos with their cards.
    expect([
      await statements(() => hub.graphql(read, checks(1))),
      await statements(() => hub.graphql(read, checks(REPOS))),
    ]).toEqual([4, 4])
    const repos = (first: number) =>
      `{ repos(first: ${first}, owner: "${eve.handle}") { nodes { checks(first: 3) { nodes { id status } } } } }`
    for (const { checks } of (await hub.graphql(read, repos(REPOS))).data.repos.nodes)
      expect(checks.nodes).toHaveLength(1)
    // The credential, the owner's id, the page; the ids of checks, then they.
    expect([
      await statements(() => hub.graphql(read, repos(1))),
      await statements(() => hub.graphql(read, repos(REPOS))),
    ]).toEqual([5, 5])
  })

  it('in /v1 and GraphQL: endpoints with their model, and repos with their endpoints', async () => {
    const eve = await hub.person()
    const read = await hub.key(eve)
    let endpoint = ''
    for (let at = 0; at < REPOS; at += 1) {
      const name = await hub.repo(eve, { kind: 'model' })
      const { id } = (await hub.call(eve, 'GET', `/v1/repos/${name}`)).json
      endpoint = await putEndpoint(hub.running.deps.db, { ownerId: eve.id, modelRepo: { id, name }, status: 'running' })
    }
    const get = (path: string) => statements(async () => expect((await hub.call(read, 'GET', path)).status).toBe(200))
    expect([await get('/v1/endpoints?limit=1'), await get(`/v1/endpoints?limit=${REPOS}`)]).toEqual([2, 2])
    expect(await get(`/v1/endpoints/${endpoint}`)).toBe(2)
    const endpoints = (first: number) =>
      `{ endpoints(first: ${first}) { nodes { id owner { handle } model { fullName } } } }`
    const repos = (first: number) =>
      `{ repos(first: ${first}, owner: "${eve.handle}") { nodes { endpoints(first: 3) { nodes { id } } } } }`
    for (const { endpoints } of (await hub.graphql(read, repos(REPOS))).data.repos.nodes)
      expect(endpoints.nodes).toHaveLength(1)
    // The credential, the page, the repos; the credential, the owner's id, the page, the ids of endpoints, then they.
    const cost = (ask: (first: number) => string, first: number) => statements(() => hub.graphql(read, ask(first)))
    expect([await cost(endpoints, 1), await cost(endpoints, REPOS)]).toEqual([3, 3])
    expect([await cost(repos, 1), await cost(repos, REPOS)]).toEqual([5, 5])
  })

  it('in GraphQL: accounts with all that they have, and repos with their latest run', async () => {
    const eve = await hub.person()
    const read = await hub.key(eve)
    const { db } = hub.running.deps
    for (let at = 0; at < 6; at += 1) {
      const handle = await hub.org([{ user: eve.handle, role: 'owner' }])
      const full = await hub.repo(eve, { owner: handle })
      const recipe = { template: 'act', dataset: [`svc://${full}`] }
      const run = await hub.call(eve, 'POST', '/v1/runs', { recipe, owner: handle })
      expect(run.status).toBe(201)
      const [org] = await hub.sql<{ id: string }>('select id from accounts where handle = $1', [handle])
      await putEndpoint(db, { ownerId: org?.id ?? '', status: 'running' })
    }
    const pages = 'repos(first: 2) { nodes { id } } runs(first: 2) { nodes { id } } checks(first: 2) { nodes { id } }'
    const accounts = (first: number) =>
      `{ runs(first: ${first}) { nodes { owner { ${pages} endpoints(first: 2) { nodes { id } } spendHolds(first: 2) { nodes { id } } } } } }`
    for (const { owner } of (await hub.graphql(read, accounts(6))).data.runs.nodes)
      expect([owner.repos, owner.runs, owner.endpoints].map(({ nodes }) => nodes.length)).toEqual([1, 1, 1])
    const cost = (ask: (first: number) => string, first: number) => statements(() => hub.graphql(read, ask(first)))
    // The credential, the page; repos, runs (their ids, then they), ids of checks, endpoints (ids, then they), holds.
    expect([await cost(accounts, 2), await cost(accounts, 6)]).toEqual([9, 9])
    const latest = (first: number) => `{ repos(first: ${first}) { nodes { latestRun { status } } } }`
    expect((await hub.graphql(read, latest(6))).data.repos.nodes).toHaveLength(6)
    expect([await cost(latest, 2), await cost(latest, 6)]).toEqual([4, 4])
  })

  it('in nodes(ids), members of orgs and the audit log', async () => {
    const ids = (await hub.call(key, 'GET', `/v1/repos?limit=${REPOS}`)).json.items.map(
      (item: { id: string }) => item.id,
    )
    const nodes = (count: number) =>
      statements(() =>
        hub.graphql(
          key,
          `query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Repo { owner { members { nodes { role user { handle } } } } files(first: 2) { nodes { path } } } } }`,
          {
            ids: ids.slice(0, count),
          },
        ),
      )
    expect(await nodes(REPOS)).toBe(await nodes(2))
    const audit = (first: number) =>
      statements(() =>
        hub.graphql(
          ada,
          `{ auditLog(account: "${ada.handle}", first: ${first}) { nodes { action actor { handle members { nodes { role } } } } } }`,
        ),
      )
    expect(await audit(50)).toBe(await audit(5))
  })
})

describe('a read of /v1', () => {
  const reads = routes.filter(({ method }) => method === 'GET').map(({ operation }) => operation)

  it.each(reads)('%s sends a known number of SQL statements, for one and for many', async (operation) => {
    const { costs = [] } = casesOf(operation)
    expect(costs.length, `${operation} has no costs in its cases`).toBeGreaterThan(0)
    for (const { given, statements: known } of costs) {
      const ada = await hub.person()
      const key = await hub.key(ada)
      const cost = (read: string) =>
        statements(async () => {
          if (!read.startsWith('/')) return expect((await hub.graphql(key, read)).errors).toBeUndefined()
          return expect((await hub.call(key, 'GET', read)).status).toBe(200)
        })
      for (const read of await given({ hub, ada, key })) expect([read, await cost(read)]).toEqual([read, known])
    }
  })
})
