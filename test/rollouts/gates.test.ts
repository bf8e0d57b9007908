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
  expect(said).toContain(`swing-up on ${on.repo} needs a result of these files with 40 seeds or more`)
  expect(said).toContain('begins at 90 % or higher, and the best begins at 87.12 %')
  expect(said).toContain(
    `hub rollout ${from.repo} --robot ${on.repo} -n 40 --publish, with the task and the disturbance of its board`,
  )
  await publish(ada, from, on, { outcomes: outcomes(40, [], 100) })
  await endpoints.queued(ada, from.repo)
  // Fewer seeds than the gate asks for say nothing.
  await put({ seeds: 41 })
  expect(await refusal(ada, from.repo)).toContain('and there is none')
  expect((await put({ least: null })).json).toEqual({ gates: [] })
  await endpoints.queued(ada, from.repo)
})

it('a result is of its files: others beside the same ONNX file have none, nor other conditions', async () => {
  const { on, from, put } = await gated(0.8, 40)
  await endpoints.queued(ada, from.repo)
  await hub.upload(ada, from.repo, { 'contract.json': '{"params": 5}' })
  expect(await refusal(ada, from.repo)).toContain('and there is none')
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
