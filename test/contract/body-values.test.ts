/** Bodies of millions of small values, which the limit of bytes lets in: each takes a byte of text, and a hundred of memory and more where its place is noted. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Person } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
beforeAll(async () => {
  ada = await hub.person()
})

const MIB = 1024 * 1024
const send = async (path: string, body: string) => {
  const answer = await hub.send(ada, 'POST', path, { headers: { 'content-type': 'application/json' }, body })
  return [answer.status, answer.json.unit, answer.json.limit, answer.json.errors?.length]
}
const filled = (item: string, bytes: number) => item.repeat(bytes / item.length).slice(0, -1)
const importing = (hyperparams: string) => `{"artifacts":{},"hyperparams":${hyperparams}}`
const presign = '/v1/repos/ada/none/files/presign-upload'

describe('a body of /v1', () => {
  it.each([
    [
      'texts ninety levels deep',
      '/v1/runs/import',
      importing(`{"a":${'['.repeat(90)}${filled('"",', 15 * MIB)}${']'.repeat(90)}}`),
    ],
    ['lists', '/v1/runs/import', importing(`{"a":[${filled('[],', 15 * MIB)}]}`)],
    ['numbers that are kept as they are written', '/v1/runs/import', importing(`{"a":[${filled('1.0,', 15 * MIB)}]}`)],
    ['levels', '/v1/runs/import', importing('['.repeat(7 * MIB) + ']'.repeat(7 * MIB))],
    ['files without members', presign, `{"files":[${filled('{},', 7 * MIB)}]}`],
  ])('of millions of %s is 413, and nothing of it is parsed', async (_what, path, body) => {
    expect(await send(path, body)).toEqual([413, 'values', 250_000, 1])
  })

  it('within the limit is told what is wrong with it, fifty faults at most', async () => {
    const deep = `{"a":${'['.repeat(90)}${filled('"\\u0000",', MIB)}${']'.repeat(90)}}`
    expect(await send('/v1/runs/import', importing(deep))).toEqual([422, undefined, undefined, 50])
    expect(await send(presign, `{"files":[${filled('{},', MIB / 4)}]}`)).toEqual([422, undefined, undefined, 50])
  })

  it('with a list of a hundred thousand levels where a text belongs is told so', async () => {
    const levels = '['.repeat(100_000) + ']'.repeat(100_000)
    const answer = await hub.send(ada, 'POST', '/v1/runs/import', {
      headers: { 'content-type': 'application/json' },
      body: `{"artifacts":{"config_yaml":"","metrics_summary":""},"owner":${levels}}`,
    })
    expect([answer.status, answer.json.detail]).toEqual([422, 'body.owner: must be a string'])
  })
})
