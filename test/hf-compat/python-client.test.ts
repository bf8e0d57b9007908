/**
 * `huggingface_hub`, the client for Python, LeRobot's calls of it, and LeRobot's own modules, as they are. Their sources
 * are in the folder that HUB_HF_SOURCES names (`huggingface_hub/`, `click/` and `lerobot/`, checkouts of all), HUB_HF_PYTHON
 * is a Python that has their other needs: httpx, filelock, fsspec, tqdm, yaml, jinja2, typing-extensions, packaging.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { needs } from '@hub/testing/needs'
import { describe, expect, inject, it } from 'vitest'
import { contractHub, newName } from '../support/hub.ts'

const hub = contractHub()
const sources = process.env.HUB_HF_SOURCES
const python = process.env.HUB_HF_PYTHON ?? 'python3'
const missing = needs(!sources && 'there are no sources of huggingface_hub and click (HUB_HF_SOURCES)')
const missingLeRobot = needs(
  !(sources && existsSync(join(sources, 'lerobot'))) && 'there are no sources of LeRobot (lerobot/ in HUB_HF_SOURCES)',
)

interface Checked {
  readonly method: string
  readonly expected: string
  readonly got: string
}

/** What a script found out: a line for each method. */
async function run(script: string): Promise<readonly Checked[]> {
  const person = await hub.person()
  const home = await mkdtemp(join(inject('runDir'), 'hf-'))
  const child = spawn(python, [join(import.meta.dirname, 'python', script)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: home,
      HF_HOME: home,
      HF_ENDPOINT: hub.running.url,
      HF_TOKEN: await hub.key(person),
      HF_HUB_DISABLE_XET: '1',
      HF_HUB_DISABLE_TELEMETRY: '1',
      PYTHONPATH:
        ['huggingface_hub', 'click'].map((name) => join(sources ?? '', name, 'src')).join(':') +
        `:${join(import.meta.dirname, 'python')}`,
      HUB_TEST_LEROBOT: join(sources ?? '', 'lerobot'),
      HUB_TEST_OWNER: person.handle,
      HUB_TEST_NAME: `${newName('Pick')}_Place.v1`,
    },
  })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  const lines = output.split('\n').filter((line) => line.startsWith('{'))
  if (lines.length === 0) throw new Error(errors)
  return lines.map((line): Checked => JSON.parse(line))
}

const wrong = (checked: readonly Checked[]) => checked.filter(({ expected, got }) => got !== expected)

describe('huggingface_hub', missing, () => {
  it('does what it says, method by method', async () => {
    const checked = await run('client.py')
    expect(wrong(checked)).toEqual([])
    expect(checked.length).toBeGreaterThan(110)
  })
})

describe('LeRobot', missing, () => {
  it('records, tags, finds, loads, trains and resumes', async () => {
    const checked = await run('lerobot.py')
    expect(wrong(checked)).toEqual([])
    expect(checked).toHaveLength(10)
  })
})

describe("LeRobot's own modules", missingLeRobot, () => {
  it('push, tag, find, load, resume and publish', async () => {
    const checked = await run('lerobot_modules.py')
    expect(wrong(checked)).toEqual([])
    expect(checked).toHaveLength(23)
  })
})
