/** Robot checks: asked for by a client, claimed and reported by a worker with an artifact and a log. */
import { randomBytes } from 'node:crypto'
import { OWNER } from '../lab/lab.ts'
import { assertStatus } from './actor.ts'
import type { Client } from './client.ts'
import { upload } from './librarian.ts'

/** What was acknowledged of one check. */
interface CheckJournal {
  readonly id: string
  log: string
  hasEnded: boolean
}

export type CheckJournals = Map<string, CheckJournal>

const ROBOT = 'checked'
const scene = Buffer.from('<mujoco><worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>')

/** The robot that is checked. */
export async function makeRobot(client: Client): Promise<void> {
  assertStatus('createRepo', await client.ask('POST', '/v1/repos', { kind: 'robot', slug: ROBOT }), 201)
  await upload(client, `/v1/repos/${OWNER}/${ROBOT}`, new Map([['scene.xml', scene]]))
}

export async function makeCheck(client: Client, journals: CheckJournals): Promise<void> {
  const made = await client.ask('POST', '/v1/robot-checks', {
    kind: 'robot',
    robot_repo: `${OWNER}/${ROBOT}`,
    entry: 'scene.xml',
    control_hz: 50,
    action: 'position',
    executor: 'worker',
  })
  assertStatus('createRobotCheck', made, 201)
  const { id } = made.json
  if (!journals.has(id)) journals.set(id, { id, log: '', hasEnded: false })
}

export async function carryOutCheck(client: Client, worker: string, journals: CheckJournals): Promise<void> {
  const claimed = await client.ask('POST', '/v1/robot-checks/claim-next', { worker, owner: OWNER })
  if (claimed.status === 204) return
  assertStatus('claim-next of a check', claimed, 200)
  const { id } = claimed.json
  const journal = journals.get(id) ?? { id, log: '', hasEnded: false }
  journals.set(id, journal)
  const path = `/v1/robot-checks/${id}`
  const report = async (body: object) =>
    assertStatus('reportRobotCheck', await client.ask('POST', `${path}/report`, body, { keyed: false }), 200)
  const text = `${id} begins\nand goes on\n`
  await report({ log_seq: 1, log_chunk: text })
  journal.log += text
  const bytes = randomBytes(5_000)
  const files = [{ name: 'thumbnail.png', size: bytes.length }]
  const presigned = await client.ask('POST', `${path}/artifacts`, { files })
  assertStatus('presignRobotCheckArtifacts', presigned, 200)
  const [target] = presigned.json.uploads
  const put = await client.signed('PUT', target.parts?.[0].url ?? target.url, bytes)
  assertStatus('PUT of an artifact', put, 200)
  await report({
    log_seq: 2,
    log_chunk: 'the end\n',
    status: 'succeeded',
    report: { ok: true, grade: 'pass', source: 'stored', engine: 'lab', checks: [] },
  })
  journal.log += 'the end\n'
  journal.hasEnded = true
}
