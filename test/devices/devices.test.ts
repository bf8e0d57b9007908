/** Contract, "Devices": who registers a device, and who sees it. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person, type Who } from '../support/hub.ts'
import { prismaQueries, shapes } from '../support/prisma-queries.ts'

const hub = contractHub()
let ada: Person
let bob: Person
let org: string
let robot: string

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
  org = await hub.org([{ user: ada.handle, role: 'member' }])
  robot = await hub.repo(ada, { kind: 'robot' })
})

const fields = 'id name owner { handle } robotRepoName robotRepo { fullName } createdBy { handle } createdAt'
const mutation = `mutation ($input: RegisterDeviceInput!) { registerDevice(input: $input) { device { ${fields} } } }`
const register = async (who: Who, input: Json): Promise<Json> => hub.graphql(who, mutation, { input })
const device = async (who: Who, input: Json = {}): Promise<string> =>
  (await register(who, { name: newName('arm'), ...input })).data.registerDevice.device.id
const refusal = ({ errors }: Json) => errors?.[0].extensions.problem.errors[0].type
const seenBy = async (who: Who, id: string) =>
  (await hub.graphql(who, `{ node(id: "${id}") { id } }`)).data.node !== null
const listed = async (who: Who, args = ''): Promise<string[]> =>
  (await hub.graphql(who, `{ devices${args} { nodes { id } } }`)).data.devices.nodes.map(({ id }: Json) => id)

describe('registerDevice', () => {
  it('adds a device to the person, or to one of their orgs, with its robot repo, and is audited', async () => {
    const made = (await register(ada, { name: 'bench arm', robotRepo: robot })).data.registerDevice.device
    expect(made).toEqual({
      id: expect.stringMatching(/^dev_/),
      name: 'bench arm',
      owner: { handle: ada.handle },
      robotRepoName: robot,
      robotRepo: { fullName: robot },
      createdBy: { handle: ada.handle },
      createdAt: expect.stringMatching(/Z$/),
    })
    const [entry] = await hub.sql<Json>('select action, account_id, actor_id from audit_log where target_id = $1', [
      made.id,
    ])
    expect(entry).toEqual({ action: 'device.register', account_id: ada.id, actor_id: ada.id })
    const ofOrg = await register(ada, { name: 'bench arm', owner: org })
    expect(ofOrg.data.registerDevice.device).toMatchObject({ owner: { handle: org }, robotRepo: null })
  })

  it('takes a name once for each owner', async () => {
    const name = newName()
    expect((await register(ada, { name })).errors).toBeUndefined()
    expect(refusal(await register(ada, { name }))).toBe('conflict.taken')
    expect((await register(bob, { name })).errors).toBeUndefined()
  })

  it('is for the sessions of members only', async () => {
    const input = { name: newName(), owner: org }
    const asked = [bob, await hub.key(ada, { scope: 'train' }), await hub.key(org, { scope: 'train' }), null]
    const found = []
    for (const who of asked) found.push(refusal(await register(who, input)))
    expect(found).toEqual(['forbidden.scope', 'forbidden.scope', 'forbidden.scope', 'auth.missing'])
    expect(refusal(await register(ada, { ...input, owner: newName() }))).toBe('not_found')
  })

  it('names a robot repo that its owner can see', async () => {
    const refused = async (robotRepo: string, owner = ada.handle) =>
      refusal(await register(ada, { name: newName(), owner, robotRepo }))
    expect(await refused(await hub.repo(bob, { kind: 'robot' }))).toBe('not_found')
    expect(await refused(`${ada.handle}/none`)).toBe('not_found')
    expect(await refused(robot, org)).toBe('not_found')
    expect(await refused(await hub.repo(ada, { kind: 'model' }))).toBe('conflict.wrong_kind')
    expect(await refused('arm')).toBe('validation.value')
    const open = await hub.repo(bob, { kind: 'robot', visibility: 'public' })
    expect(await refused(open)).toBeUndefined()
  })

  it.each(['', 'x'.repeat(65), 'a\0'])('refuses the name %j', async (name) => {
    expect(refusal(await register(ada, { name }))).toBe('validation.value')
  })
})

describe('a device', () => {
  it('is visible to members of its owner, and to their keys of any scope', async () => {
    const id = await device(ada, { owner: org })
    for (const who of [ada, await hub.key(ada, { scope: 'read' }), await hub.key(org, { scope: 'read' })]) {
      expect(await seenBy(who, id)).toBe(true)
      expect(await listed(who)).toContain(id)
    }
    for (const who of [bob, await hub.key(bob, { scope: 'train' })]) {
      expect(await seenBy(who, id)).toBe(false)
      expect(await listed(who)).not.toContain(id)
    }
    expect(await seenBy(null, id)).toBe(false)
    expect(refusal(await hub.graphql(null, '{ devices { nodes { id } } }'))).toBe('auth.missing')
  })

  it('is visible to a key limited to repos only if its robot repo is listed', async () => {
    const [mine, other] = [await device(ada, { robotRepo: robot }), await device(ada)]
    const limited = await hub.key(ada, { repos: [robot] })
    expect([await seenBy(limited, mine), await seenBy(limited, other)]).toEqual([true, false])
    expect(await listed(limited)).toContain(mine)
    expect(await listed(limited)).not.toContain(other)
  })

  it('is not visible to the key of a hosted job', async () => {
    const id = await device(ada, { robotRepo: robot })
    const name = newName()
    const key = await hub.key(ada, { scope: 'train', name, repos: [robot] })
    const run = (await hub.call(ada, 'POST', '/v1/runs', { recipe: { template: 'act' } })).json.id
    await hub.sql('update api_keys set job_id = $1 where name = $2', [run, name])
    expect(await seenBy(key, id)).toBe(false)
  })

  it('shows no robot repo that the caller can no longer see', async () => {
    const open = await hub.repo(bob, { kind: 'robot', visibility: 'public' })
    const id = await device(ada, { robotRepo: open })
    await hub.call(bob, 'PATCH', `/v1/repos/${open}`, { visibility: 'private' })
    const { node } = (
      await hub.graphql(ada, `{ node(id: "${id}") { ... on Device { robotRepo { id } robotRepoName } } }`)
    ).data
    expect(node).toEqual({ robotRepo: null, robotRepoName: open })
  })
})

describe('devices', () => {
  it('come page by page, newest first, of one owner if asked for', async () => {
    const cat = await hub.person()
    const made = [await device(cat), await device(cat), await device(cat)].toReversed()
    const page = async (args: string) =>
      (await hub.graphql(cat, `{ devices(${args}) { nodes { id } pageInfo { hasNextPage endCursor } } }`)).data.devices
    const first = await page('first: 2')
    const rest = await page(`first: 2, after: "${first.pageInfo.endCursor}"`)
    expect([...first.nodes, ...rest.nodes].map(({ id }) => id)).toEqual(made)
    expect([first.pageInfo.hasNextPage, rest.pageInfo.hasNextPage]).toEqual([true, false])
    expect(await listed(cat, `(owner: "${cat.handle}")`)).toEqual(made)
    expect(await listed(cat, `(owner: "${newName()}")`)).toEqual([])
    const other = await hub.graphql(
      cat,
      `{ devices(owner: "${cat.handle}", after: "${first.pageInfo.endCursor}") { nodes { id } } }`,
    )
    expect(refusal(other)).toBe('validation.cursor')
  })

  it('of an account are those of the listing, page by page, for any number of accounts in as many statements', async () => {
    const cat = await hub.person()
    const team = await hub.org([{ user: cat.handle, role: 'member' }])
    const [mine, theirs] = [
      [await device(cat), await device(cat, { robotRepo: await hub.repo(cat, { kind: 'robot' }) }), await device(cat)],
      [await device(cat, { owner: team })],
    ]
    const of = async (who: Who, args: string) =>
      (
        await hub.graphql(
          who,
          `{ own: account(handle: "${cat.handle}") { ...D } team: account(handle: "${team}") { ...D } }
            fragment D on Account { devices(${args}) { nodes { id name robotRepo { id } } pageInfo { hasNextPage endCursor } } }`,
        )
      ).data
    const ids = ({ devices }: Json) => devices.nodes.map(({ id }: Json) => id)
    const first = await of(cat, 'first: 2')
    expect([ids(first.own), ids(first.team)]).toEqual([mine.toReversed().slice(0, 2), theirs])
    expect(first.own.devices.pageInfo.hasNextPage).toBe(true)
    const rest = await of(cat, `first: 2, after: "${first.own.devices.pageInfo.endCursor}"`)
    expect(ids(rest.own)).toEqual(mine.slice(0, 1))
    for (const who of [bob, null]) {
      const seen = await of(who, 'first: 2')
      expect([ids(seen.own), ids(seen.team)]).toEqual([[], []])
    }
    const limited = await hub.key(cat, {
      repos: [
        (await hub.graphql(cat, `{ repos(owner: "${cat.handle}") { nodes { fullName } } }`)).data.repos.nodes[0]
          .fullName,
      ],
    })
    expect(ids((await of(limited, 'first: 5')).own)).toEqual([mine[1]])
    expect(shapes(await prismaQueries(() => of(cat, 'first: 1')))).toEqual(
      shapes(await prismaQueries(() => of(cat, 'first: 3'))),
    )
  })

  it('are read with only the selected columns, in as many queries for three as for one', async () => {
    const cat = await hub.person()
    for (const robotRepo of [await hub.repo(cat, { kind: 'robot' }), null, null]) await device(cat, { robotRepo })
    const queries = async (first: number, selected: string) =>
      shapes(await prismaQueries(() => hub.graphql(cat, `{ devices(first: ${first}) { nodes { ${selected} } } }`)))
    expect(await queries(3, 'name')).toEqual(['devices: id, name'])
    const all = await queries(3, fields)
    expect(all).toEqual(await queries(1, fields))
    expect(all).toHaveLength(3)
  })
})
