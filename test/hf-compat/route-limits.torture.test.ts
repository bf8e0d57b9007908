/** Limits of what one request of this dialect asks of the graph, at their bounds. */
import { expect, it, vi } from 'vitest'
import { readCommit } from '../../hf-compat/files/read-commit.ts'
import { contractHub } from '../support/hub.ts'
import { hfClient } from './support/hf-client.ts'

const hub = contractHub({ RATE_LIMIT_PER_MINUTE: '0' })
const hf = hfClient(hub)
const timed = contractHub({ RATE_LIMIT_PER_MINUTE: '100000', ACCOUNT_PROCESSOR_S: '1' })

const MOST_SIBLINGS = 51_000
const MOST_SEGMENTS = 2_000_000

const line = (key: string, value: object) => `${JSON.stringify({ key, value })}\n`
const header = line('header', { summary: 'a change' })

it('a repo of very many files shows the first 51,000 with itself', async () => {
  const person = await hub.person()
  const name = await hf.dataset(person, { '0': 'bytes' })
  await hub.sql(
    `insert into files (repo_id, from_seq, path, blob_id)
     select f.repo_id, 1, 'd/' || lpad(n::text, 6, '0'), f.blob_id from files f join repos r on r.id = f.repo_id
       join accounts o on o.id = r.owner_id, generate_series(1, $2) n where o.handle || '/' || r.slug = $1`,
    [name, MOST_SIBLINGS + 500],
  )
  const { json } = await hf.get(person, `/api/datasets/${name}`)
  expect(json.siblings).toHaveLength(MOST_SIBLINGS)
  expect(json.siblings.at(-1)).toEqual({ rfilename: `d/0${MOST_SIBLINGS - 1}` })
})

it('the paths of a commit have two million segments at most', async () => {
  const path = Array.from({ length: 500 }, () => 'a').join('/')
  const most = MOST_SEGMENTS / 500
  const read = (count: number) => {
    async function* body() {
      // The line of the header counts one.
      yield Buffer.from(header)
      for (let at = 0; at < count; at += 1)
        yield Buffer.from(line('deletedFile', { path: at === 0 ? path.slice(2) : path }))
    }
    return readCommit(
      body(),
      async () => [],
      () => undefined,
    )
  }
  expect((await read(most)).delete).toHaveLength(most)
  await expect(read(most + 1)).rejects.toMatchObject({
    type: 'too_large',
    facts: { unit: 'segments', limit: MOST_SEGMENTS },
  })
})

it('the processor time of an account is looked at before each operation of a request', async () => {
  const person = await timed.person()
  const name = await hfClient(timed).dataset(person, {})
  const { objects } = timed.running.deps
  if (!objects) throw new Error('The hub of the test has a store.')
  // Each look at the processor's clock finds a second used: the first operation, which finds the repo, uses all time.
  let usedMs = 0
  const clock = vi.spyOn(process, 'threadCpuUsage').mockImplementation(() => {
    usedMs += 1000
    return { user: usedMs * 1000, system: 0 }
  })
  const stored = vi.spyOn(objects, 'put')
  const files = Array.from({ length: 150 }, (_, at) => line('file', { path: `d/${at}`, content: `${name} ${at}` }))
  const answer = await hfClient(timed).request(person, 'POST', `/api/datasets/${name}/commit/main`, {
    headers: { 'content-type': 'application/x-ndjson' },
    body: header + files.join(''),
  })
  const puts = stored.mock.calls.length
  clock.mockRestore()
  stored.mockRestore()
  expect([answer.status, answer.headers.get('x-error-code'), puts]).toEqual([429, 'RateLimited', 0])
})
