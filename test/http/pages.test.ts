/** How the hub serves its pages: the document, its policy, the files it loads, and what is not a page. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { newId } from '@hub/formats/ids'
import Fastify from 'fastify'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { registerPages } from '../../src/http/pages.ts'
import type { ObjectStore } from '../../src/store/objects/object-store.ts'
import { contractHub } from '../support/hub.ts'

const built = join(import.meta.dirname, '../../generated/web')
const hub = contractHub()
const open = (path: string, headers: Record<string, string> = {}) =>
  hub.send(null, 'GET', path, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', ...headers } })

describe('a page', () => {
  it.each([
    '/',
    '/repos',
    '/ada/arm',
    '/ada/arm/tree/meshes/a%20b.stl',
    `/runs/${newId('run')}`,
    '/@ada',
    '/settings/keys',
  ])('is the one document at %s', async (path) => {
    const { status, headers, text } = await open(path)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toBe(readFileSync(join(built, 'index.html'), 'utf8'))
  })

  it('runs no script and no style that is written in it, nothing of another site, and in no frame', async () => {
    const { headers, text } = await open('/')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    // Only what a page made itself stands in a frame of it: a PDF.
    expect(policy).toContain('frame-src blob:;')
    expect(policy).not.toContain('object-src')
    expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|https?:|\*/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    for (const [, address] of text.matchAll(/(?:src|href)="([^"]*)"/g)) expect(address).toMatch(/^\/[^/]/)
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=/)
  })

  it('is asked for again each time, and not sent again while it is the same', async () => {
    const { headers } = await open('/repos')
    expect(headers.get('cache-control')).toBe('no-cache')
    const again = await open('/repos', { 'if-none-match': headers.get('etag') ?? '' })
    expect([again.status, again.text]).toEqual([304, ''])
  })

  it.each(['/nothing', '/a/b/c', '/runs/x/y', '/%E0%A4%A'])(
    'that does not exist says so in a browser: %s',
    async (path) => {
      const { status, headers } = await open(path)
      expect([status, headers.get('content-type')]).toEqual(
        path.includes('%E0') ? [400, expect.any(String)] : [404, 'text/html; charset=utf-8'],
      )
    },
  )

  it.each([
    ['/ada/Act_X.v1', '/ada/act-x-v1'],
    ['/ada/Act.X?a=1', '/ada/act-x?a=1'],
    ['/ada/Act_X/tree/main', '/ada/act-x'],
    ['/ada/Act_X/tree/main/', '/ada/act-x'],
    ['/ada/Act_X/tree/main/a%20b/c', '/ada/act-x/tree/a%20b/c'],
    ['/ada/act/blob/main/a%20b/c%23.txt', '/ada/act/tree/a%20b/c%23.txt'],
    ['/ada/act/blob/HEAD/a', '/ada/act/tree/a'],
    ['/ada/act/blob/v1.0/a', '/ada/act'],
    ['/ada/act/commit/0123', '/ada/act/history'],
    ['/ada/act/commits/main', '/ada/act/history'],
  ])('has another address where a client of Hugging Face prints %s', async (path, page) => {
    const { status, headers } = await open(path)
    expect([status, headers.get('location')]).toEqual([302, page])
    const { status: atProgram } = await hub.send(null, 'GET', path, { headers: { accept: 'application/json' } })
    expect(atProgram).toBe(404)
  })

  it.each(['/ada/act/tree/main/a', '/ada/act/settings', '/ada/act'])('is where it is at %s', async (path) => {
    expect((await open(path)).status).toBe(200)
  })

  it.each(['/nothing', '/v2/repos', '/ada/arm'])('is no answer for a program that asks for %s', async (path) => {
    const { status, json } = await hub.send(null, 'GET', path, { headers: { accept: 'application/json' } })
    expect([status, json.type]).toEqual([404, '/problems/not_found'])
  })

  it.each([
    '/v1/nothing',
    '/graphql/nothing',
    '/objects/nothing',
    '/assets/nothing.js',
    '/auth/nothing',
    '/.inputs',
    '/assets/../.inputs',
  ])('is never at %s', async (path) => {
    const { status, text } = await hub.send(null, 'GET', path, { headers: { accept: '*/*' } })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(text).not.toContain('<div id="root">')
  })

  it('is read, never written to', async () => {
    expect((await hub.send(null, 'POST', '/repos')).status).toBe(404)
  })
})

describe('a page of a hub whose files are in S3', () => {
  const policyWith = async (objects: Partial<ObjectStore>, path = '/'): Promise<Record<string, string[]>> => {
    const app = Fastify()
    await registerPages(app, { objects: objects as ObjectStore, log: pino({ enabled: false }) })
    const { headers } = await app.inject({ url: path, headers: { accept: 'text/html' } })
    await app.close()
    return Object.fromEntries(
      String(headers['content-security-policy'])
        .split('; ')
        .map((directive) => [directive.split(' ', 1)[0] ?? '', directive.split(' ').slice(1)]),
    )
  }
  const signed = 'https://objects.lab.test:9000/bucket/key?X-Amz-Signature=secret'
  const s3: Partial<ObjectStore> = { kind: 's3', signGet: async () => signed }

  it('shows images and videos of presigned URLs and reads their bytes, of that origin and no other', async () => {
    const policy = await policyWith(s3)
    for (const directive of ['img-src', 'media-src', 'connect-src'])
      expect([directive, policy[directive]?.filter((source) => source.includes(':/'))]).toEqual([
        directive,
        ['https://objects.lab.test:9000'],
      ])
    for (const directive of ['script-src', 'style-src', 'worker-src', 'form-action'])
      expect([directive, JSON.stringify(policy[directive])]).toEqual([
        directive,
        expect.not.stringContaining('objects.lab.test'),
      ])
    expect(JSON.stringify(policy)).not.toContain('secret')
  })

  it('has a viewer whose worker fetches the files of robots there', async () => {
    const worker = readdirSync(join(built, 'assets')).find((name) => /^engine-worker-[\w-]+\.js$/.test(name))
    expect((await policyWith(s3, `/assets/${worker}`))['connect-src']).toEqual([
      "'self'",
      'https://objects.lab.test:9000',
    ])
  })

  it('asks the hub alone where files are on its disk', async () => {
    const policy = await policyWith({ kind: 'disk' })
    expect([policy['img-src'], policy['media-src'], policy['connect-src']]).toEqual([
      ["'self'", 'data:', 'blob:'],
      ["'self'", 'blob:'],
      ["'self'"],
    ])
  })
})

describe('the files of the pages', () => {
  const [entry = ''] = /\/assets\/index-[\w-]+\.js/.exec(readFileSync(join(built, 'index.html'), 'utf8')) ?? []

  it('have names by their content, are kept for a year, and come compressed', async () => {
    for (const encoding of ['br', 'gzip']) {
      const { status, headers } = await hub.send(null, 'GET', entry, { headers: { 'accept-encoding': encoding } })
      expect([status, headers.get('content-encoding'), headers.get('cache-control')]).toEqual([
        200,
        encoding,
        'public, max-age=31536000, immutable',
      ])
    }
    const plain = await hub.send(null, 'GET', entry, { headers: { 'accept-encoding': 'identity' } })
    expect([plain.headers.get('content-encoding'), plain.text]).toEqual([
      null,
      readFileSync(join(built, entry), 'utf8'),
    ])
  })

  it('begin with less than 200 KB of script', () => {
    const html = readFileSync(join(built, 'index.html'), 'utf8')
    const scripts = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path = '']) => path)
    expect(scripts).toContain(entry)
    const sent = scripts.reduce((sum, path) => sum + gzipSync(readFileSync(join(built, path))).byteLength, 0)
    expect(sent).toBeLessThan(200_000)
  })

  it('are the only ones that load the engine of the robot viewer and the charts', () => {
    const html = readFileSync(join(built, 'index.html'), 'utf8')
    const first = [...html.matchAll(/"(\/assets\/[^"]+\.js)"/g)].map(([, path = '']) =>
      readFileSync(join(built, path), 'utf8'),
    )
    for (const text of first) expect(text).not.toMatch(/WebGLRenderer|mj_forward|uPlot\.paths/)
    expect(readdirSync(join(built, 'assets')).length).toBeGreaterThan(5)
  })
})
