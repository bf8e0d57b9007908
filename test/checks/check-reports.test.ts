/** Spec, "POST /v1/robot-checks/{check_id}/artifacts" and "…/report". */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person, places, sha256Of, types, type Who } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let key: string
let robot: string

beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada)
  robot = await hub.repo(ada, { kind: 'robot' })
  await hub.upload(ada, robot, { 'arm.xml': '<mujoco/>' })
})

const post = (who: Who, check: string, verb: string, body: Json = {}) =>
  hub.call(who, 'POST', `/v1/robot-checks/${check}/${verb}`, body)
async function claimed(): Promise<string> {
  const asked = { kind: 'robot', robot_repo: robot, entry: 'arm.xml', control_hz: 50, action: 'position' }
  const { id } = (await hub.call(ada, 'POST', '/v1/robot-checks', asked)).json
  expect((await post(key, id, 'claim', { worker: 'box' })).status).toBe(200)
  return id
}
async function send(check: string, name: string, text: string): Promise<void> {
  const files = [{ name, size: Buffer.byteLength(text), content_type: 'application/json' }]
  const { uploads } = (await post(key, check, 'artifacts', { files })).json
  expect((await hub.put(uploads[0].url, text)).status).toBe(200)
}
const good = { ok: true, grade: 'pass', source: 'job', engine: 'mujoco', checks: [] }
const named = (path: string) => ({ artifacts: [{ path }] })

describe('reportRobotCheck', () => {
  it('ends with a verdict: artifacts hashed, the card read back, its `needs_you` lifted into the draft', async () => {
    const check = await claimed()
    const need = { field: 'base', severity: 'blocking', why: 'unknown', names: ['a'], suggestion: 'fixed' }
    const text = JSON.stringify({ dof: 1, needs_you: [need] })
    await send(check, 'robot_card.json', text)
    const done = await post(key, check, 'report', {
      status: 'succeeded',
      report: good,
      draft: { derived: ['dof'] },
      ...named('robot_card.json'),
    })
    expect([done.status, done.json.status]).toEqual([200, 'succeeded'])
    expect(done.json.draft).toMatchObject({ card: { dof: 1 }, needs_you: [need], blocking: 1, derived: ['dof'] })
    expect(done.json.artifacts).toMatchObject([{ path: 'robot_card.json', sha256: sha256Of(text) }])
    expect(await (await fetch(done.json.artifacts[0].url)).text()).toBe(text)
    expect(done.json.publish_blockers).toEqual(["The draft needs a person's answer: base."])
    expect(types(await post(key, check, 'report'))).toEqual(['conflict.terminal'])
  })

  it('is blocked by a file that changed since it was queued, and by nothing where all is well', async () => {
    const check = await claimed()
    await send(check, 'robot_card.json', '{"dof":1}')
    const done = await post(key, check, 'report', { status: 'succeeded', report: good, ...named('robot_card.json') })
    expect(done.json.publish_blockers).toEqual([])
    await hub.upload(ada, robot, { 'arm.xml': `<mujoco model="${check}"/>` })
    const seen = await hub.call(ada, 'GET', `/v1/robot-checks/${check}`)
    expect(seen.json.publish_blockers).toEqual([expect.stringContaining('"arm.xml"')])
  })

  it('keeps the last 64 KiB of the log, cut between characters', async () => {
    const check = await claimed()
    await post(key, check, 'report', { log_chunk: `begin\n${'€'.repeat(30_000)}` })
    const seen = await post(key, check, 'report', { log_chunk: 'end\n' })
    expect(Buffer.byteLength(seen.json.log_tail)).toBeLessThanOrEqual(65_536)
    expect(seen.json.log_tail).toMatch(/^€+end\n$/)
    expect((await post(key, check, 'report', { log_chunk: 'x'.repeat(262_145) })).status).toBe(413)
  })

  it('is 409 for everyone but the claiming credential, and after a cancel', async () => {
    const check = await claimed()
    const files = [{ name: 'robot_card.json', size: 1 }]
    for (const refused of [await post(ada, check, 'report'), await post(ada, check, 'artifacts', { files })])
      expect([refused.status, types(refused)]).toEqual([409, ['conflict.not_claimer']])
    await post(ada, check, 'cancel')
    for (const late of [
      await post(key, check, 'report', { status: 'succeeded' }),
      await post(key, check, 'artifacts', { files }),
    ])
      expect([late.status, types(late)]).toEqual([409, ['conflict.terminal']])
  })

  it.each([['[]'], ['{"dof":'], ['"x"'], [`{"a":"${'x'.repeat(1024 * 1024)}"}`], ['{"needs_you":[{"field":"a"}]}']])(
    'is 422 for a card that is not a JSON object of 1 MiB (%#), and ends nothing',
    async (text) => {
      const check = await claimed()
      await send(check, 'robot_card.json', text)
      expect((await post(key, check, 'report', { status: 'succeeded', ...named('robot_card.json') })).status).toBe(422)
      expect((await hub.call(ada, 'GET', `/v1/robot-checks/${check}`)).json.status).toBe('running')
    },
  )

  it('is 422 for a card of 2 MiB, although an artifact may be that large, and for a list of cards', async () => {
    const check = await claimed()
    for (const text of [
      JSON.stringify({ dof: 1, description_md: 'x'.repeat(2 * 1024 * 1024) }),
      '[{"dof":1}]',
      'null',
      '1',
    ]) {
      await send(check, 'robot_card.json', text)
      const refused = await post(key, check, 'report', {
        status: 'succeeded',
        report: good,
        ...named('robot_card.json'),
      })
      expect([refused.status, places(refused)]).toEqual([422, [['body', 'artifacts', 0, 'path']]])
    }
    expect((await hub.call(ada, 'GET', `/v1/robot-checks/${check}`)).json).toMatchObject({
      status: 'running',
      draft: null,
    })
  })

  it('is 422 for a report that names one artifact twice, or a path outside of the repo', async () => {
    const check = await claimed()
    await send(check, 'robot_card.json', '{"dof":1}')
    for (const paths of [
      ['robot_card.json', 'robot_card.json'],
      ['../robot_card.json'],
      ['/robot_card.json'],
      ['meshes/../robot_card.json'],
    ]) {
      const refused = await post(key, check, 'report', { artifacts: paths.map((path) => ({ path })) })
      expect([paths, refused.status]).toEqual([paths, 422])
    }
  })

  it('is 422 for an artifact that was never sent', async () => {
    const check = await claimed()
    await post(key, check, 'artifacts', { files: [{ name: 'thumbnail.png', size: 3 }] })
    for (const path of ['thumbnail.png', 'robot_card.json', 'other.txt'])
      expect((await post(key, check, 'report', named(path))).status).toBe(422)
  })
})

describe('artifacts of the checks of an account', () => {
  const small = contractHub({ STORAGE_QUOTA_BYTES: '1000' })

  it('stay within its storage quota in sum, also when two are asked for at once', async () => {
    const eve = await small.person()
    const repo = await small.repo(eve, { kind: 'robot' })
    await small.upload(eve, repo, { 'arm.xml': '<mujoco/>' })
    const asked = { kind: 'robot', robot_repo: repo, entry: 'arm.xml', control_hz: 50, action: 'position' }
    const check = async () => {
      const { id } = (await small.call(eve, 'POST', '/v1/robot-checks', asked)).json
      await small.call(eve, 'POST', `/v1/robot-checks/${id}/claim`, { worker: 'box' })
      return id
    }
    const presign = (id: string, name: string, size: number) =>
      small.call(eve, 'POST', `/v1/robot-checks/${id}/artifacts`, { files: [{ name, size, content_type: 'a/b' }] })
    const [one, other] = [await check(), await check()]
    const answers = await Promise.all([presign(one, 'meshes/a', 600), presign(other, 'meshes/b', 600)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 413])
    const [won] = answers[0].status === 200 ? [one] : [other]
    expect(types(await presign(won, 'meshes/c', 400))).toEqual(['quota.storage'])
    // Presigned again, it takes the place of the one before.
    const name = won === one ? 'meshes/a' : 'meshes/b'
    expect((await presign(won, name, 300)).status).toBe(200)
    expect((await presign(won, 'meshes/c', 400)).status).toBe(200)
  })
})

describe('presignRobotCheckArtifacts', () => {
  it.each(['other.json', '../robot_card.json', 'meshes/../a', 'arm.xml', 'policy/a.bin', 'walk.onnx'])(
    'is 422 for %s',
    async (name) => {
      expect((await post(key, await claimed(), 'artifacts', { files: [{ name, size: 1 }] })).status).toBe(422)
    },
  )

  it.each(['meshes/.git/config', 'meshes/..', '/thumbnail.png', 'meshes//a.stl', 'meshes/a\\b', 'meshes/'])(
    'is 422 for %s, which is not a path that a file may take',
    async (name) => {
      const refused = await post(key, await claimed(), 'artifacts', { files: [{ name, size: 1 }] })
      expect([refused.status, types(refused)]).toEqual([422, ['validation.path']])
    },
  )

  it('takes of a model check its policy and its needs, and of neither what only the other makes', async () => {
    const model = await hub.repo(ada, { kind: 'model' })
    await hub.upload(ada, model, { 'walk.onnx': 'policy' })
    const asked = { kind: 'model', model: { repo: model }, entry: 'walk.onnx' }
    const { id } = (await hub.call(ada, 'POST', '/v1/robot-checks', asked)).json
    expect((await post(key, id, 'claim', { worker: 'box' })).status).toBe(200)
    const ask = async (name: string) => (await post(key, id, 'artifacts', { files: [{ name, size: 1 }] })).status
    for (const name of ['walk.onnx', 'manifest.json', 'policy/deep/w.bin', 'robot_card.json'])
      expect([name, await ask(name)]).toEqual([name, 200])
    for (const name of ['deep/walk.onnx', 'policy', 'manifest.json.bak', 'README.md'])
      expect([name, await ask(name)]).toEqual([name, 422])
  })

  it('takes 256 MiB and no more, and a PUT of exactly the announced bytes', async () => {
    const check = await claimed()
    const ask = (size: number) => post(key, check, 'artifacts', { files: [{ name: 'meshes/a.stl', size }] })
    expect([(await ask(268_435_456)).status, (await ask(268_435_457)).status]).toEqual([200, 422])
    const { uploads } = (await ask(3)).json
    expect(uploads[0].key).toMatch(new RegExp(`^robot-checks/${check}/files/`))
    expect((await hub.put(uploads[0].url, 'four')).status).toBeGreaterThanOrEqual(400)
  })
})
