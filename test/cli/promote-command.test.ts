/** `hub runs promote`: the last checkpoint unless another one is named, and what a second time says. */
import { beforeAll, expect, it } from 'vitest'
import { registerRunCommands } from '../../packages/cli/src/run-commands.ts'
import { runCommandLine } from '../support/command-line.ts'
import { contractHub, newName, type Person } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let run: string
let key: string

beforeAll(async () => {
  ada = await hub.person()
  const output = await hub.repo(ada, { kind: 'model' })
  await hub.upload(ada, output, { 'checkpoints/step_40/a.onnx': 'a', 'checkpoints/step_200/a.onnx': 'b' })
  key = await hub.key(ada, { scope: 'write' })
  run = (await hub.call(ada, 'POST', '/v1/runs', { recipe: { template: 'act', dataset: [] } })).json.id
  const runner = await hub.key(ada, { scope: 'train' })
  await hub.call(runner, 'POST', `/v1/runs/${run}/claim`, { worker: 'w' })
  await hub.call(runner, 'POST', `/v1/runs/${run}/report`, { output_model_repo: output })
})

const promote = (...args: string[]) =>
  runCommandLine(registerRunCommands, ['runs', 'promote', ...args], { HUB_URL: hub.running.url, HUB_TOKEN: key })

it('makes a model repo of the last checkpoint, or of the one that is named', async () => {
  const name = `${ada.handle}/${newName()}`
  const first = await promote(run, name)
  expect(first).toMatchObject({ code: 0, out: `promoted step 200 of ${run} to ${name}: 1 file added, 0 replaced\n` })
  const again = await promote(run, name)
  expect(again.out).toContain('its files were there already')
  const other = await promote(run, name, '--step', '40', '--public', '-m', 'an early one', '--json')
  expect(JSON.parse(other.out)).toMatchObject({
    step: 40,
    repo: { full_name: name, visibility: 'private' },
    commit: { seq: 2, added: 0, changed: 1 },
  })
})

it('says what to do where there is no checkpoint', async () => {
  const { json } = await hub.call(ada, 'POST', '/v1/runs', { recipe: { template: 'act', dataset: [] } })
  const refused = await promote(json.id, `${ada.handle}/none`)
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('has no checkpoint yet: wait') })
})
