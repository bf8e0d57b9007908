/** Gates: a model is served once the rollouts of exactly its files have met each of them. */
import { beforeAll, expect, it } from 'vitest'
import { contractHub, type Person, types, type Who } from '../support/hub.ts'
import { endpointsOf } from '../support/hub-endpoints.ts'
import { disturbance, outcomes, rolloutsOf } from './support.ts'

const hub = contractHub()
const { robot, publish, versionOf } = rolloutsOf(hub)
const endpoints = endpointsOf(hub)
let ada: Person
let bob: Person

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
})

/** A model with one failing seed of forty, and a gate on its robot. */
async function gated(least: number, seeds: number, visibility = 'public') {
  const on = await robot(ada, { visibility })
  const repo = await endpoints.model(ada, { 'policy.onnx': 'weights' }, { visibility: 'public' })
  const from = { repo, version: await versionOf(ada, repo) }
  const { json } = await publish(ada, from, on, { outcomes: outcomes(40, [3]) })
  const gate = { robot: on.repo, fingerprint: json.fingerprint, least, seeds }
  const put = (change: object = {}, who: Who = ada) =>
    hub.call(who, 'PUT', `/v1/repos/${repo}/rollout-gates`, { ...gate, ...change })
  return { on, from, put, made: await put() }
}

const refusal = async (who: Person, repo: string) => {
  const both = [await endpoints.estimate(who, repo), await endpoints.create(who, repo)]
  for (const one of both) expect([one.status, types(one)]).toEqual([409, ['conflict.gate_failed']])
  expect(both[0]?.json.detail).toBe(both[1]?.json.detail)
  return both[0]?.json.detail as string
}

it('a gate that is not met keeps a model from being served, and says what would meet it', async () => {
  const { on, from, put, made } = await gated(0.9, 40)
  expect([made.status, made.json.gates]).toMatchObject([200, [{ robot: on.repo, least: 0.9, seeds: 40 }]])
  expect((await hub.call(bob, 'GET', `/v1/repos/${from.repo}/rollout-gates`)).json).toEqual(made.json)
  const said = await refusal(ada, from.repo)
  expect(said).toContain(`swing-up on ${on.repo} needs results of these files with 40 seeds or more`)
  expect(said).toContain('begins at 90 % or higher, and with 39 of 40 it begins at 87.12 %')
  expect(said).toContain(
    `hub rollout ${from.repo} --robot ${on.repo} -n 40 --publish, with the task and the disturbance of its board`,
  )
  expect(said).not.toContain('Chromium')
  await publish(ada, from, on, { outcomes: outcomes(40, [], 100) })
  await endpoints.queued(ada, from.repo)
  // Fewer seeds than the gate asks for say nothing.
  await put({ seeds: 81 })
  expect(await refusal(ada, from.repo)).toContain('and only 80 were tried.')
  expect((await put({ least: null })).json).toEqual({ gates: [] })
  await endpoints.queued(ada, from.repo)
})

it('a result is of its files: others beside the same ONNX file have none, nor other conditions', async () => {
  const { on, from, put } = await gated(0.8, 40)
  await endpoints.queued(ada, from.repo)
  await hub.upload(ada, from.repo, { 'contract.json': '{"params": 5}' })
  const none = await refusal(ada, from.repo)
  expect(none).toContain('and there are none that count')
  expect(none).toContain('If the policy sees pictures, they need a Chromium there (apt install chromium')
  const version = await versionOf(ada, from.repo)
  const harder = { disturbance: { ...disturbance, pushN: 9 }, outcomes: outcomes(40) }
  await publish(ada, { ...from, version }, on, harder)
  await refusal(ada, from.repo)
  await publish(ada, { ...from, version }, on, { outcomes: outcomes(40, [3]) })
  await endpoints.queued(ada, from.repo)
  expect((await put({ fingerprint: 'f'.repeat(64) })).json.errors).toMatchObject([{ loc: ['body', 'fingerprint'] }])
})

it('is changed by people who write the model, and names no robot that the caller does not see', async () => {
  const { on, from, put } = await gated(0.99, 40, 'private')
  const agent = await hub.key(ada, { agent: true })
  for (const who of [bob, agent]) expect((await put({ least: 0.1 }, who)).status).toBe(403)
  expect((await hub.call(bob, 'GET', `/v1/repos/${from.repo}/rollout-gates`)).json).toEqual({ gates: [] })
  const said = await refusal(bob, from.repo)
  expect(said).toContain('a robot that you do not see')
  for (const hidden of [on.repo, 'swing-up', '99 %']) expect(said).not.toContain(hidden)
})

it('every seed that was tried counts, once, on the newest version of the robot that was driven', async () => {
  const { on, from, put } = await gated(0.8, 40)
  await endpoints.queued(ada, from.repo)
  const half = Array.from({ length: 20 }, (_, at) => 101 + at)
  await publish(ada, from, on, { outcomes: outcomes(40, half, 100) })
  // Another try that goes well, of which one seed failed before, does not replace those that did not.
  await publish(ada, from, on, { outcomes: outcomes(40, [], 120) })
  expect(await refusal(ada, from.repo)).toContain('and with 79 of 100 it begins at')
  await hub.upload(ada, on.repo, { 'arm.xml': '<mujoco model="mended"/>' })
  await publish(ada, from, { ...on, version: await versionOf(ada, on.repo) }, { outcomes: outcomes(40, []) })
  await endpoints.queued(ada, from.repo)
  // An older version of the robot says nothing more, and another map of joints is another question.
  await publish(ada, from, on, { outcomes: outcomes(40, half, 101) })
  await endpoints.queued(ada, from.repo)
  const mapped = { map_fingerprint: 'e'.repeat(64), outcomes: outcomes(40, [1, 2, 3, 4, 5, 6, 7, 8]) }
  await publish(ada, from, { ...on, version: await versionOf(ada, on.repo) }, mapped)
  expect(await refusal(ada, from.repo)).toContain('and with 32 of 40 it begins at')
  // And so are other cameras, whatever the order of their names.
  const newest = { ...on, version: await versionOf(ada, on.repo) }
  const cameras = { front: 'overhead', wrist: 'hand' }
  await publish(ada, from, newest, { cameras, outcomes: outcomes(20, [1, 2, 3, 4, 5]) })
  const { wrist, front } = cameras
  await publish(ada, from, newest, { cameras: { wrist, front }, outcomes: outcomes(20, [21, 22, 23, 24], 21) })
  expect(await refusal(ada, from.repo)).toContain('and with 31 of 40 it begins at')
  await put({ least: null })
})

it('what agents publish does not count until a person sends it too', async () => {
  const { on, from } = await gated(0.9, 40)
  const agent = await hub.key(ada, { agent: true })
  const sent = { outcomes: outcomes(100, [], 100) }
  const first = await publish(agent, from, on, sent)
  expect([first.status, first.json.is_by_agent]).toEqual([200, true])
  expect(await refusal(ada, from.repo)).toContain('and with 39 of 40 it begins at 87.12 %')
  const again = await publish(ada, from, on, sent)
  expect(again.json).toEqual({ ...first.json, is_by_agent: false })
  expect((await publish(agent, from, on, sent)).json).toEqual(again.json)
  await endpoints.queued(ada, from.repo)
})

it('other numbers than those of an agent take their place, and an agent replaces none', async () => {
  const { on, from } = await gated(0.5, 40)
  const agent = await hub.key(ada, { agent: true })
  const invented = await publish(agent, from, on, { outcomes: outcomes(100, [], 200) })
  const own = await publish(ada, from, on, { outcomes: outcomes(100, [203], 200) })
  expect([own.status, own.json.is_by_agent, own.json.successes]).toEqual([200, false, 99])
  expect(own.json.id).not.toBe(invented.json.id)
  const again = await publish(agent, from, on, { outcomes: outcomes(100, [], 200) })
  expect([again.status, again.json.errors[0].type]).toEqual([409, 'conflict.rollout_differs'])
})

it('a gate outlives its robot: nothing meets it, and its model can let it go or set it again', async () => {
  const { on, from, put } = await gated(0.5, 40)
  await endpoints.queued(ada, from.repo)
  expect((await hub.call(ada, 'DELETE', `/v1/repos/${on.repo}`)).status).toBe(204)
  expect(await refusal(ada, from.repo)).toContain('That robot is deleted, or hidden from you: remove the gate')
  expect(await refusal(bob, from.repo)).toContain('a robot that you do not see')
  const gates = async (who: Who) => (await hub.call(who, 'GET', `/v1/repos/${from.repo}/rollout-gates`)).json.gates
  expect(await gates(ada)).toMatchObject([{ robot: on.repo, is_robot_visible: false, least: 0.5 }])
  expect(await gates(bob)).toEqual([])
  expect((await put()).status).toBe(404)
  // Another robot under that name is another one: its gate takes the place of the other.
  const [, slug] = on.repo.split('/')
  const next = await robot(ada, { slug })
  expect(next.repo).toBe(on.repo)
  await refusal(ada, from.repo)
  await publish(ada, from, next, { outcomes: outcomes(40, [3]) })
  expect((await put()).json.gates).toMatchObject([{ robot: on.repo, is_robot_visible: true }])
  await endpoints.queued(ada, from.repo)
  await hub.call(ada, 'DELETE', `/v1/repos/${on.repo}`)
  for (const _ of ['removed', 'and again']) expect((await put({ least: null })).json).toEqual({ gates: [] })
  await endpoints.queued(ada, from.repo)
})

it('who writes the model removes a gate whose robot they do not see', async () => {
  const org = await hub.org([ada, bob].map(({ handle }) => ({ user: handle, role: 'member' })))
  const on = await robot(ada, { visibility: 'private' })
  const repo = await endpoints.model(ada, { 'policy.onnx': 'weights' }, { owner: org, visibility: 'public' })
  const { json } = await publish(ada, { repo, version: await versionOf(ada, repo) }, on, { outcomes: outcomes(40) })
  const gate = { robot: on.repo, fingerprint: json.fingerprint, least: 0.99, seeds: 40 }
  const put = (who: Who, change: object = {}) =>
    hub.call(who, 'PUT', `/v1/repos/${repo}/rollout-gates`, { ...gate, ...change })
  expect((await put(ada)).json.gates).toMatchObject([{ robot: on.repo, is_robot_visible: true }])
  expect((await put(bob, { least: 0.1 })).status).toBe(404)
  const seen = await hub.call(bob, 'GET', `/v1/repos/${repo}/rollout-gates`)
  expect(seen.json.gates).toMatchObject([{ robot: on.repo, is_robot_visible: false }])
  expect((await put(bob, { least: null })).json).toEqual({ gates: [] })
  expect((await hub.call(ada, 'GET', `/v1/repos/${repo}/rollout-gates`)).json).toEqual({ gates: [] })
})
