import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEmbeddedPostgres } from '../../src/store/embedded-postgres.ts'
import { isRunning } from '../../src/store/start-lock.ts'

const settings = { fsync: 'off' }
let parent: string
let dataDir: string

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'hub-embedded-'))
  await chmod(parent, 0o700)
  dataDir = join(parent, 'data')
})

afterAll(() => rm(parent, { recursive: true, force: true }))

/** Runs a process that starts the server and stays; kills it with SIGKILL and returns the server's pid. */
async function leaveBehind(): Promise<number> {
  const module = join(import.meta.dirname, '../../src/store/embedded-postgres.ts')
  const script = `const { startEmbeddedPostgres } = await import(${JSON.stringify(module)})
    const { pid } = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, settings: { fsync: 'off' } })
    process.stdout.write(String(pid))
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  return Number(String(said))
}

async function answer(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query('select current_database() as name')).rows[0]?.name
  } finally {
    await client.end()
  }
}

test('the server starts under a directory that only its owner can enter, with its password kept private', async () => {
  const server = await startEmbeddedPostgres({ dataDir, settings })
  expect(await answer(server.url)).toBe('hub')
  expect((await stat(join(dataDir, 'postgres', 'password'))).mode & 0o777).toBe(0o600)
  await server.stop()
  expect(await isRunning(server.pid)).toBe(false)
})

test('two processes that start at once share one server, and the last one stops it', async () => {
  const [first, second] = await Promise.all([
    startEmbeddedPostgres({ dataDir, settings }),
    startEmbeddedPostgres({ dataDir, settings }),
  ])
  expect(second.pid).toBe(first.pid)
  await first.stop()
  expect(await answer(second.url)).toBe('hub')
  await second.stop()
  expect(await isRunning(second.pid)).toBe(false)
})

test('a server left behind by a killed process is adopted, and stopped by the process that adopted it', async () => {
  const leftBehind = await leaveBehind()
  expect(await isRunning(leftBehind)).toBe(true)
  const adopted = await startEmbeddedPostgres({ dataDir, settings })
  expect(adopted.pid).toBe(leftBehind)
  await adopted.stop()
  expect(await isRunning(leftBehind)).toBe(false)
  expect(await readFile(join(dataDir, 'postgres', 'server.log'), 'utf8')).toContain('database system is shut down')
})

test('a process that exits right after another was killed still stops the server', async () => {
  const staying = await startEmbeddedPostgres({ dataDir, settings })
  expect(await leaveBehind()).toBe(staying.pid)
  await staying.stop()
  expect(await isRunning(staying.pid)).toBe(false)
})

test('a server that was killed restarts with all committed data', async () => {
  const first = await startEmbeddedPostgres({ dataDir, settings })
  const client = new pg.Client({ connectionString: first.url })
  client.on('error', () => undefined)
  await client.connect()
  await client.query('create table kept as select 1 as v')
  process.kill(first.pid, 'SIGKILL')
  await expect.poll(() => isRunning(first.pid)).toBe(false)
  await first.stop()
  const again = await startEmbeddedPostgres({ dataDir, settings })
  expect(again.pid).not.toBe(first.pid)
  const reader = new pg.Client({ connectionString: again.url })
  await reader.connect()
  expect((await reader.query('select v from kept')).rows).toEqual([{ v: 1 }])
  await reader.end()
  await again.stop()
})

test('a server is reached over a Unix socket beside its data, and over TCP as well', async () => {
  const server = await startEmbeddedPostgres({ dataDir, settings })
  const overSocket = new URL(server.url)
  expect(overSocket.searchParams.get('host')).toBe(join(dataDir, 'postgres/data'))
  expect(await answer(server.url)).toBe('hub')
  overSocket.searchParams.delete('host')
  expect(await answer(overSocket.href)).toBe('hub')
  await server.stop()
})

test('a server whose folder has too long a name for a socket is reached over TCP', async () => {
  const long = join(parent, 'x'.repeat(100))
  const server = await startEmbeddedPostgres({ dataDir: long, settings })
  expect(new URL(server.url).search).toBe('')
  expect(await answer(server.url)).toBe('hub')
  await server.stop()
})

test('locks of a dead server whose pid another process has now do not keep it from starting', async () => {
  const cluster = join(dataDir, 'postgres/data')
  const port = await readFile(join(dataDir, 'postgres/port'), 'utf8')
  await writeFile(join(cluster, `.s.PGSQL.${port}.lock`), `${process.pid}\n${cluster}\n`)
  await writeFile(join(cluster, 'postmaster.pid'), `${process.pid}\n${cluster}\n1\n${port}\n`)
  const server = await startEmbeddedPostgres({ dataDir, settings })
  expect(await answer(server.url)).toBe('hub')
  await server.stop()
})

test.each([
  ['whose process has ended', '2147483000 1'],
  ['whose pid another process has now', `${process.pid} 1`],
])('a start lock %s is taken over by one of those that come', async (_, lock) => {
  await writeFile(join(dataDir, 'postgres.starting'), lock)
  const servers = await Promise.all([1, 2, 3].map(() => startEmbeddedPostgres({ dataDir, settings })))
  expect(new Set(servers.map(({ pid }) => pid)).size).toBe(1)
  await Promise.all(servers.map((server) => server.stop()))
  expect(await isRunning(servers[0]?.pid ?? 0)).toBe(false)
  expect(await readdir(dataDir)).toEqual(['postgres'])
})
