/** A commit of the Hugging Face API whose body ends long after it began. Contract, "Credentials". */
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { FRESH_RIGHTS_MS } from '../../src/http/identify.ts'
import { contractHub, type Json } from '../support/hub.ts'

const hub = contractHub()
/** So many contents are stored while the rest of the body is still to come. */
const BATCH = 64

it('is not made for a key that was revoked while its body came', async () => {
  const person = await hub.person()
  const name = await hub.repo(person)
  const token = await hub.key(person, { scope: 'write' })
  const line = (key: string, value: Json) => `${JSON.stringify({ key, value })}\n`
  const file = (at: number) => line('file', { path: `f${at}`, content: `${name} ${at}`, encoding: 'utf-8' })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' }
  const url = new URL(`/api/datasets/${name}/commit/main`, hub.running.url)
  const sent = request(url, { method: 'POST', headers })
  const status = new Promise<number | undefined>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', async (response) => {
      await text(response)
      resolve(response.statusCode)
    })
  })
  sent.write(line('header', { summary: 'late' }) + Array.from({ length: BATCH }, (_, at) => file(at)).join(''))
  const placed = async () => (await hub.sql('select from uploads where owner_id = $1', [person.id])).length
  await expect.poll(placed, { timeout: 30_000 }).toBe(BATCH)
  await hub.sql(`update api_keys set revoked_at = now() where token_sha256 = sha256($1::bytea)`, [token])
  await wait(FRESH_RIGHTS_MS)
  sent.end(file(BATCH))
  expect(await status).toBe(401)
  expect((await hub.call(person, 'GET', `/v1/repos/${name}/tree`)).json.items).toEqual([])
})
