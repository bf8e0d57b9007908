/** Contents that a commit sends itself: how many, and what is left of them when the commit is not made. */
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { abortAbandoned } from '../../src/jobs/collect-objects.ts'
import { contractHub, type Person } from '../support/hub.ts'
import { hfClient } from './support/hf-client.ts'

const hub = contractHub({ RATE_LIMIT_PER_MINUTE: '0' })
const hf = hfClient(hub)

const PLACES = 10_000
const PLACES_OF_CONTENTS = 200_000
/** The hub stores 64 at once. */
const CONTENTS = 150

const line = (key: string, value: object) => `${JSON.stringify({ key, value })}\n`
const header = line('header', { summary: 'a change' })
const files = (count: number, of: string) =>
  Array.from({ length: count }, (_, at) => line('file', { path: `d/${at}`, content: `${of} ${at}` })).join('')

const commit = (who: Person, name: string, body: string) =>
  hf.request(who, 'POST', `/api/datasets/${name}/commit/main`, {
    headers: { 'content-type': 'application/x-ndjson' },
    body,
  })

const places = async ({ id }: Person) => {
  const [row] = await hub.sql<{ reserved: number; pending: number; open: number }>(
    `select reserved_bytes::int as reserved, pending_uploads as pending, (select count(*)::int from uploads u
      where u.owner_id = a.id and u.state in ('pending', 'completing', 'assembled')) as open
     from accounts a where a.id = $1`,
    [id],
  )
  return row
}
const none = { reserved: 0, pending: 0, open: 0 }
const occupy = ({ id }: Person, count: number) =>
  hub.sql('update accounts set pending_uploads = pending_uploads + $2 where id = $1', [id, count])

const presign = (who: Person, name: string, digit: string) =>
  hub.call(who, 'POST', `/v1/repos/${name}/blobs/presign`, { blobs: [{ sha256: digit.repeat(64), size: 1 }] })

describe('contents of a commit', () => {
  it('take none of the places of uploads, nor uploads theirs', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, {})
    await occupy(person, PLACES - 1)
    const made = await commit(person, name, header + files(CONTENTS, name))
    expect([made.status, made.text]).toEqual([200, expect.stringContaining('commitOid')])
    const contents = ['one', 'two', 'three'].map((text) => Buffer.from(text + name).toString('base64'))
    expect((await hub.call(person, 'POST', `/v1/repos/${name}/blobs`, { contents })).status).toBe(200)
    // The last place is still there, and is the last.
    expect((await presign(person, name, 'a')).status).toBe(200)
    const refused = await presign(person, name, 'b')
    expect([refused.status, refused.json.errors[0]]).toEqual([
      429,
      expect.objectContaining({ type: 'quota.uploads', pending_uploads: PLACES, limit_uploads: PLACES }),
    ])
  })

  it('are bounded for all commits of an owner together, and what was stored of one that is refused goes', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, {})
    await occupy(person, PLACES + PLACES_OF_CONTENTS - 100)
    const refused = await commit(person, name, header + files(CONTENTS, name))
    expect([refused.status, refused.headers.get('x-error-code')]).toEqual([429, 'QuotaUploads'])
    expect(refused.json.error).toContain(`${PLACES + PLACES_OF_CONTENTS}`)
    await occupy(person, -(PLACES + PLACES_OF_CONTENTS - 100))
    expect(await places(person)).toEqual(none)
  })

  it.each([
    ['names another parent', 412, header.replace('a change"', `a change","parentCommit":"${'0'.repeat(40)}"`), ''],
    ['deletes what is not there', 404, header, line('deletedFile', { path: 'nothing' })],
    ['ends with a line that is none', 400, header, '{"key": 1}\n'],
  ])('hold no place once a commit that %s has failed', async (_what, status, first, last) => {
    const person = await hub.person()
    const name = await hf.dataset(person, {})
    const answer = await commit(person, name, first + files(CONTENTS, name) + last)
    expect(answer.status).toBe(status)
    expect(await places(person)).toEqual(none)
    expect((await commit(person, name, header + files(CONTENTS, name))).status).toBe(200)
    expect(await places(person)).toEqual(none)
  })

  it('stay for another commit that has named them when the one that brought them fails', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, {})
    const url = new URL(`/api/datasets/${name}/commit/main`, hub.running.url)
    const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'application/x-ndjson' }
    const sent = request(url, { method: 'POST', headers })
    sent.on('error', () => undefined)
    sent.write(header + files(CONTENTS, name))
    await expect.poll(async () => (await places(person))?.open).toBe(128)
    const contents = [0, 1].map((at) => Buffer.from(`${name} ${at}`).toString('base64'))
    const stored = await hub.call(person, 'POST', `/v1/repos/${name}/blobs`, { contents })
    expect([stored.status, (await places(person))?.open]).toEqual([200, 128])
    sent.destroy()
    await expect.poll(async () => (await places(person))?.open).toBe(2)
    const add = stored.json.blobs.map((blob: object, at: number) => ({ ...blob, path: `named/${at}` }))
    const made = await hub.call(person, 'POST', `/v1/repos/${name}/commits`, { add })
    expect([made.status, made.json.added]).toEqual([200, 2])
    expect(await places(person)).toEqual(none)
  })

  it('hold no place after their client has left', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, {})
    const url = new URL(`/api/datasets/${name}/commit/main`, hub.running.url)
    const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'application/x-ndjson' }
    const sent = request(url, { method: 'POST', headers })
    sent.on('error', () => undefined)
    sent.write(header + files(CONTENTS, name))
    await expect.poll(async () => (await places(person))?.open).toBe(128)
    sent.destroy()
    await expect.poll(() => places(person)).toEqual(none)
  })

  it('hold no place after collection if their hub has died', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, {})
    const contents = Array.from({ length: CONTENTS }, (_, at) => Buffer.from(`${name} ${at}`).toString('base64'))
    // As the hub leaves them that is killed between two batches of a commit.
    expect((await hub.call(person, 'POST', `/v1/repos/${name}/blobs`, { contents })).status).toBe(200)
    expect(await places(person)).toMatchObject({ pending: CONTENTS, open: CONTENTS })
    await hub.sql(`update uploads set touched_at = now() - interval '8 days' where owner_id = $1`, [person.id])
    const { deps } = hub.running
    if (!deps.objects) throw new Error('The hub of the test has a store.')
    await abortAbandoned(deps, deps.objects, new AbortController().signal)
    expect(await places(person)).toEqual(none)
  })
})
