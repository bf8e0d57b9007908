import { beforeAll, describe, expect, it } from 'vitest'
import { goodCard, goodInterface } from '../../packages/robot-card/test/support/card.ts'
import { contractHub, type Json, type Person, sha256Of } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let robot: string

const bytesOf = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as never)))
/** A half of a surrogate pair written as UTF-8, which is invalid UTF-8, and a byte that starts no character. */
const broken = [0xed, 0xa0, 0x80, 0xff]

const model = bytesOf(
  '<mujoco model="m',
  broken,
  '"><worldbody><body name="base',
  broken,
  '"><geom size=".1"/><body><joint name="shoulder"/><joint name="el',
  broken,
  'bow"/><geom size=".1"/><site name="s',
  broken,
  '"/></body></body></worldbody><keyframe><key name="k',
  broken,
  '"/></keyframe></mujoco>',
)
const faulty = bytesOf(
  '<mujoco><worldbody><geom size=".1" material="m',
  broken,
  '"/><joint nam',
  broken,
  'e="j"/></worldbody></mujoco>',
)

async function upload(name: string, path: string, bytes: Buffer) {
  const file = { path, size: bytes.length, sha256: sha256Of(bytes) }
  const { json } = await hub.call(ada, 'POST', `/v1/repos/${name}/files/presign-upload`, { files: [file] })
  const [target] = json.uploads
  const sent = await hub.put(target.parts[0].url, new Uint8Array(bytes))
  const parts = [{ part_number: 1, etag: sent.headers.get('etag') }]
  const done = await hub.complete(ada, name, [{ path, upload_id: target.upload_id, parts }])
  expect(done.status).toBe(200)
}

beforeAll(async () => {
  ada = await hub.person()
  robot = await hub.repo(ada, { kind: 'robot' })
  await upload(robot, 'arm.xml', model)
  await upload(robot, 'faulty.xml', faulty)
})

/** No half of a surrogate pair is left, in names of members either. */
const isSound = (value: unknown): boolean => !/\\u(?:d[89a-f]|0000)/i.test(JSON.stringify(value))
const wrong = goodInterface({
  joint_order: ['shoulder', 'elbow'],
  feet: ['base'],
  default_keyframe: 'k',
  base: 'floating',
})

describe('names of a model that are not Unicode', () => {
  it.each(['arm.xml', 'faulty.xml'])(
    'of %s are told with U+FFFD in their place, by validate and by put, in both dialects, and are replayed',
    async (mjcf_path) => {
      const card = goodCard({ mjcf_path, interface: wrong })
      const path = `/v1/robots/${robot}/validate`
      const headers = { 'idempotency-key': `broken-${mjcf_path}` }
      const first = await hub.call(ada, 'POST', path, { card }, headers)
      expect([first.status, isSound(first.json), first.json.ok]).toEqual([200, true, false])
      const again = await hub.call(ada, 'POST', path, { card }, headers)
      expect([again.headers.get('idempotent-replayed'), again.json]).toEqual(['true', first.json])
      const refused = await hub.call(ada, 'PUT', `/v1/robots/${robot}/card`, card)
      expect([refused.status, isSound(refused.json)]).toEqual([422, true])
      const [owner, repo] = robot.split('/')
      const input = { owner, repo, document: card }
      const report = await hub.graphql(
        ada,
        'mutation ($input: ValidateRobotCardInput!) { validateRobotCard(input: $input) { ok model { model joints keyframes } checks { code message names hint data } } }',
        { input },
      )
      expect([report.errors, isSound(report), report.data.validateRobotCard.ok]).toEqual([undefined, true, false])
      const put = await hub.graphql(
        ada,
        'mutation ($input: PutRobotCardInput!) { putRobotCard(input: $input) { card { dof } } }',
        { input },
      )
      expect([put.errors[0].extensions.status, isSound(put)]).toEqual([422, true])
    },
  )

  it('do not prevent a card that does not name them', async () => {
    const face = goodInterface({ joint_order: ['shoulder'], actuation: [], parts: [], end_effectors: [] })
    const { status, json } = await hub.call(ada, 'PUT', `/v1/robots/${robot}/card`, goodCard({ interface: face }))
    expect([status, json.errors]).toEqual([200, undefined])
    const report = (await hub.call(ada, 'POST', `/v1/robots/${robot}/validate`, {})).json
    expect([report.ok, report.model.joints.length, isSound(report)]).toEqual([true, 2, true])
  })
})

describe('texts of a card that are not Unicode', () => {
  const send = (method: string, path: string, body: string, headers: Record<string, string> = {}) =>
    hub.send(ada, method, path, { headers: { 'content-type': 'application/json', ...headers }, body })

  it.each([
    ['a name', '{"dof":1,"actuators":[{"name":"m\\ud800"}]}'],
    ['a NUL in a name', '{"dof":1,"actuators":[{"name":"m\\u0000"}]}'],
    ['the key of a map', '{"dof":1,"limits":{"j\\udfff":{}}}'],
    ['a member that is unknown', '{"dof":1,"x\\ud800":1}'],
    ['__proto__', '{"dof":1,"limits":{"__proto__":{"lower":0}}}'],
    ['__proto__ of a vendor field', '{"dof":1,"actuators":[{"name":"m","__proto__":{"name":"n"}}]}'],
    [
      'a hundred of them',
      `{"dof":1,"limits":{${Array.from({ length: 100 }, (_, at) => `"j${at}\\ud800":{"lower":2,"upper":1}`).join()}}}`,
    ],
  ])('are refused and told in well-formed text: %s', async (_what, card) => {
    const refused = await send('PUT', `/v1/robots/${robot}/card`, card)
    expect([refused.status, isSound(refused.json)]).toEqual([422, true])
    for (const { type } of refused.json.errors) expect(type).toMatch(/^card\.|^validation\./)
    const report = await send('POST', `/v1/robots/${robot}/validate`, `{"card":${card}}`, {
      'idempotency-key': `k${sha256Of(card)}`,
    })
    expect([report.status, isSound(report.json), report.json.ok]).toEqual([200, true, false])
    const query =
      'mutation ($input: ValidateRobotCardInput!) { validateRobotCard(input: $input) { ok checks { names loc data } } }'
    const [owner, repo] = robot.split('/')
    const graph = await send(
      'POST',
      '/graphql',
      JSON.stringify({ query, variables: { input: { owner, repo, document: null } } }).replace(
        '"document":null',
        `"document":${card}`,
      ),
    )
    expect([graph.status, isSound(graph.json)]).toEqual([200, true])
    const told: Json = graph.json.errors?.[0].extensions.status ?? graph.json.data.validateRobotCard.ok
    expect([422, false]).toContain(told)
  })
})
