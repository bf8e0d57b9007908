/** A hub of two processes on one port: one is killed under load, limits and numbers are those of both, and it stops whole. */
import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { expect, it } from 'vitest'
import { killableHub } from '../support/killable-hub.ts'
import { seriesIn, untilServing, workersOf } from '../support/worker-processes.ts'

const LIMIT = 200

const { database, made, start, signIn } = killableHub({ WORKERS: '2', RATE_LIMIT_PER_MINUTE: String(LIMIT) })
/** For each request a connection of its own, so that both processes get some. */
const apart = new Agent({ keepAlive: false })

interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: IncomingHttpHeaders
}

/** Null for a request whose process was killed before it answered. */
function call(
  method: string,
  path: string,
  body?: object,
  token?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer | null> {
  return new Promise((resolve) => {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json', accept: 'application/json' }),
      ...more,
    }
    const sent = request(`${made.url}${path}`, { method, agent: apart, headers }, (response) => {
      let text = ''
      response.on('data', (piece) => {
        text += piece
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }))
      response.on('error', () => resolve(null))
    })
    sent.on('error', () => resolve(null))
    sent.end(body && JSON.stringify(body))
  })
}

async function scraped(): Promise<string> {
  return (await call('GET', '/metrics'))?.text ?? ''
}

const bothServe = () => untilServing(2, scraped)

/** The text of a stream so far, and its end. */
function read(token: string, session: string) {
  const seen = { text: '' }
  const headers = { authorization: `Bearer ${session}`, accept: 'text/event-stream', ...streamOf(token) }
  const sent = request(`${made.url}/graphql/stream`, { agent: apart, headers }, (response) =>
    response.on('data', (piece) => {
      seen.text += piece
    }),
  )
  sent.on('error', () => undefined)
  sent.end()
  return { seen, end: () => sent.destroy() }
}

const streamOf = (token: string) => ({ 'x-graphql-event-stream-token': token })

/**
 * Each request has a connection of its own, so that of a stream's reservation, reader, operations and their end each is
 * some time with the process that has the stream and some time with the other; and so is the change that it shows.
 */
async function streamsOfBoth(session: string): Promise<void> {
  const created = await call('POST', '/v1/repos', { slug: 'followed', kind: 'dataset' }, session)
  const { id, owner } = JSON.parse(created?.text ?? '{}')
  for (let round = 0; round < 6; round += 1) {
    // The next round begins with the other process.
    if (round % 2 === 1) await call('GET', '/healthz')
    const token = (await call('PUT', '/graphql/stream', undefined, session))?.text ?? ''
    const add = (operationId: string, query: string) =>
      call('POST', '/graphql/stream', { query, extensions: { operationId } }, session, streamOf(token))
    // Before its reader comes, which some time takes it to another process.
    if (round > 2) expect((await add('early', '{ __typename }'))?.status).toBe(202)
    const reader = read(token, session)
    await expect.poll(() => reader.seen.text).toContain(':')
    if (round > 2) await expect.poll(() => reader.seen.text).toContain('"id":"early"')
    const followed = await add('live', `subscription { repoUpdated(repoId: "${id}") { description } }`)
    expect([round, followed?.status]).toEqual([round, 202])
    const words = `round ${round}`
    await expect
      .poll(async () => {
        await call('PATCH', `/v1/repos/${owner.handle}/followed`, { description: `${words} ${Date.now()}` }, session)
        return reader.seen.text
      })
      .toContain(words)
    const ended = await call('DELETE', '/graphql/stream?operationId=live', undefined, session, streamOf(token))
    expect(ended?.status).toBe(200)
    const [stranger, second] = await Promise.all([
      call(
        'POST',
        '/graphql/stream',
        { query: '{ __typename }', extensions: { operationId: 'x' } },
        undefined,
        streamOf(token),
      ),
      call(
        'POST',
        '/graphql/stream',
        { query: '{ __typename }', extensions: { operationId: 'y' } },
        session,
        streamOf('none'),
      ),
    ])
    expect([stranger?.status, second?.status]).toEqual([404, 404])
    reader.end()
  }
}

const series = 'http_request_duration_seconds_count{method="GET",route="/healthz",status="200"}'

it('goes on when one is killed, counts as one, and stops whole', async () => {
  const hub = await start()
  await bothServe()
  const [background, other] = workersOf(hub.pid)
  for (let n = 0; n < 20; n += 1) expect((await call('GET', '/healthz'))?.status).toBe(200)
  await expect.poll(async () => seriesIn(await scraped(), series)).toBe(20)

  // Acknowledged before, while and after the process that does the background work dies.
  const writer = await signIn()
  const kept: string[] = []
  let n = 0
  const write = async (until: () => boolean) => {
    while (!until()) {
      const slug = `repo-${n++}`
      const answer = await call('POST', '/v1/repos', { slug, kind: 'dataset' }, writer)
      if (answer === null) continue
      expect([slug, answer.status]).toEqual([slug, 201])
      kept.push(slug)
    }
  }
  await write(() => kept.length >= 10)
  const load = Promise.all([1, 2, 3].map(() => write(() => kept.length >= 60)))
  process.kill(background ?? 0, 'SIGKILL')
  await load
  await bothServe()
  expect(workersOf(hub.pid)).toHaveLength(2)
  expect(workersOf(hub.pid)).toContain(other)
  expect(workersOf(hub.pid)).not.toContain(background)
  const rows = await database.db.query<{ slug: string }>({ name: '', text: 'select slug from repos' }, [])
  expect(rows.map((row) => row.slug)).toEqual(expect.arrayContaining(kept))

  // A job that is due is done by the replacement.
  await database.db.query({ name: '', text: `insert into pgboss.job (name, data) values ('files-collect', '{}')` }, [])
  const left = `select count(*)::int as jobs from pgboss.job where name = 'files-collect' and state < 'completed'`
  await expect
    .poll(async () => (await database.db.query<{ jobs: number }>({ name: '', text: left }, []))[0]?.jobs)
    .toBe(0)

  await streamsOfBoth(await signIn())

  // One window for both. A machine that needs a minute for it has begun another one.
  let served: number
  let beganMs: number
  do {
    const reader = await signIn()
    beganMs = performance.now()
    served = 0
    for (let asked = 0; asked < 2 * LIMIT; asked += 10) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => call('GET', '/v1/me', undefined, reader)))
      served += answers.filter((answer) => answer?.status === 200).length
    }
  } while (performance.now() - beganMs > 59_000)
  expect(served).toBeGreaterThanOrEqual(LIMIT - 10)
  // Each for itself would have served all of them.
  expect(served).toBeLessThan(1.75 * LIMIT)

  const ended = once(hub, 'exit')
  const [first] = workersOf(hub.pid)
  hub.kill('SIGTERM')
  expect((await ended)[0]).toBe(0)
  expect(() => process.kill(first ?? 0, 0)).toThrow()
})
