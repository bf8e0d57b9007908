/** Requests that meet others that are in progress: contract, "Repeated requests" and "Uploads". */
import { beforeAll, expect, it, vi } from 'vitest'
import { contractHub, newName, type Person, places, sha256Of, types } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
beforeAll(async () => {
  ada = await hub.person()
})

it('can be repeated under its key once that has ended', async () => {
  const name = await hub.repo(ada)
  const upload = await hub.sendFile(ada, name, 'a.txt', 'text')
  const key = { 'idempotency-key': newName('key') }
  const complete = () => hub.complete(ada, name, [upload], key)
  await hub.sql(`update uploads set state = 'completing', attempt = 'another', attempt_at = now() where id = $1`, [
    upload.upload_id,
  ])
  const refused = await complete()
  expect([refused.status, refused.json.type]).toEqual([409, '/problems/conflict.in_progress'])
  await hub.sql(`update uploads set attempt_at = now() - interval '2 minutes' where id = $1`, [upload.upload_id])
  expect((await complete()).status).toBe(200)
  const replayed = await complete()
  expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
})

it('a part that is sent again while its upload is completed is told, and the upload stays completable', async () => {
  const name = await hub.repo(ada)
  const { objects } = hub.running.deps
  if (!objects) throw new Error('The hub has no store.')
  const text = 'text of nine'
  const file = { path: 'a.txt', size: text.length, sha256: sha256Of(text) }
  const presigned = await hub.call(ada, 'POST', `/v1/repos/${name}/files/presign-upload`, { files: [file] })
  const [{ upload_id, parts }] = presigned.json.uploads
  const send = async (body: string) => {
    const { headers } = await fetch(parts[0].url, { method: 'PUT', body })
    return { path: 'a.txt', upload_id, parts: [{ part_number: 1, etag: headers.get('etag') }] }
  }
  const first = await send('other bytes!')
  const complete = objects.completeUpload.bind(objects)
  const assembling = vi.spyOn(objects, 'completeUpload').mockImplementationOnce(async (...of) => {
    await send(text)
    return complete(...of)
  })
  const refused = await hub.complete(ada, name, [first])
  assembling.mockRestore()
  expect([refused.status, types(refused), places(refused)]).toEqual([
    422,
    ['upload.etag_mismatch'],
    [['body', 'uploads', 0, 'parts']],
  ])
  expect((await hub.complete(ada, name, [await send(text)])).status).toBe(200)
})
