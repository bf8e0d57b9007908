import { beforeAll, describe, expect, it } from 'vitest'
import { warningsOf } from '../../src/runs/create/run-warnings.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { putRun } from '../support/runs.ts'

const hub = contractHub()
const database = {
  query: <T>({ text }: { text: string }, values?: readonly unknown[]) => hub.sql<T>(text, [...(values ?? [])]),
}
let ada: Person
let bob: Person

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
})

const tripwire = { metric: 'pass_rate', op: '<', threshold: 0.5, from_step: 100, consecutive: 2 }

/** A run that ada's session holds. */
async function claimed(gate: Json = { every_steps: 100, tripwires: [tripwire] }): Promise<string> {
  const id = await putRun(database, { ownerId: ada.id, recipe: { template: 'act', gate } })
  const answer = await hub.call(ada, 'POST', `/v1/runs/${id}/claim`, { worker: 'box' })
  expect(answer.status).toBe(200)
  return id
}

const cells = (...verdicts: string[]) => verdicts.map((status, at) => ({ name: `cell${at}`, status }))
const record = (who: Person | string | null, input: Json) =>
  hub.graphql(
    who,
    `mutation ($input: RecordGateResultsInput!) {
      recordGateResults(input: $input) { run { cancelRequestedAt gateResults { step passCount cellCount aliveCount seedCount rolloutId cells { name status detail } } } }
    }`,
    {
      input: {
        seedsRun: 3,
        seedsAlive: 3,
        rolloutId: `rollout-${input.step}`,
        cells: cells('PASS', 'FAIL', 'FAIL'),
        ...input,
      },
    },
  )
const steps = (answer: Json) => answer.data.recordGateResults.run.gateResults.map(({ step }: Json) => step)
const code = (answer: Json) => [
  answer.errors?.[0].extensions.status,
  answer.errors?.[0].extensions.problem.errors[0].type,
]
const notices = async (run: string) =>
  (
    await hub.sql<{ text: string }>(
      "select text from run_log_chunks where run_id = $1 and stream = 'stderr' order by seq",
      [run],
    )
  ).map(({ text }) => text)

describe('gate results', () => {
  it('are shown with the run, oldest step first, with the latest result per step', async () => {
    const runId = await claimed()
    await record(ada, { runId, step: 200 })
    await record(ada, { runId, step: 100, cells: cells('PASS') })
    const told = await record(ada, {
      runId,
      step: 100,
      cells: [{ name: 'walk', status: 'PASS', detail: '0.7 m/s' }, ...cells('SKIP')],
      seedsAlive: 2,
      rolloutId: null,
    })
    expect(steps(told)).toEqual([100, 200])
    expect(told.data.recordGateResults.run.gateResults[0]).toEqual({
      step: 100,
      passCount: 1,
      cellCount: 2,
      aliveCount: 2,
      seedCount: 3,
      rolloutId: null,
      cells: [
        { name: 'walk', status: 'PASS', detail: '0.7 m/s' },
        { name: 'cell0', status: 'SKIP', detail: null },
      ],
    })
  })

  it('are those of the last thousand steps, and their cells are read as far as they stay small together', async () => {
    const runId = await claimed({ every_steps: 100 })
    await hub.sql(
      `insert into run_gate_results (run_id, step, rows, pass_count, cell_count, alive_count, seed_count)
        select $1, n, json_build_array(json_build_object('name', 'walk',
            'status', 'PASS', 'detail', repeat('x', 60000))), 1, 1, 1, 1 from generate_series(1, 1000) n`,
      [runId],
    )
    await hub.call(ada, 'POST', `/v1/runs/${runId}/gate-results`, {
      results: [0, 5000, 6000].map((step) => ({ step, cells: [], seeds_run: 1, seeds_alive: 1 })),
    })
    const { errors } = await hub.graphql(ada, `{ run(id: "${runId}") { gateResults { step cells { name } } } }`)
    expect(errors[0].extensions).toMatchObject({ status: 413, code: 'TOO_LARGE' })
    const { data: short } = await hub.graphql(ada, `{ run(id: "${runId}") { gateResults { step } } }`)
    expect(short.run.gateResults.map(({ step }: Json) => step)).toEqual([
      ...Array.from({ length: 998 }, (_, at) => at + 3),
      ...[5000, 6000],
    ])
  })

  it('that a tripwire fires on ask the run to stop, once, with a notice that names tripwire, step and rollout', async () => {
    const runId = await claimed()
    expect((await record(ada, { runId, step: 50 })).data.recordGateResults.run.cancelRequestedAt).toBeNull()
    expect((await record(ada, { runId, step: 100 })).data.recordGateResults.run.cancelRequestedAt).toBeNull()
    const asked = (await record(ada, { runId, step: 200 })).data.recordGateResults.run.cancelRequestedAt
    expect(asked).toMatch(/Z$/)
    expect((await record(ada, { runId, step: 300 })).data.recordGateResults.run.cancelRequestedAt).toBe(asked)
    expect(await notices(runId)).toEqual([
      'Tripwire pass_rate < 0.5 fired at step 200 (rollout rollout-200): pass_rate is 0.3333 over the last 2 gated checkpoints. The run is asked to stop.\n',
    ])
    const [row] = await hub.sql('select status, stop_reason from runs where id = $1', [runId])
    expect(row).toEqual({ status: 'running', stop_reason: 'tripwire' })
  })

  it('of a recipe without tripwires stop nothing', async () => {
    for (const gate of [{ every_steps: 100 }, null]) {
      const runId = await claimed(gate)
      await record(ada, { runId, step: 100 })
      expect((await record(ada, { runId, step: 200 })).data.recordGateResults.run.cancelRequestedAt).toBeNull()
    }
  })

  it('are accepted only from the credential and attempt that hold the run', async () => {
    const runId = await claimed()
    expect(code(await record(null, { runId, step: 1 }))).toEqual([401, 'auth.missing'])
    expect(code(await record(bob, { runId, step: 1 }))).toEqual([404, 'not_found'])
    const other = await hub.sql<{ id: string }>('select credential as id from run_attempts where run_id = $1', [runId])
    expect(other).toHaveLength(1)
    expect(code(await record(ada, { runId, step: 1, attempt: 2 }))).toEqual([409, 'conflict.not_claimer'])
    expect(steps(await record(ada, { runId, step: 1, attempt: 1 }))).toEqual([1])
    await hub.sql("update runs set claim_credential = 'key_other' where id = $1", [runId])
    expect(code(await record(ada, { runId, step: 2 }))).toEqual([409, 'conflict.not_claimer'])
  })

  it('of a run that is not in progress are rejected', async () => {
    const queued = await putRun(database, { ownerId: ada.id })
    expect(code(await record(ada, { runId: queued, step: 1 }))).toEqual([409, 'conflict.not_claimer'])
    const ended = await putRun(database, { ownerId: ada.id, status: 'succeeded' })
    expect(code(await record(ada, { runId: ended, step: 1 }))).toEqual([409, 'conflict.terminal'])
  })

  it.each([
    ['more seeds alive than run', { seedsAlive: 4 }],
    ['a negative step', { step: -1 }],
    ['too many cells', { cells: cells(...Array.from({ length: 10_001 }, () => 'PASS')) }],
    ['a cell without a name', { cells: [{ name: '', status: 'PASS' }] }],
  ])('with %s are 422', async (_what, change) => {
    const runId = await claimed()
    expect((await record(ada, { runId, step: 1, ...change })).errors?.[0].extensions.status).toBe(422)
  })
})

describe('gate results over /v1', () => {
  const result = (step: number, verdicts = ['PASS', 'FAIL', 'FAIL'], change: Json = {}) => ({
    step,
    cells: cells(...verdicts),
    seeds_run: 3,
    seeds_alive: 3,
    ...change,
  })
  const tell = (who: Person, run: string, body: Json) => hub.call(who, 'POST', `/v1/runs/${run}/gate-results`, body)
  const recorded = async (run: string) =>
    (await hub.sql<{ step: number }>('select step from run_gate_results where run_id = $1 order by step', [run])).map(
      ({ step }) => step,
    )

  it('are recorded as in the graph, one or many at once, and the response asks the run to stop', async () => {
    const run = await claimed()
    const told = await tell(ada, run, { attempt: 1, results: [result(50), result(100)] })
    expect([told.status, told.json.id, told.json.cancel_requested_at]).toEqual([200, run, null])
    const asked = await tell(ada, run, result(200, undefined, { rollout_id: 'r200' }))
    expect([asked.status, asked.json.cancel_requested_at]).toEqual([200, expect.stringMatching(/Z$/)])
    expect(await recorded(run)).toEqual([50, 100, 200])
    expect(await notices(run)).toEqual([expect.stringContaining('fired at step 200 (rollout r200)')])
  })

  it('of many checkpoints have the same effect as single results', async () => {
    const run = await claimed()
    const good = ['PASS', 'PASS', 'PASS']
    const told = await tell(ada, run, { results: [result(100), result(200), result(300, good), result(400, good)] })
    expect(told.json.cancel_requested_at).not.toBeNull()
    expect(await notices(run)).toEqual([expect.stringContaining('fired at step 200')])
    expect(await recorded(run)).toEqual([100, 200, 300, 400])
    const twice = await claimed()
    await tell(ada, twice, { results: [result(100), result(100, good), result(200)] })
    expect(await notices(twice)).toEqual([])
    expect(await recorded(twice)).toEqual([100, 200])
  })

  it('are accepted only from the credential and attempt that hold the run', async () => {
    const run = await claimed()
    expect((await tell(bob, run, { results: [result(1)] })).status).toBe(404)
    expect((await tell(ada, run, { attempt: 2, results: [result(1)] })).status).toBe(409)
    expect(await recorded(run)).toEqual([])
  })

  it.each([
    ['neither results nor one', {}, ['body', 'results']],
    ['both', { results: [result(1)], ...result(2) }, ['body', 'results']],
    ['a part of one', { step: 1, cells: [] }, ['body', 'results']],
    ['no results', { results: [] }, ['body', 'results']],
    [
      'more seeds alive than run',
      { results: [result(1), result(2, [], { seeds_alive: 4 })] },
      ['body', 'results', 1, 'seeds_alive'],
    ],
  ])('with %s are 422 and name the place', async (_what, body, place) => {
    const run = await claimed()
    const answer = await tell(ada, run, body)
    expect([answer.status, answer.json.errors[0].loc]).toEqual([422, place])
    expect(await recorded(run)).toEqual([])
  })
})

describe('a created run warns about settings without effect', () => {
  const warned = async (recipe: Json): Promise<string[]> => {
    const made = await hub.call(ada, 'POST', '/v1/runs', { recipe: { template: 'act', ...recipe } })
    expect(made.status).toBe(201)
    return made.json.warnings
  }
  it('in warnings, which are empty for a recipe without such settings', async () => {
    expect(await warned({})).toEqual([])
    expect(await warned({ gate: { every_steps: 100 } })).toEqual([expect.stringContaining('--battery-command')])
    expect(await warned({ gate: { every_steps: 100 }, budget_usd: 5 })).toEqual([
      expect.stringMatching(/^recipe\.gate/),
      expect.stringMatching(/^recipe\.budget_usd/),
    ])
  })

  it('of which a budget names what ends the run: its max_hours, or nothing but its runner', async () => {
    const free = 'recipe.budget_usd: a worker run costs nothing, so its budget is never spent;'
    expect(await warned({ budget_usd: 5, max_hours: 2 })).toEqual([`${free} max_hours is what ends it.`])
    expect(await warned({ budget_usd: 5 })).toEqual([`${free} without max_hours nothing but its runner ends it.`])
  })

  it('including rollouts that would be hosted, in the graph and on a replay', async () => {
    const hosted = contractWarnings('hosted', 'worker')
    expect(hosted).toEqual([expect.stringContaining('will not be gated')])
    expect(contractWarnings('worker', 'hosted')).toEqual([expect.stringContaining('will not be gated')])
    expect(contractWarnings('hosted', null)).toEqual([expect.stringContaining('deployed function')])
    const key = { 'idempotency-key': 'warned-once' }
    const body = { recipe: { template: 'act', gate: { every_steps: 1 } } }
    const first = await hub.call(ada, 'POST', '/v1/runs', body, key)
    const again = await hub.call(ada, 'POST', '/v1/runs', body, key)
    expect([again.status, again.json.warnings]).toEqual([200, first.json.warnings])
    const graph = await hub.graphql(ada, 'query ($id: ID!) { run(id: $id) { warnings } }', { id: first.json.id })
    expect(graph.data.run.warnings).toEqual(first.json.warnings)
  })
})

function contractWarnings(executor: 'worker' | 'hosted', rollouts: 'worker' | 'hosted' | null): string[] {
  return warningsOf({ executor, recipe: { template: 'act', gate: { every_steps: 1, executor: rollouts } } })
}
