import { describe, expect, it } from 'vitest'
import { type ConfigGroupId, configGroups, groupOfPath, isCounted } from '../../../src/runs/config/config-groups.ts'

describe('the group of a key', () => {
  it.each<[string, ConfigGroupId]>([
    ['env.actions.joint_pos.scale', 'actions'],
    ['agent.clip_actions', 'actions'],
    ['policy.chunk_size', 'actions'],
    ['contract.action.scale', 'contract'],
    ['interface.joint_order[3]', 'contract'],
    ['env.observations.policy.base_lin_vel.noise.n_max', 'observations'],
    ['policy.input_features["observation.images.top"].shape[0]', 'observations'],
    ['env.scene.robot.actuators.legs.stiffness', 'plant'],
    ['asset.file', 'plant'],
    ['env.rewards.action_rate_l2.weight', 'rewards'],
    ['rewards.scales.lin_vel', 'rewards'],
    ['agent.policy.actor_hidden_dims[0]', 'network'],
    ['agent.policy.class_name', 'network'],
    ['policy.dim_model', 'network'],
    ['agent.algorithm.learning_rate', 'algorithm'],
    ['agent.algorithm.clip_param', 'algorithm'],
    ['env.scene.num_envs', 'algorithm'],
    ['policy.optimizer_lr', 'algorithm'],
    ['batch_size', 'algorithm'],
    ['agent.empirical', 'algorithm'],
    ['env.events.push_robot.interval_range_s[0]', 'domain_randomization'],
    ['domain_rand.friction_range[1]', 'domain_randomization'],
    ['env.curriculum.terrain_levels.func', 'curriculum'],
    ['env.terminations.base_contact.params.threshold', 'terminations'],
    ['env.episode_length_s', 'terminations'],
    ['env.commands.base_velocity.ranges.lin_vel_x[0]', 'commands'],
    ['env.sim.dt', 'sim'],
    ['env.decimation', 'sim'],
    ['env.ui_window_class_type', 'sim'],
    ['agent.experiment_name', 'bookkeeping'],
    ['agent.save_interval', 'bookkeeping'],
    ['wandb.project', 'bookkeeping'],
    ['output_dir', 'bookkeeping'],
    ['env.viewer.eye[0]', 'bookkeeping'],
    ['ENV.Rewards.Alive', 'rewards'],
    ['dataset.repo_id', 'other'],
    ['["a.b"]', 'other'],
    ['[0]', 'other'],
    ['constructor', 'other'],
    ['', 'other'],
  ])('%s is %s', (path, group) => {
    expect(groupOfPath(path)).toBe(group)
  })

  it('is one of fourteen, all counted except bookkeeping', () => {
    expect(configGroups).toHaveLength(14)
    expect(configGroups.filter(({ id }) => !isCounted(id)).map(({ id }) => id)).toEqual(['bookkeeping'])
  })
})
