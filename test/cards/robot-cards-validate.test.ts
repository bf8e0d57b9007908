/** What `validate` reports of a card and its model. */
import { describe, expect, it } from 'vitest'
import { goodCard, goodInterface } from '../../packages/robot-card/test/support/card.ts'
import type { Json } from '../support/hub.ts'
import { arm, cardCalls, failing } from './support/card-calls.ts'

const lab = cardCalls()
const { hub, put, get, validate, newRobot } = lab

describe('a model with more than one thing wrong', () => {
  const outside = arm('<geom type="mesh" mesh="m"/>').replace(
    '<worldbody>',
    '<asset><mesh name="m" file="../m.stl"/></asset><worldbody>',
  )
  const codesOf = async (text: string, interfaceChange: Record<string, unknown>) => {
    const name = await newRobot({ 'arm.xml': text })
    const report = (await validate(name, { card: goodCard({ interface: goodInterface(interfaceChange) }) })).json
    const of = (code: string) => report.checks.find((check: Json) => check.code === code)
    return { failing: failing(report), of }
  }
  const lost = { joint_order: ['shoulder', 'elbow', 'elbw'], feet: ['toe'] }

  it('is still read if a mesh lies outside of the repo', async () => {
    expect((await codesOf(outside, {})).failing).toEqual(['assets.closure'])
    const { failing, of } = await codesOf(outside, lost)
    expect(failing).toEqual(['assets.closure', 'interface.joint_order', 'interface.feet'])
    expect(of('mjcf.parses').status).toBe('pass')
  })

  it('is still read if it has an attribute that MJCF does not have', async () => {
    const wrong = arm('<geom size=".1" colour="red"/>')
    expect((await codesOf(wrong, {})).failing).toEqual(['mjcf.parses'])
    const { failing, of } = await codesOf(wrong, lost)
    expect(failing).toEqual(['mjcf.parses', 'interface.joint_order', 'interface.feet'])
    expect(of('interface.joint_order').message).toBe('elbw is not a joint of arm.xml as it stands.')
  })

  it.each([
    ['is missing', 'part.xml'],
    ['lies outside of the repo', '../part.xml'],
  ])('is held to what was found of it where an include %s', async (_what, file) => {
    const cut = arm().replace('<worldbody>', `<include file="${file}"/><worldbody>`)
    expect((await codesOf(cut, {})).failing).toEqual(['assets.closure'])
    const { failing, of } = await codesOf(cut, lost)
    expect(failing).toEqual(['assets.closure'])
    const statuses = [
      'mjcf.parses',
      'interface.joint_order',
      'interface.feet',
      'interface.end_effectors',
      'interface.base',
    ]
    expect(statuses.map((code) => of(code).status)).toEqual(['skip', 'skip', 'skip', 'pass', 'skip'])
  })
})

describe('validate', () => {
  it('reports on the stored card without a body, with an empty one and with null', async () => {
    const name = await newRobot()
    expect((await validate(name, {})).status).toBe(404)
    const { json: card } = await put(name, goodCard())
    for (const body of [undefined, {}, { card: null }]) {
      const { status, json } = await validate(name, body)
      expect([status, json.source, json.ok, json.interface_fingerprint]).toEqual([
        200,
        'stored',
        true,
        card.interface_fingerprint,
      ])
    }
  })

  it('reports the model and every check, and writes nothing', async () => {
    const name = await newRobot()
    const { json } = await validate(name, { card: goodCard() })
    expect(json).toMatchObject({
      ok: true,
      source: 'request',
      engine: 'hub-static',
      mjcf_path: 'arm.xml',
      model: { model: 'arm', base: 'fixed', joints: ['shoulder', 'elbow'], files: ['arm.xml'], keyframes: ['home'] },
    })
    expect(json.checks.length).toBeGreaterThan(15)
    for (const check of json.checks)
      expect(Object.keys(check)).toEqual(['code', 'status', 'message', 'names', 'hint', 'loc', 'data'])
    expect((await get(name)).status).toBe(404)
  })

  it('reports schema faults together with model faults', async () => {
    const card = {
      ...goodCard({ interface: goodInterface({ joint_order: ['elbow', 'elbow'] }) }),
      dof: null,
      colour: 'red',
    }
    const { status, json } = await validate(lab.robot, { card })
    expect([status, json.ok, json.interface_fingerprint]).toEqual([200, false, null])
    expect(failing(json)).toEqual(expect.arrayContaining(['card.schema', 'card.schema', 'interface.joint_order']))
    expect(json.model.joints).toEqual(['shoulder', 'elbow'])
  })

  it('finds faults that a push caused after the card was stored', async () => {
    const name = await newRobot()
    await put(name, goodCard())
    await hub.upload(lab.ada, name, { 'arm.xml': arm().replace('"elbow"', '"elbow_joint"') })
    const report = (await validate(name, {})).json
    expect([report.ok, failing(report)]).toEqual([false, ['interface.joint_order']])
    expect(report.checks.find((check: Json) => check.code === 'interface.joint_order').hint).toBe(
      'Did you mean elbow_joint?',
    )
  })

  it('accepts an Idempotency-Key like every POST', async () => {
    const headers = { 'idempotency-key': 'v1' }
    const first = await hub.call(lab.ada, 'POST', `/v1/robots/${lab.robot}/validate`, { card: goodCard() }, headers)
    const again = await hub.call(lab.ada, 'POST', `/v1/robots/${lab.robot}/validate`, { card: goodCard() }, headers)
    expect([again.headers.get('idempotent-replayed'), again.json]).toEqual(['true', first.json])
  })
})
