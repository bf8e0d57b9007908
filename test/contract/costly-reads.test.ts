// @module-tag sampled
/** Content stored by another user that is expensive to read, on a running hub: no other request waits for it. */

import { cpuStopwatch } from '@hub/testing/cpu'
import { describeOnce, itInTorture, itOnce } from '@hub/testing/torture'
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person } from '../support/hub.ts'

const hub = contractHub()
let eve: Person

beforeAll(async () => {
  eve = await hub.person()
})

async function imported(config_yaml: string, more: Record<string, Json> = {}): Promise<string> {
  const artifacts = { config_yaml, metrics_summary: 'none' }
  const answer = await hub.call(eve, 'POST', '/v1/runs/import', { artifacts, ...more })
  expect(answer.status).toBe(201)
  return answer.json.id
}

/** CPU time of the request, this thread being the hub and its caller. */
async function costOf(run: string): Promise<{ readonly cpuMs: number; readonly config: Json }> {
  const spentMs = cpuStopwatch()
  const answer = await hub.call(eve, 'GET', `/v1/runs/${run}/config`)
  expect(answer.status).toBe(200)
  return { cpuMs: spentMs(), config: answer.json }
}

const TRIES = 5

/**
 * How many times as much the least of the hostile requests costs as the least of the plain ones, and their answers. By
 * turns: what else the process does makes some of them longer, and none shorter.
 */
async function timesAsMuch(plain: string, hostile: string, most: number) {
  let times = Number.POSITIVE_INFINITY
  const least = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  const configs: Json[] = []
  for (let tried = 0; tried < TRIES && times >= most; tried += 1) {
    for (const [at, run] of [plain, hostile].entries()) {
      const { cpuMs, config } = await costOf(run)
      least[at] = Math.min(least[at] ?? 0, cpuMs)
      configs[at] = config
    }
    times = (least[1] ?? 0) / (least[0] ?? 0)
  }
  return { times, configs }
}

/** As large as the limits let through: 4,000 keys, behind a name of so many characters. */
const KEYS = 4000
const keysBehind = (name: string, value: number) =>
  `? "${name}"\n:\n${Array.from({ length: KEYS }, (_, at) => `  k${at}: ${value}\n`).join('')}`
const names = (count: number) => 'a.'.repeat(count)
const declared = (key: (at: number) => string) => Array.from({ length: 100 }, (_, at) => key(at))

/** Two runs of one config, the second the child of the first, and what it declares. */
async function pair(name: string, declared_change: readonly string[]): Promise<string> {
  const parent_run_id = await imported(keysBehind(name, 1))
  return imported(keysBehind(name, 2), { parent_run_id, hyperparams: { declared_change } })
}

describe('one GET of a config', () => {
  itOnce(
    'costs the same with a hundred declared keys that match all over its paths as with keys that match nowhere',
    async () => {
      const name = 'a'.repeat(250)
      const plain = await pair(
        name,
        declared((at) => `other.${at}`),
      )
      const hostile = await pair(
        name,
        declared((at) => 'a'.repeat(50 + at)),
      )
      const { times, configs } = await timesAsMuch(plain, hostile, 10)
      for (const config of configs) {
        expect([config.total, config.diff.changed_keys, config.declared.length]).toEqual([KEYS, KEYS, 100])
        expect(new Set(config.declared.map((each: Json) => each.status))).toEqual(new Set(['cannot_compare']))
      }
      // It was some hundred times as much.
      expect(times).toBeLessThan(10)
    },
  )

  itInTorture('with paths over the limit, or a list that contains itself, fails fast with a reason', async () => {
    const plain = await pair('x'.repeat(200), [])
    const long = await pair(
      names(500),
      declared((at) => `${names(450)}b${at}`),
    )
    const circle = await imported(`&a [*a${',1'.repeat(90_000)}]`)
    const unfinished = await imported(`a: ${'\u0024{'.repeat(90_000)}`)
    const read: Json[] = []
    for (const hostile of [long, circle, unfinished]) {
      const { times, configs } = await timesAsMuch(plain, hostile, 20)
      expect(times).toBeLessThan(20)
      read.push(configs[1])
    }
    expect(read[0].reason).toBe('The keys of the config are too long.')
    expect(read[1].reason).toMatch(/100 levels, or contains itself/)
    expect([read[2].total, read[2].reason]).toEqual([1, 'The run has no parent to compare with.'])
  })
})

describeOnce('a body with thousands of faults', () => {
  it('returns the first fifty, in both dialects', async () => {
    const name = await hub.repo(eve)
    const many = (count: number) => Array.from({ length: count }, () => ({ path: '..', size: 1, sha256: '!' }))
    const answer = await hub.call(eve, 'POST', `/v1/repos/${name}/files/presign-upload`, { files: many(40_000) })
    expect([answer.status, answer.json.errors.length]).toEqual([422, 50])
    const [owner, repo] = name.split('/')
    const text = 'mutation ($input: PresignUploadInput!) { presignUpload(input: $input) { uploads { path } } }'
    const { errors } = await hub.graphql(eve, text, { input: { owner, repo, files: many(5_000) } })
    expect(errors[0].extensions.problem.errors.length).toBe(50)
  })
})
