/** Members that the contract lists are always there, null when empty: every object that operations on runs return. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person } from '../support/hub.ts'

const hub = contractHub({ HOSTED_OWNERS: 'boss' })
let ada: Person
let boss: Person

beforeAll(async () => {
  ada = await hub.person()
  boss = await hub.person('boss')
})

const words = (text: string) => text.trim().split(/\s+/)
/** Every listed member is present and never undefined; additional members are named. */
function holds(value: Json, listed: string, added = ''): void {
  expect(Object.keys(value).sort()).toEqual([...words(listed), ...(added ? words(added) : [])].sort())
}

const runMembers = `id kind status recipe recipe_hash owner created_by gpu_type cost_usd metrics_key logs_key config_key scorecard_key gate gates
  output_model_repo parent_run_id executor claimed_by claimed_at heartbeat_at cancel_requested_at latest_metrics peak_vram_gb samples_per_s
  hosted_call_id dispatched_at error created_at started_at finished_at display_name display_name_source progress spend round sparkline`
const runAdditions = 'lease_expires_at attempt deadline_at datasets project name notes tags group job_type sort_value'
const recipeMembers = 'template dataset robot hyperparams gpu max_hours executor budget_usd gate parent_checkpoint_step'
const gateMembers = 'every_steps battery seeds delay executor tripwires video horizon_s cell_count'
const estimateMembers = `executor tier rate_usd_per_hour host_rate_usd_per_hour max_hours cost_usd_max budget_usd capped_by_budget priced`
const recommendationMembers = `template model_family control_class method implemented executor tier requested_tier vram_estimate_gb vram_required_gb
  headroom fits_on est_hours rate_usd_per_hour cost_usd_est cost_usd_max priced basis measured measured_by inputs dataset why warnings explanation`
const configMembers = `run_id parent_run_id keys total diff reason shape parent_shape comparison groups pairs declared`
const diffMembers = 'entries changed_keys unchanged_keys truncated comparison parent_has_no_record child_has_no_record'
const entryMembers = 'path kind from to in_declared_change group parent_path'
const groupMembers = `id name counted total parent_total compared changed unchanged parent_has_no_record child_has_no_record entries
  unchanged_first unchanged_last own_keys own_truncated summary unchanged_summary`

const recipe = {
  template: 'act',
  gate: { every_steps: 5, tripwires: [{ metric: 'gates_passed', op: '>=', threshold: 3 }] },
}

describe('a run', () => {
  it('has them in every response: created, replayed, imported, claimed, reported, canceled, read and listed', async () => {
    const headers = { 'idempotency-key': newName() }
    const make = () => hub.call(ada, 'POST', '/v1/runs', { recipe }, headers)
    const [made, replayed] = [await make(), await make()]
    const post = async (verb: string, body: Json) =>
      (await hub.call(ada, 'POST', `/v1/runs/${made.json.id}/${verb}`, body)).json
    const artifacts = { config_yaml: 'a: 1', metrics_summary: '', scorecard_json: { cells: [{ status: 'PASS' }] } }
    const answers = [
      made.json,
      replayed.json,
      (await hub.call(ada, 'POST', '/v1/runs/import', { artifacts })).json,
      await post('claim', { worker: 'w' }),
      await post('report', { metrics: [{ step: 1, reward: 2 }], progress: { iteration: 1 } }),
      await post('cancel', {}),
      (await hub.call(ada, 'GET', `/v1/runs/${made.json.id}`)).json,
      ...(await hub.call(ada, 'GET', '/v1/runs')).json.items,
    ]
    for (const [at, run] of answers.entries()) {
      holds(run, runMembers, at < 2 ? `${runAdditions} warnings` : runAdditions)
      holds(run.recipe, recipeMembers)
      holds(run.owner, 'id kind handle name')
      holds(run.created_by, 'id handle name')
      holds(run.spend, 'priced accrued_usd rate_usd_per_hour budget_usd remaining_usd final as_of')
      if (run.kind === 'cloud') {
        holds(run.recipe.gate, gateMembers)
        holds(run.recipe.gate.tripwires[0], 'metric op threshold from_step consecutive')
      }
    }
    const reported = answers[5]
    holds(
      reported.progress,
      'iteration total_iterations final_iteration start_iteration iterations_per_s fraction eta_s eta_at step_key as_of',
    )
    holds(reported.sparkline, 'metric points')
    const [imported] = answers.slice(2)
    holds(imported.gate, 'passed total')
    holds(imported.gates[0], 'name status detail')
    expect([imported.executor, imported.logs_key, imported.claimed_at, imported.started_at]).toEqual([
      null,
      null,
      null,
      null,
    ])
  })

  it('is a page of items and next_cursor, with facets only on request', async () => {
    holds((await hub.call(ada, 'GET', '/v1/runs')).json, 'items next_cursor')
    const { json } = await hub.call(ada, 'GET', '/v1/runs?facets=1&limit=1')
    holds(json, 'items next_cursor facets')
    holds(json.facets, 'total kind executor status robot gated')
    holds(json.facets.kind[0], 'value count')
  })
})

describe('an estimate and a recommendation', () => {
  it('have them, for a worker and for a hosted run', async () => {
    const dataset = await hub.repo(boss)
    await hub.upload(boss, dataset, {
      'meta/info.json': JSON.stringify({
        codebase_version: 'v2.1',
        total_episodes: 2,
        total_frames: 100,
        fps: 10,
        features: { action: { dtype: 'float32', shape: [6] } },
      }),
    })
    for (const executor of ['worker', 'hosted', null]) {
      const body = { recipe: { template: 'act', executor, dataset: [`svc://${dataset}`] } }
      holds((await hub.call(boss, 'POST', '/v1/runs/estimate', body)).json, estimateMembers)
      const { json } = await hub.call(boss, 'POST', '/v1/runs/recommend', body)
      holds(json, recommendationMembers)
      holds(json.inputs, 'batch_size cameras image_px chunk_size steps')
      holds(json.dataset, 'ref cameras fps episodes frames state_dim action_dim robot_type')
      expect([json.explanation, json.headroom, json.why.length > 2]).toEqual([null, 0.2, true])
    }
  })
})

describe('the config of a run', () => {
  it('has them with and without a parent', async () => {
    const bring = async (config_yaml: string, parent_run_id: string | null) =>
      (
        await hub.call(ada, 'POST', '/v1/runs/import', {
          artifacts: { config_yaml, metrics_summary: '' },
          parent_run_id,
          hyperparams: { declared_change: ['lr'] },
        })
      ).json.id
    const parent = await bring('agent: {lr: 1, gamma: 2}\n', null)
    const child = await bring('agent: {lr: 3, gamma: 2}\n', parent)
    for (const id of [parent, child]) holds((await hub.call(ada, 'GET', `/v1/runs/${id}/config`)).json, configMembers)
    const { json } = await hub.call(ada, 'GET', `/v1/runs/${child}/config`)
    holds(json.diff, diffMembers)
    holds(json.diff.entries[0], entryMembers)
    holds(json.groups[0], groupMembers)
    holds(json.keys[0], 'path value group')
    holds(json.declared[0], 'key status group summary')
  })
})

describe('the hardware tiers', () => {
  it('have them, for anonymous callers and for users', async () => {
    for (const who of [null, ada]) {
      const { json } = await hub.call(who, 'GET', '/v1/hardware_tiers')
      holds(json, 'items hosting')
      holds(json.items[0], 'tier rate_usd_per_hour description', 'vram_gb')
      holds(json.hosting, 'allowance configured everyone owners')
      holds(json.hosting.allowance, 'limit_usd cpu_only work viewer')
      if (who)
        holds(json.hosting.allowance.viewer, 'account used_usd reserved_usd remaining_usd period_start resets_at')
    }
  })
})
