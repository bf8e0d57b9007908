/** Spec, "POST /v1/robot-checks/{check_id}/publish", of a model check: files into the draft or `repo`, and the model's meta block. */
import { describe, expect, it } from 'vitest'
import { goodCard } from '../../packages/robot-card/test/support/card.ts'
import { contractHub, type Json, newName, type Person, sha256Of, types } from '../support/hub.ts'
import { arm, fingerprint, goodIntake, publishing } from './support/publishing.ts'

// Alone: everything is compared, and other files leave uploads that end later.
const hub = contractHub({}, { alone: true })
const { modelCheck, begin, end, publish, shown, treeOf, everything } = publishing(hub)
const repoOf = async (who: Person | string, name: string) => (await hub.call(who, 'GET', `/v1/repos/${name}`)).json
const files = { 'walk.onnx': sha256Of('new policy'), 'manifest.json': sha256Of('{}') }

/** A robot with a card, of this person. */
async function robotOf(person: Person): Promise<string> {
  const robot = await hub.repo(person, { kind: 'robot' })
  await hub.upload(person, robot, { 'arm.xml': arm() })
  expect((await hub.call(person, 'PUT', `/v1/robots/${robot}/card`, goodCard())).status).toBe(200)
  return robot
}

describe('publishRobotCheck of a model check', () => {
  it('links the stamped files into the draft, and sets the meta block of the model', async () => {
    const person = await hub.person()
    const robot = await robotOf(person)
    const made = await modelCheck({ request: { robot_repo: robot } }, person)
    const done = await publish(person, made.check)
    expect([done.status, done.json.errors]).toEqual([200, undefined])
    expect(done.json.published).toMatchObject({
      interface_fingerprint: null,
      visibility: 'private',
      smoke_rollout_id: null,
      smoke_error: null,
    })
    expect(done.json.published.files.map(({ path }: Json) => path).toSorted()).toEqual(Object.keys(files).toSorted())
    expect(await treeOf(person, made.repo)).toEqual(files)
    expect((await repoOf(person, made.repo)).model_meta).toMatchObject({
      policy_type: 'act',
      control_class: 'reflex',
      robot,
      embodiment_fingerprint: fingerprint,
      embodiment_check: 'mismatch',
    })
    expect((await repoOf(person, robot)).policy_count).toBe(1)
  })

  it('keeps of the meta block what the check says nothing about', async () => {
    const intake = { embodiment: 'unstamped', policy_type: 'x'.repeat(65), embodiment_fingerprint: 'none' }
    const made = await begin('model', {})
    const meta = {
      policy_type: 'diffusion',
      base_model: 'base',
      source_run_id: 'run',
      robot: 'an arm',
      control_class: 'skill',
      embodiment_fingerprint: fingerprint,
    }
    await hub.call(made.person, 'PUT', `/v1/models/${made.repo}/meta`, meta)
    await end(made, { 'manifest.json': '{}' }, { intake })
    expect((await publish(made.person, made.check)).status).toBe(200)
    expect((await repoOf(made.person, made.repo)).model_meta).toMatchObject({ ...meta, embodiment_fingerprint: null })
  })

  it.each([
    [{ ...goodIntake, policy_type: null }, {}, { policy_type: 'onnx', control_class: 'reflex' }],
    [{ embodiment: 'unstamped' }, { control_class: 'planner' }, { policy_type: 'unknown', control_class: 'planner' }],
  ])('sets a block where there was none (%#)', async (intake, model, expected) => {
    const person = await hub.person()
    const draft = await hub.repo(person, { kind: 'model' })
    await hub.upload(person, draft, { 'walk.onnx': 'old' })
    const made = await modelCheck({ request: { model: { repo: draft, ...model } }, end: { intake } }, person)
    expect((await publish(person, made.check)).status).toBe(200)
    expect((await repoOf(person, draft)).model_meta).toMatchObject({ ...expected, robot: null, base_model: null })
  })

  it('takes its needs from `robot_card.json`, which becomes neither a file nor a card', async () => {
    const needs = { needs_you: [{ field: 'entry', severity: 'advice', why: 'large' }] }
    const artifacts = { 'walk.onnx': 'new policy', 'manifest.json': '{}', 'robot_card.json': JSON.stringify(needs) }
    const made = await modelCheck({ artifacts })
    const { draft } = await shown(made)
    expect([draft.card, draft.needs_you.length, draft.blocking]).toEqual([null, 1, 0])
    expect((await publish(made.person, made.check)).json.published.files).toHaveLength(2)
    expect(await treeOf(made.person, made.repo)).toEqual(files)
  })

  it('publishes a check that made no files: the meta block alone', async () => {
    const made = await modelCheck({ artifacts: {} })
    const done = await publish(made.person, made.check)
    expect([done.status, done.json.published.files]).toEqual([200, []])
    expect((await repoOf(made.person, made.repo)).model_meta.policy_type).toBe('act')
  })

  it('publishes into `repo` instead, and leaves the draft as it is', async () => {
    const made = await modelCheck()
    const other = await hub.repo(made.person, { kind: 'model' })
    expect((await publish(made.person, made.check, { repo: other })).status).toBe(200)
    expect(await treeOf(made.person, other)).toEqual(files)
    expect(await treeOf(made.person, made.repo)).toEqual({ 'walk.onnx': sha256Of('old policy') })
    expect(await repoOf(made.person, made.repo)).not.toHaveProperty('model_meta')
  })

  it.each([
    [null, 'private'],
    ['private', 'private'],
    ['public', 'public'],
  ])('makes a `repo` that is missing: with visibility %s it is %s', async (visibility, expected) => {
    const made = await modelCheck()
    const name = `${made.person.handle}/${newName()}`
    const done = await publish(made.person, made.check, { repo: name, visibility })
    expect([done.status, done.json.published?.visibility]).toEqual([200, expected])
    const repo = await repoOf(made.person, name)
    expect([repo.kind, repo.visibility, repo.file_summary.count]).toEqual(['model', expected, 2])
    const actions = await hub.sql<Json>('select action from audit_log where target_id = $1 order by id', [repo.id])
    const last = expected === 'public' ? ['repo.update'] : []
    expect(actions.map(({ action }) => action)).toEqual(['repo.create', 'files.complete', 'repo.meta', ...last])
  })

  it('makes it for an org of the caller, whose quota then holds the files', async () => {
    const made = await modelCheck()
    const org = await hub.org([{ user: made.person.handle, role: 'member' }])
    expect((await publish(made.person, made.check, { repo: `${org}/${newName()}` })).status).toBe(200)
    const [row] = await hub.sql<Json>(
      'select storage_bytes, reserved_bytes, pending_uploads from accounts where handle = $1',
      [org],
    )
    expect(row).toEqual({ storage_bytes: 'new policy'.length + 2, reserved_bytes: 0, pending_uploads: 0 })
  })

  it('answers `smoke` honestly: nothing here runs rollouts', async () => {
    const made = await modelCheck()
    const { published } = (await publish(made.person, made.check, { smoke: true })).json
    expect([published.smoke_rollout_id, published.smoke_error]).toEqual([null, expect.stringMatching(/no rollout/)])
  })
})

describe('a `repo` that a model check is not published into', () => {
  const bob = hub.person
  const cases: readonly [string, (made: { person: Person }) => Promise<string>, number, string][] = [
    ['a dataset repo', ({ person }) => hub.repo(person), 409, 'conflict.wrong_kind'],
    ['a robot repo', ({ person }) => hub.repo(person, { kind: 'robot' }), 409, 'conflict.wrong_kind'],
    [
      "a stranger's public repo",
      async () => hub.repo(await bob(), { kind: 'model', visibility: 'public' }),
      403,
      'forbidden.scope',
    ],
    ["a stranger's private repo", async () => hub.repo(await bob(), { kind: 'model' }), 403, 'forbidden.scope'],
    ["a stranger's that does not exist", async () => `${(await bob()).handle}/x`, 403, 'forbidden.scope'],
    ['one with too long a slug', async ({ person }) => `${person.handle}/${'x'.repeat(65)}`, 422, 'validation.value'],
    ['one of an owner who does not exist', async () => `${newName()}/x`, 404, 'not_found'],
  ]
  it.each(cases)('is %s: as createRepo has it, and nothing changes', async (_what, given, status, type) => {
    const made = await modelCheck()
    const repo = await given(made)
    const before = await everything()
    const refused = await publish(made.person, made.check, { repo })
    expect([refused.status, types(refused)]).toEqual([status, [type]])
    expect(await everything()).toEqual(before)
  })

  it('is a missing one for a key limited to repos: 403', async () => {
    const made = await modelCheck()
    const key = await hub.key(made.person, { repos: [made.repo] })
    expect((await publish(key, made.check, { repo: `${made.person.handle}/${newName()}` })).status).toBe(403)
    expect((await publish(key, made.check)).status).toBe(200)
  })

  it('is a public one for an agent key: 403, and no repo is made', async () => {
    const made = await modelCheck()
    const agent = await hub.key(made.person, { agent: true })
    const name = `${made.person.handle}/${newName()}`
    const refused = await publish(agent, made.check, { repo: name, visibility: 'public' })
    expect([refused.status, types(refused)]).toEqual([403, ['forbidden.agent']])
    expect((await hub.call(made.person, 'GET', `/v1/repos/${name}`)).status).toBe(404)
    expect((await publish(agent, made.check, { repo: name })).status).toBe(200)
  })

  it('is any, where the robot of the check may not be written: 403, 404 where it is not seen', async () => {
    const eve = await hub.person()
    const boss = await hub.person()
    const org = await hub.org([
      { user: boss.handle, role: 'owner' },
      { user: eve.handle, role: 'member' },
    ])
    const robot = await hub.repo(boss, { kind: 'robot', owner: org, visibility: 'public' })
    const draft = await hub.repo(eve, { kind: 'model' })
    await hub.upload(eve, draft, { 'walk.onnx': 'x' })
    const asked = { kind: 'model', robot_repo: robot, model: { repo: draft }, entry: 'walk.onnx' }
    const { id } = (await hub.call(eve, 'POST', '/v1/robot-checks', asked)).json
    await hub.sql('delete from memberships where user_id = $1', [eve.id])
    expect((await publish(eve, id)).status).toBe(403)
    await hub.call(boss, 'PATCH', `/v1/repos/${robot}`, { visibility: 'private' })
    expect((await publish(eve, id)).status).toBe(404)
  })
})
