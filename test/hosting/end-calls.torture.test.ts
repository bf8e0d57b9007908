/** A hosted process ends with its run, also under the hub that was started after its own. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openProcessBackend } from '../../src/hosting/process/process-backend.ts'
import { sweepCalls } from '../../src/jobs/sweeps.ts'
import { sweepLeases } from '../../src/runs/lease/sweep-leases.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { openFolder, reachingCheckout } from '../support/open-folder.ts'

const dir = openFolder('hub-end-calls-')
afterAll(() => rmSync(dir, { recursive: true, force: true }))
const patiently = { timeout: 100_000, interval: 50 }

/** Claims its run, or not, says its pid and stays. With `ends` it reports the end of its run, and stays all the same. */
const script = join(dir, 'function.mjs')
writeFileSync(
  script,
  `import { writeFileSync } from 'node:fs'
const { HUB_URL, HUB_TOKEN, HUB_JOB_ID, HUB_CALL_ID } = process.env
const post = async (verb, body) => (await fetch(HUB_URL + '/v1/runs/' + HUB_JOB_ID + '/' + verb, { method: 'POST',
  headers: { authorization: 'Bearer ' + HUB_TOKEN, 'content-type': 'application/json' }, body: JSON.stringify(body) })).json()
const run = await (await fetch(HUB_URL + '/v1/runs/' + HUB_JOB_ID, { headers: { authorization: 'Bearer ' + HUB_TOKEN } })).json()
const { claims, ends } = run.recipe.hyperparams
if (claims) await post('claim', { worker: 'function', hosted_call_id: HUB_CALL_ID })
if (ends) await post('report', { status: 'succeeded' })
writeFileSync('${dir}/' + HUB_JOB_ID, process.pid + ' ' + HUB_TOKEN)
// Ends by itself only with the hub of this test, which leaves nobody behind.
setInterval(() => fetch(HUB_URL + '/healthz').catch(() => process.exit()), 1000)
`,
)

const settings = {
  ...reachingCheckout,
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: '*',
  HOSTED_COMMAND: `exec "${process.execPath}" "${script}"`,
}
const hub = contractHub(settings)
let ada: Person
beforeAll(async () => {
  ada = await hub.person()
})

const isAlive = (pid: number) => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** A hosted run whose function is at work. */
async function started(hyperparams: Json) {
  const recipe = { template: 'act', executor: 'hosted', max_hours: 0.1, hyperparams }
  const { json } = await hub.call(ada, 'POST', '/v1/runs', { recipe })
  const file = join(dir, json.id)
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').includes(' '), patiently).toBe(true)
  const [pid = '', token = ''] = readFileSync(file, 'utf8').split(' ')
  return { id: json.id as string, pid: Number(pid), token }
}
const get = async (id: string): Promise<Json> => (await hub.call(ada, 'GET', `/v1/runs/${id}`)).json
const isDone = async (pid: number) => {
  await sweepCalls(hub.running.deps)
  return !isAlive(pid)
}

describe('a hosted process', () => {
  it('goes on while its run does, and is ended when the hub ends the run at its max_hours; its key is dead', async () => {
    const { id, pid, token } = await started({ claims: true })
    await sweepCalls(hub.running.deps)
    expect([isAlive(pid), (await get(id)).status]).toEqual([true, 'running'])
    await hub.sql(
      `update runs set claimed_at = now() - interval '1 hour', cancel_requested_at = now() - interval '61 s', stop_reason = 'max_hours' where id = $1`,
      [id],
    )
    await sweepLeases(hub.running.deps)
    expect(await get(id)).toMatchObject({ status: 'failed', error: expect.stringContaining('max_hours') })
    await expect.poll(() => isDone(pid), patiently).toBe(true)
    expect((await hub.call(token, 'GET', `/v1/runs/${id}`)).status).toBe(401)
  })

  it('that never claimed is ended when its queued run is canceled', async () => {
    const { id, pid } = await started({ claims: false })
    expect((await hub.call(ada, 'POST', `/v1/runs/${id}/cancel`)).status).toBe(202)
    await expect.poll(() => isDone(pid), patiently).toBe(true)
    expect((await get(id)).status).toBe('canceled')
  })

  it('that lost its lease is ended: another call takes up the run', async () => {
    const { id, pid } = await started({ claims: true })
    await hub.sql(`update runs set lease_expires_at = now() - interval '1 s' where id = $1`, [id])
    await sweepLeases(hub.running.deps)
    await expect.poll(() => isDone(pid), patiently).toBe(true)
  })

  it('that reported the end itself has a minute to leave', async () => {
    const { id, pid } = await started({ claims: true, ends: true })
    expect((await get(id)).status).toBe('succeeded')
    await sweepCalls(hub.running.deps)
    expect(isAlive(pid)).toBe(true)
    await hub.sql(`update runs set finished_at = now() - interval '61 s' where id = $1`, [id])
    await expect.poll(() => isDone(pid), patiently).toBe(true)
  })

  it('is ended by the next hub on the same data folder too', async () => {
    const { id, pid } = await started({ claims: false })
    const { deps } = hub.running
    const hosted = await openProcessBackend(deps.config, pino({ level: 'silent' }))
    await hub.call(ada, 'POST', `/v1/runs/${id}/cancel`)
    expect(await sweepCalls({ ...deps, hosted })).toBeGreaterThan(0)
    await expect.poll(() => isAlive(pid), patiently).toBe(false)
    await hosted.close()
  })
})
