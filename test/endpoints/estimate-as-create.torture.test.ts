/** An estimate refuses what create refuses: every combination of who asks, for whom, for what, how it is hosted and when it ends, sent to both. */
import pMap from 'p-map'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, contractHub, type Json, type Person, places, types } from '../support/hub.ts'
import { endpointsOf, onnxBytes } from '../support/hub-endpoints.ts'

const listed = 'listed-owner'
const hub = contractHub({ HOSTED_APP_NAME: 'coach', HOSTED_OWNERS: listed })
/** Without a hosted app: an estimate is priced all the same. */
const bare = contractHub({ HOSTED_OWNERS: listed })
const endpoints = endpointsOf(hub)
let rosa: Person
let lab: string
let asking: Readonly<Record<string, Person | string | null>>
let models: Readonly<Record<string, string>>

beforeAll(async () => {
  rosa = await hub.person(listed)
  const stranger = await hub.person()
  lab = await hub.org([{ user: rosa.handle, role: 'owner' }])
  models = {
    good: await endpoints.model(rosa, undefined, { visibility: 'public' }),
    hidden: await endpoints.model(await hub.person()),
    reflex: await endpoints.model(rosa, undefined, { meta: { control_class: 'reflex' } }),
    two: await endpoints.model(rosa, { 'a.onnx': onnxBytes, 'b.onnx': onnxBytes }),
    robot: await hub.repo(rosa, { kind: 'robot' }),
    gone: `${listed}/gone`,
  }
  asking = {
    owner: rosa,
    agent: await hub.key(rosa, { agent: true, scope: 'train' }),
    'limited agent': await hub.key(rosa, { agent: true, scope: 'train', repos: [await hub.repo(rosa)] }),
    reader: await hub.key(rosa, { scope: 'read' }),
    stranger,
    nobody: null,
  }
})

const executors = [null, 'worker', 'hosted']
const ends: Json[] = [{}, { hours: 2 }, { budget_usd: 3 }, { hours: 721 }, { budget_usd: 0 }]
const sizes: Json[] = [{}, { params: 33_333_333_334 }]

/** What both say; the hours that end an endpoint are `max_hours` of create. */
const verdict = (answer: Answer) =>
  answer.status < 300
    ? 'allowed'
    : [
        answer.status,
        types(answer),
        places(answer).map((place: Json) => place?.map((name: Json) => (name === 'max_hours' ? 'hours' : name))),
        answer.json.detail.replaceAll('max_hours', 'hours'),
      ]

async function both(who: Person | string | null, name: string, { hours, ...change }: Json): Promise<[Json, Json]> {
  const created = await endpoints.create(who, name, { ...change, ...(hours !== undefined && { max_hours: hours }) })
  const estimated = await endpoints.estimate(who, name, { ...change, ...(hours !== undefined && { hours }) })
  return [verdict(created), verdict(estimated)]
}

describe('create and estimate say the same', () => {
  it.each(['good', 'hidden', 'reflex', 'two', 'robot', 'gone'])(
    'of a model repo that is %s',
    async (kind) => {
      const name = models[kind] ?? ''
      const isGood = kind === 'good'
      const requests = Object.entries(asking).flatMap(([who, credential]) =>
        executors.flatMap((executor) =>
          (isGood ? ends : ends.slice(0, 2)).flatMap((end) =>
            (isGood ? sizes : sizes.slice(0, 1)).flatMap((size) =>
              [{}, { owner: lab }].map((owner) => ({
                who,
                credential,
                asked: { executor, ...end, ...size, ...owner },
              })),
            ),
          ),
        ),
      )
      const verdicts = await pMap(
        requests,
        async ({ who, credential, asked }) => ({ who, asked, said: await both(credential, name, asked) }),
        { concurrency: 6 },
      )
      expect(verdicts.map(({ who, asked, said }) => [who, asked, said[1]])).toEqual(
        verdicts.map(({ who, asked, said }) => [who, asked, said[0]]),
      )
      expect(verdicts.some(({ said }) => said[0] === 'allowed')).toBe(isGood)
    },
    120_000,
  )

  it('of an agent without an end: 422, which is allowed to a person', async () => {
    const asked = { executor: 'hosted' }
    const name = models.good ?? ''
    const [created, estimated] = await both(asking.agent ?? null, name, asked)
    expect(created.slice(0, 3)).toEqual([422, ['validation.required'], [['body', 'hours']]])
    expect(estimated).toEqual(created)
    expect(await both(rosa, name, asked)).toEqual(['allowed', 'allowed'])
  })

  it('of a deployment without a hosted app, save that an estimate is priced', async () => {
    const served = endpointsOf(bare)
    const owner = await bare.person(listed)
    const agent = await bare.key(owner, { agent: true, scope: 'train' })
    const name = await served.model(owner)
    expect(types(await served.create(owner, name, { executor: 'hosted' }))).toEqual(['not_configured.hosted_app'])
    expect((await served.estimate(owner, name, { executor: 'hosted' })).json.priced).toBe(true)
    expect(places(await served.estimate(agent, name, { executor: 'hosted' }))).toEqual([['body', 'hours']])
  })
})
