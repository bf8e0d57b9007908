import { describe, expect, it } from 'vitest'
import { allOperations, undocumented } from '../support/documented.ts'
import { contractHub, newName } from '../support/hub.ts'

const hub = contractHub()
const headers = new Headers({ 'content-type': 'application/json; charset=utf-8' })

/** Every JSON answer that a test gets from `hub.send` and `hub.call` is compared so. */
describe('an answer of /v1 is compared with the OpenAPI document', () => {
  const differs = (json: unknown) =>
    undocumented('GET', '/v1/runs/run_1/metrics?keys=a', { status: 200, headers, json })
  const series = { key: 'a', count: 1, points: [[1, 2]] }

  it('and may have null, a type, a member and a status only where the document has it', () => {
    expect(differs({ keys: ['a'], series: [series] })).toEqual([])
    expect(differs({ keys: null, series: [series] })).toEqual([expect.stringContaining('/keys must be array')])
    expect(differs({ keys: [1], series: [] })).toEqual([expect.stringContaining('/keys/0 must be string')])
    expect(differs({ keys: [] })).toEqual([expect.stringContaining("required property 'series'")])
    expect(differs({ keys: [], series: [{ ...series, unit: 'm' }] })).toEqual([expect.stringContaining('"unit"')])
    const elsewhere = { status: 203, headers, json: {} }
    expect(undocumented('GET', '/v1/runs/run_1/metrics', elsewhere)).toEqual([expect.stringContaining('203')])
  })

  it('and writes a time in UTC with milliseconds', () => {
    expect(
      undocumented('GET', '/v1/runs/run_1', { status: 200, headers, json: { created_at: '2026-01-01T00:00:00Z' } }),
    ).toEqual(expect.arrayContaining([expect.stringContaining('/created_at must match format "date-time"')]))
  })
})

describe('null where the interface has it', () => {
  it('is documented for the place and the data of a check', async () => {
    const ada = await hub.person()
    const robot = await hub.repo(ada, { kind: 'robot' })
    const report = await hub.call(ada, 'POST', `/v1/robots/${robot}/validate`, { card: { dof: 0 } })
    expect(report.json.checks).toContainEqual(expect.objectContaining({ loc: null, data: null }))
  })

  it('is documented for the iteration of a trainer that counts beyond the integers', async () => {
    const ada = await hub.person()
    const key = await hub.key(ada, { scope: 'train' })
    const started = { recipe: { template: 'act' }, worker: newName('worker') }
    const run = await hub.call(key, 'POST', '/v1/runs/start', started)
    for (const [step, iteration] of [
      [1.5, 1],
      [1e300, null],
    ]) {
      const report = { attempt: 1, metrics: [{ step }] }
      const reported = await hub.call(key, 'POST', `/v1/runs/${run.json.id}/report`, report)
      expect(reported.json.progress.iteration).toBe(iteration)
      const read = await hub.graphql(key, 'query ($id: ID!) { run(id: $id) { progress { iteration } } }', {
        id: run.json.id,
      })
      expect(read).toEqual({ data: { run: { progress: { iteration } } } })
    }
  })
})

describe('the document has what any request may meet', () => {
  const named = allOperations.map(({ method, operation }) => ({
    method,
    name: operation.operationId,
    statuses: Object.keys(operation.responses),
    headers: (operation.parameters ?? []).filter((one) => one.in === 'header').map(({ name }) => name),
  }))

  it('before an operation starts: it cannot be read, stalls, or has headers that are too long', () => {
    for (const { name, statuses } of named)
      expect([name, statuses]).toEqual([
        name,
        expect.arrayContaining(['400', '401', '408', '429', '431', '500', '503']),
      ])
  })

  it('with a cookie from a page of another origin, on each write', async () => {
    const cookie = `hub_session=${(await hub.person()).token}`
    const elsewhere = { cookie, origin: 'https://elsewhere.example', 'content-type': 'application/json' }
    for (const path of ['/v1/auth/device', '/v1/auth/device/token', '/v1/repos']) {
      const answer = await hub.send(null, 'POST', path, { headers: elsewhere, body: '{}' })
      expect([path, answer.status, answer.json.type]).toEqual([path, 403, '/problems/forbidden.origin'])
    }
    for (const { name, statuses } of named.filter(({ method }) => method !== 'GET'))
      expect([name, statuses]).toEqual([name, expect.arrayContaining(['403'])])
  })

  it('with an Idempotency-Key, which each POST reads', () => {
    for (const { name, headers } of named.filter(({ method }) => method === 'POST'))
      expect([name, headers]).toEqual([name, ['Idempotency-Key']])
  })
})

it('the answers that no other test reads through /v1 are as documented too', async () => {
  const ada = await hub.person()
  const name = await hub.repo(ada)
  await hub.upload(ada, name, { a: '1' })
  await hub.upload(ada, name, { a: '2' })
  const repo = `/v1/repos/${name}`
  const restored = await hub.call(ada, 'POST', `${repo}/restore`, { at: '1' })
  expect([restored.status, restored.json.seq]).toEqual([200, 3])
  const history = await hub.call(ada, 'GET', `${repo}/history`)
  expect(history.json.items.map(({ seq }: { seq: number }) => seq)).toEqual([3, 2, 1])
  const diff = await hub.call(ada, 'GET', `${repo}/diff?from=0`)
  expect(diff.json.items.map(({ path }: { path: string }) => path)).toEqual(['a'])
  expect((await hub.call(null, 'GET', '/v1/devices/signing-key')).status).toBe(200)
})
