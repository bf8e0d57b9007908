import { beforeAll, describe, expect, it } from 'vitest'
import { registerRunCommands } from '../../../packages/cli/src/run-commands.ts'
import { runCommandLine } from '../../support/command-line.ts'
import { contractHub, type Json, type Person } from '../../support/hub.ts'

const hub = contractHub()
let ada: Person
let key: string
let id: string

beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada, { scope: 'train' })
  const post = async (path: string, body: Json) => (await hub.call(key, 'POST', path, body)).json
  const run = await post('/v1/runs/start', { recipe: { template: 'act', dataset: [] }, worker: 'w' })
  id = String(run.id)
  await post(`/v1/runs/${id}/report`, {
    attempt: run.attempt,
    metrics: [
      { step: 10, 'train/loss': 0.5, lr: 1e-4, reward: 1 },
      { step: 20, 'train/loss': 0.25, lr: 1e-4, reward: 3 },
      { step: 30, 'train/loss': 0.75, lr: 1e-4, reward: 2 },
    ],
  })
})

const read = (who: string, query: string) => hub.call(who, 'GET', `/v1/runs/${id}/summary${query}`)

const loss = {
  key: 'train/loss',
  count: 3,
  last: 0.75,
  last_step: 30,
  min: 0.25,
  min_step: 20,
  max: 0.75,
  max_step: 30,
  mean: 0.5,
  better: 'lower',
  best: 0.25,
  best_step: 20,
}

describe('the summary of a run', () => {
  it('is read through /v1, of all keys or of some', async () => {
    const all = await read(key, '')
    expect(all).toMatchObject({ status: 200, json: { id } })
    const keys = (all.json.summary as { key: string }[]).map((one) => one.key)
    expect(keys).toEqual(['step', 'train/loss', 'lr', 'reward'])
    const some = await read(key, '?keys=train/loss,none')
    expect(some.json).toEqual({ id, summary: [loss] })
    const many = Array.from({ length: 101 }, (_, at) => `k${at}`).join(',')
    expect((await read(key, `?keys=${many}`)).status).toBe(422)
  })

  it('is read through the graph', async () => {
    const answer = await hub.graphql(
      ada,
      'query($id: ID!) { run(id: $id) { summary(keys: ["reward", "lr"]) { key last best bestStep better } } }',
      { id },
    )
    expect(answer.data).toEqual({
      run: {
        summary: [
          { key: 'lr', last: 1e-4, best: null, bestStep: null, better: null },
          { key: 'reward', last: 2, best: 3, bestStep: 20, better: 'HIGHER' },
        ],
      },
    })
  })

  it('is not there for others', async () => {
    const stranger = await hub.key(await hub.person(), { scope: 'train' })
    expect((await read(stranger, '')).status).toBe(404)
  })

  it('is a table of `hub runs RUN`', async () => {
    const env = { HUB_URL: hub.running.url, HUB_TOKEN: key }
    const { out } = await runCommandLine(registerRunCommands, ['runs', id], env)
    expect(
      out
        .split('\n\n')
        .find((part) => part.startsWith('metric '))
        ?.split('\n'),
    ).toEqual([
      'metric        last  best     min     max    mean',
      'step            30     -      10      30      20',
      'train/loss    0.75  0.25    0.25    0.75     0.5',
      'lr          0.0001     -  0.0001  0.0001  0.0001',
      'reward           2     3       1       3       2',
    ])
    const shown = await runCommandLine(registerRunCommands, ['runs', id, '--json'], env)
    expect(JSON.parse(shown.out)).toMatchObject({
      id,
      summary: [{ key: 'step' }, loss, { key: 'lr' }, { key: 'reward' }],
    })
  })
})
