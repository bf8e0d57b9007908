/** The checkpoints of a run reach its repo, also where the hub does not take the run's name with them. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHubClient } from '@hub/client/internal'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type HubDouble, json, problem, startHubDouble } from '../../client/test/hub-double.ts'
import { backgroundTask } from '../src/background.ts'
import { leaveBehind } from '../src/left-behind.ts'
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

/** Refuses each commit, as long as `isSo`. */
function refusing(status: number, type: string) {
  const before = hub.fault
  const refusal = { isSo: true }
  hub.fault = (request, response, at) => {
    if (!refusal.isSo || !at.pathname.endsWith('/commits')) return before(request, response, at)
    problem(response, status, type, 'Not now.')
    return true
  }
  return refusal
}

it.each([
  ['a quota that is full', 413, 'quota.storage'],
  ['a right that the key lacks', 403, 'forbidden.scope'],
])('wait for %s, and are published once that has changed', async (_, status, type) => {
  const refusal = refusing(status, type)
  const { lines, journal, publisher, write } = lab()
  for (const step of [10, 20]) await write(step)
  await expect(publisher.poll(false)).rejects.toMatchObject({ status, kind: type })
  expect([lines, journal.state.unsent]).toEqual([[], false])
  refusal.isSo = false
  await publisher.poll(false)
  expect([await publisher.hasAll(), journal.state.published?.step, journal.state.unsent]).toEqual([true, 20, false])
})

it('that a full quota keeps from the hub to the end are named there and in the log, and stay in the folder', async () => {
  refusing(413, 'quota.storage')
  const { lines, journal, publisher, write } = lab()
  await write(10)
  const logLine = (line: string) => lines.push(line)
  const leave = (error: unknown) => leaveBehind(journal, 'Checkpoints were not published', error)
  await backgroundTask(publisher.poll, { what: 'checkpoints', logLine, leave }).finish()
  expect(lines).toEqual([expect.stringMatching(/^checkpoints not completed: .*Not now\./)])
  const { unsent, leftBehind } = journal.state
  expect([await publisher.hasAll(), unsent, leftBehind]).toEqual([
    false,
    true,
    [expect.stringMatching(/^Checkpoints were not published: .*Not now\./)],
  ])
})

it('leave out one that is refused itself, and no other', async () => {
  const refusal = refusing(422, 'validation.path')
  const { lines, journal, publisher, write } = lab()
  await write(10)
  await publisher.poll(false)
  expect([lines, journal.state.unsent]).toEqual([[expect.stringContaining('step 10 was not published')], true])
  expect(journal.state.leftBehind).toEqual([expect.stringContaining('Step 10 was not published')])
  refusal.isSo = false
  await write(20)
  await publisher.poll(false)
  expect([...hub.files.keys()]).toEqual(['checkpoints/step_20/policy.onnx'])
})

it('are tried again later after each failure in a row, and at once at the end', async () => {
  let now = 0
  const tries: number[] = []
  const task = backgroundTask(
    async (isFinal) => {
      tries.push(now)
      if (!isFinal) throw new Error('No.')
    },
    { what: 'checkpoints', logLine: () => undefined, now: () => now },
  )
  for (; now < 300_000; now += 500) {
    task.poll()
    await new Promise(setImmediate)
  }
  await task.finish()
  expect(tries.slice(0, 5)).toEqual([0, 1000, 3000, 7000, 15_000])
  expect(tries.slice(-3)).toEqual([183_000, 243_000, 300_000])
})
