/**
 * Validation of the largest robot at hand (of the shared folder, else the sample): `npm run bench:validate -- [DIR ENTRY]`. Through `/v1` of a hub with a real
 * PostgreSQL and the disk store: the first reading of a process, which starts the threads; cold ones, each of an entry with other bytes than before; and
 * warm ones. With the share of the time in which the object store, and in which the database, was waited for.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHubClient, pushFolder } from '@hub/client/internal'
import { walkFolder } from '@hub/client/walk'
import { sharedDir } from '@hub/testing/shared'
import { pino } from 'pino'
import { readConfig } from '../../src/platform/config.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { median } from './measure.ts'

const ROUNDS = 30

interface Robot {
  readonly dir: string
  readonly entry: string
}

/** Counts calls, and the time in which at least one of them is in progress. */
function stopwatch() {
  let underWay = 0
  let sinceMs = 0
  let ms = 0
  let calls = 0
  return {
    begin() {
      if (underWay === 0) sinceMs = performance.now()
      underWay += 1
      calls += 1
    },
    end() {
      underWay -= 1
      if (underWay === 0) ms += performance.now() - sinceMs
    },
    take() {
      const taken = { calls, ms }
      ms = 0
      calls = 0
      return taken
    },
  }
}

type Stopwatch = ReturnType<typeof stopwatch>

function watchStore({ deps: { objects } }: RunningHub, watch: Stopwatch): void {
  if (!objects) throw new Error('The hub has no object store.')
  const get = objects.get.bind(objects)
  objects.get = async (key, options) => {
    watch.begin()
    const found = await get(key, options)
    found.body.once('close', watch.end)
    return found
  }
}

function watchDatabase({ deps: { db } }: RunningHub, watch: Stopwatch): void {
  const query = db.pool.query.bind(db.pool) as (config: unknown) => Promise<unknown>
  const watched = async (config: unknown) => {
    watch.begin()
    return query(config).finally(watch.end)
  }
  Object.assign(db.pool, { query: watched })
}

interface Sample {
  readonly ms: number
  readonly store: { readonly calls: number; readonly ms: number }
  readonly database: { readonly calls: number; readonly ms: number }
}

async function main(hub: RunningHub, { dir, entry }: Robot, cacheDir: string): Promise<void> {
  const watches = { store: stopwatch(), database: stopwatch() }
  watchStore(hub, watches.store)
  watchDatabase(hub, watches.database)
  const token = hub.operatorToken ?? ''
  const client = createHubClient({ url: hub.url, token })
  const repo = { owner: hub.deps.config.operatorHandle, slug: 'robot' }
  const push = async (folder: string) => {
    const { failed } = await pushFolder(client, repo, folder, { cacheDir, kind: 'robot' })
    if (failed.length > 0) throw new Error(`Not pushed: ${JSON.stringify(failed)}`)
  }
  const validate = async (): Promise<{ sample: Sample; files: number; joints: number }> => {
    watches.store.take()
    watches.database.take()
    const begin = performance.now()
    const response = await fetch(`${hub.url}/v1/robots/${repo.owner}/${repo.slug}/validate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ card: { dof: 0, actuators: [], mjcf_path: entry } }),
    })
    const report = JSON.parse(await response.text())
    const ms = performance.now() - begin
    if (report.ok !== true) throw new Error(`The model is not good: ${JSON.stringify(report).slice(0, 2000)}`)
    const sample = { ms, store: watches.store.take(), database: watches.database.take() }
    return { sample, files: report.model.files.length, joints: report.model.joints.length }
  }

  await push(dir)
  const first = await validate()
  const text = await readFile(join(dir, entry), 'utf8')
  const cold: Sample[] = []
  const warm: Sample[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await rewrite(client, repo, entry, `${text}\n<!-- ${round} -->\n`, cacheDir)
    cold.push((await validate()).sample)
    warm.push((await validate()).sample)
  }
  const bytes = (await walkFolder(dir)).reduce((sum, { size }) => sum + size, 0)
  console.log(
    `${basename(dir)}/${entry}: ${first.files} files, ${first.joints} joints, folder of ${(bytes / 1e6).toFixed(1)} MB\n`,
  )
  console.log('| validation | whole, median (min to max) | object store | database | store reads | statements |')
  console.log('|---|---|---|---|---|---|')
  for (const [name, samples] of [
    ['first of a process', [first.sample]],
    ['cold', cold],
    ['warm', warm],
  ] as const) {
    console.log(row(name, samples))
  }
}

/** Pushes one file. */
async function rewrite(
  client: ReturnType<typeof createHubClient>,
  repo: { readonly owner: string; readonly slug: string },
  path: string,
  text: string,
  cacheDir: string,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hub-bench-entry-'))
  try {
    await mkdir(join(folder, path, '..'), { recursive: true })
    await writeFile(join(folder, path), text)
    await pushFolder(client, repo, folder, { cacheDir })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function row(name: string, samples: readonly Sample[]): string {
  const times = samples.map(({ ms }) => ms)
  const share = (part: 'store' | 'database') =>
    `${((100 * median(samples.map((sample) => sample[part].ms))) / median(times)).toFixed(0)} %`
  const calls = (part: 'store' | 'database') => median(samples.map((sample) => sample[part].calls))
  const range = `${median(times).toFixed(1)} ms (${Math.min(...times).toFixed(1)} to ${Math.max(...times).toFixed(1)})`
  return `| ${name} | ${range} | ${share('store')} | ${share('database')} | ${calls('store')} | ${calls('database')} |`
}

/** The one with the most bytes in the files that it needs. */
async function largestRobot(): Promise<Robot> {
  const shared = join(sharedDir() ?? '/nowhere', 'robots')
  const text = await readFile(join(shared, 'expected.json'), 'utf8').catch(() => '{}')
  const expected = JSON.parse(text) as Record<string, { readonly compiles: boolean; readonly files: readonly string[] }>
  let largest: (Robot & { readonly bytes: number }) | null = null
  for (const [root, { compiles, files }] of Object.entries(expected)) {
    const [robot = '', ...entry] = root.split('/')
    const dir = join(shared, robot)
    const needed = new Set(files)
    const bytes = (await walkFolder(dir)).reduce((sum, { path, size }) => sum + (needed.has(path) ? size : 0), 0)
    if (compiles && bytes > (largest?.bytes ?? 0)) largest = { dir, entry: entry.join('/'), bytes }
  }
  return largest ?? { dir: fileURLToPath(new URL('../../examples/robot', import.meta.url)), entry: 'scene.xml' }
}

const [, , givenDir, givenEntry] = process.argv
const robot = givenDir && givenEntry ? { dir: givenDir, entry: givenEntry } : await largestRobot()
const base = await mkdtemp(join(tmpdir(), 'hub-bench-validate-'))
const config = readConfig({ PORT: '0', HUB_DATA_DIR: join(base, 'data'), RATE_LIMIT_PER_MINUTE: '0' })
const hub = await startHub(config, pino({ level: 'silent' }))
try {
  await main(hub, robot, join(base, 'cache'))
} finally {
  await hub.stop()
  await rm(base, { recursive: true, force: true })
}
