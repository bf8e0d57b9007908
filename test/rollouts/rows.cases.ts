import { defineRows } from '../support/define-cases.ts'

const names = `id, model_repo_id, model_owner_id, model_is_public, model_seq, model_commit, policy_path, policy_digest,
  robot_repo_id, robot_seq, robot_commit, task, conditions, fingerprint, first_seed, seeds, successes, lowest, highest,
  mean_return, mean_seconds, software, drawn_by, cameras, key, by_agent`
const id = 'roll_01m812yvrpextatj8nx4n20001'

const good = {
  ...{ id, model: 'x', commit: 'a'.repeat(40), digest: 'b'.repeat(64), robot: 'y', task: 'walk' },
  ...{ first: 1, seeds: 2, successes: 1, lowest: 0.1, software: '{}', drawn: 'Chromium 150' },
  cameras: '{"front":"overhead"}',
}

const aRollout = (change: Partial<Record<keyof typeof good, string | number>> = {}) => {
  const one = { ...good, ...change }
  return `insert into rollouts (${names}) values ('${one.id}', '${one.model}', 'x', true, 1, '${one.commit}', 'policy.onnx', '${one.digest}', '${one.robot}', 1, '${one.commit}', '${one.task}', '{"task":{"version":1,"name":"walk"},"disturbance":{}}', '${one.digest}', ${one.first}, ${one.seeds}, ${one.successes}, ${one.lowest}, 0.9, 1.5, 2.5, '${one.software}', '${one.drawn}', '${one.cameras}', '${one.digest}', false)`
}

const anOutcome = (rollout: string, seed: number) =>
  `insert into rollout_outcomes (rollout_id, seed, success, ending, return, seconds, steps, fingerprint) values ('${rollout}', ${seed}, true, 'reached', 0.1, 1.5, 75, repeat('a', 16))`

const anEpisode = (rollout: string, seed: number, owner: string, blob: string) =>
  `insert into rollout_episodes (rollout_id, seed, owner_id, blob_id) values ('${rollout}', ${seed}, '${owner}', '${blob}')`

const aGate = (model: string, robot: string, least: number) =>
  `insert into rollout_gates (model_repo_id, robot_repo_id, robot, fingerprint, task, least, seeds) values ('${model}', '${robot}', 'ada/arm', repeat('b', 64), 'walk', ${least}, 100)`

export const rows = defineRows({
  kept: ({ model, robot, lab, blob }) => ({
    rollouts: aRollout({ model, robot }),
    rollout_outcomes: anOutcome(id, 1),
    rollout_episodes: anEpisode(id, 1, lab, blob),
    rollout_gates: aGate(model, robot, 0.9),
  }),
  refused: {
    rollouts_counts: aRollout({ successes: 3 }),
    rollouts_interval: aRollout({ lowest: 0.95 }),
    rollouts_digest_forms: aRollout({ digest: 'B' }),
    rollouts_commit_forms: aRollout({ commit: 'a' }),
    rollouts_sizes: aRollout({ task: '' }),
    rollouts_drawn_by: aRollout({ drawn: '' }),
    rollouts_cameras: aRollout({ cameras: '[]' }),
    rollout_gates_bounds: aGate('x', 'y', 1.5),
    rollout_outcomes_bounds: anOutcome('x', -1),
    rollout_episodes_seed: anEpisode('x', -1, 'x', 'x'),
  },
})
