/** Names of repos as clients of the Hugging Face API give them. */
import { beforeAll, expect, it } from 'vitest'
import { takenClientNames } from '../../src/auth/handle.ts'
import { contractHub, type Person } from '../support/hub.ts'

const hub = contractHub()
let ada: Person

beforeAll(async () => {
  ada = await hub.person()
})

const create = (body: Record<string, unknown>) => hub.call(ada, 'POST', '/v1/repos', { kind: 'model', ...body })
const named = async (name: string, who: Person = ada) => {
  const query = 'query ($owner: String!, $name: String!) { repoNamed(owner: $owner, name: $name) { slug hfName kind } }'
  return (await hub.graphql(who, query, { owner: ada.handle, name })).data.repoNamed
}

it('a repo keeps the name that it was given, and its slug follows from it', async () => {
  const made = await create({ hf_name: 'Act_SO-100.v2' })
  expect([made.status, made.json.slug, made.json.hf_name]).toEqual([201, 'act-so-100-v2', 'Act_SO-100.v2'])
  expect((await hub.call(ada, 'GET', `/v1/repos/${made.json.full_name}`)).json.hf_name).toBe('Act_SO-100.v2')
  const plain = await create({ hf_name: 'plain' })
  expect([plain.json.slug, 'hf_name' in plain.json]).toEqual(['plain', false])
  expect((await create({ slug: 'both-names', hf_name: 'Both_Names' })).status).toBe(201)
})

it('it is found by that very spelling and by its slug, by whoever may see it', async () => {
  const found = { slug: 'act-so-100-v2', hfName: 'Act_SO-100.v2', kind: 'MODEL' }
  expect(await named('Act_SO-100.v2')).toEqual(found)
  expect(await named('act-so-100-v2')).toEqual(found)
  expect(await named('act_so-100.v2')).toBeNull()
  expect(await named('Plain')).toBeNull()
  expect(await named('Act_SO-100.v2', await hub.person())).toBeNull()
})

it('a search has its letters as they were given, and those of its slug, and no others', async () => {
  const twin = await create({ slug: 'act-so-100-v2-twin' })
  expect(twin.status).toBe(201)
  const search = async (q: string) => {
    const found = await hub.call(ada, 'GET', `/v1/repos?owner=${ada.handle}&q=${encodeURIComponent(q)}`)
    return found.json.items.map(({ slug }: { slug: string }) => slug)
  }
  for (const q of ['Act_SO-100.v2', 'act_so', '0.v2', '_', '.'])
    expect([q, await search(q)]).toEqual([q, expect.arrayContaining(['act-so-100-v2'])])
  for (const q of ['Act_SO-100.v2', 'act_so', '0.v2']) expect([q, await search(q)]).toEqual([q, ['act-so-100-v2']])
  for (const q of ['act.so', 'act_so_100', 'act_so%']) expect([q, await search(q)]).toEqual([q, []])
  expect(await search('act-so')).toEqual(['act-so-100-v2-twin', 'act-so-100-v2'])
})

it.each([
  ['the very same repo', { hf_name: 'Act_SO-100.v2' }, true],
  ['another spelling', { hf_name: 'act_so-100.v2' }, false],
  ['its slug as a name', { slug: 'act-so-100-v2' }, false],
  ['another kind', { hf_name: 'Act_SO-100.v2', kind: 'dataset' }, false],
])('%s on a slug that is taken is told apart', async (_, body, isSame) => {
  const refused = await create(body)
  expect([refused.status, refused.json.errors]).toMatchObject([
    409,
    [{ type: 'conflict.taken', loc: ['body', 'slug'], is_same: isSame }],
  ])
})

it.each([
  ['no name at all', {}, 'validation.required'],
  ['another slug', { slug: 'other', hf_name: 'Name' }, 'validation.value'],
  ['a slash', { hf_name: 'a/b' }, 'validation.value'],
  ['an underscore first', { hf_name: '_a' }, 'validation.value'],
  ['an empty name', { hf_name: '' }, 'validation.value'],
])('%s is 422', async (_, body, type) => {
  const refused = await create(body)
  expect([refused.status, refused.json.errors[0].type]).toEqual([422, type])
})

it('accounts whose handle is a word of those addresses are named at start, and no new one gets such a handle', async () => {
  expect(await takenClientNames(hub.running.deps.db)).toEqual([])
  await hub.sql(`insert into accounts (id, kind, handle) values ('user_spaces', 'user', 'spaces') returning id`, [])
  expect(await takenClientNames(hub.running.deps.db)).toEqual(['spaces'])
})
