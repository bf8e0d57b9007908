/**
 * `hub push` and `hf upload`, `hub pull` and `hf download`, in turn in one run: `npm run bench:clients -- [rounds] [files] [MB]`.
 *
 * Against a hub started as `npm start` does, on the disk store: so many files of 10 KB, then 10 files that have so many
 * megabytes together, new bytes each time, the first of the two another one each round. Times are wall time; the CPU of
 * the client and of the hub (without its database) says whose they are. HUB_HF_SOURCES names a folder with checkouts of
 * `huggingface_hub` and `click`, HUB_HF_PYTHON a Python with what they need.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startThrowawayHub, type ThrowawayHub } from '../../scripts/demo/throwaway-hub.ts'
import { makeFile, median, seconds } from './measure.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const scripts = join(root, 'test/hf-compat/python')
const sources = process.env.HUB_HF_SOURCES
const python = process.env.HUB_HF_PYTHON ?? 'python3'

const SMALL_BYTES = 10_000
const LARGE_FILES = 10
/** `hf` makes three requests for each file that it gets; at the default rate it waits most of the time. */
const RATE = '0'
/** The kernel counts CPU in hundredths of a second. */
const TICKS = 100

const clients = ['hub', 'hf'] as const
type Client = (typeof clients)[number]

interface Taken {
  readonly wallS: number
  readonly clientS: number
  readonly hubS: number
}

/** What is run and timed. */
interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Runs it under the `time` of bash, which says what CPU it took. */
async function timed({ pid }: ThrowawayHub, { file, args, env }: Command): Promise<Taken> {
  const before = await cpuOf(pid)
  let said = ''
  const wallS = await seconds(async () => {
    const child = spawn('bash', ['-c', 'TIMEFORMAT="cpu %U %S"; time "$0" "$@"', file, ...args], {
      cwd: root,
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4000)
    })
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}.\n${said}`)
  })
  const [, user = '', system = ''] = /cpu ([\d.]+) ([\d.]+)/.exec(said) ?? []
  return { wallS, clientS: Number(user) + Number(system), hubS: (await cpuOf(pid)) - before }
}

/** Seconds of CPU that a process has had. */
async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return (Number(user) + Number(system)) / TICKS
}

/** The commands of both clients, each with caches of its own. */
function commandsOf(hub: ThrowawayHub, home: string, token: string, sourcesDir: string) {
  const hubCommand = (...args: string[]): Command => ({
    file: process.execPath,
    args: ['src/operator/hub.ts', ...args],
    env: { HUB_URL: hub.url, HUB_TOKEN: token, HOME: home, XDG_CACHE_HOME: join(home, 'cache') },
  })
  const hfCommand = (...args: string[]): Command => ({
    file: python,
    args: ['-c', 'import start; from huggingface_hub.cli.hf import main; main()', ...args, '--repo-type', 'dataset'],
    env: {
      HOME: home,
      HF_HOME: join(home, 'hf'),
      HF_ENDPOINT: hub.url,
      HF_TOKEN: token,
      HF_HUB_DISABLE_XET: '1',
      HF_HUB_DISABLE_TELEMETRY: '1',
      HF_HUB_DISABLE_PROGRESS_BARS: '1',
      PYTHONPATH: [...['huggingface_hub', 'click'].map((name) => join(sourcesDir, name, 'src')), scripts].join(':'),
    },
  })
  return {
    up: (client: Client, folder: string, repo: string) =>
      client === 'hub' ? hubCommand('push', folder, repo, '--kind', 'dataset') : hfCommand('upload', repo, folder, '.'),
    down: (client: Client, folder: string, repo: string) =>
      client === 'hub' ? hubCommand('pull', repo, folder) : hfCommand('download', repo, '--local-dir', folder),
  }
}

/** New bytes: what the hub has is not sent. */
async function makeFolder(folder: string, files: number, bytes: number): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (let at = 0; at < files; at += 1) await makeFile(join(folder, `${at}.bin`), bytes)
}

/** A line for a direction, with the middle of all rounds. */
function report(what: string, all: Readonly<Record<Client, readonly Taken[]>>): void {
  const middle = (client: Client, member: keyof Taken) => median(all[client].map((one) => one[member]))
  const ratios = all.hf.map(({ wallS }, at) => wallS / (all.hub[at]?.wallS ?? Number.NaN))
  const cells = clients.flatMap((client) => [
    middle(client, 'wallS').toFixed(1),
    `${middle(client, 'clientS').toFixed(1)} + ${middle(client, 'hubS').toFixed(1)}`,
  ])
  const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`
  console.log(`| ${what} | ${cells.join(' | ')} | ${median(ratios).toFixed(2)} (${spread}) |`)
}

async function measure(hub: ThrowawayHub, sourcesDir: string, rounds: number, sizes: readonly [number, number][]) {
  const home = await mkdtemp(join(tmpdir(), 'hub-bench-clients-'))
  await hub.operator('user', 'add', 'ada')
  const { token } = await hub.operator('key', 'add', 'ada', '--scope', 'write')
  const commands = commandsOf(hub, home, String(token), sourcesDir)
  console.log('| what | hub, s | CPU of client + hub | hf, s | CPU of client + hub | hf / hub |')
  for (const [files, bytes] of sizes) {
    const up: Record<Client, Taken[]> = { hub: [], hf: [] }
    const down: Record<Client, Taken[]> = { hub: [], hf: [] }
    for (let round = 0; round < rounds; round += 1)
      for (const client of round % 2 === 0 ? clients : clients.toReversed()) {
        const [sent, got] = [join(home, 'sent'), join(home, 'got')]
        const repo = `ada/${client}-${files}-${round}`
        await makeFolder(sent, files, bytes)
        up[client].push(await timed(hub, commands.up(client, sent, repo)))
        down[client].push(await timed(hub, commands.down(client, got, repo)))
        const there = (await readdir(got)).filter((name) => name.endsWith('.bin')).length
        if (there !== files) throw new Error(`${client} brought ${there} of ${files} files.`)
        for (const gone of [sent, got]) await rm(gone, { recursive: true })
      }
    const what = `${files.toLocaleString('en')} files of ${(bytes / 1e6).toLocaleString('en')} MB`
    report(`${what} up`, up)
    report(`${what} down`, down)
  }
  await rm(home, { recursive: true })
}

const [rounds = '3', files = '10000', megabytes = '1000'] = process.argv.slice(2)
if (sources === undefined)
  throw new Error('HUB_HF_SOURCES names no folder with checkouts of huggingface_hub and click.')
const hub = await startThrowawayHub({ RATE_LIMIT_PER_MINUTE: RATE })
try {
  await measure(hub, sources, Number(rounds), [
    [Number(files), SMALL_BYTES],
    [LARGE_FILES, (Number(megabytes) * 1e6) / LARGE_FILES],
  ])
} finally {
  await hub.close()
}
