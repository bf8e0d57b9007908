/** The checkpoints of a run reach its repo, also where the hub does not take the run's name with them. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHubClient } from '@hub/client/internal'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type HubDouble, json, startHubDouble } from '../../client/test/hub-double.ts'
import { createPublisher } from '../src/publish-checkpoints.ts'
import { runFiles } from '../src/run-files.ts'
import { newState } from '../src/run-journal.ts'
import { openJournal } from '../src/worker/journal.ts'

let hub: HubDouble
let base: string

beforeEach(async () => {
  hub = await startHubDouble()
  const output = { id: 'repo_1', kind: 'model', full_name: 'o/s', visibility: 'private', description: null, tags: [] }
  const file_summary = { count: 0, total_bytes: 0, verified_count: 0 }
  hub.fault = (_, response, { pathname }) => {
    if (pathname !== '/v1/repos/o/s') return false
    json(response, { ...output, file_summary, updated_at: new Date().toISOString() })
    return true
  }
  base = await mkdtemp(join(tmpdir(), 'hub-publish-'))
})
afterEach(async () => {
  await hub.close()
  await rm(base, { recursive: true, force: true })
})

/** A publisher, the lines that it logs, and how to write a checkpoint. */
function lab() {
  const lines: string[] = []
  const files = runFiles(base, 'run_1', 1)
  const journal = openJournal(files.journal, newState({ runId: 'run_1', url: hub.url, attempt: 1 }))
  const publisher = createPublisher({
    client: createHubClient({ url: hub.url, token: 't' }),
    ...{ files, journal, runId: 'run_1', repo: { owner: 'o', slug: 's' } },
    cacheDir: join(base, 'cache'),
    isStable: async () => true,
    logLine: (line) => lines.push(line),
  })
  const write = async (step: number) => {
    const dir = join(files.checkpoints, `step_${step}`)
    await mkdir(dir, { recursive: true })
    await writeFile(join(dir, 'policy.onnx'), `weights of ${step}`)
  }
  return { lines, journal, publisher, write }
}

it('each version names the run', async () => {
  const { journal, publisher, write } = lab()
  await write(10)
  await publisher.poll(true)
  expect(hub.commits).toMatchObject([{ run_id: 'run_1' }])
  expect([journal.state.published?.step, journal.state.unsent]).toEqual([10, false])
})

it.each([
  ['an older hub, which knows no run of a commit', 'validation.unknown_member'],
  ['a hub that does not see the run any more', 'validation.value'],
])('are published without the run to %s', async (_, fault) => {
  hub.runFault = fault
  const { lines, journal, publisher, write } = lab()
  for (const step of [10, 20]) await write(step)
  await publisher.poll(true)
  expect([...hub.files.keys()]).toEqual(['checkpoints/step_10/policy.onnx', 'checkpoints/step_20/policy.onnx'])
  expect(hub.calls.filter((call) => call === 'POST /commits')).toHaveLength(3)
  expect([await publisher.hasAll(), journal.state.published?.step, journal.state.unsent]).toEqual([true, 20, false])
  expect(lines.filter((line) => line.includes('without the run'))).toHaveLength(1)
})
