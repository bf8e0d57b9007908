/** The key of a run: for what its command pushes, as long as the run goes on. */
import { expect, it } from 'vitest'
import { contractHub } from '../support/hub.ts'

const hub = contractHub()

const text = 'mutation ($input: MakeRunKeyInput!) { makeRunKey(input: $input) { id token } }'

async function started() {
  const ada = await hub.person()
  const handle: string = (await hub.call(ada, 'GET', '/v1/me')).json.account.handle
  const other = (await hub.call(ada, 'POST', '/v1/repos', { kind: 'model', slug: 'other', visibility: 'private' })).json
  const { json } = await hub.call(ada, 'POST', '/v1/runs/start', { recipe: { template: 'act' }, worker: 'box' })
  const run: string = json.id
  const make = (input = {}) => hub.graphql(ada, text, { input: { runId: run, ...input } })
  const makeKey = async (): Promise<string> => (await make()).data.makeRunKey.token
  return { ada, handle, other, run, make, makeKey }
}

it('makes private models and writes them, and reads and writes nothing else', async () => {
  const { handle, other, run, makeKey } = await started()
  const key = await makeKey()
  const made = await hub.call(key, 'POST', '/v1/repos', { kind: 'model', slug: 'policy', visibility: 'private' })
  expect([made.status, made.json.full_name]).toEqual([201, `${handle}/policy`])
  expect((await hub.call(key, 'GET', `/v1/repos/${other.full_name}`)).status).toBe(404)
  expect((await hub.call(key, 'POST', '/v1/repos', { kind: 'dataset', slug: 'set' })).status).toBe(403)
  expect((await hub.call(key, 'PATCH', `/v1/repos/${handle}/policy`, { visibility: 'public' })).status).toBe(403)
  expect((await hub.call(key, 'POST', `/v1/runs/${run}/report`, { status: 'failed' })).status).toBe(403)
  expect((await hub.call(key, 'PATCH', `/v1/runs/${run}`, { name: 'x' })).status).toBe(403)
  expect((await hub.call(key, 'POST', '/v1/runs', { recipe: { template: 'act' } })).status).toBe(403)
})

it("writes the run's output repo, if that was named before", async () => {
  const { ada, handle, run, other, makeKey } = await started()
  await hub.call(ada, 'POST', `/v1/runs/${run}/report`, { output_model_repo: other.full_name })
  const key = await makeKey()
  expect((await hub.call(key, 'PATCH', `/v1/repos/${handle}/other`, { description: 'mine' })).status).toBe(200)
})

it('is dead once the run has ended, or has another key', async () => {
  const { ada, run, makeKey } = await started()
  const [first, second] = [await makeKey(), await makeKey()]
  const statusOf = async (key: string) => (await hub.call(key, 'GET', '/v1/me')).status
  expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200])
  await hub.call(ada, 'POST', `/v1/runs/${run}/report`, { status: 'succeeded' })
  expect(await statusOf(second)).toBe(401)
})

it.each(['is held', 'has lost its lease'])('ends with the key that asked for it while the run %s', async (state) => {
  const ada = await hub.person()
  const holder = await hub.key(ada, { scope: 'train' })
  const recipe = { template: 'act' }
  const run: string = (await hub.call(holder, 'POST', '/v1/runs/start', { recipe, worker: 'box' })).json.id
  const key: string = (await hub.graphql(holder, text, { input: { runId: run } })).data.makeRunKey.token
  if (state === 'has lost its lease')
    await hub.sql(
      `update runs set status = 'queued', claim_credential = null, claimed_by = null, lease_expires_at = null
        where id = $1`,
      [run],
    )
  const statusOf = async () => (await hub.call(key, 'GET', '/v1/me')).status
  expect(await statusOf()).toBe(200)
  const [{ id } = { id: '' }] = await hub.sql<{ id: string }>(
    'select made_with as id from api_keys where job_id = $1',
    [run],
  )
  const revoked = await hub.graphql(ada, `mutation { revokeApiKey(input: { id: "${id}" }) { key { revokedAt } } }`)
  expect(revoked.data.revokeApiKey.key.revokedAt).not.toBeNull()
  expect(await statusOf()).toBe(401)
})

it('ends with the session that asked for it, also when that expires', async () => {
  const { ada, run, makeKey } = await started()
  const key = await makeKey()
  const asked = 'select made_with from api_keys where job_id = $1'
  await hub.sql(`update sessions set expires_at = now() where id = (${asked})`, [run])
  expect((await hub.call(key, 'GET', '/v1/me')).status).toBe(401)
  expect((await hub.call(ada, 'GET', '/v1/me')).status).toBe(401)
})

it('has who asked for it in the audit log', async () => {
  const { ada, makeKey } = await started()
  await makeKey()
  const asked = `{ auditLog(account: "${ada.handle}", first: 1, action: "key.create") { nodes { action actor { handle } } } }`
  const { nodes } = (await hub.graphql(ada, asked)).data.auditLog
  expect(nodes).toEqual([{ action: 'key.create', actor: { handle: ada.handle } }])
})

it('is made for the holder of the run alone, and not by a key of a run', async () => {
  const { ada, run, make, makeKey } = await started()
  const asked = async (who: Parameters<typeof hub.graphql>[0]) =>
    (await hub.graphql(who, text, { input: { runId: run } })).errors[0].extensions.status
  expect(await asked(await makeKey())).toBe(403)
  expect(await asked(await hub.key(ada, { scope: 'train' }))).toBe(409)
  expect(await asked(await hub.person())).toBe(404)
  expect((await make({ attempt: 2 })).errors[0].extensions.status).toBe(409)
})
