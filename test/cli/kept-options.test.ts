/** What people keep a run by, from the command line. */
import { beforeAll, describe, expect, it } from 'vitest'
import { registerRunCommands } from '../../packages/cli/src/run-commands.ts'
import { runCommandLine } from '../support/command-line.ts'
import { contractHub, type Json } from '../support/hub.ts'

const hub = contractHub()
let env: Record<string, string>

beforeAll(async () => {
  const key = await hub.key(await hub.person(), { scope: 'train' })
  env = { HUB_URL: hub.running.url, HUB_TOKEN: key }
})

const run = (...args: string[]) => runCommandLine(registerRunCommands, args, env)
const json = async (...args: string[]): Promise<Json> => JSON.parse((await run(...args, '--json')).out)
const flags = ['--project', 'p', '--name', 'night run', '--notes', 'a\nb', '--group', 'g', '--job-type', 'train']
const kept = { project: 'p', name: 'night run', notes: 'a\nb', tags: ['x', 'y'], group: 'g', job_type: 'train' }
const submitted = () => json('submit', '--template', 'act', ...flags, '--tag', 'x', '--tag', 'y')

describe('hub submit', () => {
  it('gives a run what it is kept by, which hub runs shows', async () => {
    const made = await submitted()
    expect(made).toMatchObject(kept)
    const { out } = await run('runs', made.id)
    expect(out).toMatch(/^run +run_\w+ {2}night run\n/)
    expect(out).toMatch(/^project +p$/m)
    expect(out).toMatch(/^tags +x, y$/m)
  })
})

describe('hub runs edit', () => {
  it('changes what is given and leaves the rest; an empty value clears', async () => {
    const { id } = await submitted()
    expect(await json('runs', 'edit', id, '--name', 'day run', '--tag', 'z')).toMatchObject({
      ...kept,
      name: 'day run',
      tags: ['z'],
    })
    const cleared = await json('runs', 'edit', id, '--notes', '', '--tag', '')
    expect(cleared).toMatchObject({ ...kept, name: 'day run', notes: null, tags: [] })
  })

  it('wants something to change', async () => {
    const { id } = await submitted()
    expect(await run('runs', 'edit', id)).toMatchObject({ code: 2, err: expect.stringContaining('Say what to change') })
  })
})
