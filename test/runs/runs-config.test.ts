/** Configs of real size, reported by runners and compared through the running hub. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person } from '../support/hub.ts'

const hub = contractHub()
let ada: Person

beforeAll(async () => {
  ada = await hub.person()
})

/** A run that reported this config while it runs. */
async function reported(config: Json, parent_run_id: string | null = null): Promise<string> {
  const body = { recipe: { template: 'ppo_sim_a' }, parent_run_id }
  const { id } = (await hub.call(ada, 'POST', '/v1/runs', body)).json
  expect((await hub.call(ada, 'POST', `/v1/runs/${id}/claim`, { worker: 'box' })).status).toBe(200)
  // JSON is YAML.
  const answer = await hub.call(ada, 'POST', `/v1/runs/${id}/report`, { config_yaml: JSON.stringify(config) })
  expect([answer.status, answer.json.status]).toEqual([200, 'running'])
  return id
}
const configOf = async (run: string): Promise<Json> => (await hub.call(ada, 'GET', `/v1/runs/${run}/config`)).json
const many = (count: number, of: (at: number) => Json) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`term_${at}`, of(at)]))

/** A simulation trainer's resolved config of about 400 leaves. */
const resolved = (lr: number, weight: (at: number) => number, more: Json = {}) => ({
  env: {
    sim: { dt: 0.005, gravity: [0, 0, -9.81] },
    decimation: 4,
    rewards: many(160, (at) => ({ weight: weight(at) })),
    observations: { policy: many(60, (at) => ({ scale: at / 10 })) },
    events: many(80, (at) => ({ range: [0, at] })),
    scene: { num_envs: 4096, robot: { init_state: { joint_pos: many(12, () => 0.1) } } },
    ...more,
  },
  agent: { seed: 1, algorithm: { learning_rate: lr, gamma: 0.99 }, experiment_name: `run at ${lr}` },
})

/** What holds of every comparison, whatever the configs are. */
function addsUp(config: Json): void {
  const counted = config.groups.filter((group: Json) => group.counted)
  const sum = (member: string) => counted.reduce((all: number, group: Json) => all + group[member], 0)
  const { diff } = config
  expect([sum('changed'), sum('unchanged'), sum('parent_has_no_record'), sum('child_has_no_record')]).toEqual([
    diff.changed_keys,
    diff.unchanged_keys,
    diff.parent_has_no_record,
    diff.child_has_no_record,
  ])
  for (const group of config.groups) {
    expect(group.compared).toBe(group.changed + group.unchanged)
    expect(group.total).toBe(group.compared + group.parent_has_no_record)
    expect(group.parent_total).toBe(group.compared + group.child_has_no_record)
  }
  expect(config.groups.reduce((all: number, group: Json) => all + group.total, 0)).toBe(config.total)
  expect(config.keys).toHaveLength(config.total)
  expect(diff.entries.length).toBeLessThanOrEqual(120)
  expect(diff.truncated).toBe(diff.changed_keys - diff.entries.length)
}

describe('a config of about 400 keys', () => {
  it('is readable while the run is in progress, and compared with that of its parent, group by group', async () => {
    const parent = await reported(resolved(0.001, () => 1))
    const child = await reported(
      resolved(0.002, (at) => (at < 130 ? 2 : 1)),
      parent,
    )
    const config = await configOf(child)
    expect(config.total).toBeGreaterThan(380)
    expect([config.shape, config.parent_shape, config.comparison, config.pairs]).toEqual([
      'resolved',
      'resolved',
      null,
      [],
    ])
    addsUp(config)
    expect(config.diff).toMatchObject({ changed_keys: 131, truncated: 11, comparison: null, parent_has_no_record: 0 })
    expect(config.diff.entries).toHaveLength(120)
    const byId = Object.fromEntries(config.groups.map((group: Json) => [group.id, group]))
    expect(byId.rewards).toMatchObject({ name: 'Rewards', counted: true, changed: 130, unchanged: 30, total: 160 })
    expect(byId.domain_randomization).toMatchObject({ changed: 0, unchanged: 160 })
    expect(byId.algorithm.changed).toBe(1)
    expect(byId.bookkeeping).toMatchObject({ counted: false, changed: 1 })
    expect(config.diff.entries[0]).toMatchObject({ kind: 'changed', from: '1', to: '2', group: 'rewards' })
  })

  it('never counts a key that only one side has as unchanged or changed', async () => {
    const parent = await reported(resolved(0.001, () => 1, { curriculum: many(50, () => 1) }))
    const child = await reported(
      resolved(0.001, () => 1, { terminations: many(70, () => 1) }),
      parent,
    )
    const config = await configOf(child)
    addsUp(config)
    expect(config.diff).toMatchObject({ changed_keys: 0, parent_has_no_record: 70, child_has_no_record: 50 })
    expect(config.diff.entries).toEqual([])
    const terminations = config.groups.find((group: Json) => group.id === 'terminations')
    expect([terminations.own_keys.length, terminations.own_truncated]).toEqual([40, 30])
    expect(terminations).toMatchObject({ compared: 0, unchanged_first: null, unchanged_summary: null })
  })

  it("against an importer's manifest compares the keys that are mapped one-to-one, and counts the rest as no record", async () => {
    const config_yaml = JSON.stringify({
      contract: { decimation: 8, sim_dt: 0.005, default_pose: many(12, (at) => (at < 3 ? 0.5 : 0.1)) },
      training: { rewards: many(160, () => ({ weight: 1 })), num_envs: 4096, unheard_of: many(200, () => 1) },
    })
    const artifacts = { config_yaml, metrics_summary: '' }
    const parent = (await hub.call(ada, 'POST', '/v1/runs/import', { artifacts, hyperparams: {} })).json.id
    const child = await reported(
      resolved(0.001, (at) => (at < 5 ? 2 : 1)),
      parent,
    )
    const config = await configOf(child)
    addsUp(config)
    expect([config.shape, config.parent_shape, config.comparison, config.diff.comparison]).toEqual([
      'resolved',
      'manifest',
      'cross_shape',
      'cross_shape',
    ])
    // 160 rewards, 12 joints, decimation, dt and the number of environments.
    expect(config.pairs).toHaveLength(175)
    expect(config.diff).toMatchObject({ changed_keys: 9, unchanged_keys: 166, child_has_no_record: 200 })
    expect(config.pairs).toContainEqual({
      group: 'sim',
      parent_path: 'contract.decimation',
      child_path: 'env.decimation',
      from: '8',
      to: '4',
      changed: true,
      rule: 'decimation',
    })
  })

  it('is the same in the graph', async () => {
    const parent = await reported(resolved(0.001, () => 1))
    const child = await reported(
      resolved(0.004, () => 1),
      parent,
    )
    const query = `query ($id: ID!) { run(id: $id) { config { total diff { changedKeys unchangedKeys entries { path to } } groups { id compared } } } }`
    const { config } = (await hub.graphql(ada, query, { id: child })).data.run
    const rest = await configOf(child)
    expect([config.total, config.diff.changedKeys, config.diff.unchangedKeys]).toEqual([
      rest.total,
      1,
      rest.diff.unchanged_keys,
    ])
    expect(config.diff.entries).toEqual([{ path: 'agent.algorithm.learning_rate', to: '0.004' }])
    expect(config.groups).toEqual(rest.groups.map(({ id, compared }: Json) => ({ id, compared })))
  })
})

describe('a later report of a config', () => {
  it('replaces the previous one, and the comparison of the children follows', async () => {
    const parent = await reported({ agent: { lr: 1 } })
    const child = await reported({ agent: { lr: 2 } }, parent)
    expect((await configOf(child)).diff.changed_keys).toBe(1)
    await hub.call(ada, 'POST', `/v1/runs/${parent}/report`, { config_yaml: 'agent: {lr: 2}' })
    expect((await configOf(child)).diff).toMatchObject({ changed_keys: 0, unchanged_keys: 1 })
  })
})
