import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person, type Who } from '../support/hub.ts'

const hub = contractHub()
let owner: Person
let member: Person
let stranger: Person
let org: string
/** Full names of robot repos of the org, each with a card, and of a repo of another kind. */
const repos: Record<'private' | 'public' | 'privateDataset' | 'publicDataset', string> = {
  private: '',
  public: '',
  privateDataset: '',
  publicDataset: '',
}
const who: Record<string, Who> = {}
const card = { dof: 1 }

beforeAll(async () => {
  owner = await hub.person()
  member = await hub.person()
  stranger = await hub.person()
  org = await hub.org([
    { user: owner.handle, role: 'owner' },
    { user: member.handle, role: 'member' },
  ])
  for (const visibility of ['private', 'public'] as const) {
    repos[visibility] = await hub.repo(owner, { kind: 'robot', owner: org, visibility })
    repos[`${visibility}Dataset`] = await hub.repo(owner, { kind: 'dataset', owner: org, visibility })
    expect((await hub.call(owner, 'PUT', `/v1/robots/${repos[visibility]}/card`, card)).status).toBe(200)
  }
  const other = await hub.repo(owner, { kind: 'robot', owner: org })
  Object.assign(who, {
    nobody: null,
    'a bad token': 'hub_key_none',
    stranger,
    'a train key of a stranger': await hub.key(stranger, { scope: 'train' }),
    member,
    'a read key of a member': await hub.key(member, { scope: 'read' }),
    'a write key of a member': await hub.key(member, { scope: 'write' }),
    'an agent key of the org': await hub.key(org, { scope: 'write', agent: true }),
    'a key for these repos': await hub.key(org, { scope: 'write', repos: Object.values(repos) }),
    'a key for another repo': await hub.key(org, { scope: 'write', repos: [other] }),
    'a read key for another repo': await hub.key(org, { scope: 'read', repos: [other] }),
  })
})

type Repo = keyof typeof repos
const read = 'query ($owner: String!, $repo: String!) { robotCard(owner: $owner, slug: $repo) { dof } }'
const put = 'mutation ($input: PutRobotCardInput!) { putRobotCard(input: $input) { card { dof } } }'
const validate = 'mutation ($input: ValidateRobotCardInput!) { validateRobotCard(input: $input) { ok } }'

/** The statuses of get, put and validate in `/v1`, and in the graph, where a status is that of its error and null is shown as 404. */
async function statuses(caller: Who, kind: Repo): Promise<{ rest: number[]; graph: number[] }> {
  const name = repos[kind]
  const [of, repo] = name.split('/')
  const rest = [
    await hub.call(caller, 'GET', `/v1/robots/${name}/card`),
    await hub.call(caller, 'PUT', `/v1/robots/${name}/card`, card),
    await hub.call(caller, 'POST', `/v1/robots/${name}/validate`, { card }),
  ]
  const graph = [
    await hub.graphql(caller, read, { owner: of, repo }),
    await hub.graphql(caller, put, { input: { owner: of, repo, card } }),
    await hub.graphql(caller, validate, { input: { owner: of, repo, document: card } }),
  ]
  const statusOf = ({ errors, data, status }: Json) =>
    errors?.[0].extensions.status ?? status ?? (Object.values(data ?? {})[0] === null ? 404 : 200)
  return { rest: rest.map(({ status }) => status), graph: graph.map(statusOf) }
}

describe('who reads, puts and validates a card, in both dialects', () => {
  const all = [200, 200, 200]
  const bad = [401, 401, 401]
  const hidden = [404, 404, 404]
  it.each([
    ['nobody', [404, 401, 401], [200, 401, 401], [404, 401, 401], [409, 401, 401]],
    ['a bad token', bad, bad, bad, bad],
    ['stranger', hidden, [200, 403, 200], hidden, [409, 403, 409]],
    ['a train key of a stranger', hidden, [200, 403, 200], hidden, [409, 403, 409]],
    ['member', all, all, [409, 409, 409], [409, 409, 409]],
    ['a read key of a member', [200, 403, 200], [200, 403, 200], [409, 403, 409], [409, 403, 409]],
    ['a write key of a member', all, all, [409, 409, 409], [409, 409, 409]],
    ['an agent key of the org', all, all, [409, 409, 409], [409, 409, 409]],
    ['a key for these repos', all, all, [409, 409, 409], [409, 409, 409]],
    ['a key for another repo', hidden, [200, 403, 403], hidden, [409, 403, 403]],
    ['a read key for another repo', hidden, [200, 403, 403], hidden, [409, 403, 403]],
  ])('%s', async (name, ofPrivate, ofPublic, ofPrivateDataset, ofPublicDataset) => {
    const caller = who[name] ?? null
    for (const [kind, expected] of [
      ['private', ofPrivate],
      ['public', ofPublic],
      ['privateDataset', ofPrivateDataset],
      ['publicDataset', ofPublicDataset],
    ] as const) {
      expect([kind, await statuses(caller, kind)]).toEqual([kind, { rest: expected, graph: expected }])
    }
  })

  it('nobody can access a repo that does not exist, with the same errors as for a hidden one', async () => {
    const absent = `${org}/${newName()}`
    for (const caller of [stranger, who['a key for another repo'] ?? null, null]) {
      for (const [method, path, body] of [
        ['GET', 'card', undefined],
        ['PUT', 'card', card],
        ['POST', 'validate', { card }],
      ] as const) {
        const [hidden, none] = await Promise.all(
          [repos.private, absent].map((name) => hub.call(caller, method, `/v1/robots/${name}/${path}`, body)),
        )
        const told = (answer: Json, name: string) =>
          JSON.stringify({ ...answer, instance: 0, request_id: 0 }).replaceAll(name, '')
        expect(told(none?.json, absent)).toBe(told(hidden?.json, repos.private))
      }
    }
  })

  it('nobody sees a card of a private repo in a listing, by its fingerprint, or through a model that names it', async () => {
    const interfaceOf = {
      version: 77,
      base: 'fixed',
      joint_order: [],
      control_rate_hz: 5,
      actuation: [],
      action: { semantics: 'position', scale: 1 },
    }
    const { json } = await hub.call(owner, 'PUT', `/v1/robots/${repos.private}/card`, {
      dof: 0,
      interface: interfaceOf,
    })
    const find = async (caller: Who) =>
      (await hub.call(caller, 'GET', `/v1/repos?interface_fingerprint=${json.interface_fingerprint}`)).json.items.length
    expect([await find(null), await find(stranger), await find(member)]).toEqual([0, 0, 1])
    const policy = await hub.repo(stranger, { kind: 'model' })
    const meta = { policy_type: 'act', robot: repos.private, embodiment_fingerprint: json.interface_fingerprint }
    expect(
      (await hub.call(stranger, 'PUT', `/v1/models/${policy}/meta`, meta)).json.model_meta.embodiment_check,
    ).toBeNull()
  })
})
