/** Attacks on hosted runs: with what everyone sees of a run, with the key of an earlier call, and with the job's own key against its owner's repos. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dispatchWaiting } from '../../src/jobs/hosted-kinds.ts'
import { sweepLeases } from '../../src/runs/lease/sweep-leases.ts'
import { contractHub, type Json, newName, type Person, types, type Who } from '../support/hub.ts'
import { openFolder, reachingCheckout } from '../support/open-folder.ts'

const dir = openFolder('hub-hosted-attacks-')
/** A function that hands its token to the test and lives until the test is done: it ends with its folder. */
const script = `
import { existsSync, writeFileSync } from 'node:fs'
const { HUB_JOB_ID, HUB_TOKEN, HUB_CALL_ID } = process.env
writeFileSync(new URL('./' + HUB_CALL_ID + '.json', import.meta.url), JSON.stringify({ token: HUB_TOKEN, call: HUB_CALL_ID, run: HUB_JOB_ID }))
const end = Date.now() + 60_000
setInterval(() => { if (!existsSync(new URL('./function.mjs', import.meta.url)) || Date.now() > end) process.exit(0) }, 50)
`
const hub = contractHub({
  ...reachingCheckout,
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: '*',
  HOSTED_COMMAND: `"${process.execPath}" "${join(dir, 'function.mjs')}"`,
})
let ada: Person
let other: string

beforeAll(async () => {
  await writeFile(join(dir, 'function.mjs'), script)
  ada = await hub.person()
  other = await hub.key(ada, { scope: 'train' })
})
afterAll(() => rm(dir, { recursive: true, force: true }))

interface Call {
  readonly run: string
  readonly call: string
  readonly token: string
}

const patiently = { timeout: 100_000, interval: 50 }
const seen = async (run: string) => (await hub.call(ada, 'GET', `/v1/runs/${run}`)).json

/** The call that the run is given to after `before`, as its container has it. */
async function callOf(run: string, before: string | null = null): Promise<Call> {
  await expect.poll(async () => (await seen(run)).hosted_call_id, patiently).not.toBeOneOf([before, null])
  const file = join(dir, `${(await seen(run)).hosted_call_id}.json`)
  await expect.poll(() => readFile(file, 'utf8').catch(() => ''), patiently).toMatch(/\}$/)
  return JSON.parse(await readFile(file, 'utf8'))
}

async function submitted(): Promise<Call> {
  const recipe = { template: 'act', executor: 'hosted', max_hours: 1 }
  return callOf((await hub.call(ada, 'POST', '/v1/runs', { recipe })).json.id)
}

const claim = (who: Who, run: string, hosted_call_id: string | null) =>
  hub.call(who, 'POST', `/v1/runs/${run}/claim`, { worker: 'thief', hosted_call_id })

describe('a hosted run', () => {
  it('cannot be claimed by others who see its call, claimed or not', async () => {
    const { run, call, token } = await submitted()
    expect((await seen(run)).hosted_call_id).toBe(call)
    for (const who of [ada, other]) {
      const stolen = await claim(who, run, call)
      expect([stolen.status, types(stolen)]).toEqual([409, ['conflict.wrong_kind']])
    }
    expect((await seen(run)).status).toBe('queued')
    expect((await claim(token, run, call)).status).toBe(200)
    for (const who of [ada, other]) expect(types(await claim(who, run, call))).toEqual(['conflict.already_claimed'])
    expect(await claim(token, run, call)).toMatchObject({ status: 200, json: { attempt: 2 } })
  })

  it('cannot be claimed by the key of an earlier call, although that key sees the new call too', async () => {
    const first = await submitted()
    await claim(first.token, first.run, first.call)
    await hub.sql(`update runs set lease_expires_at = now() - interval '1 second' where id = $1`, [first.run])
    await sweepLeases(hub.running.deps)
    expect((await seen(first.run)).status).toBe('queued')
    await dispatchWaiting(hub.running.deps)
    const second = await callOf(first.run, first.call)
    expect(types(await claim(first.token, first.run, second.call))).toEqual(['conflict.wrong_kind'])
    expect((await claim(second.token, first.run, second.call)).status).toBe(200)
    expect(types(await claim(first.token, first.run, second.call))).toEqual(['conflict.already_claimed'])
  })
})

describe('the key of a job', () => {
  it('creates a private model repo, and can neither publish, hide nor delete it or its files', async () => {
    const { run, call, token } = await submitted()
    await claim(token, run, call)
    const slug = newName('out')
    const made = await hub.call(token, 'POST', '/v1/repos', { kind: 'model', slug })
    expect([made.status, made.json.visibility]).toEqual([201, 'private'])
    const repo = `/v1/repos/${ada.handle}/${slug}`
    await hub.upload(token, `${ada.handle}/${slug}`, { 'model.bin': 'weights' })
    const attempts: [string, string, Json][] = [
      ['PATCH', repo, { visibility: 'public' }],
      ['DELETE', repo, undefined],
      ['POST', `${repo}/files/delete`, { paths: ['model.bin'] }],
    ]
    for (const [method, path, body] of attempts) {
      const refused = await hub.call(token, method, path, body)
      expect([method, refused.status, types(refused)]).toEqual([method, 403, ['forbidden.scope']])
    }
    const kept = (await hub.call(ada, 'GET', repo)).json
    expect([kept.visibility, kept.file_summary.count]).toEqual(['private', 1])
    expect((await hub.call(token, 'PATCH', repo, { visibility: 'private', description: 'x' })).status).toBe(200)
    await hub.call(ada, 'PATCH', repo, { visibility: 'public' })
    expect((await hub.call(token, 'PATCH', repo, { visibility: 'private' })).status).toBe(403)
    expect((await hub.call(ada, 'GET', repo)).json.visibility).toBe('public')
  })

  it('cannot create a public model repo or any other repo', async () => {
    const { run, call, token } = await submitted()
    await claim(token, run, call)
    for (const body of [{ kind: 'model', visibility: 'public' }, { kind: 'dataset' }, { kind: 'robot' }])
      expect((await hub.call(token, 'POST', '/v1/repos', { slug: newName(), ...body })).status).toBe(403)
  })
})
