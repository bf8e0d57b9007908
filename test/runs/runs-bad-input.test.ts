import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, contractHub, type Json, type Person, places, types } from '../support/hub.ts'
import { putRun } from '../support/runs.ts'

const hub = contractHub({ COACH_MAX_ARTIFACT_BYTES: '50000' })
let ada: Person
let key: string

beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada, { scope: 'train' })
})

async function claimed(): Promise<string> {
  const id = await putRun(hub.running.deps.db, { ownerId: ada.id })
  expect((await hub.call(key, 'POST', `/v1/runs/${id}/claim`, { worker: 'box' })).status).toBe(200)
  return id
}
const report = (run: string, body: Json) => hub.call(key, 'POST', `/v1/runs/${run}/report`, body)
/** As it is written: what no JSON.stringify would write. */
const raw = (path: string, body: string): Promise<Answer> =>
  hub.send(key, 'POST', path, { headers: { 'content-type': 'application/json' }, body })
const inGraph = async (input: Json): Promise<Json> =>
  (
    await hub.graphql(key, 'mutation ($input: ReportRunInput!) { reportRun(input: $input) { run { status } } }', {
      input,
    })
  ).errors?.[0].extensions ?? null

/** Expects that nothing of a rejected report was stored. */
async function nothingKept(run: string): Promise<void> {
  const rows = await hub.sql<Json>(
    `select log_seq, metrics_seq::int, latest_metrics, config_key, scorecard_key, progress, peak_vram_gb, status,
      (select count(*)::int from run_log_chunks where run_id = r.id) as chunks,
      (select count(*)::int from run_metrics where run_id = r.id) as lines from runs r where id = $1`,
    [run],
  )
  expect(rows[0]).toEqual({
    log_seq: 0,
    metrics_seq: 0,
    latest_metrics: null,
    config_key: null,
    scorecard_key: null,
    progress: null,
    peak_vram_gb: null,
    status: 'running',
    chunks: 0,
    lines: 0,
  })
}

describe('a log chunk', () => {
  it.each([
    ['of one-byte characters', 'x'.repeat(262_145)],
    ['of two-byte characters', `${'ü'.repeat(131_072)}x`],
    ['of three-byte characters', `${'日'.repeat(87_381)}xx`],
    ['of four-byte characters', `${'🤖'.repeat(65_536)}x`],
  ])(
    '%s of 256 KiB and one byte is 413 and nothing is stored, in both dialects; one byte less is taken',
    async (_what, chunk) => {
      expect(Buffer.byteLength(chunk)).toBe(262_145)
      const run = await claimed()
      const more = { metrics: [{ step: 1 }], peak_vram_gb: 3, progress: { iteration: 1 } }
      const refused = await report(run, { log_chunk: chunk, ...more })
      expect([refused.status, types(refused), places(refused)]).toEqual([413, ['too_large'], [['body', 'log_chunk']]])
      expect(await inGraph({ runId: run, logChunk: chunk, metrics: [{ step: 1 }] })).toMatchObject({ status: 413 })
      await nothingKept(run)
      const fits = chunk.slice(0, -1)
      expect((await report(run, { log_chunk: fits })).status).toBe(200)
      const log = await hub.send(ada, 'GET', `/v1/runs/${run}/logs/download`)
      expect(log.text === fits).toBe(true)
    },
  )

  it('of 256 KiB may consist only of characters that JSON escapes', async () => {
    const run = await claimed()
    const chunk = '\u001b'.repeat(262_144)
    expect((await report(run, { log_chunk: chunk })).status).toBe(200)
    const stripped = await hub.send(ada, 'GET', `/v1/runs/${run}/logs/download`)
    expect(stripped.text.length).toBe(262_144)
  })
})

describe('metrics', () => {
  it.each(['NaN', 'Infinity', '-Infinity', 'nan'])('with %s are not JSON: 400', async (word) => {
    const run = await claimed()
    const answer = await raw(`/v1/runs/${run}/report`, `{"metrics":[{"step":1,"loss":${word}}]}`)
    expect([answer.status, answer.json.status]).toEqual([400, 400])
    await nothingKept(run)
  })

  it.each([
    ['{"metrics":[{"step":1},{"loss":1e999}],"log_chunk":"x"}', ['metrics', 1, 'loss']],
    ['{"metrics":[{"a":{"b":[0,-1e999]}}]}', ['metrics', 0, 'a', 'b', 1]],
    ['{"scorecard_json":{"cells":[{"status":"PASS","score":1e999}]}}', ['scorecard_json', 'cells', 0, 'score']],
    ['{"peak_vram_gb":1e999}', ['peak_vram_gb']],
    ['{"samples_per_s":-1}', ['samples_per_s']],
    ['{"progress":{"iterations_per_s":1e999}}', ['progress', 'iterations_per_s']],
    ['{"progress":{"iteration":1e300}}', ['progress', 'iteration']],
    ['{"progress":{"iteration":1.5}}', ['progress', 'iteration']],
    ['{"progress":{"color":"red"}}', ['progress', 'color']],
    ['{"metrics":{"step":1}}', ['metrics']],
    ['{"metrics":[[1]]}', ['metrics', 0]],
    ['{"metrics":["step 1"]}', ['metrics', 0]],
    ['{"metrics":[null]}', ['metrics', 0]],
    ['{"metrics":[{"step":1},{"note":"a\\u0000b"}],"log_chunk":"x"}', ['metrics', 1, 'note']],
    ['{"metrics_seq":1.5}', ['metrics_seq']],
    ['{"log_seq":-1}', ['log_seq']],
    ['{"log_chunk":7}', ['log_chunk']],
    ['{"status":"queued"}', ['status']],
    ['{"status":"SUCCEEDED"}', ['status']],
    ['{"scorecard_json":[]}', ['scorecard_json'], 'validation.type'],
    ['{"scorecard_json":"PASS"}', ['scorecard_json'], 'validation.type'],
    ['{"output_model_repo":"nobody/nothing"}', ['output_model_repo']],
    ['{"output_model_repo":"no name"}', ['output_model_repo']],
    ['{"claimed_by":"me"}', ['claimed_by']],
  ])(
    'or anything else that does not hold is 422 with its place, and nothing is stored: %s',
    async (body, place, type?: string) => {
      const run = await claimed()
      const answer = await raw(`/v1/runs/${run}/report`, body)
      expect([answer.status, places(answer)[0]]).toEqual([422, ['body', ...place]])
      if (type !== undefined) expect(types(answer)).toEqual([type])
      await nothingKept(run)
    },
  )

  it.each([[[{ step: 1 }, { note: 'a\0b' }]], [[{ step: 1 }, [1]]], [[{ step: 1 }, 'step 1']]])(
    'with a line that is not an object that can be kept are refused in the graph too: %j',
    async (metrics) => {
      const run = await claimed()
      const text = 'mutation ($input: ReportRunInput!) { reportRun(input: $input) { run { status } } }'
      const { errors } = await hub.graphql(key, text, { input: { runId: run, metrics, logChunk: 'x' } })
      expect(errors[0].extensions.status).toBe(422)
      await nothingKept(run)
    },
  )

  it('with a number without a near double are rejected in the graph too, as a literal and as a variable', async () => {
    const run = await claimed()
    const literal = await hub.graphql(
      key,
      `mutation { reportRun(input: { runId: "${run}", metrics: [{ loss: 1e999 }] }) { run { id } } }`,
    )
    expect(literal.errors[0].extensions.status).toBe(422)
    const variable = await raw(
      '/graphql',
      `{"query":"mutation ($m: [JSON!]) { reportRun(input: {runId: \\"${run}\\", metrics: $m}) { run { id } } }","variables":{"m":[{"loss":1e999}]}}`,
    )
    expect(variable.json.errors[0].extensions.status).toBe(422)
    await nothingKept(run)
  })

  it('of 100,000 lines are 413 and nothing is stored, in both dialects; 10,000 are accepted', async () => {
    const run = await claimed()
    const lines = (count: number) => Array.from({ length: count }, () => ({ a: 1 }))
    const answer = await report(run, { metrics: lines(100_000), log_chunk: 'x\n', config_yaml: 'a: 1' })
    expect([answer.status, types(answer), places(answer)]).toEqual([413, ['too_large'], [['body', 'metrics']]])
    expect(await inGraph({ runId: run, metrics: lines(100_000) })).toMatchObject({ status: 413 })
    expect(await inGraph({ runId: run, metrics: lines(10_001) })).toMatchObject({ status: 413 })
    await nothingKept(run)
    expect((await report(run, { metrics: lines(10_000) })).json.latest_metrics).toEqual({ a: 1 })
  })

  it('are kept as the trainer wrote them, key for key', async () => {
    const run = await claimed()
    const line = '{"z":1,"a":{"Ünï":[null,true,"x"]},"10":1,"9":1e-7,"big":9007199254740993}'
    expect((await raw(`/v1/runs/${run}/report`, `{"metrics":[${line}]}`)).status).toBe(200)
    const { latest_metrics } = (await hub.call(ada, 'GET', `/v1/runs/${run}`)).json
    expect(latest_metrics).toEqual(JSON.parse(line))
  })
})

describe('an artifact', () => {
  it('over its limit is 413 and nothing is stored: config and scorecard, by their bytes', async () => {
    const run = await claimed()
    for (const [member, value] of [
      ['config_yaml', 'ü'.repeat(25_001)],
      ['scorecard_json', { note: 'ü'.repeat(25_000) }],
    ] as const) {
      const answer = await report(run, { [member]: value, log_chunk: 'x' })
      expect([answer.status, types(answer), places(answer)]).toEqual([413, ['too_large'], [['body', member]]])
    }
    await nothingKept(run)
  })

  it('that is an unparsable config is stored, and the config query explains the fault', async () => {
    const run = await claimed()
    const made = await report(run, { config_yaml: 'a: [1\nb: }' })
    expect([made.status, made.json.config_key]).toEqual([200, expect.stringMatching(`^runs/${run}/`)])
    const config = await hub.call(ada, 'GET', `/v1/runs/${run}/config`)
    expect([config.status, config.json.keys, config.json.diff, config.json.total]).toEqual([200, [], null, 0])
    expect(config.json.reason).toMatch(/^The config is not valid YAML/)
  })

  it('in a body over 8 MiB is 413, and the run continues', async () => {
    const run = await claimed()
    const answer = await report(run, { error: 'x'.repeat(8 * 1024 * 1024) })
    expect([answer.status, types(answer)]).toEqual([413, ['too_large']])
    expect((await report(run, {})).status).toBe(200)
  })
})

describe('a recipe', () => {
  it.each([
    ['{"recipe":{"template":"act","max_hours":1e999}}', ['max_hours']],
    ['{"recipe":{"template":"act","budget_usd":1e999}}', ['budget_usd']],
    ['{"recipe":{"template":"act","budget_usd":-1}}', ['budget_usd']],
    ['{"recipe":{"template":"act","hyperparams":{"lr":1e999}}}', ['hyperparams', 'lr']],
    ['{"recipe":{"template":""}}', ['template']],
    ['{"recipe":{}}', ['template']],
    ['{"recipe":{"template":"act","dataset":"svc://a/b"}}', ['dataset']],
    ['{"recipe":{"template":"act","dataset":["svc://a"]}}', ['dataset', 0]],
    ['{"recipe":{"template":"act","dataset":["https://a/b"]}}', ['dataset', 0]],
    ['{"recipe":{"template":"act","dataset":["codehost://a/b/../c"]}}', ['dataset', 0]],
    ['{"recipe":{"template":"act","parent_checkpoint_step":-1}}', ['parent_checkpoint_step']],
    ['{"recipe":{"template":"act","gate":{"every_steps":1,"seeds":0}}}', ['gate', 'seeds']],
    ['{"recipe":{"template":"act","gate":{"every_steps":1,"horizon_s":0}}}', ['gate', 'horizon_s']],
    [
      '{"recipe":{"template":"act","gate":{"every_steps":1,"tripwires":[{"metric":"pass_rate","op":"<","threshold":1e999}]}}}',
      ['gate', 'tripwires', 0, 'threshold'],
    ],
  ])('that does not hold makes no run: %s', async (body, place) => {
    for (const path of ['/v1/runs', '/v1/runs/estimate', '/v1/runs/recommend']) {
      const answer = await raw(path, body)
      expect([path, answer.status, places(answer)[0]]).toEqual([path, 422, ['body', 'recipe', ...place]])
    }
    expect(await hub.sql(`select 1 from runs where filed_by <> 'sess_unknown'`)).toEqual([])
  })

  it.each([
    [{}, ['recipe']],
    [{ recipe: { template: 'act' }, gpu: 'l4' }, ['gpu']],
    [{ recipe: 'act' }, ['recipe']],
  ])('is what the body has to hold, and little else: %j', async (body, place) => {
    const answer = await hub.call(key, 'POST', '/v1/runs', body)
    expect([answer.status, places(answer)[0]]).toEqual([422, ['body', ...place]])
  })
})
