/** Deleting runs and referenced repos: a reference blocks a deletion only if both owners can see the objects involved. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person, types, type Who } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let mallory: Person

beforeAll(async () => {
  ada = await hub.person()
  mallory = await hub.person()
})

const submit = async (who: Who, recipe: Json = {}, more: Json = {}): Promise<string> => {
  const made = await hub.call(who, 'POST', '/v1/runs', { recipe: { template: 'act', dataset: [], ...recipe }, ...more })
  expect([made.status, made.json.errors]).toEqual([201, undefined])
  return made.json.id
}
const post = (who: Who, run: string, verb: string, body: Json = {}) =>
  hub.call(who, 'POST', `/v1/runs/${run}/${verb}`, body)
const remove = (who: Who, run: string) => hub.call(who, 'DELETE', `/v1/runs/${run}`)
const removeRepo = (who: Who, name: string) => hub.call(who, 'DELETE', `/v1/repos/${name}`)
const hide = async (who: Who, name: string) =>
  expect((await hub.call(who, 'PATCH', `/v1/repos/${name}`, { visibility: 'private' })).status).toBe(200)

/** A run that was canceled before anyone took it. */
async function ended(who: Who, recipe: Json = {}, more: Json = {}): Promise<string> {
  const run = await submit(who, recipe, more)
  expect((await post(who, run, 'cancel')).status).toBe(202)
  return run
}

describe('a run of another account that uses a public dataset', () => {
  it('blocks deletion of the dataset while it is public; once it is private it can be deleted, with its bytes', async () => {
    const name = await hub.repo(ada, { visibility: 'public' })
    await hub.upload(ada, name, { 'a.txt': 'pinned bytes' })
    const { id } = (await hub.call(ada, 'GET', `/v1/repos/${name}`)).json
    const run = await submit(mallory, { dataset: [`svc://${name}`] })
    const refused = await removeRepo(ada, name)
    expect([refused.status, types(refused)]).toEqual([409, ['conflict.referenced']])
    expect(refused.json.errors[0].detail).toContain(run)
    expect(refused.json.detail).toContain('private')
    // Files that the run pinned, and that collection has marked.
    await hub.call(ada, 'POST', `/v1/repos/${name}/files/delete`, { paths: ['a.txt'] })
    await hub.sql('update files set pinned = true where repo_id = $1', [id])
    await hide(ada, name)
    expect((await removeRepo(ada, name)).status).toBe(204)
    const left = () => hub.sql('select pinned from files where repo_id = $1 and pinned', [id])
    await expect.poll(left, { timeout: 100_000 }).toEqual([])
    expect(await hub.sql('select run_id from run_datasets where repo_id = $1', [id])).toEqual([])
    const stands = await hub.call(mallory, 'GET', `/v1/runs/${run}`)
    expect(stands.json.recipe.dataset).toEqual([`svc://${name}`])
    // A name that is taken again is another repo.
    expect((await hub.call(ada, 'POST', '/v1/repos', { kind: 'dataset', slug: name.split('/')[1] })).status).toBe(201)
    expect((await removeRepo(ada, name)).status).toBe(204)
  })

  it('does not block deletion of a robot that became private', async () => {
    const name = await hub.repo(ada, { kind: 'robot', visibility: 'public' })
    await submit(mallory, { robot: name })
    await hide(ada, name)
    expect((await removeRepo(ada, name)).status).toBe(204)
  })

  it("keeps a private repo of an org while the run's owner is a member; a run of the org itself always keeps it", async () => {
    const org = await hub.org([
      { user: ada.handle, role: 'owner' },
      { user: mallory.handle, role: 'member' },
    ])
    const name = await hub.repo(ada, { owner: org })
    const theirs = await submit(mallory, { dataset: [`svc://${name}`] })
    const own = await ended(ada, { dataset: [`svc://${name}`] }, { owner: org })
    const refused = await removeRepo(ada, name)
    expect(refused.json.errors.map(({ referrer }: Json) => referrer).sort()).toEqual([theirs, own].sort())
    await hub.sql(
      'delete from memberships where user_id = $1 and org_id = (select id from accounts where handle = $2)',
      [mallory.id, org],
    )
    const again = await removeRepo(ada, name)
    expect(again.json.errors.map(({ referrer }: Json) => referrer)).toEqual([own])
    expect((await remove(ada, own)).status).toBe(204)
    expect((await removeRepo(ada, name)).status).toBe(204)
  })
})

describe('DELETE /v1/runs/{run_id}', () => {
  it('deletes an ended run with its rows and objects, once; its audit rows stay', async () => {
    const run = await submit(ada)
    expect((await post(ada, run, 'claim', { worker: 'box' })).status).toBe(200)
    const running = await remove(ada, run)
    expect([running.status, types(running)]).toEqual([409, ['conflict.not_ended']])
    const reported = await post(ada, run, 'report', {
      log_chunk: 'a line\n',
      metrics: [{ step: 1, reward: 2 }],
      config_yaml: 'a: 1\n',
      scorecard_json: { gates: [{ name: 'x', status: 'PASS' }] },
      status: 'succeeded',
    })
    expect(reported.status).toBe(200)
    expect((await hub.call(ada, 'GET', `/v1/runs/${run}/logs/download`)).text).toBe('a line\n')
    const gone = await remove(ada, run)
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect((await remove(ada, run)).status).toBe(404)
    for (const path of ['', '/logs', '/logs/download', '/metrics', '/config', '/checkpoints'])
      expect([path, (await hub.call(ada, 'GET', `/v1/runs/${run}${path}`)).status]).toEqual([path, 404])
    const rows = async () => {
      const tables = ['run_metrics', 'run_log_chunks', 'run_attempts', 'run_datasets', 'run_gate_results']
      const counts = tables.map((table) => `(select count(*)::int from ${table} where run_id = $1)`)
      const [row] = await hub.sql<{ left: number }>(`select ${counts.join(' + ')} as left`, [run])
      return row?.left
    }
    await expect.poll(rows, { timeout: 100_000 }).toBe(0)
    const objects = async () => {
      const keys: string[] = []
      for await (const { key } of hub.running.deps.objects?.list(`runs/${run}/`) ?? []) keys.push(key)
      return keys
    }
    await expect.poll(objects, { timeout: 100_000 }).toEqual([])
    const actions = await hub.sql<{ action: string }>('select action from audit_log where target_id = $1 order by id', [
      run,
    ])
    expect(actions.map(({ action }) => action)).toEqual(['run.create', 'run.claim', 'run.finish', 'run.delete'])
  })

  it('is the same in the graph', async () => {
    const run = await ended(ada)
    const ask = (who: Who) =>
      hub.graphql(who, 'mutation ($id: ID!) { deleteRun(input: { runId: $id }) { id } }', { id: run })
    expect((await ask(mallory)).errors[0].extensions).toMatchObject({ code: 'NOT_FOUND' })
    expect((await ask(ada)).data).toEqual({ deleteRun: { id: run } })
    expect((await ask(ada)).errors[0].extensions).toMatchObject({ code: 'NOT_FOUND' })
  })

  it("requires a write key or session of the billed account: never an agent's, and seeing the run is not enough", async () => {
    const run = await ended(ada)
    const statusOf = async (who: Who) => (await remove(who, run)).status
    expect(await statusOf(null)).toBe(401)
    expect(await statusOf(mallory)).toBe(404)
    expect(await statusOf(await hub.key(ada, { scope: 'read' }))).toBe(403)
    const agent = await remove(await hub.key(ada, { scope: 'train', agent: true }), run)
    expect([agent.status, types(agent)]).toEqual([403, ['forbidden.agent']])
    expect(await statusOf(await hub.key(ada, { scope: 'write' }))).toBe(204)

    const org = await hub.org([
      { user: ada.handle, role: 'owner' },
      { user: mallory.handle, role: 'member' },
    ])
    const theirs = await ended(mallory, {}, { owner: org })
    await hub.sql(
      'delete from memberships where user_id = $1 and org_id = (select id from accounts where handle = $2)',
      [mallory.id, org],
    )
    expect((await hub.call(mallory, 'GET', `/v1/runs/${theirs}`)).status).toBe(200)
    expect((await remove(mallory, theirs)).status).toBe(403)
    expect((await remove(ada, theirs)).status).toBe(204)
  })

  it('is 409 while runs descend from it, naming them; runs of owners who can no longer see it do not count', async () => {
    const org = await hub.org([
      { user: ada.handle, role: 'owner' },
      { user: mallory.handle, role: 'member' },
    ])
    const parent = await ended(ada, {}, { owner: org })
    const own = await ended(ada, {}, { owner: org, parent_run_id: parent })
    const theirs = await ended(mallory, {}, { parent_run_id: parent })
    const refused = await remove(ada, parent)
    expect([refused.status, [...new Set(types(refused))]]).toEqual([409, ['conflict.referenced']])
    expect(refused.json.errors.map(({ referrer }: Json) => referrer).sort()).toEqual([own, theirs].sort())
    expect((await remove(ada, own)).status).toBe(204)
    await hub.sql(
      'delete from memberships where user_id = $1 and org_id = (select id from accounts where handle = $2)',
      [mallory.id, org],
    )
    expect((await remove(ada, parent)).status).toBe(204)
    expect((await hub.call(mallory, 'GET', `/v1/runs/${theirs}`)).json.parent_run_id).toBeNull()
  })

  it('releases the repos that the run named or made; a model keeps the name of its run', async () => {
    const dataset = await hub.repo(ada)
    const model = await hub.repo(ada, { kind: 'model' })
    const run = await submit(ada, { dataset: [`svc://${dataset}`] })
    expect((await post(ada, run, 'claim', { worker: 'box' })).status).toBe(200)
    const done = await post(ada, run, 'report', { output_model_repo: model, status: 'succeeded' })
    expect(done.status).toBe(200)
    for (const name of [dataset, model]) expect((await removeRepo(ada, name)).status).toBe(409)
    expect((await remove(ada, run)).status).toBe(204)
    expect((await hub.call(ada, 'GET', `/v1/repos/${model}`)).json.model_meta.source_run_id).toBe(run)
    for (const name of [dataset, model]) expect((await removeRepo(ada, name)).status).toBe(204)
  })

  it('still counts for the GPU hours of its day, unless the run was canceled before its start', async () => {
    const eve = await hub.person()
    const key = await hub.key(eve, { scope: 'train' })
    const run = await submit(key)
    await hub.sql(
      `update runs set priced = true, max_hours = 3, created_by = $2, status = 'failed', finished_at = now() where id = $1`,
      [run, eve.id],
    )
    expect((await remove(eve, run)).status).toBe(204)
    const canceled = await ended(eve)
    await hub.sql('update runs set priced = true where id = $1', [canceled])
    expect((await remove(eve, canceled)).status).toBe(204)
    const rows = await hub.sql(
      'select run_id, reserved, max_hours::float8 as hours from deleted_runs where created_by = $1 order by run_id',
      [eve.id],
    )
    expect(rows).toEqual([
      { run_id: run, reserved: true, hours: 3 },
      { run_id: canceled, reserved: false, hours: 4 },
    ])
  })

  it('removes the run from the listing and its facets', async () => {
    const robot = newName('arm')
    const run = await ended(ada, { robot })
    const listed = async () => (await hub.call(ada, 'GET', `/v1/runs?robot=${robot}`)).json.items.length
    expect(await listed()).toBe(1)
    expect((await remove(ada, run)).status).toBe(204)
    expect(await listed()).toBe(0)
  })
})
