import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { readJobObject } from '../../src/work/job-objects.ts'
import { type Answer, contractHub, newName, type Person, places, types } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let trainer: string

beforeAll(async () => {
  ada = await hub.person()
  trainer = await hub.key(ada, { scope: 'train' })
})

/** Each becomes a different number, or loses digits, if it is converted to a double and written again. */
const spellings = [
  '9007199254740993',
  '12345678901234567890',
  '1e-400',
  '1.0',
  '-0',
  '-0.0',
  '1E5',
  '2.50',
  '0.1234567890123456789',
]
const odd = `{"list":[${spellings.join(',')}],"deep":{${spellings.map((text, n) => `"n${n}":${text}`).join(',')}}}`
const json = { 'content-type': 'application/json' }

/** A body as this text, which `JSON.stringify` could not write. */
const send = (method: string, path: string, body: string, headers: Record<string, string> = {}): Promise<Answer> =>
  hub.send(trainer, method, path, { headers: { ...json, ...headers }, body })
const read = (path: string) => hub.send(trainer, 'GET', path)
const graph = (body: string) => hub.send(trainer, 'POST', '/graphql', { headers: json, body })

const recipe = (hyperparams: string) => `{"recipe":{"template":"act","hyperparams":${hyperparams}}}`
async function newRun(hyperparams = '{}'): Promise<string> {
  const answer = await send('POST', '/v1/runs', recipe(hyperparams))
  expect([answer.status, answer.json.errors]).toEqual([201, undefined])
  return answer.json.id
}
async function claimedRun(): Promise<string> {
  const id = await newRun()
  expect((await send('POST', `/v1/runs/${id}/claim`, '{"worker":"w"}')).status).toBe(200)
  return id
}

/** The text of a member's value in a JSON text; the value is an object. */
function memberText(text: string, name: string): string {
  const start = text.indexOf(`"${name}":{`) + name.length + 3
  let depth = 0
  for (let at = start; ; at += 1) {
    if (text[at] === '{') depth += 1
    if (text[at] === '}') depth -= 1
    if (depth === 0) return text.slice(start, at + 1)
  }
}

describe('numbers of hyperparams', () => {
  it('are returned as they were written, in every response of /v1', async () => {
    const key = { 'idempotency-key': newName('key') }
    const made = await send('POST', '/v1/runs', recipe(odd), key)
    expect(memberText(made.text, 'hyperparams')).toBe(odd)
    expect(memberText((await read(`/v1/runs/${made.json.id}`)).text, 'hyperparams')).toBe(odd)
    expect(memberText((await read('/v1/runs?limit=1')).text, 'hyperparams')).toBe(odd)
    const again = await send('POST', '/v1/runs', recipe(odd), key)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(memberText(again.text, 'hyperparams')).toBe(odd)
    const claimed = await send('POST', '/v1/runs/claim-next', '{"worker":"w"}')
    expect(memberText(claimed.text, 'hyperparams')).toBe(odd)
  })

  it('are returned as they were written from GraphQL, as variables and in the document', async () => {
    const create =
      'mutation($input: CreateRunInput!) { createRun(input: $input) { result { ... on Run { recipe { hyperparams } } } } }'
    const byVariable = await graph(`{"query":${JSON.stringify(create)},"variables":{"input":${recipe(odd)}}}`)
    expect(memberText(byVariable.text, 'hyperparams')).toBe(odd)
    const free =
      'mutation($free: JSON) { createRun(input: {recipe: {template: "act", hyperparams: $free}}) { result { ... on Run { recipe { hyperparams } } } } }'
    const byItself = await graph(`{"query":${JSON.stringify(free)},"variables":{"free":${odd}}}`)
    expect(memberText(byItself.text, 'hyperparams')).toBe(odd)
    const literal = odd.replaceAll(/"(\w+)":/g, '$1:')
    const inDocument = `mutation { createRun(input: {recipe: {template: "act", hyperparams: ${literal}}}) { result { ... on Run { recipe { hyperparams } } } } }`
    const written = await graph(JSON.stringify({ query: inDocument }))
    expect(memberText(written.text, 'hyperparams')).toBe(odd)
  })

  it('are read as numbers by rules', async () => {
    const body =
      '{"recipe":{"template":"act","hyperparams":{"batch_size":16.0},"gpu":"l4","executor":"hosted","max_hours":2.0}}'
    const answer = await send('POST', '/v1/runs/recommend', body)
    expect([answer.status, answer.json.inputs.batch_size, answer.json.warnings.join()]).toEqual([
      200,
      16,
      expect.not.stringContaining('batch_size'),
    ])
    const create =
      'mutation($input: CreateRunInput!) { createRun(input: $input) { result { ... on Run { recipe { maxHours gate { everySteps } } } } } }'
    const input = '{"recipe":{"template":"act","max_hours":2.50,"gate":{"every_steps":5e2}}}'
    expect(JSON.parse((await send('POST', '/v1/runs', input)).text).recipe).toMatchObject({
      max_hours: 2.5,
      gate: { every_steps: 500 },
    })
    const variables = '{"input":{"recipe":{"template":"act","maxHours":2.50,"gate":{"everySteps":5e2}}}}'
    expect(
      (await graph(`{"query":${JSON.stringify(create)},"variables":${variables}}`)).json.data.createRun.result,
    ).toEqual({
      recipe: { maxHours: 2.5, gate: { everySteps: 500 } },
    })
    const page = await graph('{"query":"query($n: Int) { runs(first: $n) { nodes { id } } }","variables":{"n":1.0}}')
    expect(page.json.data.runs.nodes).toHaveLength(1)
  })

  it('have different recipe hashes even if their nearest doubles are equal, and unchanged hashes otherwise', async () => {
    const hashOf = async (hyperparams: string) =>
      (await send('POST', '/v1/runs', recipe(hyperparams))).json.recipe_hash as string
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
    const canonical = (number: string) => sha256(`{"dataset":[],"hyperparams":{"n":${number}},"template":"act"}`)
    for (const [written, hashed] of [
      ['9007199254740993', '9007199254740993'],
      ['9007199254740992', '9007199254740992'],
      ['1e-400', '1e-400'],
      ['0.1234567890123456789', '0.1234567890123456789'],
      ['1.0', '1'],
      ['-0', '0'],
      ['0e99', '0'],
      ['1E5', '100000'],
      ['0.10', '0.1'],
      ['1e21', '1e+21'],
      ['123456789012345680000.0', '123456789012345680000'],
    ])
      expect([written, await hashOf(`{"n":${written}}`)]).toEqual([written, canonical(hashed ?? '')])
  })

  it('are rejected if no double comes near them', async () => {
    const long = `0.${'1'.repeat(1000)}`
    for (const number of ['1e400', '-1e400', '9'.repeat(400), long]) {
      const answer = await send('POST', '/v1/runs', recipe(`{"a":[1.0,${number}]}`))
      expect([answer.status, places(answer)]).toEqual([422, [['body', 'recipe', 'hyperparams', 'a', 1]]])
    }
    const query = `mutation { createRun(input: {recipe: {template: "act", hyperparams: {a: 1e400}}}) { result { ... on Run { id } } } }`
    expect((await graph(JSON.stringify({ query }))).json.errors[0].extensions.status).toBe(422)
  })

  it('are not objects: they are rejected where one is required', async () => {
    for (const body of ['{"recipe":1.0}', '1.0', recipe('1.0')]) {
      const answer = await send('POST', '/v1/runs', body)
      expect([body, answer.status, types(answer)]).toEqual([body, 422, ['validation.type']])
    }
  })

  it('cannot set a prototype or overflow the stack', async () => {
    const proto = await send('POST', '/v1/runs', recipe('{"a":1.0,"__proto__":{"template":2.0}}'))
    expect(proto.status).toBe(422)
    const deep = await send('POST', '/v1/runs', recipe(`{"a":1.0,"b":${'['.repeat(50_000)}${']'.repeat(50_000)}}`))
    expect([deep.status, deep.text]).toEqual([422, expect.stringContaining('nested deeper')])
  })
})

describe('numbers of metrics lines', () => {
  const line = `{"iteration":7.0,"mean_reward":1e0,${odd.slice(1)}`

  it('are stored, returned, streamed and downloaded as they were written', async () => {
    const id = await claimedRun()
    const reported = await send('POST', `/v1/runs/${id}/report`, `{"metrics":[{"iteration":6}, ${line} ]}`)
    expect([reported.status, memberText(reported.text, 'latest_metrics')]).toEqual([200, line])
    expect(reported.json.sparkline.points).toEqual([[7, 1]])
    expect(
      memberText(
        (await graph(JSON.stringify({ query: `{ run(id: "${id}") { latestMetrics } }` }))).text,
        'latestMetrics',
      ),
    ).toBe(line)
    const series = await read(`/v1/runs/${id}/metrics?keys=iteration,mean_reward`)
    expect(series.json.series.map(({ points }: { points: unknown }) => points)).toEqual([
      [
        [6, 6],
        [7, 7],
      ],
      [[7, 1]],
    ])
    const ended = await send('POST', `/v1/runs/${id}/report`, '{"status":"succeeded"}')
    expect(ended.status).toBe(200)
    expect((await read(`/v1/runs/${id}/logs`)).text).toContain(`data: ${line}\n`)
    const query = `subscription { runMetrics(runId: "${id}") { events } }`
    const streamed = await hub.send(trainer, 'POST', '/graphql/stream', {
      headers: { ...json, accept: 'text/event-stream' },
      body: JSON.stringify({ query }),
    })
    expect(streamed.text).toContain(line)
    const byYoga = await hub.send(trainer, 'POST', '/graphql', {
      headers: { ...json, accept: 'text/event-stream' },
      body: JSON.stringify({ query }),
    })
    expect(byYoga.text).toContain(line)
    const file = async () => readJobObject(hub.running.deps, `runs/${id}/metrics.jsonl`).catch(() => '')
    await expect.poll(file).toBe(`{"iteration":6}\n${line}\n`)
  })

  it('are rejected if no double comes near them', async () => {
    const id = await claimedRun()
    const answer = await send('POST', `/v1/runs/${id}/report`, '{"metrics":[{"loss":1.0},{"loss":1e400}]}')
    expect([answer.status, places(answer)]).toEqual([422, [['body', 'metrics', 1, 'loss']]])
  })
})

describe('numbers of scorecards and configs', () => {
  it('are kept as they were written', async () => {
    const id = await claimedRun()
    const scorecard = `{"cells":[{"name":7.0,"status":"PASS","seed":9007199254740993}],"more":${odd}}`
    const config = `{"env":{"seed":9007199254740993,"tiny":1e-400,"pi":3.14159265358979323846,"one":1.0}}`
    const body = `{"scorecard_json":${scorecard},"config_yaml":${JSON.stringify(config)}}`
    const reported = await send('POST', `/v1/runs/${id}/report`, body)
    expect([reported.status, reported.json.gates]).toEqual([200, [{ name: '7.0', status: 'PASS', detail: null }]])
    expect(await readJobObject(hub.running.deps, reported.json.scorecard_key)).toBe(scorecard)
    const { keys } = (await read(`/v1/runs/${id}/config`)).json
    expect(keys.map(({ path, value }: { path: string; value: string }) => [path, value])).toEqual([
      ['env.seed', '9007199254740993'],
      ['env.tiny', '1e-400'],
      ['env.pi', '3.14159265358979323846'],
      ['env.one', '1'],
    ])
    const artifacts = `{"config_yaml":"a: 1","metrics_summary":"x","scorecard_json":${scorecard}}`
    const imported = await send('POST', '/v1/runs/import', `{"artifacts":${artifacts},"hyperparams":${odd}}`)
    expect([imported.status, memberText(imported.text, 'hyperparams')]).toEqual([201, odd])
    expect(await readJobObject(hub.running.deps, imported.json.scorecard_key)).toBe(scorecard)
  })

  it('do not count as a change if only their spelling differs', async () => {
    const config = 'lr: 0.1\nseed: 1\n'
    const parent = await newRun('{"lr":0.10,"seed":9007199254740993}')
    const body = `{"template":"act","hyperparams":{"lr":0.1,"seed":9007199254740992}}`
    const made = await send('POST', '/v1/runs', `{"recipe":${body},"parent_run_id":"${parent}"}`)
    for (const id of [parent, made.json.id]) {
      await send('POST', `/v1/runs/${id}/claim`, '{"worker":"w"}')
      await send('POST', `/v1/runs/${id}/report`, JSON.stringify({ config_yaml: config }))
    }
    const { declared } = (await read(`/v1/runs/${made.json.id}/config`)).json
    expect(declared.map(({ key }: { key: string }) => key)).toEqual(['seed'])
  })
})

describe('numbers of robot cards', () => {
  const vendor = '"kp":1.0,"serial":9007199254740993'
  const limits = '{"elbow":{"lower":-1.50,"upper":1e0}}'
  const card = `{"dof":2,"mass_kg":4.20,"actuators":[{"name":"x",${vendor}}],"limits":${limits}}`

  it('are kept as they were written', async () => {
    const name = await hub.repo(ada, { kind: 'robot' })
    const put = await send('PUT', `/v1/robots/${name}/card`, card)
    expect([put.status, put.json.errors]).toEqual([200, undefined])
    for (const { text } of [put, await read(`/v1/robots/${name}/card`), await read(`/v1/repos/${name}`)]) {
      expect(memberText(text, 'limits')).toBe(limits)
      expect([text.includes('"mass_kg":4.20'), text.includes(vendor)]).toEqual([true, true])
    }
    const [owner, slug] = name.split('/')
    const query = `{ robotCard(owner: "${owner}", slug: "${slug}") { massKg document actuators { vendor } } }`
    const { text } = await graph(JSON.stringify({ query }))
    expect(memberText(text, 'document')).toBe(card)
    expect([text.includes('"massKg":4.2,'), memberText(text, 'vendor')]).toEqual([true, `{${vendor}}`])
    const document = `mutation($d: JSON) { putRobotCard(input: {owner: "${owner}", repo: "${slug}", document: $d}) { card { document } } }`
    const byGraph = await graph(`{"query":${JSON.stringify(document)},"variables":{"d":${card}}}`)
    expect(memberText(byGraph.text, 'document')).toBe(card)
  })

  it('are checked as numbers', async () => {
    const name = await hub.repo(ada, { kind: 'robot' })
    const refused = await send(
      'PUT',
      `/v1/robots/${name}/card`,
      '{"dof":2.0,"mass_kg":-1.0,"limits":{"a":{"lower":2.0,"upper":1.0}}}',
    )
    expect([refused.status, places(refused)]).toEqual([
      422,
      [
        ['body', 'mass_kg'],
        ['body', 'limits', 'a'],
      ],
    ])
    const huge = await send('PUT', `/v1/robots/${name}/card`, '{"dof":2,"mass_kg":1e400}')
    expect([huge.status, places(huge)]).toEqual([422, [['body', 'mass_kg']]])
  })

  it('have different fingerprints even if their nearest doubles are equal', async () => {
    const face = (scale: string) =>
      `{"version":1,"base":"fixed","joint_order":["a"],"control_rate_hz":50,"actuation":[{"joints":["a"],"mode":"position"}],"action":{"semantics":"position","scale":${scale}}}`
    const name = await hub.repo(ada, { kind: 'robot' })
    const fingerprint = async (scale: string) =>
      (await send('PUT', `/v1/robots/${name}/card`, `{"dof":1,"interface":${face(scale)}}`)).json.interface_fingerprint
    const [one, same, other] = [
      await fingerprint('1'),
      await fingerprint('1.0'),
      await fingerprint('1.00000000000000000001'),
    ]
    expect([typeof one, same === one, other === one]).toEqual(['string', true, false])
  })
})
