/** What people keep a run by: set when it is made, changed later. Contract, "Keeping runs". */
import { beforeAll, describe, expect, it } from 'vitest'
import { recordedRun, runOfRecord } from '../../src/runs/create/held-run.ts'
import { contractHub, type Json, newName, type Person } from '../support/hub.ts'

const hub = contractHub()
let ada: Person

beforeAll(async () => {
  ada = await hub.person()
})

const recipe = { template: 'act' }
const kept = {
  project: 'pick and place',
  name: 'night run',
  notes: 'warm start\nfrom the old robot',
  tags: ['baseline', 'lr 1e-4'],
  group: 'sweep 7',
  job_type: 'train',
}
const none = { project: null, name: null, notes: null, tags: [], group: null, job_type: null }

const make = async (body: Json = {}) => (await hub.call(ada, 'POST', '/v1/runs', { recipe, ...body })).json
const edit = (id: string, body: Json, who: Person | string = ada) => hub.call(who, 'PATCH', `/v1/runs/${id}`, body)
const read = async (id: string) => (await hub.call(ada, 'GET', `/v1/runs/${id}`)).json
const entries = (id: string) =>
  hub.sql(`select before, after from audit_log where target_id = $1 and action = 'run.update' order by id`, [id])

describe('a new run', () => {
  it.each([
    ['created', '/v1/runs', { recipe }],
    ['started', '/v1/runs/start', { recipe, worker: 'w' }],
    ['imported', '/v1/runs/import', { artifacts: { config_yaml: 'a: 1', metrics_summary: '' } }],
  ])('that is %s has the fields that it was given, and none without', async (_how, path, body) => {
    expect((await hub.call(ada, 'POST', path, { ...body, ...kept })).json).toMatchObject(kept)
    expect((await hub.call(ada, 'POST', path, body)).json).toMatchObject(none)
  })

  it('is the same one for a repeated request, and another request once a field differs', async () => {
    const headers = { 'idempotency-key': newName() }
    const send = (name: string) => hub.call(ada, 'POST', '/v1/runs', { recipe, ...kept, name }, headers)
    const [first, again, other] = [await send('one'), await send('one'), await send('two')]
    expect([again.status, again.json.id, again.json.name]).toEqual([200, first.json.id, 'one'])
    expect(other.status).toBe(422)
  })

  it('is called by its name before anything else', async () => {
    const named = { recipe: { ...recipe, hyperparams: { run_name: 'first try' } } }
    const { id, ...run } = await make({ ...named, name: 'night run' })
    expect(run).toMatchObject({ display_name: 'night run', display_name_source: 'name' })
    expect((await edit(id, { name: null })).json).toMatchObject({
      display_name: 'first try',
      display_name_source: 'run_name',
    })
  })

  it('has the fields of a request that was held for a decision', () => {
    const { job_type: jobType, ...same } = kept
    const record = recordedRun({ recipe, owner: 'ada', ...same, jobType })
    expect(record).toEqual({ recipe, owner: 'ada', ...kept })
    expect(runOfRecord(record)).toEqual({ recipe, owner: 'ada', parentRunId: null, ...same, jobType })
  })
})

describe('the limit of a field', () => {
  const lines = [
    ['project', 128],
    ['name', 200],
    ['group', 128],
    ['job_type', 128],
  ] as const
  it.each(lines)('%s is %i characters of one line', async (field, most) => {
    const { id } = await make()
    expect((await edit(id, { [field]: 'x'.repeat(most) })).status).toBe(200)
    for (const wrong of ['x'.repeat(most + 1), '', ' ', 'a\nb'])
      expect((await edit(id, { [field]: wrong })).json, JSON.stringify(wrong)).toMatchObject({
        status: 422,
        errors: [{ loc: ['body', field] }],
      })
  })

  it('notes is 16 KiB of UTF-8', async () => {
    const { id } = await make()
    expect((await edit(id, { notes: 'é'.repeat(8192) })).status).toBe(200)
    expect((await edit(id, { notes: `${'é'.repeat(8192)}x` })).status).toBe(422)
    expect((await edit(id, { notes: '' })).json.notes).toBeNull()
  })

  it('tags is 32 of 64 characters, each once', async () => {
    const { id } = await make()
    const tags = (count: number) => Array.from({ length: count }, (_, at) => String(at).padStart(64, 'x'))
    expect((await edit(id, { tags: tags(32) })).json.tags).toEqual(tags(32))
    expect((await edit(id, { tags: tags(33) })).status).toBe(422)
    expect((await edit(id, { tags: ['x'.repeat(65)] })).status).toBe(422)
    expect((await edit(id, { tags: ['b', 'a', 'b'] })).json.tags).toEqual(['b', 'a'])
  })
})

describe('a change', () => {
  it('clears what is null, leaves what is absent, and is audited once', async () => {
    const { id } = await make(kept)
    const changed = await edit(id, { notes: null, group: 'sweep 8' })
    expect(changed.json).toMatchObject({ ...kept, notes: null, group: 'sweep 8' })
    expect((await edit(id, { notes: null, group: 'sweep 8' })).status).toBe(200)
    expect((await edit(id, {})).status).toBe(200)
    expect(await read(id)).toMatchObject({ ...kept, notes: null, group: 'sweep 8' })
    expect(await entries(id)).toEqual([
      { before: { notesCharacters: 29, group: 'sweep 7' }, after: { notesCharacters: 0, group: 'sweep 8' } },
    ])
    expect((await edit(id, { tags: null })).json.tags).toEqual([])
  })

  it('is possible once the run has ended, and moves nothing', async () => {
    const { id } = await make()
    await hub.call(ada, 'POST', `/v1/runs/${id}/cancel`, {})
    const { updated_at: _at, ...before } = await read(id)
    expect((await edit(id, kept)).status).toBe(200)
    const after = await read(id)
    expect(after).toMatchObject({ ...kept, status: 'canceled', finished_at: before.finished_at })
    expect(after.recipe_hash).toBe(before.recipe_hash)
  })

  it('that comes with another one loses nothing of either', async () => {
    const { id } = await make()
    const both = await Promise.all([edit(id, { project: 'one' }), edit(id, { group: 'two' })])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(await read(id)).toMatchObject({ project: 'one', group: 'two' })
    expect(await entries(id)).toHaveLength(2)
  })

  it('is in the log of changes that lists follow', async () => {
    const { id } = await make()
    const seen = () => hub.sql('select xid from changes where thing_id = $1', [id])
    const before = await seen()
    await edit(id, { name: 'seen' })
    expect(await seen()).not.toEqual(before)
  })

  it('is for who belongs to the billed account', async () => {
    const { id } = await make()
    const stranger = await hub.person()
    expect((await edit(id, kept, stranger)).status).toBe(404)
    expect((await edit(id, kept, await hub.key(ada, { scope: 'read' }))).status).toBe(403)
    expect((await edit(id, kept, await hub.key(ada, { scope: 'write', agent: true }))).status).toBe(200)
  })
})

describe('the parent of a run that has none', () => {
  const parentOf = async (id: string) => (await read(id)).parent_run_id

  it('is named once, and the same one again', async () => {
    const [parent, run] = [await make(), await make()]
    for (const _ of [1, 2])
      expect((await edit(run.id, { parent_run_id: parent.id })).json).toMatchObject({ parent_run_id: parent.id })
    expect(await entries(run.id)).toEqual([{ before: {}, after: { parentRunId: parent.id } }])
    expect((await edit(run.id, { parent_run_id: null })).json).toMatchObject({ parent_run_id: parent.id })
  })

  it.each<[string, () => Promise<[run: string, parent: string]>]>([
    [
      'the run has another',
      async () => {
        const [parent, other] = [await make(), await make()]
        return [(await make({ parent_run_id: parent.id })).id, other.id]
      },
    ],
    [
      'it is the run',
      async () => {
        const { id } = await make()
        return [id, id]
      },
    ],
    ['it is not older, so that no run descends from itself', async () => [(await make()).id, (await make()).id]],
    ['there is none of that id', async () => [(await make()).id, 'run_nowhere']],
    [
      'the caller cannot see it',
      async () => {
        const stranger = await hub.person()
        const theirs = (await hub.call(stranger, 'POST', '/v1/runs', { recipe })).json
        return [(await make()).id, theirs.id]
      },
    ],
  ])('is refused where %s, and nothing else of the request is kept', async (_why, given) => {
    const [id, parent] = await given()
    const before = await parentOf(id)
    expect((await edit(id, { parent_run_id: parent, name: 'other' })).json).toMatchObject({
      status: 422,
      errors: [{ loc: ['body', 'parent_run_id'] }],
    })
    expect(await read(id)).toMatchObject({ parent_run_id: before, name: null })
  })

  it('is one of two that are named at once', async () => {
    const [one, two, run] = [await make(), await make(), await make()]
    const answers = await Promise.all([one, two].map(({ id }) => edit(run.id, { parent_run_id: id })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
    expect(await parentOf(run.id)).toBe(answers.find(({ status }) => status === 200)?.json.parent_run_id)
  })
})
