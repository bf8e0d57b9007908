/**
 * One large file through a whole hub: `npm run bench:large -- [MiB] [rounds] [disk|s3]`.
 *
 * `hub push` and `hub pull` against a hub started as `npm start` does, on the disk store next to `cp` of the same file, and on a real S3 server (where there
 * is one) next to the AWS SDK's own calls, in turn in one run. The hub's resident memory is read every 50 ms, from before the push until the pull is done
 * and the background job has verified the file, and compared with what it was after small requests.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createHubClient } from '@hub/client/internal'
import { startThrowawayHub, type ThrowawayHub } from '../../scripts/demo/throwaway-hub.ts'
import { startCeph } from '../support/ceph.ts'
import { MIB, makeFile, reportTimes, residentMib, seconds, watchPeak } from './measure.ts'
import { openSdkTransfer } from './sdk-transfer.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const ALLOWED_MIB = 100
const VERIFIED_WITHIN_MS = 120_000
const WARM_FILES = 20
const WARM_REQUESTS = 400

/** What the hub is measured next to: the same bytes there and back without it. */
interface Baseline {
  readonly names: readonly [push: string, pull: string]
  push(file: string): Promise<void>
  pull(file: string): Promise<void>
  /** Takes away what `push` stored. */
  clean(): Promise<void>
}

/** A folder with the large file, one with small ones, and places for what comes back. */
interface Home {
  readonly dir: string
  readonly file: string
  readonly sizeBytes: number
}

async function measureStore(store: string, home: Home, hub: ThrowawayHub, baseline: Baseline, rounds: number) {
  await hub.operator('user', 'add', 'ada')
  const { token } = await hub.operator('key', 'add', 'ada', '--scope', 'write')
  const env = { ...process.env, HUB_URL: hub.url, HUB_TOKEN: String(token), XDG_CACHE_HOME: join(home.dir, 'cache') }
  const command = (...args: string[]) => run(process.execPath, ['src/operator/hub.ts', ...args], { cwd: root, env })
  const client = createHubClient({ url: hub.url, token: String(token) })

  await command('push', join(home.dir, 'small'), 'ada/small', '--kind', 'dataset')
  for (let sent = 0; sent < WARM_REQUESTS; sent += 1) await client.tree({ owner: 'ada', slug: 'small' }).next()
  await pause(2000)
  const idleMib = await residentMib(hub.pid)

  const times: Record<string, number[]> = {}
  const timed = async (name: string, work: () => Promise<unknown>) => {
    times[name] = [...(times[name] ?? []), await seconds(work)]
  }
  const peaks: Record<string, number> = { push: 0, verification: 0, pull: 0 }
  const watched = async (phase: string, work: () => Promise<unknown>) => {
    const stop = new AbortController()
    const peak = watchPeak(hub.pid, stop.signal)
    await timed(phase, work).finally(() => stop.abort())
    peaks[phase] = Math.max(peaks[phase] ?? 0, (await peak) - idleMib)
  }
  for (let round = 0; round < rounds; round += 1) {
    const repo = { owner: 'ada', slug: `large-${round}` }
    const pulled = join(home.dir, 'pulled')
    await timed(baseline.names[0], () => baseline.push(home.file))
    await watched('push', () => command('push', join(home.dir, 'large'), `ada/${repo.slug}`, '--kind', 'dataset'))
    await watched('verification', () => untilVerified(client, repo))
    await timed(baseline.names[1], () => baseline.pull(join(home.dir, 'copied')))
    await watched('pull', () => command('pull', `ada/${repo.slug}`, pulled))
    await run('cmp', [home.file, join(pulled, 'file')])
    await baseline.clean()
    for (const gone of ['pulled', 'copied']) await rm(join(home.dir, gone), { recursive: true, force: true })
    // The next round must send its bytes again, not find them known.
    await rewrite(home, round + 1)
  }
  reportTimes(store, times, home.sizeBytes)
  for (const [phase, mib] of Object.entries(peaks)) {
    const verdict = mib <= ALLOWED_MIB ? 'within' : 'ABOVE'
    console.log(`| ${store} | ${phase} | ${idleMib.toFixed(0)} | +${mib.toFixed(0)} | ${verdict} +${ALLOWED_MIB} |`)
    if (mib > ALLOWED_MIB) process.exitCode = 1
  }
}

async function untilVerified(client: ReturnType<typeof createHubClient>, repo: { owner: string; slug: string }) {
  const deadline = Date.now() + VERIFIED_WITHIN_MS
  while (Date.now() < deadline) {
    const { value: files } = await client.tree(repo).next()
    if (files?.[0]?.sha256) return
    await pause(100)
  }
  throw new Error('The large file was not verified in time.')
}

async function makeHome(sizeBytes: number): Promise<Home> {
  const dir = await mkdtemp(join(tmpdir(), 'hub-bench-large-'))
  for (const folder of ['small', 'large', 'cache']) await mkdir(join(dir, folder))
  for (let n = 0; n < WARM_FILES; n += 1) await makeFile(join(dir, 'small', `file-${n}`), 65_536)
  const home = { dir, file: join(dir, 'large', 'file'), sizeBytes }
  await rewrite(home, 0)
  return home
}

const rewrite = (home: Home, round: number) => makeFile(home.file, home.sizeBytes + round)

/** `cp`, and `cp` with the bytes flushed to the disk, as the hub's store does before it acknowledges them. */
function copying(home: Home): Baseline {
  const stored = join(home.dir, 'stored')
  return {
    names: ['cp, flushed', 'cp'],
    push: async (file) => {
      await run('cp', [file, stored])
      await run('sync', [stored])
    },
    pull: async (file) => {
      await run('cp', [stored, file])
    },
    clean: () => rm(stored, { force: true }),
  }
}

async function onDisk(home: Home, rounds: number): Promise<void> {
  const hub = await startThrowawayHub()
  try {
    await measureStore('disk', home, hub, copying(home), rounds)
  } finally {
    await hub.close()
  }
}

async function onS3(home: Home, rounds: number): Promise<void> {
  const ceph = await startCeph()
  if ('skipped' in ceph) return console.log(`s3 skipped: ${ceph.skipped}`)
  const bucket = `bench-${randomBytes(4).toString('hex')}`
  const sdk = openSdkTransfer({ ...ceph.settings, bucket })
  await sdk.createBucket()
  const hub = await startThrowawayHub({
    OBJECT_STORE: 's3',
    S3_ENDPOINT: ceph.settings.endpoint ?? '',
    S3_REGION: ceph.settings.region,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: ceph.settings.accessKeyId ?? '',
    S3_SECRET_ACCESS_KEY: ceph.settings.secretAccessKey ?? '',
    S3_FORCE_PATH_STYLE: '1',
  })
  try {
    const baseline: Baseline = {
      names: ['SDK upload', 'SDK download'],
      push: (file) => sdk.upload('baseline', file),
      pull: (file) => sdk.download('baseline', file),
      clean: () => sdk.remove('baseline'),
    }
    await measureStore('s3', home, hub, baseline, rounds)
  } finally {
    await hub.close()
    await sdk.dropBucket()
    sdk.close()
  }
}

const [mib = '1024', rounds = '1', only] = process.argv.slice(2)
for (const [name, measure] of [['disk', onDisk] as const, ['s3', onS3] as const]) {
  if (only !== undefined && only !== name) continue
  const home = await makeHome(Number(mib) * MIB)
  try {
    await measure(home, Number(rounds))
  } finally {
    await rm(home.dir, { recursive: true, force: true })
  }
}
