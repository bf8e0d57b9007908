/** Spec, "POST /v1/endpoints/estimate": what it answers, and what of its body is refused. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Person, places } from '../support/hub.ts'
import { endpointsOf, manifest, onnxBytes, onnxSha256 } from '../support/hub-endpoints.ts'

const hub = contractHub()
const endpoints = endpointsOf(hub)
let ada: Person
let plain: string

beforeAll(async () => {
  ada = await hub.person()
  plain = await endpoints.model(ada)
})

describe('estimateEndpoint', () => {
  it('of a worker costs nothing; notes say what the memory of a checkpoint leaves out', async () => {
    const { json, status } = await endpoints.estimate(ada, plain, { hours: 3, budget_usd: 5 })
    expect([status, json]).toEqual([
      200,
      {
        executor: 'worker',
        tier: 'l4',
        params: 1_000_000,
        vram_bytes: 2_400_000,
        rate_usd_per_hour: 0,
        hours: 3,
        cost_usd_max: 0,
        budget_usd: 5,
        capped_by_budget: false,
        priced: false,
        artifact: {
          kind: 'onnx',
          path: 'policy.onnx',
          sha256: onnxSha256,
          policy_format: null,
          files: 1,
          bytes: onnxBytes.length,
        },
        notes: [],
      },
    ])
    const peft = await endpoints.model(ada, {
      'manifest.json': manifest({ policy_format: 'vla-lib-peft' }),
      'policy/weights.bin': 'w',
    })
    expect((await endpoints.estimate(ada, peft)).json).toMatchObject({
      hours: 1,
      notes: [expect.any(String), expect.any(String)],
    })
  })

  it.each([
    ['hours', 0],
    ['hours', 721],
    ['budget_usd', 0.00004],
    ['name', 'x'],
    ['max_hours', 1],
  ])('is 422 at %s: %j', async (member, given) => {
    const answer = await endpoints.estimate(ada, plain, { [member]: given })
    expect([answer.status, places(answer)]).toEqual([422, [['body', member]]])
  })
})
