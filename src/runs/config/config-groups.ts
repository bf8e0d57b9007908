/** The group of a config key, by the names on its path. Pure. Spec, RunConfigGroup. */

export const configGroups = [
  { id: 'actions', name: 'Actions' },
  { id: 'contract', name: 'Contract' },
  { id: 'observations', name: 'Observations' },
  { id: 'plant', name: 'Plant' },
  { id: 'rewards', name: 'Rewards' },
  { id: 'network', name: 'Network' },
  { id: 'algorithm', name: 'Algorithm' },
  { id: 'domain_randomization', name: 'Domain randomization' },
  { id: 'curriculum', name: 'Curriculum' },
  { id: 'terminations', name: 'Terminations' },
  { id: 'commands', name: 'Commands' },
  { id: 'sim', name: 'Sim' },
  { id: 'bookkeeping', name: 'Bookkeeping' },
  { id: 'other', name: 'Other' },
] as const

export type ConfigGroupId = (typeof configGroups)[number]['id']

/** Bookkeeping (host, names, logging) differs between any two runs and is not a meaningful change. */
export const isCounted = (group: ConfigGroupId): boolean => group !== 'bookkeeping'

/** In order of precedence: a name that matches several lines belongs to the first. */
const groupNames: readonly (readonly [ConfigGroupId, RegExp])[] = [
  [
    'bookkeeping',
    /^(run|job|exp|experiment|project|entity|group)_(name|id)$|^(experiment|project|wandb.*|tensorboard.*|mlflow.*|neptune.*|log|logs|logging|logger|loggers|viewer|video|videos|headless|device|hostname|user|timestamp|date|notes|tags|git|git_.*|commit|debug_vis|num_workers|resume)$|^(log|save|eval|checkpoint|video|load|output|resume)_(dir|root_path|path|freq|interval|level|run|checkpoint|length|every)$|^(rl|sim)_device$|^(created|started|finished)_at$/,
  ],
  [
    'contract',
    /^(contract|interface|embodiment)(_.*)?$|^(joint_order|control_(hz|rate_hz|dt)|default_(pose|joint_pos|joint_angles))$/,
  ],
  ['rewards', /^(rewards?|rew|reward_.*|rew_.*)$/],
  ['terminations', /^(terminations?|termination_.*|episode_length(_s)?|max_episode_.*|resets?|reset_.*)$/],
  ['commands', /^(commands?|command_.*)$/],
  ['curriculum', /^(curriculum|curriculums|curriculum_.*|terrain_levels?)$/],
  ['domain_randomization', /^(domain_rand(omization)?|randomi[sz]ation|randomi[sz]e_.*|events?|push_.*|dr)$/],
  ['actions', /^(actions?|action_.*|n_action_steps|num_actions|clip_actions|chunk_size|output_features)$/],
  [
    'network',
    /^(network|networks|actor|actor_.*|critic|critic_.*|encoder|decoder|backbone|activation|transformer|rnn|rnn_.*|lora|lora_.*|vision_.*|dim_.*|latent_.*|dropout|n_heads|n_(en|de)coder_layers|num_layers|init_noise_std|use_vae|pretrained_.*)$|hidden_(dims?|sizes?|units)$/,
  ],
  [
    'observations',
    /^(observations?|obs|obs_.*|n_obs_steps|num_obs|num_observations|num_privileged_obs|input_features|cameras?|camera_.*|image_.*|clip_observations|history_length|normalization|noise)$/,
  ],
  [
    'plant',
    /^(robot|plant|actuators?|actuator_.*|articulation|asset|init_state|urdf.*|mjcf.*|joints?|joint_.*|stiffness|damping|armature|friction|mass|inertia|kp|kd|[pd]_gains|effort_limit.*|velocity_limit.*)$/,
  ],
  [
    'algorithm',
    /^(algorithm|algo|ppo|sac|optimizer|optimizer_.*|scheduler|scheduler_.*|schedule|learning_rate|lr|lr_.*|gamma|lam|gae_lambda|clip_param|clip_range|entropy_coef|ent_coef|desired_kl|kl_.*|value_loss_coef|vf_coef|max_grad_norm|grad_.*|weight_decay|betas|tau|batch_size|buffer_size|steps|epochs|n_epochs|n_steps|num_learning_epochs|num_mini_batches|num_steps_per_env|max_iterations|total_(timesteps|steps|iterations)|warmup.*|loss|loss_.*|seed|num_envs)$/,
  ],
  [
    'sim',
    /^(sim|simulation|physics|physx|dt|timestep|decimation|substeps|gravity|solver|solver_.*|terrain|terrain_.*|render|render_.*)$/,
  ],
]

/** Generic container names: used only if nothing else on the path matches, innermost first. */
const containers: Readonly<Record<string, ConfigGroupId>> = {
  policy: 'network',
  model: 'network',
  agent: 'algorithm',
  train: 'algorithm',
  trainer: 'algorithm',
  training: 'algorithm',
  runner: 'algorithm',
  env: 'sim',
  scene: 'sim',
}

/**
 * Cache of the group of each name (null: no group), since the thousands of paths in a config consist of the same few
 * names.
 */
export type KnownNames = Map<string, ConfigGroupId | null>

/** The group of the outermost specific name: `env.rewards.action_rate.weight` belongs to `rewards`. */
export function groupOfPath(path: string, known: KnownNames = new Map()): ConfigGroupId {
  const lower = path.toLowerCase()
  let container: ConfigGroupId | null = null
  for (let from = 0; from < lower.length; ) {
    let to = from
    while (to < lower.length && !isBetweenNames(lower.charCodeAt(to))) to += 1
    const name = lower.slice(from, to)
    const group = name === '' ? null : groupOfName(name, known)
    if (group) return group
    container = (Object.hasOwn(containers, name) ? containers[name] : null) ?? container
    from = to + 1
  }
  return container ?? 'other'
}

const betweenNames = new Set([...'.[]"'].map((each) => each.charCodeAt(0)))
const isBetweenNames = (code: number) => betweenNames.has(code)

function groupOfName(name: string, known: KnownNames): ConfigGroupId | null {
  const told = known.get(name)
  if (told !== undefined) return told
  const [group = null] = /^\d+$/.test(name) ? [] : (groupNames.find(([, pattern]) => pattern.test(name)) ?? [])
  known.set(name, group)
  return group
}
