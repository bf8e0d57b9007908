// @module-tag long
/** Whatever field of the graph a stranger asks for, from any id that they have come to know, it shows nothing that is private to others. */

import { readFileSync } from 'node:fs'
import { buildSchema, type GraphQLSchema, getNamedType } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { secretMakers } from '../support/cases.ts'
import { selectionsOf } from '../support/every-field.ts'
import { contractHub, type Json, newName, type Person, type Who } from '../support/hub.ts'
import { posted } from '../support/team.ts'

const hub = contractHub()
/** How many objects deep every field is asked for: a third level shows the fields of the same types from other parents, and takes ten times as long. */
const DEPTH = 1
/** A field of `Query` with its arguments, and the variables that they name: the hub parses a document once for all ids. */
interface Beginning {
  readonly field: string
  readonly id?: string
}

let schema: GraphQLSchema
let ada: Person
let openData: string
let org: string
/** What is private, by what it is: ids and words that stand in private objects alone. */
const secrets: Record<string, string> = {}
/** What an outsider may begin with: fields of `Query` with arguments, for ids and names that they know. */
let beginnings: Beginning[]
let outsiders: Record<string, Who>

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
  await hub.upload(ada, openRobot, { 'arm.xml': '<mujoco/>' })
  await hub.upload(ada, openModel, { 'walk.onnx': 'onnx' })
  const tell = (what: string, secret: string) => {
    if (Object.hasOwn(secrets, what)) throw new Error(`Two secrets are called ${what}.`)
    secrets[what] = secret
    return secret
  }
  const word = (what: string) => tell(what, newName('word'))
  const description = word('description')
  const tag = word('tag')
  const closed = await hub.repo(ada, { owner: org, slug: word('slug'), description, tags: [tag] })
  tell('member', hidden.handle)
  const idOf = async (name: string): Promise<string> => (await hub.call(ada, 'GET', `/v1/repos/${name}`)).json.id
  const ids = [tell('closed', await idOf(closed))]
  for (const name of [openData, openRobot, openModel]) ids.push(await idOf(name))
  const { orgId } = (await hub.graphql(ada, `{ account(handle: "${org}") { orgId: id } }`)).data.account
  ids.push(orgId, ada.id)
  const fields = [
    'account(handle: "ORG")',
    'ledger(account: "ORG", first: 2)',
    'auditLog(account: "ORG", first: 2)',
    'spendSummary(account: "ORG")',
    'apiKeys(owner: "ORG", first: 2)',
    'repos(owner: "ORG", first: 4)',
    'sessions(first: 2)',
    'spendHolds(first: 2)',
    'viewer',
    `robotCard(owner: "ORG", slug: "${secrets.slug}")`,
    `repos(q: "${description}", first: 2)`,
    `repos(tag: ["${tag}"], first: 2)`,
  ]
  const post = (path: string, body: Json, who: Who = ada) => posted(hub, who, path, body)
  for (const make of secretMakers) {
    const made = await make({ hub, ada, org, closed, openData, openRobot, openModel, word, post })
    for (const [what, id] of Object.entries(made.ids ?? {})) ids.push(tell(what, id))
    fields.push(...(made.beginnings ?? []))
  }
  beginnings = [
    ...ids.map((id) => ({ field: 'node(id: $id)', id })),
    ...fields.map((text) => ({ field: text.replaceAll('ORG', org) })),
  ]
  outsiders = {
    anonymous: null,
    'a stranger': await hub.person(),
    'a key of the org limited to an open repo': await hub.key(org, { repos: [openData], scope: 'train' }),
  }
})

/** What every field is asked for with, by the beginning: an operation and its selections of the type. */
const queriesOf = new Map<string, string[]>()

function queriesFrom({ field, id }: Beginning): string[] {
  const known = queriesOf.get(field)
  if (known) return known
  const begun = schema.getQueryType()?.getFields()[field.split('(')[0] ?? '']
  if (!begun) throw new Error(`Query has no ${field}.`)
  const queries = selectionsOf(schema, getNamedType(begun.type), DEPTH).map(
    (fields) => `query${id === undefined ? '' : ' ($id: ID!)'} { ${field} { ${fields} } }`,
  )
  queriesOf.set(field, queries)
  return queries
}

/** All that `who` is shown from a beginning, as text; and what they asked for each answer. */
async function shownTo(who: Who, beginning: Beginning): Promise<{ asked: string; text: string }[]> {
  const { id } = beginning
  return Promise.all(
    queriesFrom(beginning).map(async (query) => {
      const answer = await hub.graphql(who, query, id === undefined ? {} : { id })
      const faults = (answer.errors ?? []).filter(
        ({ extensions: { status } }: Json) => ![401, 403, 404, 409].includes(status),
      )
      expect([beginning, faults.slice(0, 2)]).toEqual([beginning, []])
      return { asked: `${id ?? ''} ${query}`, text: JSON.stringify(answer) }
    }),
  )
}

describe('every field of the graph', () => {
  it('shows each secret of these tests to one who can see it', async () => {
    const unseen = new Map(Object.entries(secrets))
    for (const beginning of beginnings)
      if (unseen.size > 0)
        for (const { asked, text } of await shownTo(ada, beginning))
          for (const [what, secret] of unseen) if (text.includes(secret) && !asked.includes(secret)) unseen.delete(what)
    expect([...unseen.keys()]).toEqual([])
  })

  /** Who acts for an org sees its members, whatever repos a key is limited to. */
  const isOfOrg = (name: string) => name.includes('of the org')

  it('shows none of them to an outsider', async () => {
    const leaks: string[] = []
    for (const [name, who] of Object.entries(outsiders))
      for (const beginning of beginnings)
        for (const { asked, text } of await shownTo(who, beginning))
          for (const [what, secret] of Object.entries(secrets))
            if (text.includes(secret) && !asked.includes(secret) && !(what === 'member' && isOfOrg(name)))
              leaks.push(
                `${name} sees the ${what} at ${Object.values(beginning)}: ${text.slice(Math.max(0, text.indexOf(secret) - 200), text.indexOf(secret) + 40)}`,
              )
    expect(leaks).toEqual([])
  })
})
