// @module-tag long
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createHubClient, pushFolder } from '@hub/client/internal'
import { cpuStopwatch } from '@hub/testing/cpu'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expansionCases } from '../../packages/mjcf/test/hostile/expansion-cases.ts'
import { fileCases } from '../../packages/mjcf/test/hostile/file-cases.ts'
import type { HostileCase } from '../../packages/mjcf/test/hostile/hostile-case.ts'
import { xmlCases } from '../../packages/mjcf/test/hostile/xml-cases.ts'
import { contractHub, type Json, newName, type Person } from '../support/hub.ts'

/** 2 s of reading plus overhead, with room for a machine that does other things. */
const ANSWER_WITHIN_MS = 60_000
/** What another caller may wait for the hub's main thread meanwhile: a read takes 3 ms of it, and a reading takes it for no longer than a file of 16 MiB is fetched. */
const OTHERS_WITHIN_CPU_MS = 1_000

const hub = contractHub()
let ada: Person
let base: string

beforeAll(async () => {
  ada = await hub.person()
  base = await mkdtemp(join(tmpdir(), 'hub-hostile-'))
})

afterAll(() => rm(base, { recursive: true, force: true }))

async function push({ files }: HostileCase): Promise<string> {
  const slug = newName('hostile')
  const folder = join(base, slug)
  for (const [path, data] of Object.entries(files())) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), data)
  }
  const client = createHubClient({ url: hub.running.url, token: ada.token })
  const repo = { owner: ada.handle, slug }
  const { failed } = await pushFolder(client, repo, folder, { cacheDir: join(base, 'cache'), kind: 'robot' })
  expect(failed).toEqual([])
  return `${repo.owner}/${slug}`
}

/** The most processor time that this thread, the hub's own, spent during a request of another caller during `work`. */
async function othersWait(work: Promise<unknown>): Promise<number> {
  let done = false
  const end = () => {
    done = true
  }
  work.then(end, end)
  let longestMs = 0
  while (!done) {
    const spentMs = cpuStopwatch()
    await hub.call(ada, 'GET', '/v1/repos?limit=1')
    longestMs = Math.max(longestMs, spentMs())
    await pause(10)
  }
  return longestMs
}

/** One of each kind: the reader's own tests cover all of them, this test covers the hub. */
const kinds = [
  'an entity bomb',
  'an external entity',
  '200,000 levels',
  '64 MiB of elements',
  '15 MiB of unknown elements',
  '7 million numbers in a keyframe',
  '20,000 attributes',
  'UTF-16, small end first',
  'includes in a circle of two',
  'an include of ../secret.xml',
  'an include of /etc/passwd',
  'an include bomb of 2^40',
  '10,000 meshes that are not there',
  'model files that double at each of 30 levels',
  'a replicate of 1000000000',
  'replicates of 1000^3',
  'a replicate that multiplies keyframes',
  'a URDF of 30,000 links in a chain',
]
const cases = [...xmlCases, ...fileCases, ...expansionCases].filter(({ name }) => kinds.includes(name))

describe('a hostile model through the hub', () => {
  it('is one of those that the reader is tested with', () => {
    expect(cases.map(({ name }) => name).toSorted()).toEqual(kinds.toSorted())
  })

  it.each(cases.map((hostile) => [hostile.name, hostile] as const))(
    '%s: gets a response in time, and so do others meanwhile',
    async (_name, hostile) => {
      const name = await push(hostile)
      const card = { dof: 0, actuators: [], mjcf_path: hostile.entry ?? 'main.xml' }
      const begin = performance.now()
      const asked = hub.call(ada, 'POST', `/v1/robots/${name}/validate`, { card })
      const waitedMs = await othersWait(asked)
      const { status, json } = await asked
      expect(status).toBe(200)
      expect(performance.now() - begin).toBeLessThan(ANSWER_WITHIN_MS)
      expect(waitedMs).toBeLessThan(OTHERS_WITHIN_CPU_MS)
      const failing = json.checks.filter((check: Json) => check.status === 'fail')
      expect(json.ok).toBe(hostile.verdict === 'accepted')
      if (!json.ok) expect(failing[0]).toMatchObject({ code: expect.stringMatching(/^(mjcf|assets)\./) })
    },
  )
})
