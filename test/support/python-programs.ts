/** Programs of the Python client's users against a complete hub. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { contractHub, type Json, newName, type Person } from './hub.ts'
import { runPython } from './python.ts'

/** A hub, a person, and a folder in which programs run with a key of hers; both are there from `beforeAll` on. */
export function pythonPrograms() {
  const hub = contractHub()
  const made = { base: '', ada: undefined as unknown as Person, token: '' }
  let env: Record<string, string> = {}

  beforeAll(async () => {
    made.base = await mkdtemp(join(tmpdir(), 'hub-python-'))
    made.ada = await hub.person()
    made.token = await hub.key(made.ada, { scope: 'train' })
    env = {
      HUB_URL: hub.running.url,
      HUB_TOKEN: made.token,
      HUB_STATE_DIR: join(made.base, 'state'),
    }
  })
  afterAll(() => rm(made.base, { recursive: true, force: true }))

  async function program(code: string, more: Record<string, string> = {}) {
    const file = join(made.base, `${newName()}.py`)
    await writeFile(file, code)
    return runPython([file], { cwd: made.base, env: { ...env, ...more } })
  }

  /** The last line of a program's output, as JSON. */
  async function answer(code: string, more: Record<string, string> = {}): Promise<Json> {
    const { code: status, out, err } = await program(code, more)
    expect([status, err]).toEqual([0, ''])
    return JSON.parse(out.trim().split('\n').at(-1) ?? '')
  }

  const get = async (path: string): Promise<Json> => (await hub.call(made.ada, 'GET', path)).json
  return { hub, made, program, answer, get }
}
