import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sweepLeases } from '../../src/runs/lease/sweep-leases.ts'
import { contractHub, type Json, newName, type Person } from '../support/hub.ts'
import { openFolder, reachingCheckout } from '../support/open-folder.ts'

const dir = openFolder('hub-hosted-')
afterAll(() => rm(dir, { recursive: true, force: true }))

/** A hosted function: claims its run, tries what it may and what it may not, and records the responses. */
const script = `
import { writeFileSync } from 'node:fs'
const { HUB_URL, HUB_TOKEN, HUB_JOB_ID, HUB_CALL_ID, HUB_JOB_TEMPLATE } = process.env
if (HUB_JOB_TEMPLATE === 'diffusion_policy') process.exit(3)
const call = async (method, path, body) => {
  const response = await fetch(HUB_URL + path, { method, headers: { authorization: 'Bearer ' + HUB_TOKEN, 'content-type': 'application/json' },
    body: body && JSON.stringify(body) })
  return { status: response.status, json: await response.json().catch(() => null) }
}
const run = '/v1/runs/' + HUB_JOB_ID
const claim = (hosted_call_id) => call('POST', run + '/claim', { worker: 'function', hosted_call_id })
const wrong = await claim('call_other')
const claimed = await claim(HUB_CALL_ID)
const { recipe, owner } = claimed.json
const { other, dataset, foreign, slug } = recipe.hyperparams
const answers = {
  wrong, claimed, env: Object.keys(process.env),
  again: await claim(HUB_CALL_ID),
  own: await call('GET', run),
  other: await call('GET', '/v1/runs/' + other),
  list: await call('GET', '/v1/runs'),
  submit: await call('POST', '/v1/runs', { recipe: { template: 'act' } }),
  start: await call('POST', '/v1/runs/start', { recipe: { template: 'act' }, worker: 'w' }),
  dataset: await call('GET', '/v1/repos/' + dataset),
  foreign: await call('GET', '/v1/repos/' + foreign),
  made: await call('POST', '/v1/repos', { kind: 'model', slug, owner: owner.handle }),
  madeOther: await call('POST', '/v1/repos', { kind: 'dataset', slug: slug + '-2' }),
  written: await call('PUT', '/v1/models/' + owner.handle + '/' + slug + '/meta', { policy_type: 'act' }),
  named: await call('PATCH', '/v1/repos/' + dataset, { description: 'x' }),
  deleted: await call('DELETE', '/v1/repos/' + dataset),
  next: await call('POST', '/v1/runs/claim-next', { worker: 'function' }),
  unwritten: await call('PATCH', '/v1/repos/' + foreign, { description: 'x' }),
}
writeFileSync(new URL('./' + HUB_JOB_ID + '.json', import.meta.url), JSON.stringify({ ...answers, token: HUB_TOKEN }))
`

const settings = { ...reachingCheckout, HOSTED_APP_NAME: 'coach', HOSTED_OWNERS: '*' }
const hub = contractHub({ ...settings, HOSTED_COMMAND: `"${process.execPath}" "${join(dir, 'function.mjs')}"` })
const bare = contractHub(settings)
let ada: Person

beforeAll(async () => {
  await writeFile(join(dir, 'function.mjs'), script)
  ada = await hub.person()
})

const create = (recipe: Json) =>
  hub.call(ada, 'POST', '/v1/runs', { recipe: { executor: 'hosted', max_hours: 1, ...recipe } })
const statusOf = async (where: typeof hub, who: Person, id: string) =>
  (await where.call(who, 'GET', `/v1/runs/${id}`)).json.status
const patiently = { timeout: 100_000, interval: 100 }

describe('a hosted run', () => {
  it('that cannot be started fails with the reason', async () => {
    const bob = await bare.person()
    const made = await bare.call(bob, 'POST', '/v1/runs', { recipe: { template: 'act', executor: 'hosted' } })
    expect([made.status, made.json.status]).toEqual([201, 'queued'])
    await expect.poll(() => statusOf(bare, bob, made.json.id), patiently).toBe('failed')
    const { json } = await bare.call(bob, 'GET', `/v1/runs/${made.json.id}`)
    expect(json).toMatchObject({
      hosted_call_id: null,
      dispatched_at: null,
      cost_usd: 0,
      spend: { final: true, accrued_usd: 0 },
    })
    expect(json.error).toBe('The hosted function could not be started: HOSTED_COMMAND is not set.')
    for (const table of ['ledger', 'spend_reservations'])
      expect(await bare.sql(`select 1 from ${table} where job_id = $1`, [made.json.id])).toEqual([])
  })

  it('whose function ends before it claims has failed', async () => {
    const { json } = await create({ template: 'diffusion_policy' })
    await expect.poll(() => statusOf(hub, ada, json.id), patiently).toBe('failed')
    const { error } = (await hub.call(ada, 'GET', `/v1/runs/${json.id}`)).json
    expect(error).toContain('HOSTED_COMMAND ended with code 3')
  })

  it('is claimed by its own call, with a key that is valid only for this run and revoked with it', async () => {
    const dataset = await hub.repo(ada)
    const foreign = await hub.repo(ada)
    const other = (await hub.call(ada, 'POST', '/v1/runs', { recipe: { template: 'act' } })).json.id
    const hyperparams = { dataset, foreign, other, slug: newName('out') }
    const { json: made } = await create({ template: 'act', dataset: [`svc://${dataset}`], hyperparams })
    const file = join(dir, `${made.id}.json`)
    await expect.poll(() => readFile(file, 'utf8').catch(() => ''), patiently).toMatch(/\}$/)
    const answers = JSON.parse(await readFile(file, 'utf8'))
    expect(answers.claimed).toMatchObject({ status: 200, json: { status: 'running', claimed_by: 'function' } })
    expect(answers.claimed.json.hosted_call_id).toMatch(/^call_[0-9a-f]{32}$/)
    expect(answers.claimed.json.dispatched_at).not.toBeNull()
    const statuses = Object.fromEntries(Object.entries<Json>(answers).map(([name, { status }]) => [name, status]))
    expect(statuses).toMatchObject({
      wrong: 409,
      again: 200,
      own: 200,
      other: 404,
      submit: 403,
      start: 403,
      dataset: 200,
      foreign: 404,
      made: 201,
      madeOther: 403,
      written: 200,
      named: 403,
      deleted: 403,
      next: 403,
      unwritten: 404,
    })
    expect(answers.list.json.items.map((run: Json) => run.id)).toEqual([made.id])
    expect(answers.env.filter((name: string) => /SECRET|DATABASE|S3_/.test(name))).toEqual([])
    const ask = async () => (await hub.call(answers.token, 'GET', `/v1/runs/${made.id}`)).status
    expect(await ask()).toBe(200)
    const keys = await hub.graphql(ada, '{ viewer { credentialId } }')
    expect(JSON.stringify(keys)).not.toContain(made.id)
    await hub.sql(`update runs set status = 'succeeded', finished_at = now(), lease_expires_at = null where id = $1`, [
      made.id,
    ])
    expect(await ask()).toBe(401)
  })

  it('that returned to the queue is started again', async () => {
    const { json: made } = await create({
      template: 'act',
      hyperparams: { other: 'x', dataset: 'a/b', foreign: 'a/b', slug: newName() },
    })
    const call = async () => (await hub.call(ada, 'GET', `/v1/runs/${made.id}`)).json
    await expect.poll(async () => (await call()).status, patiently).toBe('running')
    const first = (await call()).hosted_call_id
    const { deps } = hub.running
    // A report renews the lease, and one may come before the sweep: then it expires once more. The hub's own timer may start the run again before the test reads it.
    const isPutBack = async () => {
      await hub.sql(
        `update runs set lease_expires_at = now() - interval '1 second' where id = $1 and status = 'running' and hosted_call_id = $2`,
        [made.id, first],
      )
      await sweepLeases(deps)
      const { status, hosted_call_id } = await call()
      return status === 'queued' || hosted_call_id !== first
    }
    await expect.poll(isPutBack, patiently).toBe(true)
    const { dispatchWaiting } = await import('../../src/jobs/hosted-kinds.ts')
    await dispatchWaiting(deps)
    await expect.poll(async () => (await call()).status, patiently).toBe('running')
    expect((await call()).hosted_call_id).not.toBe(first)
  })
})
