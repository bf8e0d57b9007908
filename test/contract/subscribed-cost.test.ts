/** What one change costs the hub through the subscriptions of others: each event within its limits, and charged to who subscribed. */
import { beforeAll, expect, it } from 'vitest'
import { contractHub, type Json, type Person } from '../support/hub.ts'

const hub = contractHub()
const STREAMS = 20
let ada: Person
let repo: string
let repoId: string
beforeAll(async () => {
  ada = await hub.person()
  repo = await hub.repo(ada, { visibility: 'public' })
  repoId = (await hub.call(ada, 'GET', `/v1/repos/${repo}`)).json.id
  for (let at = 0; at < 8; at += 1) await hub.repo(ada, { visibility: 'public' })
})

const body = (selection: string) => {
  const query = `subscription { repoUpdated(repoId: "${repoId}") { ${selection} } }`
  return JSON.stringify({ query, extensions: { cost: true } })
}
const subscribe = (selection: string, signal: AbortSignal) =>
  fetch(new URL('/graphql/stream', hub.running.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: body(selection),
    signal,
  })

it('a selection of many pages, as it was once accepted from anyone, is refused before its first event', async () => {
  const answer = await subscribe(
    'owner { repos(first: 100) { nodes { files(first: 100) { nodes { path } } } } }',
    AbortSignal.timeout(120_000),
  )
  const [error] = JSON.parse(/^data: (.*)$/m.exec(await answer.text())?.[1] ?? '{}').errors
  expect(error.extensions.problem).toMatchObject({ type: '/problems/limit.cost', limit: 1000, used: 10_102 })
})

it('twenty anonymous streams of the largest selection each use what an event may, for one PATCH', async () => {
  const ending = new AbortController()
  const largest = 'owner { repos(first: 9) { nodes { id fullName files(first: 100) { nodes { path size } } } } }'
  const events: Json[] = []
  let begun = 0
  const reading = Array.from({ length: STREAMS }, async () => {
    const response = await subscribe(largest, ending.signal)
    let text = ''
    for await (const piece of response.body ?? []) {
      text += Buffer.from(piece).toString()
      const found = [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json = '']) => JSON.parse(json))
      if (found.length === 1 && text.endsWith('\n\n')) begun += 1
      if (found.length >= 2) return void events.push(...found.slice(0, 2))
    }
  })
  // The first event is the repo as it is.
  await expect.poll(() => begun).toBe(STREAMS)
  await hub.call(ada, 'PATCH', `/v1/repos/${repo}`, { description: 'changed' })
  await Promise.all(reading)
  ending.abort()
  expect(events).toHaveLength(2 * STREAMS)
  for (const { errors, extensions } of events) {
    expect(errors).toBeUndefined()
    expect(extensions.cost.objects).toEqual({ requested: expect.any(Number), used: expect.any(Number), maximum: 1000 })
    expect(extensions.cost.objects.used).toBeGreaterThan(900)
    expect(extensions.cost.objects.used).toBeLessThanOrEqual(1000)
    expect(extensions.cost.values.used).toBeLessThanOrEqual(20_000)
  }
})
