/** The log of a run in pages, next to the subscription. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let key: string
beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada, { scope: 'train' })
})

/** A running run with these chunks of log. */
async function logged(...chunks: readonly string[]): Promise<string> {
  const { id } = (await hub.call(key, 'POST', '/v1/runs', { recipe: { template: 'act' } })).json
  expect((await hub.call(key, 'POST', `/v1/runs/${id}/claim`, { worker: 'box' })).status).toBe(200)
  for (const log_chunk of chunks)
    expect((await hub.call(key, 'POST', `/v1/runs/${id}/report`, { log_chunk })).status).toBe(200)
  return id
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `line ${from + at}\n`).join('')
const document = `query ($run: ID!, $first: Int, $after: String, $tail: Int, $strip: Boolean) {
  runLog(runId: $run, first: $first, after: $after, tail: $tail, stripAnsi: $strip) {
    nodes { ts stream line } edges { cursor node { line } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`
const read = (run: string, variables: Json = {}, who: Person | string | null = ada) =>
  hub.graphql(who, document, { run, ...variables })
const linesOf = ({ data }: Json): string[] => data.runLog.nodes.map(({ line }: Json) => line)

describe('a page of a log', () => {
  it('continues where the previous one ended, inside a chunk and across chunks, until the end', async () => {
    const run = await logged(numbered(0, 5), numbered(5, 7), numbered(7, 12))
    const pages: string[][] = []
    for (let after: string | null = null, isOver = false; !isOver; ) {
      const answer = await read(run, { first: 4, after })
      expect(answer.errors).toBeUndefined()
      pages.push(linesOf(answer))
      const { pageInfo, edges, nodes } = answer.data.runLog
      expect([pageInfo.hasPreviousPage, pageInfo.endCursor]).toEqual([after !== null, edges.at(-1)?.cursor])
      expect(nodes.every(({ stream, ts }: Json) => stream === 'STDOUT' && !Number.isNaN(Date.parse(ts)))).toBe(true)
      after = pageInfo.endCursor
      isOver = !pageInfo.hasNextPage
    }
    expect(pages.map((page) => page.length)).toEqual([4, 4, 4])
    expect(pages.flat()).toEqual(Array.from({ length: 12 }, (_, at) => `line ${at}`))
  })

  it('shows new lines when it is requested again after the last line', async () => {
    const run = await logged('a\n')
    const { endCursor } = (await read(run)).data.runLog.pageInfo
    const none = await read(run, { after: endCursor })
    expect([linesOf(none), none.data.runLog.pageInfo]).toEqual([
      [],
      { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
    ])
    await hub.call(key, 'POST', `/v1/runs/${run}/report`, { log_chunk: 'b\n' })
    expect(linesOf(await read(run, { after: endCursor }))).toEqual(['b'])
  })

  it('begins with the last lines on request, and omits escape sequences', async () => {
    const run = await logged('\u001b[31ma\u001b[0m\n', numbered(0, 5))
    expect(linesOf(await read(run, { tail: 2 }))).toEqual(['line 3', 'line 4'])
    expect(linesOf(await read(run, { first: 1, strip: true }))).toEqual(['a'])
    expect(linesOf(await read(run, { first: 1 }))).toEqual(['\u001b[31ma\u001b[0m'])
  })

  it('has 200 lines by default, 1000 at most, and ends early after 1 MiB of text', async () => {
    const run = await logged(numbered(0, 2300))
    expect(linesOf(await read(run))).toHaveLength(200)
    expect(linesOf(await read(run, { first: 1000 }))).toHaveLength(1000)
    for (const first of [0, 1001]) {
      const { errors } = await read(run, { first })
      expect(errors[0].extensions.problem.errors[0].loc).toEqual(['first'])
    }
    const wide = await logged(...Array.from({ length: 6 }, () => `${'x'.repeat(250_000)}\n`))
    const answer = await read(wide)
    expect([linesOf(answer).length, answer.data.runLog.pageInfo.hasNextPage]).toEqual([5, true])
    expect(linesOf(await read(wide, { after: answer.data.runLog.pageInfo.endCursor }))).toHaveLength(1)
  })

  it('has cursors from which the subscription continues', async () => {
    const run = await logged(numbered(0, 5))
    const { endCursor } = (await read(run, { first: 3 })).data.runLog.pageInfo
    const query = `subscription { runLog(runId: "${run}", follow: false, after: "${endCursor}") { events { line } } }`
    const { text } = await hub.send(ada, 'POST', '/graphql', {
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query }),
    })
    expect([...text.matchAll(/"line":"([^"]*)"/g)].map(([, line]) => line)).toEqual(['line 3', 'line 4'])
  })

  it('is null for callers who cannot see the run, and rejects a cursor of another log', async () => {
    const [run, short] = [await logged(numbered(0, 5), 'x\n'), await logged('a\n')]
    expect(await read(run, {}, await hub.person())).toEqual({ data: { runLog: null } })
    expect(await read('run_00000000000000000000000000')).toEqual({ data: { runLog: null } })
    expect((await read(run, {}, null)).errors[0].extensions.status).toBe(401)
    const { endCursor } = (await read(run)).data.runLog.pageInfo
    for (const after of [endCursor, 'nonsense']) {
      const { errors } = await read(short, { after })
      expect([errors[0].extensions.status, errors[0].extensions.problem.errors[0].loc]).toEqual([422, ['after']])
    }
  })
})
