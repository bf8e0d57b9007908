/** Repos that say a body: robots by their cards, models and data sets by a file. */
import { expect } from 'vitest'
import { goodCard, goodInterface } from '../../../packages/robot-card/test/support/card.ts'
import { arm } from '../../cards/support/card-calls.ts'
import type { contractHub, Json, Person } from '../../support/hub.ts'

/** The contract of a policy for the arm of the tests of cards. */
export const contract = (change: Record<string, unknown> = {}) =>
  JSON.stringify({
    base: 'fixed',
    joint_order: ['shoulder', 'elbow'],
    control_rate_hz: 50,
    action: { semantics: 'position', scale: 0.5 },
    ...change,
  })

/** A LeRobot data set with these numbers of an action. */
export const info = (names: unknown = ['shoulder', 'elbow'], fps = 50) =>
  JSON.stringify({
    ...{ codebase_version: 'v2.1', total_episodes: 1, total_frames: 1, fps },
    features: { action: { names, shape: [Array.isArray(names) ? names.length : 2] } },
  })

type ContractHub = ReturnType<typeof contractHub>

/** Makes such repos of a person. */
export function bodyRepos(hub: ContractHub, person: () => Person) {
  const made = async (kind: string, files: Readonly<Record<string, string>>, visibility: string) => {
    const name = await hub.repo(person(), { kind, visibility })
    await hub.upload(person(), name, files)
    return name
  }
  return {
    model: (change?: Record<string, unknown>, visibility = 'public') =>
      made('model', { 'contract.json': contract(change) }, visibility),
    dataset: (names?: unknown, visibility = 'public') => made('dataset', { 'meta/info.json': info(names) }, visibility),
    robot: async (change: Record<string, unknown> = {}, visibility = 'public') => {
      const name = await made('robot', { 'arm.xml': arm() }, visibility)
      const card = goodCard({ interface: goodInterface(change) })
      const put = await hub.call(person(), 'PUT', `/v1/robots/${name}/card`, card)
      expect([put.status, put.json.errors]).toEqual([200, undefined])
      return name
    },
  }
}

/** What is kept of the body of a repo; undefined if nothing is. */
export async function bodyRow(hub: ContractHub, name: string): Promise<Json | undefined> {
  const [row] = await hub.sql<Json>(
    `select b.path, b.seq, b.body, r.body_pending as pending, b.fits_pending
     from repos r left join (select rb.*, o.body, o.fits_pending from repo_bodies rb
       left join bodies o using (is_robot, fingerprint)) b on b.repo_id = r.id where r.slug = $1`,
    [name.split('/')[1]],
  )
  return row
}
