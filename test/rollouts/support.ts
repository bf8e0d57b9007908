/** Results of rollouts for tests: a model, a robot, and what is published of them. */
import type { contractHub, Json, Person } from '../support/hub.ts'

export const task = { version: 1, name: 'swing-up', seconds: 12, success: { condition: { all: [] } } }
export const disturbance = { gravity: 1, pushN: 0 }

/** Outcomes of `count` seeds from `first` on, of which those in `failed` fail. */
export const outcomes = (count: number, failed: readonly number[] = [], first = 1) =>
  Array.from({ length: count }, (_, at) => {
    const seed = first + at
    const success = !failed.includes(seed)
    return {
      ...{ seed, success, ending: success ? 'reached' : 'missed', return: 0.1 * seed, seconds: 1.5, steps: 75 },
      fingerprint: seed.toString(16).padStart(16, '0'),
    }
  })

export function rolloutsOf(hub: ReturnType<typeof contractHub>) {
  const versionOf = async (who: Person, repo: string): Promise<string> =>
    (await hub.call(who, 'GET', `/v1/repos/${repo}/commits?limit=1`)).json.items[0].commit_id

  /** A repo with files, and the commit id of its version. */
  async function withFiles(who: Person, kind: string, files: Record<string, string>, change: Json = {}) {
    const repo = await hub.repo(who, { kind, visibility: 'public', ...change })
    await hub.upload(who, repo, files)
    return { repo, version: await versionOf(who, repo) }
  }

  const model = (who: Person, change: Json = {}) =>
    withFiles(who, 'model', { 'policy.onnx': 'weights', 'contract.json': '{}' }, change)
  const robot = (who: Person, change: Json = {}) => withFiles(who, 'robot', { 'arm.xml': '<mujoco/>' }, change)

  type Repo = Awaited<ReturnType<typeof model>>
  const bodyOf = (from: Repo, on: Repo, change: Json = {}) => ({
    ...{ version: from.version, policy: 'policy.onnx', robot: on.repo, robot_version: on.version },
    ...{ task, disturbance, software: { mujoco: '3.14.0' }, outcomes: outcomes(4, [3]) },
    ...change,
  })
  const publish = (who: Person | string, from: Repo, on: Repo, change: Json = {}) =>
    hub.call(who, 'PUT', `/v1/repos/${from.repo}/rollouts`, bodyOf(from, on, change))

  return { model, robot, bodyOf, publish, versionOf }
}
