// @module-tag full
/**
 * The reasons not to publish a check, as a table: each alone and in pairs answers its type and changes nothing, and `publish_blockers` says the same beforehand.
 * Spec, "POST /v1/robot-checks/{check_id}/publish": 409.
 */
import { describe, expect, it } from 'vitest'
import { contractHub, type Json, types } from '../support/hub.ts'
import { type Asked, arm, cardText, publishing, type Reported } from './support/publishing.ts'

// Alone: everything is compared, and nobody else may change it.
const hub = contractHub({}, { alone: true })
const { robotCheck, modelCheck, begin, publish, post, shown, everything } = publishing(hub)

type Kind = 'robot' | 'model'

interface Reason {
  readonly type: string
  /** Checks that it can happen to. */
  readonly kinds: readonly Kind[]
  /** What the worker reports. */
  readonly asked?: Asked
  /** What happens afterwards. */
  readonly happens?: (made: Reported, kind: Kind) => Promise<unknown>
  /** In the place of the worker's end. */
  readonly ends?: (made: Reported) => Promise<unknown>
  /** What the answer names. */
  readonly names?: readonly string[]
}

const both: readonly Kind[] = ['robot', 'model']
const sourceOf = { robot: 'arm.xml', model: 'walk.onnx' } as const
const need = { field: 'base', severity: 'blocking', why: 'unknown' }
const needs = (text: string) => JSON.stringify({ ...JSON.parse(text), needs_you: [need] })

/** In the order in which publishing says them. */
const reasons: Readonly<Record<string, Reason>> = {
  'a robot repo that was deleted': {
    type: 'conflict.repo_gone',
    kinds: ['robot'],
    happens: ({ person, repo }) => hub.call(person, 'DELETE', `/v1/repos/${repo}`),
  },
  'a model repo that was deleted': {
    type: 'conflict.repo_gone',
    kinds: ['model'],
    happens: ({ person, repo }) => hub.call(person, 'DELETE', `/v1/repos/${repo}`),
  },
  'a report that failed': {
    type: 'conflict.report_failed',
    kinds: both,
    asked: { end: { report: { ok: false, grade: 'fail', source: 'job', engine: 'mujoco', checks: [] } } },
  },
  'no report': { type: 'conflict.report_failed', kinds: both, asked: { end: { report: null } } },
  'a blocking need': {
    type: 'conflict.needs_answers',
    kinds: both,
    asked: { artifacts: { 'robot_card.json': needs(cardText()) } },
    names: ['base'],
  },
  'no card': { type: 'conflict.card_missing', kinds: ['robot'], asked: { artifacts: { 'meshes/a.obj': 'v 0 0 0' } } },
  'a snapshotted file that was overwritten': {
    type: 'conflict.source_changed',
    kinds: both,
    happens: ({ person, repo }, kind) => hub.upload(person, repo, { [sourceOf[kind]]: arm('other') }),
    names: ['source'],
  },
  'a snapshotted file that was deleted': {
    type: 'conflict.source_changed',
    kinds: both,
    happens: ({ person, repo }, kind) =>
      hub.call(person, 'POST', `/v1/repos/${repo}/files/delete`, { paths: [sourceOf[kind]] }),
    names: ['source'],
  },
  'a snapshotted file that was overwritten with the same bytes': {
    type: 'conflict.source_changed',
    kinds: ['robot'],
    happens: ({ person, repo }) => hub.upload(person, repo, { 'arm.xml': arm() }),
    names: ['source'],
  },
}

/** These hide all others: nothing else is known of a check that did not succeed, or counts for one that was published. */
const states: Readonly<Record<string, Reason>> = {
  'a check that runs': { type: 'conflict.not_succeeded', kinds: both, ends: async () => undefined },
  'a check that failed': {
    type: 'conflict.not_succeeded',
    kinds: both,
    ends: ({ worker, check }) => post(worker, check, 'report', { status: 'failed', error: 'broke' }),
  },
  'a check that was canceled': {
    type: 'conflict.not_succeeded',
    kinds: both,
    ends: ({ person, check }) => post(person, check, 'cancel'),
  },
  'a check that was published': {
    type: 'conflict.already_published',
    kinds: both,
    happens: ({ person, check }) => publish(person, check),
  },
}

async function make(kind: Kind, given: readonly Reason[]): Promise<Reported> {
  const asked = Object.assign({}, ...given.map((reason) => reason.asked ?? {})) as Asked
  const [ended] = given.flatMap(({ ends }) => ends ?? [])
  const merged = { ...asked, end: Object.assign({}, ...given.map((reason) => reason.asked?.end ?? {})) as Json }
  const made = ended ? await begin(kind, {}) : await (kind === 'robot' ? robotCheck(merged) : modelCheck(merged))
  await ended?.(made)
  for (const { happens } of given) await happens?.(made, kind)
  return made
}

async function expectRefused(kind: Kind, made: Reported, expected: readonly Reason[]): Promise<void> {
  const blockers = (await shown(made)).publish_blockers
  const before = await everything()
  const refused = await publish(made.person, made.check, { visibility: 'public' })
  expect([refused.status, refused.json.type]).toEqual([409, `/problems/${expected[0]?.type}`])
  expect(types(refused)).toEqual(expected.map(({ type }) => type))
  expect(refused.json.errors.map(({ detail }: Json) => detail)).toEqual(blockers)
  for (const [at, { names }] of expected.entries())
    if (names)
      expect(refused.json.errors[at].names).toEqual(names.map((name) => (name === 'source' ? sourceOf[kind] : name)))
  expect(await everything()).toEqual(before)
}

const cases = (of: Readonly<Record<string, Reason>>) =>
  Object.entries(of).flatMap(([name, reason]) => reason.kinds.map((kind) => [name, kind, reason] as const))

describe('a check is not published', () => {
  it.each([...cases(reasons), ...cases(states)])(
    'for %s (%s check): 409 of its own type, and nothing changes',
    async (_name, kind, reason) => {
      await expectRefused(kind, await make(kind, [reason]), [reason])
    },
  )

  const order = Object.entries(reasons)
  const pairs = order.flatMap(([one, first], at) =>
    order.slice(at + 1).flatMap(([other, second]) => {
      // One report, one fate of a file, one list of artifacts: the two would take each other's place.
      const clash = first.type === second.type || (first.asked?.artifacts && second.asked?.artifacts)
      const kinds = first.kinds.filter((kind) => second.kinds.includes(kind))
      return clash ? [] : kinds.map((kind) => [`${one} and ${other}`, kind, first, second] as const)
    }),
  )

  it.each(pairs)('for %s (%s check): 409 with both, the first in front', async (_name, kind, first, second) => {
    // Files that went with their repo are not named next to it. They have to change before it goes.
    const gone = first.type === 'conflict.repo_gone'
    const expected = gone && second.type === 'conflict.source_changed' ? [first] : [first, second]
    await expectRefused(kind, await make(kind, gone ? [second, first] : [first, second]), expected)
  })

  it.each(cases(states))('for %s (%s check) alone, whatever else there is', async (_name, kind, state) => {
    const changed = reasons['a snapshotted file that was overwritten'] as Reason
    await expectRefused(kind, await make(kind, [state, changed]), [state])
  })

  it('for a queued check', async () => {
    const { person, repo } = await robotCheck()
    const asked = { kind: 'robot', robot_repo: repo, entry: 'arm.xml', control_hz: 50, action: 'position' }
    const { id } = (await hub.call(person, 'POST', '/v1/robot-checks', asked)).json
    expect(types(await publish(person, id))).toEqual(['conflict.not_succeeded'])
  })

  it('for advice, files that came later, or a file beside the snapshot that changed: it is published', async () => {
    const advice = { ...JSON.parse(cardText()), needs_you: [{ ...need, severity: 'advice' }] }
    const robot = await robotCheck({ artifacts: { 'robot_card.json': JSON.stringify(advice) } })
    await hub.upload(robot.person, robot.repo, { 'later.txt': 'x' })
    const model = await modelCheck({ files: { 'walk.onnx': 'a', 'deep/other.txt': 'b' } })
    await hub.upload(model.person, model.repo, { 'deep/other.txt': 'c' })
    for (const made of [robot, model]) {
      expect((await shown(made)).publish_blockers).toEqual([])
      expect((await publish(made.person, made.check)).status).toBe(200)
    }
  })
})

describe('a check whose artifacts are no longer what the hub hashed is not published', () => {
  const keyOf = async (check: string, name: string) => {
    const [row] = await hub.sql<{ key: string }>(
      'select storage_key as key from robot_check_artifacts where check_id = $1 and name = $2',
      [check, name],
    )
    return row?.key ?? ''
  }
  const put = (key: string, text: string) =>
    hub.running.deps.objects?.put(key, Buffer.from(text), { sizeBytes: Buffer.byteLength(text) })

  it.each([
    ['bytes of the same length', cardText().replace('"dof":2', '"dof":3')],
    ['other bytes', '{"dof":1}'],
  ])('but %s: 409 naming the artifact, and nothing is linked', async (_what, text) => {
    const artifacts = { 'robot_card.json': cardText(), 'meshes/a.obj': 'v 0 0 0' }
    const made = await robotCheck({ artifacts })
    await put(await keyOf(made.check, 'robot_card.json'), text)
    const before = await everything()
    const refused = await publish(made.person, made.check)
    expect([refused.status, refused.json.errors]).toEqual([
      409,
      [expect.objectContaining({ type: 'conflict.artifact_changed', names: ['robot_card.json'] })],
    ])
    expect(await everything()).toEqual(before)
    await put(await keyOf(made.check, 'robot_card.json'), cardText())
    expect((await publish(made.person, made.check)).status).toBe(200)
  })

  it('but gone: the same', async () => {
    const made = await modelCheck()
    await hub.running.deps.objects?.delete([await keyOf(made.check, 'walk.onnx')])
    const before = await everything()
    expect(types(await publish(made.person, made.check))).toEqual(['conflict.artifact_changed'])
    expect(await everything()).toEqual(before)
  })
})
