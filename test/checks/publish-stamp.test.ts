/** The validation record of a card that is published: of its own check, unless the draft has one. Contract, "Robot checks". */
import { describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { cardText, publishing } from './support/publishing.ts'

const hub = contractHub()
const { robotCheck, publish, shown } = publishing(hub)
const cardOf = async (who: Person, repo: string) => (await hub.call(who, 'GET', `/v1/robots/${repo}/card`)).json

const found = (change: Json = {}) => ({
  code: 'physics.settles',
  status: 'warn',
  message: 'The arm sinks by 3 mm.',
  names: ['shoulder'],
  hint: 'Raise kp.',
  loc: ['interface', 'actuation', 0, 'kp'],
  data: { sag_m: 0.003 },
  ...change,
})
const report = (change: Json = {}) => ({
  ok: true,
  grade: 'warn',
  source: 'job',
  engine: 'mujoco',
  checks: [found(), { code: 'card.schema', status: 'pass', message: 'The card matches its schema.', names: [] }],
  ...change,
})
const engine = { name: 'mujoco', version: '3.14.0', build: 'wasm' }

/** A published check and the card that its robot has then. */
async function published(card: Json, end: Json) {
  const made = await robotCheck({ artifacts: { 'robot_card.json': cardText(card) }, end })
  const done = await publish(made.person, made.check)
  expect([done.status, done.json.errors]).toEqual([200, undefined])
  return { ...made, done: done.json, card: await cardOf(made.person, made.repo) }
}

describe('a card that is published', () => {
  it('gets the record of its check, in both dialects, and passes the same checks as a card that is put', async () => {
    const { person, repo, check, done, card } = await published({}, { report: report(), engine })
    const second = { code: 'card.schema', status: 'pass', message: 'The card matches its schema.', names: [] }
    expect(card.validation).toEqual({
      engine: 'mujoco',
      engine_version: '3.14.0',
      checked_at: done.finished_at,
      checks: [found(), { ...second, hint: null, loc: null, data: null }],
      check_id: check,
    })
    const [owner, slug] = repo.split('/')
    const query = `{ repo(owner: "${owner}", slug: "${slug}") { card {
      validation { engine engineVersion checkedAt checkId checks { code status names data } } } } }`
    const { data } = await hub.graphql(person, query)
    expect(data.repo.card.validation).toEqual({
      engine: 'mujoco',
      engineVersion: '3.14.0',
      checkedAt: done.finished_at,
      checkId: check,
      checks: [
        { code: 'physics.settles', status: 'WARN', names: ['shoulder'], data: { sag_m: 0.003 } },
        { code: 'card.schema', status: 'PASS', names: [], data: null },
      ],
    })
    const { interface_fingerprint: _, updated_at: __, ...body } = card
    expect((await hub.call(person, 'POST', `/v1/robots/${repo}/validate`, { card: body })).json.ok).toBe(true)
    expect((await hub.call(person, 'PUT', `/v1/robots/${repo}/card`, body)).status).toBe(200)
  })

  it.each<[string, Json]>([
    ['is left out', {}],
    ['is null', { validation: null }],
  ])('gets it where the record of the draft %s; without an engine’s version that is null', async (_what, draft) => {
    const { check, card, done } = await published(draft, {})
    expect(card.validation).toEqual({
      engine: 'mujoco',
      engine_version: null,
      checked_at: done.finished_at,
      checks: [],
      check_id: check,
    })
  })

  it('keeps the record that its draft has, as it is; the draft and its file stay what the worker sent', async () => {
    const validation = {
      engine: 'isaac',
      engine_version: '5',
      checked_at: '2026-01-01T00:00:00.000Z',
      checks: [found()],
      check_id: null,
    }
    const kept = await published({ validation }, { report: report(), engine })
    expect(kept.card.validation).toEqual(validation)
    const stamped = await published({}, { report: report(), engine })
    expect((await shown(stamped)).draft.card.validation).toBeUndefined()
  })

  it('gets texts as long as a card takes, where a report has longer ones', async () => {
    const long = 'ä'.repeat(20_000)
    const checks = [found({ message: long, hint: long, names: [long], loc: [long, 3] })]
    const { card } = await published({}, { report: report({ engine: long, checks }) })
    const [only] = card.validation.checks
    expect(card.validation.engine).toHaveLength(64)
    expect([only.message.length, only.hint.length, only.names[0].length]).toEqual([10_000, 10_000, 1024])
    expect([only.loc[0].length, only.loc[1]]).toEqual([1024, 3])
  })

  it('is published without a record that would make it too large', async () => {
    const numbers = Array.from({ length: 30_000 }, (_, at) => at)
    const checks = [found({ data: { numbers } }), found({ data: { numbers } })]
    const { card, done } = await published({}, { report: report({ checks }) })
    expect([card.validation, card.dof, done.publish_blockers]).toEqual([null, 2, ['The check is published already.']])
  })
})
