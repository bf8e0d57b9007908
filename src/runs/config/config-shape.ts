/** The two config formats, and the mapping between their keys. Pure. Spec, RunConfig `shape` and `comparison`. */
import type { ConfigLeaf } from './config-leaf.ts'

/** `manifest` is what an importer writes, `resolved` what a simulation trainer resolved; anything else is `other`. */
export type ConfigShape = 'manifest' | 'resolved' | 'other'

/** One-to-one, also for the keys below each path: within one side, no path is a prefix of another. */
const mappings: readonly (readonly [rule: string, manifest: string, resolved: string])[] = [
  ['action_scale', 'contract.action.scale', 'env.actions.joint_pos.scale'],
  ['action_clip', 'contract.action.clip', 'env.actions.joint_pos.clip'],
  ['joint_order', 'contract.joint_order', 'env.actions.joint_pos.joint_names'],
  ['default_pose', 'contract.default_pose', 'env.scene.robot.init_state.joint_pos'],
  ['actuators', 'contract.actuators', 'env.scene.robot.actuators'],
  ['observations', 'contract.observations', 'env.observations.policy'],
  ['decimation', 'contract.decimation', 'env.decimation'],
  ['sim_dt', 'contract.sim_dt', 'env.sim.dt'],
  ['rewards', 'training.rewards', 'env.rewards'],
  ['commands', 'training.commands', 'env.commands'],
  ['curriculum', 'training.curriculum', 'env.curriculum'],
  ['terminations', 'training.terminations', 'env.terminations'],
  ['domain_randomization', 'training.domain_randomization', 'env.events'],
  ['episode_length', 'training.episode_length_s', 'env.episode_length_s'],
  ['num_envs', 'training.num_envs', 'env.scene.num_envs'],
  ['seed', 'training.seed', 'agent.seed'],
  ['max_iterations', 'training.max_iterations', 'agent.max_iterations'],
  ['steps_per_env', 'training.num_steps_per_env', 'agent.num_steps_per_env'],
  ['algorithm', 'training.algorithm', 'agent.algorithm'],
  ['network', 'training.policy', 'agent.policy'],
]

/** The shape of a config, decided by its top-level names. */
export function shapeOf(leaves: readonly ConfigLeaf[]): ConfigShape {
  const maps = new Set(leaves.map(({ path }) => /^([^.[]+)\./.exec(path)?.[1]))
  if (maps.has('env')) return ['agent', 'train', 'runner'].some((name) => maps.has(name)) ? 'resolved' : 'other'
  const isManifest = maps.has('contract') || leaves.some(({ path }) => manifestMarks.includes(path))
  return isManifest ? 'manifest' : 'other'
}

const manifestMarks = ['manifest_version', 'policy_format']

/**
 * The path in a resolved config that corresponds to a manifest path, and the mapping rule; null if no rule maps the
 * path.
 */
export function resolvedPath(path: string): { readonly path: string; readonly rule: string } | null {
  for (const [rule, manifest, resolved] of mappings) {
    if (path.startsWith(manifest) && /^$|[.[]/.test(path.charAt(manifest.length))) {
      return { path: resolved + path.slice(manifest.length), rule }
    }
  }
  return null
}
