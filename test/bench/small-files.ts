/**
 * Many small files through a whole hub: `npm run bench:small -- [OTHER_CHECKOUT FILES ROUNDS]`. `hub push` of 10,000 files of 10 KB to a hub started as
 * `npm start` does, on the disk store: seconds, and processor time of the hub's process. With another checkout, its own `hub push` to its own hub by turns.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { startThrowawayHub } from '../../scripts/demo/throwaway-hub.ts'
import { median, seconds } from './measure.ts'
import { databaseTimes, spentMs, threadTimes } from './processor-time.ts'

const run = promisify(execFile)
const [other] = process.argv.slice(2)
const FILES = Number(process.argv[3] ?? 10_000)
const ROUNDS = Number(process.argv[4] ?? 3)
const FILE_BYTES = 10_000
const FILES_IN_FOLDER = 500

interface Push {
  readonly seconds: number
  /** Processor time of the hub's process, of its database, and of the command. */
  readonly hubMs: number
  readonly databaseMs: number
  readonly commandMs: number
}

interface Checkout {
  push(folder: string, round: number): Promise<Push>
  close(): Promise<void>
}

async function openCheckout(root: string, home: string): Promise<Checkout> {
  const path = join(root, 'scripts/demo/throwaway-hub.ts')
  const hubs = (await import(path)) as { startThrowawayHub: typeof startThrowawayHub }
  const hub = await hubs.startThrowawayHub()
  await hub.operator('user', 'add', 'ada')
  const { token } = await hub.operator('key', 'add', 'ada', '--scope', 'write')
  const postmaster = Number.parseInt(await readFile(join(hub.dir, 'data/postgres/data/postmaster.pid'), 'utf8'), 10)
  const command = await hubCommand(root)
  const cache = await mkdtemp(join(home, 'cache-'))
  const env = { ...process.env, HUB_URL: hub.url, HUB_TOKEN: String(token), XDG_CACHE_HOME: cache }
  return {
    async push(folder, round) {
      const push = [command, 'push', folder, `ada/small-${round}`, '--kind', 'dataset']
      const [hubBefore, databaseBefore, own] = [threadTimes(hub.pid), databaseTimes(postmaster), ofChildren()]
      const took = await seconds(() => run(process.execPath, push, { cwd: root, env }))
      const hubMs = spentMs(hubBefore, threadTimes(hub.pid))
      const databaseMs = spentMs(databaseBefore, databaseTimes(postmaster))
      return { seconds: took, hubMs, databaseMs, commandMs: ofChildren() - own }
    },
    close: () => hub.close(),
  }
}

/** The file of `npm run hub`: its folder has changed with the versions. */
async function hubCommand(root: string): Promise<string> {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { scripts: { hub: string } }
  return String(/\S+\.(?:ts|js)$/.exec(scripts.hub))
}

const TICKS_PER_S = 100

/** Milliseconds of all children that have ended, to a hundredth of a second. */
function ofChildren(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return ((Number(fields[13]) + Number(fields[14])) / TICKS_PER_S) * 1000
}

/** Files that no earlier round has had. */
async function makeFolder(home: string): Promise<string> {
  const folder = await mkdtemp(join(home, 'files-'))
  for (let at = 0; at < FILES; at += 1) {
    const dir = join(folder, `part-${Math.floor(at / FILES_IN_FOLDER)}`)
    if (at % FILES_IN_FOLDER === 0) await mkdir(dir)
    await writeFile(join(dir, `${at}.bin`), randomBytes(FILE_BYTES))
  }
  return folder
}

const home = await mkdtemp(join(tmpdir(), 'hub-bench-small-'))
const checkouts = new Map([['this checkout', await openCheckout(join(import.meta.dirname, '../..'), home)]])
try {
  if (other) checkouts.set('the other checkout', await openCheckout(resolve(other), home))
  const pushes = new Map<string, Push[]>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const folder = await makeFolder(home)
    const turns = [...checkouts]
    for (const [name, checkout] of round % 2 ? turns.reverse() : turns)
      pushes.set(name, [...(pushes.get(name) ?? []), await checkout.push(folder, round)])
    await rm(folder, { recursive: true })
  }
  console.log(
    `| ${FILES} files of ${FILE_BYTES} bytes | seconds | files a second | CPU: hub | database | command | every round, s |`,
  )
  console.log('|---|---|---|---|---|---|---|')
  for (const [name, all] of pushes) {
    const took = median(all.map((one) => one.seconds))
    const cpu = (['hubMs', 'databaseMs', 'commandMs'] as const).map(
      (of) => `${(median(all.map((one) => one[of])) / 1000).toFixed(1)} s`,
    )
    const every = all.map((one) => one.seconds.toFixed(1)).join(', ')
    console.log(`| ${name} | ${took.toFixed(1)} | ${(FILES / took).toFixed(0)} | ${cpu.join(' | ')} | ${every} |`)
  }
} finally {
  for (const checkout of checkouts.values()) await checkout.close()
  await rm(home, { recursive: true, force: true })
}
