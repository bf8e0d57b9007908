/** The table of run states tried through the running hub: every trigger from every state, with each kind of run. */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person, types } from '../support/hub.ts'
import { putRun, type RunGiven } from '../support/runs.ts'

const hub = contractHub()
let ada: Person
let key: string
let keyId: string

beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada, { scope: 'train' })
  const [row] = await hub.sql<{ id: string }>('select id from api_keys where account_id = $1', [ada.id])
  keyId = row?.id ?? ''
})

const states = ['queued', 'running', 'asked to stop', 'succeeded', 'failed', 'canceled'] as const
type State = (typeof states)[number]
type Kind = 'worker' | 'hosted' | 'imported'

/** A run in a state; a running one is held by `key`, a hosted one executed by `call_own`, which was given that key. */
function put(kind: Kind, state: State): Promise<string> {
  const status = state === 'asked to stop' ? 'running' : state
  const given: RunGiven = {
    ownerId: ada.id,
    status,
    kind: kind === 'imported' ? 'external' : 'cloud',
    executor: kind === 'imported' ? null : kind,
    claimCredential: keyId,
    hostedCallId: kind === 'hosted' ? 'call_own' : null,
    set: {
      ...(state === 'asked to stop' && { cancel_requested_at: new Date().toISOString(), stop_reason: 'cancel' }),
      ...(kind === 'hosted' && { hosted_credential: keyId }),
    },
  }
  return putRun(hub.running.deps.db, given)
}

const triggers: Record<string, readonly [verb: string, body: Json]> = {
  claim: ['claim', { worker: 'w' }],
  'claim as its call': ['claim', { worker: 'w', hosted_call_id: 'call_own' }],
  'claim as another call': ['claim', { worker: 'w', hosted_call_id: 'call_other' }],
  report: ['report', {}],
  'report succeeded': ['report', { status: 'succeeded' }],
  'report failed': ['report', { status: 'failed', error: 'out of memory' }],
  'report canceled': ['report', { status: 'canceled' }],
  cancel: ['cancel', {}],
}

const taken = '409 conflict.already_claimed'
const ended = '409 conflict.terminal'
const unheld = '409 conflict.not_claimer'
const foreign = '409 conflict.wrong_kind'
const unasked = '422 validation.value'
const notOfWorkers = '422 validation.value'
const three = [ended, ended, ended] as const

/** The result: the run's status afterwards, or the error. In the order of `states`. */
const worker: Record<string, readonly string[]> = {
  claim: ['running', taken, taken, ...three],
  'claim as its call': [notOfWorkers, taken, taken, ...three],
  'claim as another call': [notOfWorkers, taken, taken, ...three],
  report: [unheld, 'running', 'running', ...three],
  'report succeeded': [unheld, 'succeeded', 'succeeded', ...three],
  'report failed': [unheld, 'failed', 'failed', ...three],
  'report canceled': [unheld, unasked, 'canceled', ...three],
  cancel: ['canceled', 'running', 'running', ...three],
}
const hosted: Record<string, readonly string[]> = {
  ...worker,
  claim: [foreign, taken, taken, ...three],
  'claim as its call': ['running', 'running', 'running', ...three],
  'claim as another call': [foreign, taken, taken, ...three],
}
const imported = Object.fromEntries(Object.keys(triggers).map((name) => [name, three]))

const cases = (['worker', 'hosted'] as const).flatMap((kind) =>
  Object.entries(kind === 'worker' ? worker : hosted).flatMap(([trigger, ends]) =>
    states.map((state, place) => [kind as Kind, state, trigger, ends[place] ?? ''] as const),
  ),
)
const ofImports = Object.entries(imported).flatMap(([trigger, ends]) =>
  states.slice(3).map((state, place) => ['imported' as Kind, state, trigger, ends[place] ?? ''] as const),
)

const rowOf = async (id: string) =>
  (await hub.sql<Json>('select to_json(r) as row from runs r where id = $1', [id]))[0]?.row

describe('a run changes its state only by the table', () => {
  it.each([...cases, ...ofImports])('a %s run that is %s, on %s: %s', async (kind, state, trigger, outcome) => {
    const id = await put(kind, state)
    const before = await rowOf(id)
    const [verb, body] = triggers[trigger] ?? ['', {}]
    const answer = await hub.call(key, 'POST', `/v1/runs/${id}/${verb}`, body)
    const was = answer.status < 400 ? answer.json.status : `${answer.status} ${types(answer)[0]}`
    expect(was).toBe(outcome)
    const after = await rowOf(id)
    if (answer.status >= 400) expect(after).toEqual(before)
    else {
      expect(answer.status).toBe(verb === 'cancel' ? 202 : 200)
      expect(after.status).toBe(outcome)
    }
    const bills = await hub.sql('select 1 from ledger where job_id = $1', [id])
    expect(bills).toHaveLength(trigger.startsWith('report ') && answer.status === 200 ? 1 : 0)
  })
})

const mutation = (name: string) => `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) {
  ${name}(input: $input) { run { status } } }`

describe('the graph rejects as /v1 does', () => {
  it.each([
    ['claimRun', { worker: 'w' }, 'running', 409, 'CONFLICT', 'conflict.already_claimed'],
    ['claimRun', { worker: 'w' }, 'failed', 409, 'CONFLICT', 'conflict.terminal'],
    ['reportRun', {}, 'queued', 409, 'CONFLICT', 'conflict.not_claimer'],
    ['reportRun', { status: 'SUCCEEDED' }, 'canceled', 409, 'CONFLICT', 'conflict.terminal'],
    ['cancelRun', {}, 'succeeded', 409, 'CONFLICT', 'conflict.terminal'],
  ] as const)('%s with %j of a run that is %s: %d', async (name, input, state, status, code, type) => {
    const runId = await put('worker', state)
    const answer = await hub.graphql(key, mutation(name), { input: { runId, ...input } })
    const { extensions } = answer.errors[0]
    expect([extensions.status, extensions.code, extensions.problem.errors[0].type]).toEqual([status, code, type])
  })

  it('and changes states as it does', async () => {
    const [queued, running] = [await put('worker', 'queued'), await put('worker', 'running')]
    const run = async (name: string, input: Json) =>
      (await hub.graphql(key, mutation(name), { input })).data[name].run.status
    expect(await run('claimRun', { runId: queued, worker: 'w' })).toBe('RUNNING')
    expect(await run('cancelRun', { runId: queued })).toBe('RUNNING')
    expect(await run('reportRun', { runId: queued, status: 'CANCELED' })).toBe('CANCELED')
    expect(await run('reportRun', { runId: running, status: 'FAILED', error: 'no' })).toBe('FAILED')
  })
})

describe('a cancel', () => {
  it('is idempotent: a second one is 202 with the time of the first, and writes no second notice or audit row', async () => {
    const id = await put('worker', 'running')
    const cancel = () => hub.call(ada, 'POST', `/v1/runs/${id}/cancel`)
    const [first, second] = [await cancel(), await cancel()]
    expect([first.status, second.status]).toEqual([202, 202])
    expect(second.json.cancel_requested_at).toBe(first.json.cancel_requested_at)
    const notices = await hub.sql<Json>('select stream, text from run_log_chunks where run_id = $1', [id])
    expect(notices).toEqual([{ stream: 'stderr', text: `${ada.handle} requested the run to stop.\n` }])
    const rows = await hub.sql<Json>(`select action from audit_log where target_id = $1`, [id])
    expect(rows).toEqual([{ action: 'run.cancel' }])
  })
})
