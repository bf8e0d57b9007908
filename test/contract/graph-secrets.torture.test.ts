/** Whatever field of the graph a stranger asks for, from any id that they have come to know, it shows nothing that is private to others. */

import { readFileSync } from 'node:fs'
import { buildSchema, type GraphQLSchema, getNamedType } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { checksOf } from '../support/checks.ts'
import { selectionsOf } from '../support/every-field.ts'
import { contractHub, type Json, newName, type Person, type Who } from '../support/hub.ts'
import { sessionWorld } from '../support/sessions.ts'

const hub = contractHub()
/** How many objects deep every field is asked for: a third level shows the fields of the same types from other parents, and takes ten times as long. */
const DEPTH = 1
let schema: GraphQLSchema
let ada: Person
let openData: string
let org: string
/** What is private, by what it is: ids and words that stand in private objects alone. */
const secrets: Record<string, string> = {}
/** What an outsider may begin with: fields of `Query` with arguments, for ids and names that they know. */
let beginnings: string[]
let outsiders: Record<string, Who>

const ok = async (asked: ReturnType<typeof hub.call>): Promise<Json> => {
  const { status, json } = await asked
  expect([status, json?.errors]).toEqual([expect.toBeOneOf([200, 201, 202]), undefined])
  return json
}

beforeAll(async () => {
  schema = buildSchema(readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8'))
  ada = await hub.person()
  const hidden = await hub.person()
  org = await hub.org([
    { user: ada.handle, role: 'owner' },
    { user: hidden.handle, role: 'member' },
  ])
  openData = await hub.repo(ada, { owner: org, visibility: 'public' })
  const openRobot = await hub.repo(ada, { owner: org, kind: 'robot', visibility: 'public' })
  const openModel = await hub.repo(ada, { owner: org, kind: 'model', visibility: 'public' })
  const word = (what: string) => {
    secrets[what] = newName('word')
    return secrets[what]
  }
  const closed = await hub.repo(ada, {
    owner: org,
    slug: word('slug'),
    description: word('description'),
    tags: [word('tag')],
  })
  await hub.upload(ada, closed, { [word('path')]: 'a', 'meta/info.json': '{"fps":30}' })
  await ok(hub.call(ada, 'POST', `/v1/repos/${closed}/snapshots`, { name: word('snapshot'), note: word('note') }))
  await hub.upload(ada, openRobot, { 'arm.xml': '<mujoco/>' })
  await hub.upload(ada, openModel, { 'walk.onnx': 'onnx' })
  const recipe = {
    template: 'act',
    dataset: [`svc://${openData}`, `svc://${closed}`],
    robot: openRobot,
    hyperparams: { [word('hyperparam')]: word('value') },
  }
  const run = (await ok(hub.call(ada, 'POST', '/v1/runs', { recipe, owner: org }))).id
  const child = (await ok(hub.call(ada, 'POST', '/v1/runs', { recipe, owner: org, parent_run_id: run }))).id
  const runner = await hub.key(org, { scope: 'train', name: word('key name') })
  await ok(hub.call(runner, 'POST', `/v1/runs/${run}/claim`, { worker: word('worker') }))
  const report = {
    output_model_repo: openModel,
    log_chunk: `${word('log')}\n`,
    metrics: [{ step: 1, [word('metric')]: 1 }],
  }
  await ok(hub.call(runner, 'POST', `/v1/runs/${run}/report`, report))
  const check = await checksOf(hub).queue(ada, openRobot)
  const world = sessionWorld(hub)
  const endpoint = await world.endpoint(ada)
  const device = await world.device(ada, { name: word('device') })
  const approval = await world.approve(ada, endpoint, device)
  const opened = await world.open(ada, endpoint, { device_id: device, approval_token: approval.token })
  const ids = {
    closed: (await ok(hub.call(ada, 'GET', `/v1/repos/${closed}`))).id,
    run,
    child,
    check,
    endpoint,
    device,
    approval: approval.id,
    session: opened.json.session.id,
  }
  Object.assign(secrets, ids, { member: hidden.handle })
  const openIds = await Promise.all(
    [openData, openRobot, openModel].map(async (name) => (await ok(hub.call(ada, 'GET', `/v1/repos/${name}`))).id),
  )
  const [owner, slug] = closed.split('/')
  const place = `owner: "${owner}", slug: "${slug}"`
  const { orgId } = (await hub.graphql(ada, `{ account(handle: "${org}") { orgId: id } }`)).data.account
  beginnings = [
    ...[...Object.values(ids), ...openIds, orgId, ada.id].map((id) => `node(id: "${id}")`),
    ...[
      'account(handle: "ORG")',
      'ledger(account: "ORG", first: 2)',
      'auditLog(account: "ORG", first: 2)',
      'spendSummary(account: "ORG")',
    ],
    ...[
      'apiKeys(owner: "ORG", first: 2)',
      'devices(owner: "ORG", first: 2)',
      'endpoints(owner: "ORG", first: 2)',
      'runs(owner: "ORG", first: 4)',
    ],
    ...[
      'repos(owner: "ORG", first: 4)',
      'robotChecks(first: 4)',
      'sessions(first: 2)',
      'spendHolds(first: 2)',
      'viewer',
    ],
    ...[
      `tree(${place}, first: 2)`,
      `snapshot(${place}, name: "${secrets.snapshot}")`,
      `diff(${place}, from: "0", first: 2)`,
      `robotCard(${place})`,
    ],
    ...[
      `runLog(runId: "${run}", first: 4)`,
      `robotCheckLog(checkId: "${check}", first: 4)`,
      `repos(q: "${secrets.description}", first: 2)`,
      `repos(tag: ["${secrets.tag}"], first: 2)`,
    ],
  ].map((text) => text.replace('ORG', org))
  outsiders = {
    anonymous: null,
    'a stranger': await hub.person(),
    'a key of the org limited to an open repo': await hub.key(org, { repos: [openData], scope: 'train' }),
  }
})

/** All that `who` is shown from a beginning, as text; and the query of each answer. */
async function shownTo(who: Who, beginning: string): Promise<{ query: string; text: string }[]> {
  const field = schema.getQueryType()?.getFields()[beginning.split('(')[0] ?? '']
  if (!field) throw new Error(`Query has no ${beginning}.`)
  const queries = selectionsOf(schema, getNamedType(field.type), DEPTH).map(
    (fields) => `{ ${beginning} { ${fields} } }`,
  )
  return Promise.all(
    queries.map(async (query) => {
      const answer = await hub.graphql(who, query)
      const faults = (answer.errors ?? []).filter(
        ({ extensions: { status } }: Json) => ![401, 403, 404, 409].includes(status),
      )
      expect([beginning, faults.slice(0, 2)]).toEqual([beginning, []])
      return { query, text: JSON.stringify(answer) }
    }),
  )
}

describe('every field of the graph', () => {
  it('shows each secret of these tests to one who may see it', async () => {
    const unseen = new Map(Object.entries(secrets))
    for (const beginning of beginnings)
      if (unseen.size > 0)
        for (const { query, text } of await shownTo(ada, beginning))
          for (const [what, secret] of unseen) if (text.includes(secret) && !query.includes(secret)) unseen.delete(what)
    expect([...unseen.keys()]).toEqual([])
  })

  /** Who acts for an org sees its members, whatever repos a key is limited to. */
  const isOfOrg = (name: string) => name.includes('of the org')

  it('shows none of them to an outsider', async () => {
    const leaks: string[] = []
    for (const [name, who] of Object.entries(outsiders))
      for (const beginning of beginnings)
        for (const { query, text } of await shownTo(who, beginning))
          for (const [what, secret] of Object.entries(secrets))
            if (text.includes(secret) && !query.includes(secret) && !(what === 'member' && isOfOrg(name)))
              leaks.push(
                `${name} sees the ${what} at ${beginning}: ${text.slice(Math.max(0, text.indexOf(secret) - 200), text.indexOf(secret) + 40)}`,
              )
    expect(leaks).toEqual([])
  })
})
