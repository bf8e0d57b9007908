/** Media of a run: recorded under the lease, replaced, counted, paged, and dropped with a lost attempt. */
import { expect, it } from 'vitest'
import { dropAttempt } from '../../src/runs/lease/drop-attempt.ts'
import { contractHub, type Json } from '../support/hub.ts'

const hub = contractHub()

async function started() {
  const ada = await hub.person()
  const { json } = await hub.call(ada, 'POST', '/v1/runs/start', { recipe: { template: 'act' }, worker: 'box' })
  const run: string = json.id
  const send = (...media: Json[]) => hub.call(ada, 'POST', `/v1/runs/${run}/media`, { media })
  const list = async (query = '') => (await hub.call(ada, 'GET', `/v1/runs/${run}/media${query}`)).json
  const used = async (): Promise<number> => (await hub.call(ada, 'GET', '/v1/me')).json.storage.used_bytes
  const keys = async () => {
    const asked = `query ($id: ID!) { run(id: $id) { mediaKeys { key kind count bytes lastStep } } }`
    return (await hub.graphql(ada, asked, { id: run })).data.run.mediaKeys
  }
  return { ada, run, send, list, used, keys }
}

const note = (step: number, value: string, more: Json = {}) => ({ key: 'note', step, kind: 'text', value, ...more })
const places = (page: Json) => page.items.map(({ key, step, index }: Json) => [key, step, index])

it('keeps an entry once, replaces it by another one, and counts its bytes', async () => {
  const { send, list, used, keys } = await started()
  const before = await used()
  expect((await send(note(3, 'ä', { caption: 'c', at: '2026-01-02T03:04:05.000Z' }))).status).toBe(200)
  await send(note(3, 'ä', { caption: 'c' }))
  const [entry] = (await list()).items
  expect(entry).toMatchObject({ key: 'note', step: 3, index: 0, kind: 'text', value: 'ä', caption: 'c', path: null })
  expect([entry.at, entry.url, entry.size]).toEqual(['2026-01-02T03:04:05.000Z', null, null])
  expect([(await used()) - before, await keys()]).toEqual([
    4 + 4 + 1,
    [{ key: 'note', kind: 'TEXT', count: 1, bytes: 9, lastStep: 3 }],
  ])
  await send(note(3, 'bcd'), note(5, 'e', { index: 2 }))
  expect((await list()).items.map(({ value }: Json) => value)).toEqual(['bcd', 'e'])
  expect([(await used()) - before, await keys()]).toEqual([
    16,
    [{ key: 'note', kind: 'TEXT', count: 2, bytes: 16, lastStep: 5 }],
  ])
  await send({ key: 'note', step: 5, index: 2, kind: 'table', value: { columns: [], rows: [] } })
  expect(await keys()).toEqual([
    { key: 'note', kind: 'TABLE', count: 1, bytes: 28, lastStep: 5 },
    { key: 'note', kind: 'TEXT', count: 1, bytes: 9, lastStep: 3 },
  ])
  expect((await used()) - before).toBe(37)
})

it('keeps numbers of values as they are written', async () => {
  const { ada, run } = await started()
  const value = '{"columns":["n",2],"rows":[[9007199254740993,1.0],[1e-400,"a"]]}'
  const histogram = '{"edges":[0.10,1e3],"counts":[12345678901234567890]}'
  const body = `{"media":[{"key":"t","step":1,"kind":"table","value":${value}},{"key":"h","step":1,"kind":"histogram","value":${histogram}}]}`
  const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' }
  const url = new URL(`/v1/runs/${run}/media`, hub.running.url)
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200)
  const text = await (await fetch(url, { headers })).text()
  expect(text).toContain(`"value":${value}`)
  expect(text).toContain(`"value":${histogram}`)
})

it.each<[string, Json, RegExp]>([
  ['both', { kind: 'table', path: 'a', value: { columns: [], rows: [] } }, /both a path and a value/],
  ['neither', { kind: 'text' }, /neither a path nor a value/],
  ['a picture without a file', { kind: 'image', value: 'x' }, /is needed/],
  ['a text that is none', { kind: 'text', value: 1 }, /must be a text/],
  ['a row of another width', { kind: 'table', value: { columns: ['a'], rows: [[1], [1, 2]] } }, /row 1 has not/],
  ['a histogram without an edge', { kind: 'histogram', value: { edges: [1], counts: [1] } }, /1 and 1/],
  ['a count that is none', { kind: 'histogram', value: { edges: [1, 2], counts: ['1'] } }, /lists of numbers/],
  ['a file that is not there', { kind: 'image', path: 'a.png' }, /"a.png" cannot be found: .* output_model_repo/],
])('refuses %s, and names what to do', async (_, entry, detail) => {
  const { send, list } = await started()
  const { status, json } = await send(note(1, 'fine'), { key: 'k', step: 1, ...entry })
  expect([status, json.errors?.[0].loc.slice(0, 3)]).toEqual([422, ['body', 'media', 1]])
  expect(json.errors[0].detail).toMatch(detail)
  expect((await list()).items).toEqual([])
})

it('has at most 64 KiB in a value, and 100 entries in a request', async () => {
  const { send } = await started()
  const refused = await send(note(1, 'x'.repeat(65_535)))
  expect([refused.status, refused.json]).toMatchObject([413, { limit: 65_536, used: 65_537, unit: 'bytes' }])
  expect((await send(note(1, 'x'.repeat(65_534)))).status).toBe(200)
  expect((await send(...Array.from({ length: 101 }, (_, step) => note(step, 'x')))).status).toBe(422)
})

it('has at most 500 keys and 100,000 entries', async () => {
  const { run, send } = await started()
  const { db } = hub.running.deps
  const text = `insert into run_media_keys (run_id, key, kind, entries, bytes, last_step)
    select $1, 'k' || n, 'text', $2, 9, 1 from generate_series(1, 500) n`
  await db.query({ name: '', text }, [run, 1])
  const full = await send(note(1, 'x'))
  expect([full.status, full.json]).toMatchObject([413, { limit: 500, used: 501, unit: 'keys' }])
  expect((await send({ ...note(1, 'x'), key: 'k1' })).status).toBe(200)
  await db.query({ name: '', text: 'update run_media_keys set entries = 200 where run_id = $1' }, [run])
  const many = await send({ ...note(2, 'x'), key: 'k1' })
  expect([many.status, many.json]).toMatchObject([413, { limit: 100_000, used: 100_001, unit: 'entries' }])
})

it('is paged by key, step and index, of one key or kind', async () => {
  const { send, list } = await started()
  const at = (key: string, step: number, index: number) => ({ ...note(step, 'x', { index }), key })
  await send(at('b', 1, 0), at('a', 10, 0), at('a', 2, 1), at('a', 2, 0), at('é', 0, 0))
  await send({ key: 'a', step: 11, kind: 'table', value: { columns: [], rows: [] } })
  const all = [
    ['a', 2, 0],
    ['a', 2, 1],
    ['a', 10, 0],
    ['a', 11, 0],
    ['b', 1, 0],
    ['é', 0, 0],
  ]
  const paged = async (filter = '') => {
    const seen: Json[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Json = await list(`?limit=2${filter}${cursor && `&cursor=${cursor}`}`)
      seen.push(...places(page))
      cursor = page.next_cursor
    }
    return seen
  }
  expect(await paged()).toEqual(all)
  expect(places(await list('?key=a'))).toEqual(all.slice(0, 4))
  expect(places(await list('?kind=table'))).toEqual([['a', 11, 0]])
  expect(places(await list('?key=nothing'))).toEqual([])
  expect(places(await list('?key=a&step=2'))).toEqual(all.slice(0, 2))
  expect(places(await list('?step=1'))).toEqual([['b', 1, 0]])
  expect(places(await list('?key=a&step=3'))).toEqual([])
  await send(at('b', 2, 0), at('c', 2, 0), at('c', 2, 1), at('c', 2, 2))
  await send({ key: 'c', step: 2, index: 3, kind: 'table', value: { columns: [], rows: [] } })
  const texts = [...all.slice(0, 2), ['b', 2, 0], ['c', 2, 0], ['c', 2, 1], ['c', 2, 2]]
  expect(await paged('&step=2&kind=text')).toEqual(texts)
  expect(await paged('&step=2')).toEqual([...texts, ['c', 2, 3]])
  expect(await paged('&kind=table')).toEqual([
    ['a', 11, 0],
    ['c', 2, 3],
  ])
})

it('has a list of steps for each key, at most a thousand of them', async () => {
  const { ada, run, send } = await started()
  await send(note(7, 'a'), note(7, 'b', { index: 1 }), note(9, 'c'), { ...note(8, 'd'), key: 'other' })
  const steps = async () => {
    const asked = `query ($id: ID!) { run(id: $id) { mediaSteps(key: "note", kind: TEXT) } }`
    return (await hub.graphql(ada, asked, { id: run })).data.run.mediaSteps
  }
  expect(await steps()).toEqual([7, 9])
  const text = `insert into run_media (run_id, key, step, index, kind, value, bytes)
    select $1, 'note', 9 + n, 0, 'text', '"x"', 7 from generate_series(1, 1500) n`
  await hub.running.deps.db.query({ name: '', text }, [run])
  const many = await steps()
  expect([many.length, many[0], many[1], many.at(-1)]).toEqual([751, 9, 11, 1509])
})

it('is dropped past the step at which the next attempt resumes', async () => {
  const { run, send, list, used, keys } = await started()
  const before = await used()
  await send(note(1, 'a'), note(2, 'b'), { ...note(2, 'c'), key: 'late' })
  const { db, objects, log } = hub.running.deps
  await db.withTx((tx) => dropAttempt({ db, objects, log }, tx, run, 1))
  expect(places(await list())).toEqual([['note', 1, 0]])
  expect(await keys()).toEqual([{ key: 'note', kind: 'TEXT', count: 1, bytes: 7, lastStep: 1 }])
  expect((await used()) - before).toBe(7)
  await db.withTx((tx) => dropAttempt({ db, objects, log }, tx, run, null))
  expect([await list(), await keys(), (await used()) - before]).toEqual([{ items: [], next_cursor: null }, [], 0])
})

it('names files of the output repo, with a URL for callers who see them', async () => {
  const { ada, run, send, list } = await started()
  const output = await hub.repo(ada, { kind: 'model' })
  const path = `runs/${run}/media/a.png`
  await hub.upload(ada, output, { [path]: 'picture' })
  const picture = { key: 'p', step: 1, kind: 'image', path, width: 4, height: 3 }
  expect((await send(picture)).json.errors[0].detail).toMatch(/no output repo yet/)
  await hub.call(ada, 'POST', `/v1/runs/${run}/report`, { output_model_repo: output })
  const refused = await send(picture, { ...picture, step: 2, path: 'b.png' })
  expect([refused.status, refused.json.errors[0].loc]).toEqual([422, ['body', 'media', 1, 'path']])
  expect(refused.json.errors[0].detail).toBe(
    `"b.png" is not a file of ${output}, the output repo of the run. Upload it there, then send the entry again.`,
  )
  expect((await send(picture)).status).toBe(200)
  const [entry] = (await list()).items
  expect(entry).toMatchObject({ path, value: null, width: 4, height: 3, size: 7 })
  expect(await (await fetch(entry.url)).text()).toBe('picture')
  await hub.call(ada, 'POST', `/v1/repos/${output}/files/delete`, { paths: [path] })
  expect((await list()).items[0]).toMatchObject({ path, size: null, mime: null, url: null })
})

it('goes with its run', async () => {
  const { ada, run, send, used } = await started()
  const before = await used()
  await send(note(1, 'x'), note(2, 'y'))
  await hub.call(ada, 'POST', `/v1/runs/${run}/report`, { status: 'succeeded' })
  expect((await hub.call(ada, 'DELETE', `/v1/runs/${run}`)).status).toBe(204)
  expect((await used()) <= before).toBe(true)
  await expect.poll(() => hub.sql('select 1 from run_media where run_id = $1', [run])).toEqual([])
})
