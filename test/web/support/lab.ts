/** A small lab for tests of the pages: something of each kind that a page shows. */
import { checksOf } from '../../support/checks.ts'
import { type contractHub, type Json, newName, type Person } from '../../support/hub.ts'
import { reachingCheckout } from '../../support/open-folder.ts'
import { putRun } from '../../support/runs.ts'
import { sessionWorld } from '../../support/sessions.ts'

/** A hub where an agent's hosted work is held until a person decides. `command`: what the one hosted place runs. */
export const labSettings = (command: string): Record<string, string> => ({
  ...reachingCheckout,
  HOSTED_APP_NAME: 'coach',
  HOSTED_OWNERS: '*',
  HOSTED_COMMAND: command,
  HOSTED_MAX_PROCESSES: '1',
  // Its one running run reports once and runs on, however long a browser takes for the pages before.
  RUN_LEASE_SECONDS: '86400',
})

export interface Lab {
  readonly ada: Person
  readonly org: string
  readonly robot: string
  readonly dataset: string
  readonly model: string
  /** Running, with a log and metrics; and one that has ended. */
  readonly run: string
  readonly ended: string
  readonly check: string
  readonly endpoint: string
  readonly device: string
  readonly hold: string
  /** Credential that holds the running run. */
  readonly trainer: string
}

const readme = '# Arm\n\nA **small** arm with [its model](arm.xml).\n\n| joint | limit |\n|---|---|\n| lift | 1.5 |\n'
const card = { dof: 1, actuators: [], mjcf_path: 'arm.xml' }

export async function makeLab(hub: ReturnType<typeof contractHub>): Promise<Lab> {
  const ada = await hub.person()
  const org = await hub.org([{ user: ada.handle, role: 'owner' }])
  const post = async (who: Person | string, path: string, body: Json): Promise<Json> => {
    const { status, json } = await hub.call(who, 'POST', path, body)
    if (status >= 300) throw new Error(`${path}: ${JSON.stringify(json)}`)
    return json
  }
  const robot = await hub.repo(ada, { kind: 'robot', slug: newName('arm'), tags: ['so100', 'bench'] })
  await hub.upload(ada, robot, { 'README.md': readme, 'arm.xml': '<mujoco/>', 'meshes/a.txt': 'a' })
  await hub.call(ada, 'PUT', `/v1/robots/${robot}/card`, card)
  const dataset = await hub.repo(ada, { kind: 'dataset', description: 'Picks and places', tags: ['so100'] })
  await hub.upload(ada, dataset, {
    'README.md': '# Picks\n',
    'meta/info.json': '{"fps":30}',
    'data/a.csv': 'a,b\n1,2\n',
  })
  const model = await hub.repo(ada, { kind: 'model' })
  await hub.upload(ada, model, { 'policy.onnx': 'weights' })
  const trainer = await hub.key(ada, { scope: 'train' })
  const { id: run } = await post(ada, '/v1/runs', {
    recipe: { template: 'act', executor: 'worker', robot: `svc://${robot}`, dataset: [`svc://${dataset}`] },
  })
  await post(trainer, `/v1/runs/${run}/claim`, { worker: 'bench box' })
  await report(hub, trainer, run, 1)
  const { db } = hub.running.deps
  const ended = await putRun(db, { ownerId: ada.id, status: 'succeeded' })
  const { queue } = checksOf(hub)
  const check = await queue(ada, robot)
  const world = sessionWorld(hub)
  const { endpointId: endpoint, deviceId: device } = await world.opened(ada)
  const agent = await hub.key(ada, { scope: 'train', agent: true, name: 'night agent' })
  const held = await hub.call(agent, 'POST', '/v1/runs', {
    recipe: { template: 'act', executor: 'hosted', gpu: 'l4', max_hours: 2 },
  })
  return { ada, org, robot, dataset, model, run, ended, check, endpoint, device, hold: held.json.id, trainer }
}

/** One report of a runner: a line of log, in color, and a point of each curve. */
export async function report(
  hub: ReturnType<typeof contractHub>,
  who: string,
  run: string,
  step: number,
): Promise<void> {
  const body = {
    log_chunk: `\u001b[32mstep ${step}\u001b[0m of 10\n`,
    metrics: [{ step, reward: step / 10, loss: 1 / step }],
  }
  const { status, json } = await hub.call(who, 'POST', `/v1/runs/${run}/report`, body)
  if (status >= 300) throw new Error(JSON.stringify(json))
}
