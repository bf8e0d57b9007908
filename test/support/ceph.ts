/** A real S3 server for the tests: Ceph's RADOS Gateway on loopback. It is left running: the next start then takes no time. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sharedDir } from '@hub/testing/shared'
import type { S3Settings } from '../../src/platform/config.ts'

const PORT = process.env.S3_PORT || '9300'

const settings: S3Settings = {
  endpoint: `http://127.0.0.1:${PORT}`,
  region: process.env.S3_REGION || 'us-east-1',
  bucket: process.env.S3_BUCKET || 'test-bucket',
  accessKeyId: process.env.S3_ACCESS_KEY || 'testaccesskey',
  secretAccessKey: process.env.S3_SECRET_KEY || 'testsecretkey0123456789',
  forcePathStyle: true,
}

/** The settings of a hub that keeps its objects there. */
export const hubOnCeph = ({ endpoint, region, bucket, accessKeyId, secretAccessKey }: S3Settings) => ({
  OBJECT_STORE: 's3',
  S3_ENDPOINT: endpoint ?? '',
  S3_REGION: region,
  S3_BUCKET: bucket,
  S3_ACCESS_KEY_ID: accessKeyId ?? '',
  S3_SECRET_ACCESS_KEY: secretAccessKey ?? '',
  S3_FORCE_PATH_STYLE: '1',
})

export type Ceph = { readonly settings: S3Settings } | { readonly skipped: string }

/** The first start installs the server's packages. */
const START_MS = 240_000

/**
 * Starts the server, or finds it running, or returns why there is none on this machine. `HUB_TEST_S3=require` turns every such reason into a failure, and
 * `HUB_TEST_S3=skip` never tries.
 */
export async function startCeph(): Promise<Ceph> {
  const wish = process.env.HUB_TEST_S3
  const reason = wish === 'skip' ? 'HUB_TEST_S3=skip' : await start()
  if (reason === null) return { settings }
  if (wish === 'require') throw new Error(`HUB_TEST_S3=require, but there is no S3 server: ${reason}`)
  return { skipped: reason }
}

async function start(): Promise<string | null> {
  const shared = sharedDir()
  const script = shared && join(shared, 's3', 'start-ceph.sh')
  if (!script || !existsSync(script)) return 'there is no folder with an S3 server (HUB_SHARED_DIR)'
  if (process.getuid?.() !== 0 && !isInstalled()) return 'installing the S3 server needs root'
  return await inTurn(() => runScript(script))
}

function isInstalled(): boolean {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/sbin']
  return directories.some((directory) => existsSync(join(directory, 'radosgw')))
}

/** Null when it started. Its output goes nowhere that the server could keep open. */
function runScript(script: string): Promise<string | null> {
  return new Promise((resolve) => {
    // Not in the temporary folder of this run, which ends with it: the server stays.
    const { TMPDIR: _, ...env } = process.env
    const child = spawn('bash', [script, 'start'], { stdio: 'ignore', detached: true, env })
    const deadline = setTimeout(() => {
      if (child.pid) process.kill(-child.pid, 'SIGKILL')
    }, START_MS)
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => {
      clearTimeout(deadline)
      resolve(code === 0 ? null : `the start script ended with ${code ?? signal}`)
    })
  })
}

/** Test files run at once in several processes, and the script is not made for that. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const lock = `/tmp/hub-test-ceph-${PORT}.lock`
  const deadline = Date.now() + START_MS
  while (!(await takeLock(lock))) {
    if (Date.now() > deadline) throw new Error(`${lock} is still held; remove it when no test is running.`)
    await pause(100)
  }
  try {
    return await work()
  } finally {
    await rm(lock, { recursive: true, force: true })
  }
}

/** A lock whose holder died, or that is older than any start, is taken over. */
async function takeLock(lock: string): Promise<boolean> {
  try {
    await mkdir(lock)
    await writeFile(join(lock, 'pid'), String(process.pid))
    return true
  } catch {
    const holder = Number(await readFile(join(lock, 'pid'), 'utf8').catch(() => ''))
    const age = Date.now() - ((await stat(lock).catch(() => null))?.mtimeMs ?? Date.now())
    if ((holder > 0 && !isAlive(holder)) || age > START_MS) await rm(lock, { recursive: true, force: true })
    return false
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
