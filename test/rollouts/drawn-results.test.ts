/** Results of policies that see pictures: they name what drew them, and are compared by their rates. */
import { beforeAll, expect, it } from 'vitest'
import { contractHub, type Json, type Person, places, sha256Of } from '../support/hub.ts'
import { endpointsOf } from '../support/hub-endpoints.ts'
import { outcomes, rolloutsOf } from './support.ts'

const hub = contractHub()
const { model, robot, publish, versionOf } = rolloutsOf(hub)
const endpoints = endpointsOf(hub)
let ada: Person

beforeAll(async () => {
  ada = await hub.person()
})

const drawn_by = 'Chromium 150.0.1, three.js r187, SwiftShader'
const other_drawer = 'Chromium 151.0.2, three.js r187, SwiftShader'
/** Each with another motion. */
const moved = (all: ReturnType<typeof outcomes>) =>
  all.map((one) => ({ ...one, fingerprint: 'f'.repeat(16), steps: 9 }))
const ofRepo = async (repo: string) => (await hub.call(ada, 'GET', `/v1/repos/${repo}/rollouts`)).json.items as Json[]
const successesOf = async (repo: string, id: string) =>
  ((await hub.call(ada, 'GET', `/v1/repos/${repo}/rollouts/${id}/outcomes`)).json.items as Json[]).map(
    ({ success }) => success,
  )

it('name what drew them, which is a part of the question', async () => {
  const [from, on] = [await model(ada), await robot(ada)]
  const plain = await publish(ada, from, on)
  const drawn = await publish(ada, from, on, { drawn_by, outcomes: outcomes(4, [1, 2]) })
  const elsewhere = await publish(ada, from, on, { drawn_by: other_drawer, outcomes: outcomes(4, [4]) })
  expect([plain, drawn, elsewhere].map(({ status, json }) => [status, json.drawn_by])).toEqual([
    [200, null],
    [200, drawn_by],
    [200, other_drawer],
  ])
  expect(new Set([plain, drawn, elsewhere].map(({ json }) => json.id)).size).toBe(3)
  expect(new Set([plain, drawn, elsewhere].map(({ json }) => json.fingerprint)).size).toBe(1)
  expect((await ofRepo(from.repo)).map((one) => one.drawn_by)).toEqual([other_drawer, drawn_by, null])
  // Of one board, which has a policy once: by its oldest result of as many seeds.
  const { json } = await hub.call(ada, 'GET', `/v1/repos/${on.repo}/rollout-boards/${plain.json.fingerprint}`)
  expect(json.items.map((one: Json) => one.id)).toEqual([plain.json.id])
  for (const wrong of ['', 'x'.repeat(201)])
    expect(places(await publish(ada, from, on, { drawn_by: wrong }))).toEqual([['body', 'drawn_by']])
})

it('name the cameras that were chosen, which are a part of the question, and none is as before', async () => {
  const [from, on] = [await model(ada), await robot(ada)]
  const cameras = { front: 'overhead', wrist: 'hand' }
  const byName = await publish(ada, from, on, { drawn_by })
  const chosen = await publish(ada, from, on, { drawn_by, cameras, outcomes: outcomes(4, [1, 2]) })
  expect([byName, chosen].map(({ status, json }) => [status, json.cameras])).toEqual([
    [200, null],
    [200, cameras],
  ])
  expect(chosen.json.id).not.toBe(byName.json.id)
  expect(chosen.json.fingerprint).toBe(byName.json.fingerprint)
  const again = await publish(ada, from, on, { drawn_by, cameras, outcomes: outcomes(4, [1, 2]) })
  expect(again.json).toEqual(chosen.json)
  expect((await publish(ada, from, on, { drawn_by, cameras: { front: 'overhead' } })).json.id).not.toBe(chosen.json.id)
  expect((await publish(ada, from, on, { drawn_by, cameras: {} })).json).toEqual(byName.json)
  expect(await ofRepo(from.repo)).toHaveLength(3)
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`c${at}`, 'eye']))
  const long = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`c${at}`, 'é'.repeat(150)]))
  for (const wrong of [{ front: 1 }, { front: '' }, { front: 'x'.repeat(201) }, many, long])
    expect(places(await publish(ada, from, on, { drawn_by, cameras: wrong }))[0]?.slice(0, 2)).toEqual([
      'body',
      'cameras',
    ])
})

it('are the same result where as many seeds succeed, and another one where they do not', async () => {
  const [from, on] = [await model(ada), await robot(ada)]
  const first = await publish(ada, from, on, { drawn_by, outcomes: outcomes(4, [3]) })
  // To the bit; of other motions; of another seed that fails.
  for (const sent of [outcomes(4, [3]), moved(outcomes(4, [3])), outcomes(4, [2])]) {
    const again = await publish(ada, from, on, { drawn_by, outcomes: sent })
    expect([again.status, again.json]).toEqual([200, first.json])
  }
  expect(await successesOf(from.repo, first.json.id)).toEqual([true, true, false, true])
  const refused = await publish(ada, from, on, { drawn_by, outcomes: outcomes(4, [2, 3]) })
  expect([refused.status, refused.json.errors]).toMatchObject([
    409,
    [{ type: 'conflict.rollout_differs', rollout_id: first.json.id, seed: 2 }],
  ])
  expect(refused.json.detail).toContain(
    '3 of 4 succeeded with mujoco 3.14.0, and 2 do with mujoco 3.14.0; the first seed that ends otherwise is 2.',
  )
  // Without pictures every bit counts, as before.
  await publish(ada, from, on, { outcomes: outcomes(4, [3]) })
  expect((await publish(ada, from, on, { outcomes: moved(outcomes(4, [3])) })).status).toBe(409)
})

it('keep a motion of a seed whose outcome is theirs alone', async () => {
  const [from, on] = [await model(ada), await robot(ada)]
  const motions = ['one', 'two'].map((text) => Buffer.from(text))
  const contents = motions.map((motion) => motion.toString('base64'))
  expect((await hub.call(ada, 'POST', `/v1/repos/${from.repo}/blobs`, { contents })).status).toBe(200)
  const { json } = await publish(ada, from, on, { drawn_by, outcomes: outcomes(3) })
  const [same, , , ...none] = outcomes(3)
  expect(none).toEqual([])
  const episodes = motions.map((motion, at) => ({ seed: at + 1, sha256: sha256Of(motion), size: motion.length }))
  const again = await publish(ada, from, on, { drawn_by, outcomes: [same, ...moved(outcomes(2, [], 2))], episodes })
  expect([again.status, again.json.id]).toEqual([200, json.id])
  const kept = await hub.call(ada, 'GET', `/v1/repos/${from.repo}/rollouts/${json.id}/episodes`)
  expect(kept.json.episodes.map((one: Json) => [one.outcome.seed, one.sha256])).toEqual([[1, episodes[0]?.sha256]])
})

it('of an agent give way to those of a person, also with the same rate', async () => {
  const [from, on] = [await model(ada), await robot(ada)]
  const agent = await hub.key(ada, { agent: true, scope: 'write' })
  const made = await publish(agent, from, on, { drawn_by, outcomes: outcomes(4, [1]) })
  expect([made.status, made.json.is_by_agent]).toEqual([200, true])
  const taken = await publish(ada, from, on, { drawn_by, outcomes: outcomes(4, [4]) })
  expect([taken.status, taken.json.is_by_agent]).toEqual([200, false])
  expect((await ofRepo(from.repo)).map(({ id }) => id)).toEqual([taken.json.id])
  expect(await successesOf(from.repo, taken.json.id)).toEqual([true, true, true, false])
})

it('count for a gate, each seed once whatever drew it, and the gate says that pictures were drawn', async () => {
  const on = await robot(ada)
  const repo = await endpoints.model(ada, { 'policy.onnx': 'weights' }, { visibility: 'public' })
  const from = { repo, version: await versionOf(ada, repo) }
  const { json } = await publish(ada, from, on, { drawn_by, outcomes: outcomes(40) })
  const gate = { robot: on.repo, fingerprint: json.fingerprint, least: 0.9, seeds: 40 }
  expect((await hub.call(ada, 'PUT', `/v1/repos/${repo}/rollout-gates`, gate)).status).toBe(200)
  await endpoints.queued(ada, repo)
  // Another drawer is no second try: the seed has failed once.
  await publish(ada, from, on, { drawn_by: other_drawer, outcomes: outcomes(40, [3]) })
  const refused = await endpoints.create(ada, repo)
  expect(refused.status).toBe(409)
  expect(refused.json.detail).toContain(
    `with 39 of 40 it begins at 87.12 % (pictures drawn by ${other_drawer}: not reproducible to the bit).`,
  )
  expect(refused.json.detail).toContain('Its pictures need a Chromium there (apt install chromium, or HUB_CHROMIUM).')
})
