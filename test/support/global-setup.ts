/** One PostgreSQL for the whole test run, with a migrated template that each test file clones. */
import { access, chmod, constants, mkdir, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { writeLists } from '../../scripts/codegen/write-lists.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded-postgres.ts'
import { migrate } from '../../src/store/migrate.ts'
import { openQueue } from '../../src/store/queue.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of a superuser, without a database name that matters. */
    databaseServerUrl: string
    templateDatabase: string
    /** A folder of this test run, deleted with its content when the run ends. */
    runDir: string
  }
}

/** `HUB_TEST_DATABASE_URL` names a server to use instead; its user must be allowed to create databases. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Also where `npm test` is not what runs the tests.
  writeLists()
  const outside = process.env.HUB_TEST_DATABASE_URL
  const runDir = await mkdtemp(join(await roomyFolder(), 'hub-test-'))
  const dataDir = join(runDir, 'postgres')
  // The embedded server runs as another user where this one is root.
  await chmod(runDir, 0o755)
  await ownTemporaryFolder(runDir)
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_wal_size: '256MB',
    max_connections: '300',
    // It counts tables at moments of its own, and a plan that a test reads follows those counts: a test that needs them analyzes.
    autovacuum: 'off',
    // Tests of plans try both; the others run a statement a few times on a connection, each time planned for its values.
    plan_cache_mode: 'force_generic_plan',
    // On a file system that shares blocks a clone of the template copies nothing.
    file_copy_method: 'clone',
  }
  const server = outside ? null : await startEmbeddedPostgres({ dataDir, settings })
  const url = outside ?? server?.url ?? ''
  if (server) await hashPasswordOnce(server.url)
  const template = `hub_test_template_${process.pid}`
  await onServer(url, `create database ${template}`)
  await migrate(databaseUrl(url, template))
  // With the tables of the queue, which each hub would otherwise create.
  await (await openQueue({ url: databaseUrl(url, template), log: pino({ level: 'silent' }) })).stop()
  project.provide('databaseServerUrl', url)
  project.provide('templateDatabase', template)
  project.provide('runDir', runDir)
  return async () => {
    if (outside) await onServer(url, `drop database if exists ${template} with (force)`)
    await server?.stop()
    await rm(runDir, { recursive: true, force: true })
  }
}

/** As a password of one iteration, where each of the 2000 connections of a run would compute 4096: two seconds of processor time. */
async function hashPasswordOnce(url: string): Promise<void> {
  const { username, password } = new URL(url)
  await onServer(
    url,
    `set scram_iterations = 1; alter role ${pg.escapeIdentifier(username)} password ${pg.escapeLiteral(decodeURIComponent(password))}`,
  )
}

/**
 * What tests and the processes that they start make in the system's temporary folder is here, and ends with the run.
 * Torture tests fill disks, which are not to be memory.
 */
async function ownTemporaryFolder(runDir: string): Promise<void> {
  if (process.env.HUB_TEST_TORTURE !== undefined) return
  const folder = join(runDir, 'tmp')
  await mkdir(folder)
  // Of all users: functions run as users of their own.
  await chmod(folder, 0o1777)
  process.env.TMPDIR = folder
}

const MEMORY_FOLDER = '/dev/shm'
const MEMORY_NEEDED_BYTES = 4 * 1024 ** 3

/** In memory where there is plenty: a database of a thousand small files is cloned there with a tenth of the CPU, 20 ms instead of 170. */
async function roomyFolder(): Promise<string> {
  try {
    await access(MEMORY_FOLDER, constants.W_OK)
    const { bavail, bsize } = await statfs(MEMORY_FOLDER)
    const room = Math.min(bavail * bsize, process.availableMemory())
    return room >= MEMORY_NEEDED_BYTES ? MEMORY_FOLDER : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** The same server, another database. */
export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}

/** Runs one statement on the server's own database. */
export async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
