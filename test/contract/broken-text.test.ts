// @module-tag long
// @module-tag sampled
/** Texts that no client can be given back and PostgreSQL cannot store: half a surrogate pair, and NUL. Contract, "Text". */

import { freeFormFaults } from '@hub/formats/free-form-faults'
import { describeOnce, itOnce, sampled } from '@hub/testing/torture'
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { graphTextPlaces, routeTextPlaces, type TextPlace, textFieldsOf } from '../support/text-places.ts'

const hub = contractHub()
let ada: Person
let reader: string
let robot: { owner: string; repo: string }
beforeAll(async () => {
  ada = await hub.person()
  reader = await hub.key(ada, { scope: 'read' })
  const [owner = '', repo = ''] = (await hub.repo(ada, { kind: 'robot' })).split('/')
  robot = { owner, repo }
})

const NUL = 'a\0b'
const HALF_PAIR = 'a\ud83d b'
const broken = [NUL, HALF_PAIR]

/** What cannot be at a place, with where in it: of a word, nothing that its enum does not say already. */
function valuesAt({ holds }: TextPlace): [value: unknown, at: (string | number)[]][] {
  if (holds !== 'json') return broken.map((text) => [text, []])
  return broken.flatMap((text): [unknown, (string | number)[]][] => [
    [{ a: ['x', text] }, ['a', 1]],
    [{ a: { [text]: 1 } }, ['a']],
    [['x', text], [1]],
  ])
}

/** Whether an entry names the place, or one around it that may not have such a value at all. */
const names = (items: Json[], loc: readonly (string | number)[], at: readonly (string | number)[]) => {
  const told = new Set(items.map((item) => JSON.stringify(item.loc)))
  return [...at, ''].some((_, end) => told.has(JSON.stringify([...loc, ...at.slice(0, end)])))
}

/** No response has such a text either. */
const isSound = (text: string) => freeFormFaults(JSON.parse(text)).length === 0

async function ask(who: Person | string, query: string, variables: Json, kind = 'query'): Promise<Json> {
  const isStream = kind === 'subscription'
  const accept = isStream ? 'text/event-stream' : 'application/json'
  const answer = await hub.send(who, 'POST', isStream ? '/graphql/stream' : '/graphql', {
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify({ query, variables }),
  })
  const text = isStream && !answer.json ? (/^data: (.*)$/m.exec(answer.text)?.[1] ?? 'null') : answer.text
  expect(isSound(text)).toBe(true)
  return JSON.parse(text)
}

/** One operation in so many; the torture run tries the others. */
const EVERY = 16

describe('in the graph', () => {
  /** A log takes any text, and what is checked is told in a report. */
  const takesAnything = [
    'reportRun input.logChunk',
    'reportRobotCheck input.logChunk',
    'validateRobotCard input.card',
    'validateRobotCard input.document',
  ]

  it.each(sampled(graphTextPlaces(), EVERY, 16).map((field) => [`${field.kind} ${field.name}`, field] as const))(
    '%s',
    async (_, field) => {
      for (const place of field.places) {
        const isTaken = takesAnything.some((name) => `${field.name} ${place.loc.join('.')}`.startsWith(name))
        for (const [value, at] of valuesAt(place)) {
          const about = `${place.loc.join('.')} with ${JSON.stringify(value)}`
          const answer = await ask(ada, field.document, place.with(value, robot), field.kind)
          expect([about, isTaken || told(answer, place, at)]).toEqual([about, true])
          expect([about, failed(answer)]).toEqual([about, false])
        }
      }
    },
  )

  itOnce.each(['Account', 'Repo'])('an argument of a field of %s', async (type) => {
    const parent = type === 'Account' ? 'account(handle: $owner)' : 'repo(owner: $owner, slug: $repo)'
    const fields = textFieldsOf(type)
    expect(fields.length).toBeGreaterThan(5)
    for (const { name, argument } of fields)
      for (const text of broken) {
        const query = `query($owner: String!, $repo: String!, $text: ${argument.type}) {
          ${parent} { ${name}(${[...argument.beside, `${argument.name}: $text`].join(', ')}) { __typename } } repo(owner: $owner, slug: $repo) { id } }`
        const answer = await ask(ada, query, { ...robot, text: argument.of(text) })
        const place = { loc: [argument.name], holds: 'text' as const, with: () => null }
        expect([name, argument.name, told(answer, place, argument.at)]).toEqual([name, argument.name, true])
      }
  })
})

/** A caller without the scope is told that first, whatever the text: a sample of the places. */
describe('in the graph, without the scope', () => {
  const places = graphTextPlaces().flatMap((field) =>
    field.places.map((place) => [`${field.kind} ${field.name} ${place.loc.join('.')}`, field, place] as const),
  )

  it.each(sampled(places, 12, 16))('%s', async (_, field, place) => {
    const failures: unknown[] = []
    for (const [value] of valuesAt(place)) {
      const answer = await ask(reader, field.document, place.with(value, robot), field.kind)
      if (failed(answer)) failures.push([value, answer.errors])
    }
    expect(failures).toEqual([])
  })
})

/** Whether an answer of the graph refuses what is at the place, and names it. */
function told({ errors = [] }: Json, place: TextPlace, at: readonly (string | number)[]): boolean {
  if (place.holds === 'word') return errors.length > 0
  const items = errors.flatMap(({ extensions }: Json) => extensions?.problem?.errors ?? [])
  return statusesIn(errors).includes(422) && names(items, place.loc, at)
}

const statusesIn = (errors: Json[]) => errors.map(({ extensions }) => extensions?.status)
const failed = ({ errors = [] }: Json) => statusesIn(errors).some((status) => status >= 500)

describe('in /v1', () => {
  const takesAnything = ['reportRun body.log_chunk', 'reportRobotCheck body.log_chunk', 'validateRobotCard body.card']
  const words: Readonly<Record<string, string>> = { path: 'x.txt', basehead: '1...2' }
  const pathOf = (path: string, bad?: string) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === bad ? 'a%00b' : (words[name] ?? named(name))))
  const named = (name: string) => (name === 'owner' ? robot.owner : name === 'repo' ? robot.repo : 'x')

  it.each(sampled(routeTextPlaces(), EVERY, 16).map((route) => [route.operation, route] as const))(
    '%s',
    async (operation, route) => {
      const { method, path, parameters, places } = route
      const headers = { 'content-type': 'application/json' }
      const refused: unknown[] = []
      const expected: unknown[] = []
      async function check(name: string, at: string, body: Json, isNamed: (items: Json[]) => boolean) {
        const answer = await hub.send(
          ada,
          method,
          at,
          body === undefined ? {} : { headers, body: JSON.stringify(body) },
        )
        expect([name, isSound(answer.text || 'null')]).toEqual([name, true])
        refused.push([name, answer.status, answer.status === 422 ? isNamed(answer.json.errors) : answer.json?.detail])
        expected.push([name, 422, true])
      }
      for (const { in: where, name } of parameters) {
        const at = where === 'path' ? pathOf(path, name) : `${pathOf(path)}?${name}=a%00b`
        const needsBody = places.length > 0 && method !== 'GET' && method !== 'DELETE'
        await check(`${where} ${name}`, at, needsBody ? {} : undefined, (items) => names(items, [where, name], [0]))
      }
      for (const place of places) {
        if (takesAnything.some((taken) => `${operation} ${place.loc.join('.')}`.startsWith(taken))) continue
        for (const [value, at] of valuesAt(place)) {
          const name = `${place.loc.join('.')} with ${JSON.stringify(value)}`
          await check(name, pathOf(path), place.with(value), (items) => names(items, place.loc, at))
        }
      }
      expect(refused).toEqual(expected)
    },
  )
})

describeOnce('elsewhere', () => {
  const form = (body: string) => ({ headers: { 'content-type': 'application/x-www-form-urlencoded' }, body })
  const json = (body: unknown) => ({ headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const bytes = Buffer.from([
    ...Buffer.from('{"query":"{ viewer { kind } }","operationName":"'),
    0xed,
    0xa0,
    0xbd,
    0x22,
    0x7d,
  ])

  it.each([
    ['GET', '/auth/login?return_to=%00', {}],
    ['GET', '/auth/callback?code=%00&state=%00', {}],
    ['POST', '/auth/session', form('session=a%00b')],
    ['GET', '/auth/device?user_code=%00', {}],
    ['POST', '/auth/device', form('user_code=%00&decision=approve')],
    [
      'GET',
      `/graphql?query=${encodeURIComponent('query($id: ID!) { run(id: $id) { id } }')}&variables={"id":"%5Cud83d"}`,
      {},
    ],
    ['POST', '/graphql', json({ query: '{ viewer { kind } }', operationName: HALF_PAIR })],
    ['POST', '/graphql', json({ query: `{ viewer { kind } } # ${HALF_PAIR}` })],
    [
      'POST',
      '/graphql',
      json({ query: `query($s: String!) { repo(owner: $s, slug: "a\\u0000") { id } }`, variables: { s: 'x' } }),
    ],
    ['POST', '/graphql', json({ documentId: HALF_PAIR })],
    [
      'POST',
      '/graphql',
      json({ query: '{ viewer { kind } }', variables: { [HALF_PAIR]: 1 }, extensions: { [NUL]: NUL } }),
    ],
    ['POST', '/graphql', { headers: { 'content-type': 'application/json' }, body: bytes }],
    ['GET', '/problems/%00', {}],
    ['GET', '/requests/%00', {}],
    ['GET', '/%00', {}],
    ['GET', '/v1/%00', {}],
    ['GET', '/objects/%00?x=%00', {}],
    ['GET', '/healthz?%00', {}],
  ] as [string, string, RequestInit][])('%s %s is not a failure of the hub', async (method, path, init) => {
    for (const who of [ada, null]) expect((await hub.send(who, method, path, init)).status).not.toBe(500)
  })
})
