/** A complete hub in this process for tests that read like the contract: users, keys, both dialects, and a check of every `/v1` answer against its document. */
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { afterAll, beforeAll, expect, inject } from 'vitest'
import { statusesOf } from '../../rest-compat/engine/statuses.ts'
import { routes } from '../../rest-compat/routes.ts'
import { addOrg, addUser } from '../../src/accounts/accounts.ts'
import { addApiKey, type NewApiKey } from '../../src/accounts/api-keys.ts'
import { findAccount } from '../../src/accounts/find-account.ts'
import { openSession } from '../../src/accounts/sessions.ts'
import { type Auth, openAuth } from '../../src/auth/auth.ts'
import { noViewer } from '../../src/operation/audit.ts'
import { readConfig } from '../../src/platform/config.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { cloneTemplate } from './database.ts'
import { operationOf, undocumented } from './documented.ts'
import type { TestDocuments } from './documents.generated.ts'
import { endLeftCalls } from './left-calls.ts'
import { misplaced, misplacedInGraph } from './places.ts'

/** What came back. `json` is the parsed body: its shape is what the tests are about, so it is not declared here. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Json
}

export type Json = ReturnType<typeof JSON.parse>

/** What a document is answered with. Where a field can be null a test knows whether it is. */
export type Answered<T extends string> = T extends keyof TestDocuments
  ? { readonly data: Present<TestDocuments[T]>; readonly errors: Json }
  : Json

type Present<T> = T extends readonly (infer Item)[]
  ? Present<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Present<NonNullable<T[Name]>> }
    : NonNullable<T>

export interface Person {
  readonly id: string
  readonly handle: string
  /** A session's token. */
  readonly token: string
}

/** The token to send: of a user, a key, or null for an anonymous request. */
export type Who = Person | string | null

const secret = 'a secret of more than thirty-two characters'
const silent = pino({ level: 'silent' })

export const sha256Of = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')
export const newName = (prefix = 'x') => `${prefix}-${randomBytes(5).toString('hex')}`

interface OpenedHub {
  readonly hub: RunningHub
  readonly auth: Auth
  readonly db: Db
  close(): Promise<void>
}

/** A database of its own, cloned from the template, and a hub on it. */
async function openHub(settings: Record<string, string>, log: Logger): Promise<OpenedHub> {
  const database = await cloneTemplate()
  const dataDir = await mkdtemp(join(inject('runDir'), 'hub-'))
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    HUB_SECRET: secret,
    HUB_DATA_DIR: dataDir,
    RATE_LIMIT_PER_MINUTE: '0',
    // The least: most tests say nothing of what a guess costs.
    PASSWORD_COST: '14',
    ...settings,
  })
  const hub = await startHub(config, log)
  // A test that inserts 200,000 rows with one statement is not a request: on a busy machine that takes longer than one
  // may, and so does the first connection of a file.
  const db = openDb({ url: database.url, poolMax: 10, statementTimeoutMs: 240_000, acquireTimeoutMs: 100_000 })
  const auth = await openAuth({ config, log, db, secret })
  return {
    hub,
    auth,
    db,
    async close() {
      await auth.close()
      await hub.stop()
      await db.close()
      await database.drop()
      await endLeftCalls(dataDir)
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The hub that the files of one worker share: starting and stopping one costs more than most files take. It ends with the worker. */
let shared: Promise<OpenedHub> | undefined

/**
 * Call at the top of a test file; its members work from the first test on. Without settings the hub is shared with other files, which leave users, repos
 * and runs behind: a test that needs its own hub passes `{ alone: true }`; `log` takes the lines of such a hub.
 */
export function contractHub(
  settings: Record<string, string> = {},
  { alone = Object.keys(settings).length > 0, log = silent } = {},
) {
  let opened: OpenedHub | undefined

  beforeAll(async () => {
    if (alone) opened = await openHub(settings, log)
    else {
      shared ??= openHub({}, silent)
      opened = await shared
    }
  })

  afterAll(async () => {
    if (alone) await opened?.close()
    // Vitest keeps these functions until the run ends, and with them each hub that they name: megabytes to mark at every collection.
    opened = undefined
  })

  function open(): OpenedHub {
    if (!opened) throw new Error('The hub is there from the first test on.')
    return opened
  }

  /** A request as it is. A JSON answer of `/v1` must be as the OpenAPI document says. */
  async function send(who: Who, method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = new Headers(init.headers)
    if (who) headers.set('authorization', `Bearer ${typeof who === 'string' ? who : who.token}`)
    const response = await fetch(new URL(path, open().hub.url), { redirect: 'manual', ...init, method, headers })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    const json = isJson && text ? JSON.parse(text) : null
    const answer = { status: response.status, headers: response.headers, text, json }
    if (json !== null) {
      expect(undocumented(method, path, answer)).toEqual([])
      const operation = operationOf(method, path)?.operation
      if (operation && json.errors)
        expect([operation.operationId, misplaced(operation, json.errors)]).toEqual([operation.operationId, []])
    }
    return answer
  }

  /** A `/v1` request with a JSON body; the response's status must be declared by its operation, and an error must be a Problem. */
  async function call(
    who: Who,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const init =
      body === undefined
        ? { headers, body: null }
        : { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
    const answer = await send(who, method, path, init)
    const declared = declaredOf(method, path)
    if (declared)
      expect([declared.operation, declared.statuses]).toEqual([
        declared.operation,
        expect.arrayContaining([answer.status]),
      ])
    if (answer.status >= 400) {
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
      expect(answer.json.status).toBe(answer.status)
      expect(graphWordsIn(answer.json, `${path} ${init.body ?? ''}`)).toEqual([])
      // A replay is the original body.
      if (!answer.headers.has('idempotent-replayed'))
        expect(answer.json.request_id).toBe(answer.headers.get('x-request-id'))
    }
    return answer
  }

  /** What it selects is typed where the document stands in the test as it is: `npm run codegen` writes the types. */
  async function graphql<const T extends string>(
    who: Who,
    query: T,
    variables: Record<string, unknown> = {},
  ): Promise<Answered<T>> {
    const answer = await send(who, 'POST', '/graphql', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    })
    expect(misplacedInGraph(query, answer.json.errors ?? [])).toEqual([])
    return answer.json
  }

  async function person(handle = newName('user')): Promise<Person> {
    return open().db.withTx(async (tx) => {
      const user = await addUser(tx, noViewer, { handle })
      const session = await openSession({ auth: open().auth, tx, ctx: noViewer, user, ttlSeconds: 3600 })
      return { id: user.id, handle, token: session.token }
    })
  }

  /** Another sign-in of a person. */
  const signIn = ({ id }: Person) =>
    open().db.withTx((tx) => openSession({ auth: open().auth, tx, ctx: noViewer, user: { id }, ttlSeconds: 3600 }))

  async function org(members: readonly { user: string; role: 'owner' | 'member' }[], handle = newName('org')) {
    await open().db.withTx((tx) => addOrg(tx, noViewer, { handle, members }))
    return handle
  }

  /** A key's token; `createdBy` is null, as for the operator's command line. */
  async function key(owner: string | Person, change: Partial<NewApiKey> = {}): Promise<string> {
    return open().db.withTx(async (tx) => {
      const account = await findAccount(tx, typeof owner === 'string' ? owner : owner.handle)
      const made = await addApiKey({
        tx,
        ctx: noViewer,
        owner: account,
        createdBy: null,
        input: { name: 'a key', scope: 'write', ...change },
      })
      return made.token
    })
  }

  async function repo(who: Person, change: Record<string, unknown> = {}): Promise<string> {
    const made = await call(who, 'POST', '/v1/repos', { kind: 'dataset', slug: newName('repo'), ...change })
    expect(made.status).toBe(201)
    return made.json.full_name
  }

  const put = async (url: string, bytes: string | Uint8Array<ArrayBuffer>) => fetch(url, { method: 'PUT', body: bytes })

  /** Presigns and sends one file; what `complete` takes. */
  async function sendFile(
    who: Who,
    name: string,
    path: string,
    bytes: string | Buffer,
    change: Record<string, unknown> = {},
  ) {
    const file = { path, size: Buffer.byteLength(bytes), sha256: sha256Of(bytes), ...change }
    const presigned = await call(who, 'POST', `/v1/repos/${name}/files/presign-upload`, { files: [file] })
    expect([presigned.status, presigned.json.errors]).toEqual([200, undefined])
    const [target] = presigned.json.uploads
    const response = await put(target.parts[0].url, typeof bytes === 'string' ? bytes : new Uint8Array(bytes))
    return {
      path,
      upload_id: target.upload_id as string,
      parts: [{ part_number: 1, etag: response.headers.get('etag') }],
    }
  }

  const complete = (who: Who, name: string, uploads: readonly unknown[], headers: Record<string, string> = {}) =>
    call(who, 'POST', `/v1/repos/${name}/files/complete`, { uploads }, headers)

  async function upload(who: Who, name: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
    const uploads = await Promise.all(Object.entries(files).map(([path, bytes]) => sendFile(who, name, path, bytes)))
    const done = await complete(who, name, uploads)
    expect([done.status, done.json.errors]).toEqual([200, undefined])
  }

  const sql = <T>(text: string, values: unknown[] = []) => open().db.query<T>({ name: '', text }, values)

  /** Takes rights away by SQL. A stream shows what a read finds that began under them, so it waits until none is in progress. */
  async function revoke(text: string, values: unknown[]): Promise<void> {
    await sql(text, values)
    const underWay = `select pid from pg_stat_activity where datname = current_database()
      and backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid()`
    await expect.poll(() => sql(underWay), { timeout: 100_000, interval: 10 }).toEqual([])
  }

  return {
    send,
    call,
    graphql,
    person,
    signIn,
    org,
    key,
    repo,
    put,
    sendFile,
    complete,
    upload,
    sql,
    revoke,
    get running() {
      return open().hub
    },
  }
}

/** The names of input members that `/v1` spells in another way. */
const graphNames = (() => {
  const sdl = readFileSync(join(import.meta.dirname, '../../schema/schema.graphql'), 'utf8')
  const inputs = [...sdl.matchAll(/^input \w+ \{$.*?^\}$/gms)].map(([text]) => text)
  return new Set(inputs.flatMap((text) => [...text.matchAll(/^ {2}(\w*[A-Z]\w*):/gm)].map(([, name = '']) => name)))
})()

/** Words of the graph in the sentences of a Problem; what the client sent itself may be quoted. */
function graphWordsIn(problem: Json, sent: string): string[] {
  const sentences: string[] = [problem.detail, ...problem.errors.map((error: { detail: string }) => error.detail)]
  const words = sentences.flatMap((text) => text.match(/\binput\.[\w.]+|\b[a-z]+[A-Z]\w*/g) ?? [])
  return words.filter((word) => (word.startsWith('input.') || graphNames.has(word)) && !sent.includes(word))
}

const declarations = routes.map((route) => ({
  operation: route.operation,
  method: route.method,
  statuses: statusesOf(route),
  pattern: new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`),
}))

/** The operation of a request, and the statuses that it declares. */
function declaredOf(method: string, path: string) {
  const [name = ''] = path.split('?')
  return declarations.find((route) => route.method === method && route.pattern.test(name))
}

/** The types of a Problem's entries. */
export const types = (answer: Answer): string[] => answer.json.errors.map((error: { type: string }) => error.type)
/** Their places. */
export const places = (answer: Answer): Json[] => answer.json.errors.map((error: { loc: Json }) => error.loc)
