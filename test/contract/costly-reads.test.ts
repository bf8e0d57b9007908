// @module-tag sampled
/** Content stored by another user that is expensive to read, on a running hub: no other request waits for it. */

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

/** CPU time of the request, this process being the hub and its caller. */
async function costOf(run: string): Promise<{ readonly cpuMs: number; readonly config: Json }> {
  const before = process.cpuUsage()
  const answer = await hub.call(eve, 'GET', `/v1/runs/${run}/config`)
  const { user, system } = process.cpuUsage(before)
  expect(answer.status).toBe(200)
  return { cpuMs: (user + system) / 1000, config: answer.json }
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
      const plain = await costOf(
        await pair(
          name,
          declared((at) => `other.${at}`),
        ),
      )
      const hostile = await costOf(
        await pair(
          name,
          declared((at) => 'a'.repeat(50 + at)),
        ),
      )
      for (const { config } of [plain, hostile]) {
        expect([config.total, config.diff.changed_keys, config.declared.length]).toEqual([KEYS, KEYS, 100])
        expect(new Set(config.declared.map((each: Json) => each.status))).toEqual(new Set(['cannot_compare']))
      }
      // It was some hundred times as much.
      expect(hostile.cpuMs).toBeLessThan(10 * plain.cpuMs)
    },
  )

  itInTorture('with paths over the limit, or a list that contains itself, fails fast with a reason', async () => {
    const plain = await costOf(await pair('x'.repeat(200), []))
    const long = await costOf(
      await pair(
        names(500),
        declared((at) => `${names(450)}b${at}`),
      ),
    )
    const circle = await costOf(await imported(`&a [*a${',1'.repeat(500_000)}]`))
    const unfinished = await costOf(await imported(`a: ${'\u0024{'.repeat(500_000)}`))
    expect(long.config.reason).toBe('The keys of the config are too long.')
    expect(circle.config.reason).toMatch(/100 levels, or contains itself/)
    expect([unfinished.config.total, unfinished.config.reason]).toEqual([1, 'The run has no parent to compare with.'])
    for (const { cpuMs } of [long, circle, unfinished]) expect(cpuMs).toBeLessThan(20 * plain.cpuMs)
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
