/**
 * Runs the steps of a stage in a root of their own: the machine's programs read-only, this Node, and nothing else of
 * the machine. For root on Linux; it stands in for a container where there is no Docker. The base image's own files are
 * the machine's.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readlinkSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { pair, type Stage, words } from './dockerfile.ts'

/** Of the machine; the links among them (`/bin` to `usr/bin`) are links here too. */
const system = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc']
const NODE_AT = '/opt/node'

export interface BuildPlaces {
  /** One folder for each stage. */
  readonly work: string
  /** The folder that is built. */
  readonly context: string
  /** Paths of it that go into the build. */
  readonly files: readonly string[]
  /** npm's cache, which all stages share. */
  readonly cache: string
}

/** What runs of a stage: its CMD, ENV and so on. */
export interface BuiltStage {
  readonly root: string
  readonly env: Readonly<Record<string, string>>
  readonly workdir: string
  readonly user: string | null
  readonly entry: readonly string[]
  readonly command: readonly string[]
  readonly healthcheck: readonly string[]
}

/** Builds the stages in their order; each begins with a copy of what it is made from. */
export function buildStages(
  stages: readonly Stage[],
  places: BuildPlaces,
  say: (line: string) => void,
): Map<string, BuiltStage> {
  const built = new Map<string, BuiltStage>()
  for (const stage of stages) {
    say(`stage ${stage.name}`)
    built.set(stage.name, buildStage(stage, places, built, say))
  }
  return built
}

function buildStage(
  stage: Stage,
  places: BuildPlaces,
  built: ReadonlyMap<string, BuiltStage>,
  say: (line: string) => void,
): BuiltStage {
  const from = built.get(stage.from)
  const root = join(places.work, stage.name)
  // Links to the same bytes: steps remove and add files, and change none.
  if (from) execFileSync('cp', ['-al', from.root, root])
  else makeRoot(root)
  let state: BuiltStage = {
    root,
    env: from?.env ?? {},
    workdir: from?.workdir ?? '/',
    user: from?.user ?? null,
    entry: from?.entry ?? [],
    command: from?.command ?? [],
    healthcheck: from?.healthcheck ?? [],
  }
  for (const { does, text } of stage.steps) {
    if (does === 'RUN') {
      say(`  RUN ${text.length > 100 ? `${text.slice(0, 100)} …` : text}`)
      execFileSync('unshare', inRoot(state, places.cache, null, ['sh', '-ec', text]), {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
    } else if (does === 'COPY') copy(text, state, places, built)
    else state = { ...state, ...changed(state, does, text) }
  }
  return state
}

function changed({ env }: BuiltStage, does: string, text: string): Partial<BuiltStage> {
  if (does === 'ENV') return { env: { ...env, ...Object.fromEntries(text.split(/\s+/).map(pair)) } }
  if (does === 'ARG') return { env: { ...env, ...Object.fromEntries([pair(text)]) } }
  if (does === 'WORKDIR') return { workdir: text }
  if (does === 'USER') return { user: text }
  if (does === 'CMD') return { command: words(text) }
  if (does === 'ENTRYPOINT') return { entry: words(text), command: [] }
  if (does === 'HEALTHCHECK') return { healthcheck: words(text.slice(text.indexOf('CMD') + 3)) }
  return {}
}

function makeRoot(root: string): void {
  for (const folder of ['proc', 'dev', 'tmp', 'root', NODE_AT.slice(1)])
    mkdirSync(join(root, folder), { recursive: true })
  for (const folder of system.filter((path) => existsSync(path))) {
    const link = linkOf(folder)
    if (link === null) mkdirSync(join(root, folder), { recursive: true })
    else symlinkSync(link, join(root, folder))
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}

function copy(text: string, state: BuiltStage, places: BuildPlaces, built: ReadonlyMap<string, BuiltStage>): void {
  const given = text.split(/\s+/)
  const stage = given[0]?.startsWith('--from=') ? built.get(given.shift()?.slice('--from='.length) ?? '') : null
  if (stage === undefined) throw new Error(`COPY from a stage that is not there: ${text}`)
  const to = given.pop() ?? ''
  const target = join(state.root, resolve(state.workdir, to))
  if (stage) {
    for (const source of given)
      execFileSync('cp', ['-a', join(stage.root, source), to.endsWith('/') ? `${target}/` : target])
    return
  }
  for (const source of given) {
    const taken = places.files.filter((file) => source === '.' || file === source)
    if (taken.length === 0) throw new Error(`COPY of what the build does not have: ${source}`)
    for (const file of taken) {
      const into = join(target, source === '.' ? file : relative(dirname(source), file))
      mkdirSync(dirname(into), { recursive: true })
      cpSync(join(places.context, file), into)
    }
  }
}

/** Of `unshare`: mounts what the root lacks, in a namespace that ends with the process, then becomes the command. */
function inRoot(
  { root, env, workdir }: BuiltStage,
  cache: string | null,
  user: string | null,
  command: readonly string[],
): string[] {
  const mounts = [
    `mount -t proc proc ${root}/proc`,
    `mount --rbind /dev ${root}/dev`,
    ...system
      .filter((path) => existsSync(path) && linkOf(path) === null)
      .map((path) => `mount --rbind ${path} ${root}${path} && mount -o remount,bind,ro ${root}${path}`),
    `mount --bind -o ro ${dirname(process.execPath)} ${root}${NODE_AT}`,
    `mount -t tmpfs -o mode=1777 tmpfs ${root}/tmp`,
    ...(cache === null ? [] : [`mkdir -p ${root}/tmp/npm ${cache}`, `mount --bind ${cache} ${root}/tmp/npm`]),
  ]
  const variables = {
    ...env,
    PATH: `${NODE_AT}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    HOME: '/tmp',
    npm_config_cache: '/tmp/npm',
    ...passedOn(),
  }
  const set = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  const enter = [
    'chroot',
    ...(user === null ? [] : [`--userspec=${user}`]),
    root,
    'env',
    '-i',
    `--chdir=${workdir}`,
    ...set,
    ...command,
  ]
  return [
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    'sh',
    '-ec',
    `mkdir -p ${root}${workdir}\n${mounts.join('\n')}\nexec "$@"`,
    'sh',
    ...enter,
  ]
}

/** As Docker does: how this machine reaches the network. */
const passedOn = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => /^(?:https?|no)_proxy$|^NODE_EXTRA_CA_CERTS$/i.test(name)),
  ) as Record<string, string>

/** Starts a command of a built stage as its user and as process 1, with these variables next to its own. */
export function startIn(
  stage: BuiltStage,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcess {
  const state = { ...stage, env: { ...stage.env, ...env } }
  return spawn('unshare', inRoot(state, null, stage.user, command), { stdio: ['ignore', 'pipe', 'pipe'] })
}

/** The process that is number 1 in its namespace: `unshare` itself stays outside and passes no signal on. */
export function firstProcessOf({ pid }: ChildProcess): number {
  const children = execFileSync('cat', [`/proc/${pid}/task/${pid}/children`], { encoding: 'utf8' }).trim()
  return Number(children.split(' ')[0])
}

/** MiB of a folder of a stage, the machine's own left out. */
export function sizeOf({ root }: BuiltStage, folder: string): number {
  const path = join(root, folder)
  if (!existsSync(path)) return 0
  if (!statSync(path).isDirectory()) return 0
  return Number(execFileSync('du', ['-sm', path], { encoding: 'utf8' }).split('\t')[0])
}

/** What lies at the top of a stage's working folder. */
export const topOf = ({ root, workdir }: BuiltStage): string[] => readdirSync(join(root, workdir)).sort()
