/** A start with a setting that does not hold: one line that names it, nothing of a file or a secret, and nothing made where the address is at fault. */
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../src/platform/config.ts'
import { startFailure } from '../src/start-failure.ts'
import { startHub } from '../src/start-hub.ts'
import { testDb } from './support/database.ts'
import { onServer } from './support/global-setup.ts'
import { isRoot, reachesCheckout } from './support/open-folder.ts'

const SECRET = 'a-password-that-nobody-prints'
const database = testDb()
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hub-start-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** What is written, and whether a data folder was made. */
async function refused(settings: Record<string, string>): Promise<{ line: string; made: boolean }> {
  const dataDir = join(dir, `data-${Math.random()}`)
  let config: ReturnType<typeof readConfig> | null = null
  try {
    config = readConfig({ PORT: '0', HUB_DATA_DIR: dataDir, ...settings })
    await (await startHub(config, pino({ level: 'silent' }))).stop()
    throw new Error('The hub started.')
  } catch (error) {
    const line = startFailure(error, config ?? { databaseUrl: null, dataDir })
    if (line === null) throw error
    expect(line).not.toContain(SECRET)
    expect(line.split('\n')).toHaveLength(1)
    return { line, made: existsSync(dataDir) }
  }
}

const external = (url: string) => ({
  DATABASE_URL: url,
  HUB_SECRET: 'a secret of more than thirty-two characters',
  OBJECT_STORE: 'none',
})

/** The port of a listener that lasts as long as the test. */
async function listening(serve: (socket: Socket) => void = () => undefined): Promise<number> {
  const server: Server = createServer((socket) => serve(socket.on('error', () => undefined)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

describe('DATABASE_URL', () => {
  it.each([
    ['another scheme', `mysql://u:${SECRET}@127.0.0.1/x`, 'must be a postgresql:// URL'],
    ['a port that is none', `postgresql://u:${SECRET}@127.0.0.1:99999/x`, 'cannot be read'],
    ['a port in words', `postgresql://u:${SECRET}@127.0.0.1:abc/x`, 'cannot be read'],
    ['a host without an address', `postgresql://u:${SECRET}@nowhere.invalid/x`, 'nowhere.invalid/x is not found'],
    ['a port that nobody listens on', `postgresql://u:${SECRET}@127.0.0.1:1/x`, '127.0.0.1:1/x refuses connections'],
  ])('%s', async (_, url, says) => {
    const { line, made } = await refused(external(url))
    expect(line).toMatch(/^(Invalid configuration: )?DATABASE_URL: /)
    expect(line).toContain(says)
    expect(made).toBe(false)
  })

  it('a password or a database that the server does not have', async () => {
    const wrong = new URL(database.url)
    wrong.password = SECRET
    expect((await refused(external(wrong.href))).line).toMatch(/^DATABASE_URL: .* refuses the password; /)
    const none = new URL(database.url)
    none.pathname = '/no_such_database'
    expect((await refused(external(none.href))).line).toMatch(/^DATABASE_URL: .* has no database of that name; /)
    const bare = new URL(database.url)
    bare.password = ''
    expect((await refused(external(bare.href))).line).toMatch(/^DATABASE_URL: .* asks for a password, and /)
  })

  it('a user that may make no tables', async () => {
    const user = `guest_${randomBytes(6).toString('hex')}`
    await database.db.query({ name: '', text: `create role ${user} login password '${SECRET}'` })
    const empty = `${user}_db`
    await onServer(database.url, `create database ${empty}`)
    try {
      const url = new URL(database.url)
      url.username = user
      url.password = SECRET
      url.pathname = `/${empty}`
      expect((await refused(external(url.href))).line).toMatch(
        /^DATABASE_URL: .* lets this user make no tables; give the user rights on the schema public\.$/,
      )
    } finally {
      await onServer(database.url, `drop database ${empty} with (force)`)
      await database.db.query({ name: '', text: `drop role ${user}` })
    }
  })

  it('a server that says nothing', async () => {
    const port = await listening()
    const { line } = await refused(external(`postgresql://u:${SECRET}@127.0.0.1:${port}/x`))
    expect(line).toMatch(/^DATABASE_URL: the database at 127\.0\.0\.1:\d+\/x does not answer; /)
  })

  it('a server that is too old', async () => {
    const port = await listening((socket) => socket.on('data', (chunk: Buffer) => void socket.write(oldServer(chunk))))
    const { line } = await refused(external(`postgresql://u:${SECRET}@127.0.0.1:${port}/x`))
    expect(line).toMatch(/^DATABASE_URL: .* is PostgreSQL 14, which is too old; use 15 or newer\.$/)
  })
})

/** Messages of the protocol: a type and a body after its length. */
const message = (type: string, body: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}
const int16 = (value: number) => Buffer.from([value >> 8, value & 255])
const int32 = (value: number) => Buffer.concat([int16(value >>> 16), int16(value & 65_535)])

/** A server that lets everyone in, and answers each query with the version 14. */
function oldServer(asked: Buffer): Buffer {
  const ready = message('Z', Buffer.from('I'))
  if (asked[0] === 'X'.charCodeAt(0)) return Buffer.alloc(0)
  if (asked[0] !== 'Q'.charCodeAt(0)) return Buffer.concat([message('R', int32(0)), ready])
  const column = [Buffer.from('version\0'), int32(0), int16(0), int32(25), int16(65_535), int32(-1), int16(0)]
  const value = Buffer.from('140012')
  return Buffer.concat([
    message('T', Buffer.concat([int16(1), ...column])),
    message('D', Buffer.concat([int16(1), int32(value.length), value])),
    message('C', Buffer.from('SELECT 1\0')),
    ready,
  ])
}

describe('an address that the hub cannot have is told before anything is made', () => {
  it('PORT in use', async () => {
    const port = await listening()
    expect(await refused({ PORT: String(port) })).toEqual({
      line: `PORT: port ${port} on 127.0.0.1 is in use; stop what listens there, or set PORT to another.`,
      made: false,
    })
  })

  it('METRICS_PORT in use', async () => {
    const port = await listening()
    expect(await refused({ METRICS_PORT: String(port) })).toEqual({
      line: `METRICS_PORT: port ${port} on 127.0.0.1 is in use; stop what listens there, or set METRICS_PORT to another.`,
      made: false,
    })
  })

  it.each([
    [
      'HOST',
      'an address of another machine',
      { HOST: '192.0.2.1' },
      /^HOST: 192\.0\.2\.1 is not an address of this machine; /,
    ],
    [
      'HOST',
      'a name without an address',
      { HOST: 'nowhere.invalid' },
      /^HOST: nowhere\.invalid is not a name that leads to /,
    ],
    [
      'METRICS_HOST',
      'of another machine',
      { METRICS_PORT: '0', METRICS_HOST: '192.0.2.1' },
      /^METRICS_HOST: 192\.0\.2\.1 /,
    ],
    ['PORT', 'in words', { PORT: 'web' }, /^Invalid configuration: PORT: must be a whole number$/],
    ['PORT', 'too great', { PORT: '65536' }, /^Invalid configuration: PORT: /],
  ])('%s, %s', async (_name, _what, settings: Record<string, string>, says) => {
    const { line, made } = await refused(settings)
    expect(line).toMatch(says)
    expect(made).toBe(false)
  })
})

describe('TRUSTED_DOCUMENTS', () => {
  it.each([
    ['nothing there', null, 'cannot be read (ENOENT)'],
    ['no JSON', `{ "${SECRET}": oops }`, 'is not JSON'],
    ['another shape', JSON.stringify({ [SECRET]: { a: 1 } }), 'is not a manifest of documents'],
    ['a digest of another text', JSON.stringify({ ['0'.repeat(64)]: SECRET }), `SHA-256 is not its id`],
    ['a text that is not GraphQL', JSON.stringify({ '2a4a6b9a0a3f7d9b': SECRET }), 'has a document'],
  ])('a file with %s', async (_, content, says) => {
    const file = join(dir, `manifest-${Math.random()}.json`)
    if (content !== null) await writeFile(file, content)
    const { line, made } = await refused({ TRUSTED_DOCUMENTS: file })
    expect(line).toContain(`Invalid configuration: TRUSTED_DOCUMENTS: ${file} `)
    expect(line).toContain(says)
    expect(made).toBe(false)
  })

  it('a folder', async () => {
    expect((await refused({ TRUSTED_DOCUMENTS: dir })).line).toContain('cannot be read (EISDIR)')
  })
})

it('HUB_DATA_DIR: something else where the database is to be', async () => {
  const dataDir = join(dir, 'taken')
  await mkdir(dataDir)
  await writeFile(join(dataDir, 'postgres'), SECRET)
  expect((await refused({ HUB_DATA_DIR: dataDir })).line).toMatch(/^(Invalid configuration: )?HUB_DATA_DIR: /)
})

it('a process that cannot start writes the line alone to standard error, and ends with 1', async () => {
  const port = await listening()
  const dataDir = join(dir, 'never')
  const hub = spawn(process.execPath, ['src/main.ts'], {
    env: { PATH: process.env.PATH, HUB_DATA_DIR: dataDir, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  hub.stdout.on('data', (chunk) => {
    said.out += chunk
  })
  hub.stderr.on('data', (chunk) => {
    said.err += chunk
  })
  const [code] = await once(hub, 'close')
  expect([code, said.out]).toEqual([1, ''])
  expect(said.err).toMatch(/^PORT: port \d+ on 127\.0\.0\.1 is in use; .*\n$/)
  expect(existsSync(dataDir)).toBe(false)
})

it('a hub whose modules do not load stops the embedded database that started meanwhile', async () => {
  const dataDir = join(dir, 'broken')
  const serve = join(import.meta.dirname, '../src/serve.ts')
  const text = `import { registerHooks } from 'node:module'
    const load = (url, context, next) => {
      if (url.endsWith('/src/start-hub.ts')) throw new Error('a broken module')
      return next(url, context)
    }
    registerHooks({ load })
    const { serve } = await import(${JSON.stringify(serve)})
    await serve(process.env)`
  const hub = spawn(process.execPath, ['--input-type=module', '-e', text], {
    env: { PATH: process.env.PATH, HUB_DATA_DIR: dataDir, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let log = ''
  hub.stdout.on('data', (chunk) => {
    log += chunk
  })
  const [code] = await once(hub, 'exit')
  expect(code).toBe(1)
  expect(log).toContain('a broken module')
  expect(existsSync(join(dataDir, 'postgres/data/PG_VERSION'))).toBe(true)
  expect(existsSync(join(dataDir, 'postgres/data/postmaster.pid'))).toBe(false)
})

it(
  'PORT: one that only root may have',
  needs(!(isRoot && reachesCheckout) && 'as root, and a checkout that other users can read'),
  async () => {
    const listening = join(import.meta.dirname, '../src/http/early-listener.ts')
    const settings = { host: 'HOST', port: 'PORT' }
    const text = `const { listenEarly } = await import(${JSON.stringify(listening)})
      await listenEarly(${JSON.stringify({ host: '127.0.0.1', port: 80, settings })}).then(() => console.log('bound'), (error) => console.log(error.message))
      process.exit()`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', text], {
      uid: 70_000,
      gid: 70_000,
      encoding: 'utf8',
    })
    expect(stdout).toBe(
      'PORT: port 80 needs rights that this user does not have; set PORT to a port of 1024 or more.\n',
    )
  },
)
