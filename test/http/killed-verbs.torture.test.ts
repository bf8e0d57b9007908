// @module-tag long
/**
 * A hub that dies, or one process of it, while it makes snapshots, restores states and hands out keys: each is whole or
 * not there, and a retry ends it once.
 */
import { createHash, randomInt, randomUUID } from 'node:crypto'
import { isFull } from '@hub/testing/torture'
import { expect, it, onTestFinished } from 'vitest'
import { deaths, die, untilAllServe } from '../support/hub-deaths.ts'
import { isThere, killableHub, stop } from '../support/killable-hub.ts'

const ROUNDS = isFull ? 5 : 2
const REPOS = 6
const LOGINS = 6

const { database, made, start, signIn } = killableHub()
const sql = <T>(text: string, values: unknown[] = []) => database.db.query<T>({ name: '', text }, values)

type Json = ReturnType<typeof JSON.parse>
interface Answer {
  readonly status: number
  readonly json: Json
}

async function call(method: string, path: string, body?: object, key?: string, token = made.token): Promise<Answer> {
  const response = await fetch(`${made.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(key && { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, json: await response.json() }
}

/**
 * Resolves `reached` at the answer of that number. The answer is null for a request whose process was killed before it
 * answered, of which `lost` counts, and for one that another process refused, as one may that is busy: neither is
 * acknowledged.
 */
function countedTo(number: number) {
  const reached = Promise.withResolvers<void>()
  const seen = { lost: 0, refused: [] as Answer[] }
  let left = number
  const orLost = (asked: Promise<Answer>): Promise<Answer | null> =>
    asked.then(
      (answer) => {
        left -= 1
        if (left === 0) reached.resolve()
        if (answer.status < 300) return answer
        seen.refused.push(answer)
        return null
      },
      () => {
        seen.lost += 1
        return null
      },
    )
  return { reached: reached.promise, seen, orLost }
}

async function write(repo: string, files: Readonly<Record<string, string>>): Promise<void> {
  const named = Object.entries(files).map(([path, text]) => ({
    path,
    size: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
  }))
  const { json } = await call('POST', `/v1/repos/${repo}/files/presign-upload`, { files: named })
  const uploads = await Promise.all(
    json.uploads.map(async ({ path, upload_id, parts }: Json) => {
      const sent = await fetch(parts[0].url, { method: 'PUT', body: files[path] as string })
      return { path, upload_id, parts: [{ part_number: 1, etag: sent.headers.get('etag') }] }
    }),
  )
  expect((await call('POST', `/v1/repos/${repo}/files/complete`, { uploads })).status).toBe(200)
}

const filesOf = async (repo: string): Promise<[path: string, sha256: string][]> => {
  const { json } = await call('GET', `/v1/repos/${repo}/tree?limit=100`)
  return json.items.map(({ path, sha256 }: Json) => [path, sha256])
}

/** A repo at change 2, which restoring change 1 takes back to other files. */
async function changedRepo(slug: string): Promise<{ repo: string; first: Json; second: Json }> {
  const repo = `ada/${slug}`
  expect((await call('POST', '/v1/repos', { kind: 'dataset', slug })).status).toBe(201)
  await write(repo, { 'a.txt': 'one', 'b.txt': 'one', 'gone.txt': 'one' })
  const first = await filesOf(repo)
  await write(repo, { 'a.txt': 'two', 'b.txt': 'two', 'new.txt': 'two' })
  return { repo, first, second: await filesOf(repo) }
}

/** A program's sign-in that a person has approved, so that the next poll hands out its key. */
async function approvedLogin(session: string): Promise<string> {
  const { json } = await call('POST', '/v1/auth/device', { name: 'a program' })
  const text = 'mutation ($input: ApproveDeviceLoginInput!) { approveDeviceLogin(input: $input) { login { state } } }'
  const variables = { input: { userCode: json.user_code } }
  const decided = await call('POST', '/graphql', { query: text, variables }, undefined, session)
  expect(decided.json.data.approveDeviceLogin.login.state).toBe('APPROVED')
  return json.device_code
}

/** Keys of sign-ins, of which each has one. */
async function handedOut(): Promise<number> {
  const [counted] = await sql<{ keys: number; logins: number }>(
    `select (select count(*)::int from api_keys where name = 'a program') as keys,
      (select count(*)::int from device_logins where state = 'consumed') as logins`,
  )
  expect(counted?.keys).toBe(counted?.logins)
  return counted?.keys ?? 0
}

const title = 'keeps each snapshot, restoration and key that was acknowledged, and ends the others on a retry: %s'

it.each(deaths.map((death) => [death.title, death] as const))(title, { timeout: 600_000 }, async (_, death) => {
  const { settings, part } = death
  const place = deaths.indexOf(death)
  const startAll = async () => {
    const started = await start(made.url, [], settings)
    await untilAllServe(made.url, settings)
    return started
  }
  let hub = await startAll()
  // The next one has its address.
  onTestFinished(() => stop(hub))
  const session = await signIn()
  const before = await handedOut()
  let lost = 0
  // A process of two may have had none of the requests.
  for (let round = 0; round < ROUNDS * part || lost === 0; round += 1) {
    const name = `r${place}-${round}`
    const repos = await Promise.all(Array.from({ length: REPOS }, (_, at) => changedRepo(`${name}-${at}`)))
    const codes = await Promise.all(Array.from({ length: LOGINS }, () => approvedLogin(session)))
    const verbs = repos.map(({ repo }, at) => ({
      repo,
      key: randomUUID(),
      isSnapshot: at % 2 === 0,
      run(key: string) {
        return this.isSnapshot
          ? call('POST', `/v1/repos/${repo}/snapshots`, { name: 'kept' }, key)
          : call('POST', `/v1/repos/${repo}/restore`, { at: '1' }, key)
      },
    }))
    const redeem = (code: string) => call('POST', '/v1/auth/device/token', { device_code: code })
    const { reached, seen, orLost } = countedTo(randomInt(1, REPOS + LOGINS))
    const asked = Promise.all([
      Promise.all(verbs.map((verb) => orLost(verb.run(verb.key)))),
      Promise.all(codes.map((code) => orLost(redeem(code)))),
    ])
    await reached
    await die(death, hub, database.db)
    const [answers, keys] = await asked
    lost += seen.lost
    expect(seen.refused.filter(({ status }) => ![409, 429, 503].includes(status))).toEqual([])
    if (isThere(hub)) await untilAllServe(made.url, settings)
    else hub = await startAll()

    for (const [at, { repo, key, isSnapshot, run }] of verbs.entries()) {
      const { first, second } = repos[at] as (typeof repos)[number]
      const found = await filesOf(repo)
      if (isSnapshot) expect(found).toEqual(second)
      else expect(found).toBeOneOf(answers[at] ? [first] : [first, second])
      const again = await run.call(verbs[at], key)
      expect([again.status, again.json]).toEqual([isSnapshot ? 201 : 200, answers[at]?.json ?? expect.anything()])
      expect(await filesOf(repo)).toEqual(isSnapshot ? second : first)
      const history = (await call('GET', `/v1/repos/${repo}/history?limit=10`)).json.items
      expect(history.map(({ seq, action, snapshots }: Json) => [seq, action, snapshots])).toEqual(
        isSnapshot
          ? [
              [2, 'complete', ['kept']],
              [1, 'complete', []],
            ]
          : [
              [3, 'restore', []],
              [2, 'complete', []],
              [1, 'complete', []],
            ],
      )
    }
    for (const [at, code] of codes.entries()) {
      const before = keys[at]
      const again = await redeem(code)
      // A key that was handed out is not handed out again, whether or not it arrived: the error names it, so that it can be revoked.
      const token = before?.json.token ?? again.json.token
      if (before) expect(again.status).toBe(400)
      if (token) expect((await call('GET', '/v1/me', undefined, undefined, token)).status).toBe(200)
      else expect(again.json.errors[0].detail).toMatch(/^The key key_\w{26} of this sign-in was handed out before/)
    }
    expect(await handedOut()).toBe(before + LOGINS * (round + 1))
  }
})
