import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { leavesOf } from '../../../src/runs/config/config-leaf.ts'
import { type ConfigShape, resolvedPath, shapeOf } from '../../../src/runs/config/config-shape.ts'

const shape = (value: unknown) => {
  const reading = leavesOf(value)
  return 'leaves' in reading ? shapeOf(reading.leaves) : null
}

describe('the shape of a config', () => {
  it.each<[unknown, ConfigShape]>([
    [{ env: { sim: { dt: 1 } }, agent: { seed: 1 } }, 'resolved'],
    [{ env: { num_envs: 1 }, train: { seed: 1 } }, 'resolved'],
    [{ env: { num_envs: 1 } }, 'other'],
    [{ env: 'PandaReach-v3', agent: { seed: 1 } }, 'other'],
    [{ contract: { joint_order: ['a'] }, training: { seed: 1 } }, 'manifest'],
    [{ manifest_version: 1, name: 'walk' }, 'manifest'],
    [{ policy_format: 'vla-lib' }, 'manifest'],
    [{ contract: 'walk.json' }, 'other'],
    [{ contract: { a: 1 }, env: { b: 1 }, agent: { c: 1 } }, 'resolved'],
    [{ learning_rate: 1 }, 'other'],
    [[1, 2], 'other'],
  ])('%j is %s', (value, expected) => {
    expect(shape(value)).toBe(expected)
  })
})

/** The table that clients read. */
const documented = [
  ...readFileSync(new URL('../../../docs/contract.md', import.meta.url), 'utf8').matchAll(
    /^ {2}\| `(\w+)` \| `([\w.]+)` \| `([\w.]+)` \|$/gm,
  ),
].map(([, rule = '', manifest = '', resolved = '']) => ({ rule, manifest, resolved }))

describe('a key of a manifest', () => {
  it('has the counterpart that the contract lists, and no two have one', () => {
    expect(documented).toHaveLength(20)
    expect(documented.map(({ manifest }) => resolvedPath(manifest))).toEqual(
      documented.map(({ rule, resolved }) => ({ path: resolved, rule })),
    )
    const prefixes = documented.map(({ resolved }) => resolved)
    const inside = prefixes.filter((path) => prefixes.some((other) => other !== path && path.startsWith(`${other}.`)))
    expect([new Set(prefixes).size, inside]).toEqual([20, []])
  })

  it.each([
    ['training.seed', 'agent.seed', 'seed'],
    ['training.rewards.alive.weight', 'env.rewards.alive.weight', 'rewards'],
    ['contract.joint_order[2]', 'env.actions.joint_pos.joint_names[2]', 'joint_order'],
    ['contract.default_pose["left.knee"]', 'env.scene.robot.init_state.joint_pos["left.knee"]', 'default_pose'],
  ])('%s is %s', (path, resolved, rule) => {
    expect(resolvedPath(path)).toEqual({ path: resolved, rule })
  })

  it.each(['training.seeds', 'training', 'contract.action', 'seed', 'training.rewards_total'])(
    '%s has no other',
    (path) => {
      expect(resolvedPath(path)).toBeNull()
    },
  )
})
