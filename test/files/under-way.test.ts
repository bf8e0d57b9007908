/** A request that is refused because the same is in progress: contract, "Repeated requests". */
import { beforeAll, expect, it } from 'vitest'
import { contractHub, newName, type Person } from '../support/hub.ts'

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
