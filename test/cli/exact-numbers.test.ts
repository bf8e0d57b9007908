/** Numbers pass unchanged, digit for digit, from submit to the trainer and from the trainer to the reader. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHubClient } from '@hub/client/internal'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerLogCommand } from '../../packages/cli/src/log-command.ts'
import { registerRunCommands } from '../../packages/cli/src/run-commands.ts'
import { registerRunnerCommand } from '../../packages/cli/src/runner-command.ts'
import { readJobObject } from '../../src/work/job-objects.ts'
import { runCommandLine } from '../support/command-line.ts'
import { contractHub, type Person } from '../support/hub.ts'

const hub = contractHub()
let base: string
let env: Record<string, string>
let ada: Person

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-exact-'))
  ada = await hub.person()
  const token = await hub.key(ada, { scope: 'train' })
  env = { PATH: process.env.PATH ?? '', HUB_URL: hub.running.url, HUB_TOKEN: token, HOME: base }
})
afterAll(() => rm(base, { recursive: true, force: true }))

const runs = (...args: string[]) => runCommandLine(registerRunCommands, args, env)
const textOf = async (id: string) => (await hub.send(ada, 'GET', `/v1/runs/${id}`)).text
const line = '{"iteration":7.0,"reward":1e0,"loss":1e-400,"tokens":12345678901234567890}'
const scorecard = '{"cells":[{"name":"a","status":"PASS","seed":9007199254740993}],"share":1.0}'

describe('numbers on the command line', () => {
  it('reach the trainer as typed and return as the trainer wrote them', async () => {
    const file = join(base, 'recipe.json')
    await writeFile(file, '{"template":"act","hyperparams":{"seed":1,"big":18446744073709551615,"lr":1.0e-4}}')
    const submitted = await runs('submit', file, '--set', 'seed=9007199254740993', '--set', 'tiny=1e-400', '--json')
    const hyperparams = '{"seed":9007199254740993,"big":18446744073709551615,"lr":1.0e-4,"tiny":1e-400}'
    expect([submitted.code, submitted.err]).toEqual([0, ''])
    expect(submitted.out).toContain(`"hyperparams":${hyperparams}`)
    const { id } = JSON.parse(submitted.out)
    expect(await textOf(id)).toContain(`"hyperparams":${hyperparams}`)

    const script = join(base, 'trainer.mjs')
    await writeFile(
      script,
      `import { readFileSync, writeFileSync } from 'node:fs'
      console.log(readFileSync(0, 'utf8').trim())
      writeFileSync('metrics.jsonl', ${JSON.stringify(`{"iteration": 6}\n${line}\n`)})
      writeFileSync('scorecard.json', ${JSON.stringify(scorecard)})`,
    )
    const args = ['runner', '--owner', ada.handle, '--once', '--json', '--name', 'box', '--command', `node ${script}`]
    const pace = { intervalMs: 100, graceMs: 500 }
    const ended = await runCommandLine((program, io) => registerRunnerCommand(program, io, pace), args, env)
    expect(JSON.parse(ended.out)).toMatchObject({ run: id, status: 'succeeded' })

    const logs = (...more: string[]) => runCommandLine(registerLogCommand, ['logs', id, ...more], env)
    expect((await logs()).out).toContain(`"hyperparams":${hyperparams}`)
    expect((await logs('--metrics')).out).toBe(
      'step 6\nstep 7.0  reward 1e0        loss 1e-400     tokens 12345678901234567890\n',
    )
    expect((await logs('--with-metrics')).out).toMatch(/\nstep 6\nstep 7\.0 {2}reward/)
    expect((await logs('--metrics', '--json')).out).toContain(`"data":${line}}\n`)
    expect((await runs('runs', id, '--json')).out).toContain(`"latest_metrics":${line}`)
    const after = JSON.parse(await textOf(id))
    expect(after.progress.iteration).toBe(7)
    expect(await readJobObject(hub.running.deps, after.scorecard_key)).toBe(scorecard)
  })

  it('become doubles where the client library reads them and keep their text where they pass through', async () => {
    const client = createHubClient({ url: hub.running.url, token: env.HUB_TOKEN ?? null })
    const [run] = (await client.runs.list({}).next()).value ?? []
    expect(run?.progress?.iteration).toBe(7)
    expect(String(run?.latest_metrics?.tokens)).toBe('12345678901234567890')
  })
})
