/** `/metrics` of a hub: what its instance counts, who can read it, and that no client can make it grow. */
import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { CachedReading } from '../../../src/http/metrics/cached-reading.ts'
import { openMetrics } from '../../../src/http/metrics/metrics.ts'
import { backgroundJob, leaseLost, storeCall } from '../../../src/platform/signals.ts'
import { runHub } from '../../support/command-line.ts'
import { contractHub, type Person } from '../../support/hub.ts'

const hub = contractHub({}, { alone: true })
let ada: Person
let runner: string

beforeAll(async () => {
  ada = await hub.person()
  runner = await hub.key(ada, { scope: 'train' })
})

async function scrape(): Promise<string> {
  const answer = await hub.send(null, 'GET', '/metrics')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/plain/)])
  return answer.text
}

/** The value of a series; 0 where there is none yet. */
async function value(series: string): Promise<number> {
  const line = (await scrape()).split('\n').find((text) => text.startsWith(`${series} `))
  return line === undefined ? 0 : Number(line.slice(series.length + 1))
}

async function rise(series: string, work: () => Promise<unknown>): Promise<number> {
  const before = await value(series)
  await work()
  return (await value(series)) - before
}

describe('an instance counts', () => {
  it('requests by the pattern of their route', async () => {
    const series = 'http_request_duration_seconds_count{method="GET",route="/v1/repos/:owner/:repo",status="404"}'
    expect(await rise(series, () => hub.call(ada, 'GET', '/v1/repos/very/private-name'))).toBe(1)
    expect(await scrape()).not.toContain('private-name')
  })

  it('jobs that ended, by kind and last status', async () => {
    const create = async () =>
      (await hub.call(runner, 'POST', '/v1/runs', { recipe: { template: 'act' } })).json.id as string
    const canceled = 'hub_jobs_ended_total{kind="run",status="canceled"}'
    expect(await rise(canceled, async () => hub.call(runner, 'POST', `/v1/runs/${await create()}/cancel`))).toBe(1)
    const failed = 'hub_jobs_ended_total{kind="run",status="failed"}'
    const fail = async () => {
      const id = await create()
      await hub.call(runner, 'POST', `/v1/runs/${id}/claim`, { worker: 'w' })
      const report = { status: 'failed', error: 'no data' }
      expect((await hub.call(runner, 'POST', `/v1/runs/${id}/report`, report)).status).toBe(200)
    }
    expect(await rise(failed, fail)).toBe(1)
  })

  it('itself, by its version: that of the server, the command line, and the clients for Node and Python', async () => {
    const file = (path: string) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8')
    const { version } = JSON.parse(file('package.json'))
    expect(await scrape()).toContain(`\nhub_build_info{version="${version}",node="${process.versions.node}"} 1\n`)
    expect((await hub.send(null, 'GET', '/healthz')).json).toEqual({ status: 'ok', version })
    expect((await runHub(['--version'], {})).out).toBe(`${version}\n`)
    expect(JSON.parse(file('packages/cli/package.json')).version).toBe(version)
    expect(/^version = "(.*)"$/m.exec(file('clients/python/pyproject.toml'))?.[1]).toBe(version)
    expect(/^__version__ = "(.*)"$/m.exec(file('clients/python/src/hub/__init__.py'))?.[1]).toBe(version)
    expect(/^## \[(.*?)\]/m.exec(file('CHANGELOG.md'))?.[1]).toBe(version)
  })

  it('lost leases, from 0 on', async () => {
    expect(await scrape()).toMatch(/^hub_leases_lost_total\{kind="run"\} \d+$/m)
    expect(await rise('hub_leases_lost_total{kind="run"}', async () => leaseLost.send({ kind: 'run' }))).toBe(1)
  })

  it('open event streams', async () => {
    const { status, text: token } = await hub.send(ada, 'PUT', '/graphql/stream')
    expect(status).toBe(201)
    const stop = new AbortController()
    const headers = {
      accept: 'text/event-stream',
      'x-graphql-event-stream-token': token,
      authorization: `Bearer ${ada.token}`,
    }
    const stream = await fetch(`${hub.running.url}/graphql/stream`, { headers, signal: stop.signal })
    expect(await value('hub_event_streams_open')).toBe(1)
    stop.abort()
    await stream.text().catch(() => undefined)
    await expect.poll(() => value('hub_event_streams_open')).toBe(0)
  })

  it('calls of the object store and background jobs, by name and outcome', async () => {
    const puts = 'hub_object_store_duration_seconds_count{operation="create_upload",outcome="ok"}'
    const name = await hub.repo(ada)
    expect(await rise(puts, () => hub.upload(ada, name, { 'a.txt': 'a' }))).toBeGreaterThanOrEqual(1)
    const failing = () =>
      storeCall.follow({ name: 'test' }, () => Promise.reject(new Error('x'))).catch(() => undefined)
    expect(await rise('hub_object_store_duration_seconds_count{operation="test",outcome="error"}', failing)).toBe(1)
    const work = () => backgroundJob.follow({ name: 'test' }, async () => undefined)
    expect(await rise('hub_background_job_duration_seconds_count{queue="test",outcome="ok"}', work)).toBe(1)
  })

  it('the pool, the event loop and the disk of the disk store', async () => {
    const text = await scrape()
    expect(text).toMatch(/^hub_database_pool_connections\{state="most"\} 10$/m)
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
    expect(Number(/^hub_disk_bytes\{state="free"\} (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(0)
  })
})

describe('docs/operations.md', () => {
  it('lists every metric of the hub with its labels, and no other', async () => {
    const text = await scrape()
    const own = [...text.matchAll(/^# TYPE ((?:hub|http)_\w+) /gm)].map(([, name = '']) => name)
    const chapter = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8').split(/^## /m)
    const rows = chapter.find((one) => one.startsWith('Metrics and alerts')) ?? ''
    const listed = [...rows.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)]
    expect(listed.map(([, name]) => name).sort()).toEqual(own.sort())
    for (const [, name = '', said = ''] of listed) {
      const labels = new Set(
        [...text.matchAll(new RegExp(`^${name}(?:_count)?\\{(.*)\\}`, 'gm'))].flatMap(([, inside = '']) =>
          [...inside.matchAll(/(\w+)="/g)].map(([, label]) => label),
        ),
      )
      expect([name, [...labels].sort()]).toEqual([
        name,
        [...said.matchAll(/`(\w+)`/g)].map(([, label]) => label).sort(),
      ])
    }
  })
})

describe('no client makes it grow', () => {
  it('whatever paths, methods, ids and names are sent', async () => {
    // Not those of background jobs and of collections of garbage, which begin with the first one of a kind.
    const isAsked = (line: string) => line !== '' && !/^#|^(hub_(background|object_store)|nodejs_gc)_/.test(line)
    const series = async () => (await scrape()).split('\n').filter(isAsked).length
    const ask = async (n: number) => {
      for (const path of [`/nothing-${n}`, `/v1/nothing/${n}`, `/v1/repos/o${n}/s${n}`, `/v1/runs/run_${n}`])
        await hub.send(null, 'GET', path)
      await hub.graphql(null, `query Name${n} { __typename }`)
      for (const method of ['PROPFIND', 'REPORT', 'PURGE'].slice(0, n)) await send(method, `/x${n}`)
    }
    await ask(1)
    const before = await series()
    for (const n of [2, 3, 4]) await ask(n)
    expect(await series()).toBe(before)
    expect(await scrape()).not.toMatch(/nothing|Name\d|run_2|\/x\d/)
  })

  const send = (method: string, path: string) =>
    new Promise<void>((resolve, reject) => {
      const request = httpRequest(new URL(path, hub.running.url), { method }, (response) => {
        response.resume().on('end', resolve)
      })
      request.on('error', reject).end()
    })
})

describe('scrapes', () => {
  it('that come together or soon after each other cost the database one reading', async () => {
    const query = vi.spyOn(hub.running.deps.db, 'query')
    try {
      // A registry of its own, that has read nothing yet.
      const app = { addHook: () => app } as never
      const metrics = openMetrics(app, hub.running.deps, { size: 0 } as never)
      await Promise.all([metrics.text(), metrics.text(), metrics.text()])
      await metrics.text()
      const names = query.mock.calls.map(([{ name }]) => name).filter((name) => name.startsWith('metrics-'))
      expect(names.sort()).toEqual(['metrics-live', 'metrics-sums'])
    } finally {
      query.mockRestore()
    }
  })

  it('of a hub whose database does not answer lack what it would say, and count that', async () => {
    const app = { addHook: () => app } as never
    const { deps } = hub.running
    const db = { ...deps.db, query: () => Promise.reject(new Error('down')) }
    const metrics = openMetrics(app, { ...deps, db } as never, { size: 0 } as never)
    const text = await metrics.text()
    expect(text).toMatch(/^hub_state_read_failures_total 2$/m)
    expect(text).not.toMatch(/^hub_jobs_queued/m)
    expect(text).not.toMatch(/^hub_spend_holds_pending /m)
    expect(text).toMatch(/^process_cpu_seconds_total /m)
  })

  it('give an old answer while a new one fails, but not for long', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      let fails = false
      const read = async () => (fails ? Promise.reject(new Error('down')) : 'read')
      const cached = new CachedReading({ freshMs: 1000, read, failed: () => undefined })
      expect(await cached.value()).toBe('read')
      fails = true
      vi.advanceTimersByTime(4_999)
      expect(await cached.value()).toBe('read')
      vi.advanceTimersByTime(1)
      expect(await cached.value()).toBeNull()
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('who can read /metrics', () => {
  const from = (headers: Record<string, string>, remoteAddress = '127.0.0.1') =>
    hub.running.app.inject({ url: '/metrics', headers, remoteAddress })

  it('without settings: a process of this machine that asks the hub itself', async () => {
    for (const address of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])
      expect((await from({}, address)).statusCode).toBe(200)
    for (const address of ['10.0.0.7', '::ffff:10.0.0.7', '2001:db8::1', '128.0.0.1']) {
      const refused = await from({}, address)
      expect([refused.statusCode, refused.json().detail]).toEqual([403, expect.stringContaining('METRICS_TOKEN')])
    }
    for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'x-forwarded-proto', 'x-forwarded-host'])
      expect((await from({ [header]: '127.0.0.1' })).statusCode).toBe(403)
  })

  it('under a name of the hub: a page of another name, whose owner lets it lead here, reads nothing', async () => {
    const statusOf = async (host: string) => (await from({ host })).statusCode
    const { port } = hub.running.deps.config
    for (const host of [`localhost:${port}`, 'LOCALHOST', 'localhost.', `127.0.0.1:${port}`, '[::1]:4000', hostname()])
      expect([host, await statusOf(host)]).toEqual([host, 200])
    const foreign = ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', 'localhost.evil.example']
    for (const host of [...foreign, 'localhost@evil.example', 'localhost/evil.example', 'evil', `${hostname()}.x`])
      expect([host, await statusOf(host)]).toEqual([host, 403])
    const refused = await from({ host: 'evil.example' })
    expect(refused.json().detail).toContain('"evil.example"')
    expect(refused.json().detail).toMatch(/METRICS_TOKEN/)
  })
})

describe('METRICS_TOKEN', () => {
  const token = 'a-token-for-scrapers'
  const guarded = contractHub({ METRICS_TOKEN: token })
  const ask = (authorization?: string, remoteAddress = '10.0.0.7') =>
    guarded.running.app.inject({ url: '/metrics', remoteAddress, headers: authorization ? { authorization } : {} })

  it('is asked of everyone, and of this machine too', async () => {
    expect((await ask(`Bearer ${token}`)).statusCode).toBe(200)
    expect((await ask(`bearer ${token}`)).statusCode).toBe(200)
    for (const address of ['10.0.0.7', '127.0.0.1']) {
      const missing = await ask(undefined, address)
      expect([missing.statusCode, missing.headers['www-authenticate'], missing.json().type]).toEqual([
        401,
        'Bearer',
        '/problems/auth.missing',
      ])
    }
    const named = { host: 'prometheus-target.example', authorization: `Bearer ${token}` }
    const asked = await guarded.running.app.inject({ url: '/metrics', remoteAddress: '10.0.0.7', headers: named })
    expect(asked.statusCode).toBe(200)
    for (const wrong of [`Bearer ${token}x`, `Bearer ${token.slice(1)}`, `Basic ${token}`, 'Bearer'])
      expect((await ask(wrong)).statusCode).toBe(401)
  })
})

describe('METRICS_PORT', () => {
  const apart = contractHub({ METRICS_PORT: '0' })

  it('serves /metrics and nothing else, which the hub itself then does not', async () => {
    const url = apart.running.metricsUrl ?? ''
    const scraped = await fetch(url)
    expect([scraped.status, await scraped.text()]).toEqual([200, expect.stringContaining('hub_jobs_queued{')])
    expect((await fetch(url, { headers: { 'x-forwarded-for': '10.0.0.7' } })).status).toBe(200)
    expect((await fetch(new URL('/v1/repos', url))).status).toBe(404)
    expect((await apart.send(null, 'GET', '/metrics')).status).toBe(404)
  })

  it('serves them under any address, and under names of the hub alone', async () => {
    for (const host of ['10.1.2.3:9464', '[2001:db8::1]:9464', 'localhost', hostname()])
      expect([host, await scrapeAs(host, apart.running.metricsUrl)]).toEqual([host, 200])
    for (const host of ['evil.example', 'evil.example:9464', '10.1.2.3.evil.example'])
      expect([host, await scrapeAs(host, apart.running.metricsUrl)]).toEqual([host, 403])
  })

  it('counts requests of the hub', async () => {
    await apart.send(null, 'GET', '/healthz')
    const text = await (await fetch(apart.running.metricsUrl ?? '')).text()
    expect(text).toContain('http_request_duration_seconds_count{method="GET",route="/healthz",status="200"}')
  })
})

describe('METRICS_PORT of a hub with names', () => {
  const settings = { METRICS_PORT: '0', METRICS_HOST: 'localhost', PUBLIC_URL: 'https://hub.example.org' }
  const named = contractHub(settings)

  it('serves /metrics under the name of PUBLIC_URL too, with any port', async () => {
    for (const host of ['hub.example.org:9464', 'HUB.example.org', 'hub.example.org.'])
      expect([host, await scrapeAs(host, named.running.metricsUrl)]).toEqual([host, 200])
    for (const host of ['example.org', 'hub.example.org.evil.example', 'xhub.example.org'])
      expect([host, await scrapeAs(host, named.running.metricsUrl)]).toEqual([host, 403])
  })
})

/** The status of a scrape with this `Host`, which fetch does not allow. */
const scrapeAs = (host: string, url: string | null) =>
  new Promise<number | undefined>((resolve, reject) => {
    const request = httpRequest(new URL(url ?? ''), { headers: { host } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    request.on('error', reject).end()
  })
