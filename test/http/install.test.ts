// @module-tag own-graph
/** `/install`: the hub's own clients, by one line each. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { pino } from 'pino'
import { list } from 'tar'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeWheel } from '../../scripts/install/wheel.ts'
import { installNames } from '../../src/http/install-names.ts'
import { hubVersion } from '../../src/platform/version.ts'
import { type Db, openDb } from '../../src/store/db.ts'
import { noPython, pythonClientDir, runPython } from '../support/python.ts'
import { testServer } from './support/test-server.ts'

let db: Db
let app: ReturnType<typeof testServer>['app']
let base: string
const server = (env: Record<string, string> = {}) => testServer({ db, env, log: pino({ level: 'silent' }) }).app
beforeAll(async () => {
  db = openDb({ url: 'postgres://nobody@127.0.0.1:9/none', poolMax: 1 })
  app = server()
  base = await mkdtemp(join(tmpdir(), 'hub-install-'))
})
afterAll(async () => {
  await app.close()
  await db.close()
  await rm(base, { recursive: true, force: true })
})

const files = Object.values(installNames).map((name) => `/install/${name}`)
const paths = ['/install', ...files]
const built = (name: string) => readFileSync(new URL(`../../generated/install/${name}`, import.meta.url))
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('/install', () => {
  it('has one line to copy for each client, at the address that was asked', async () => {
    const { statusCode, headers, body } = await app.inject({
      url: '/install',
      headers: { host: 'robots.example:8080' },
    })
    expect([statusCode, headers['content-type'], headers.vary]).toEqual([
      200,
      'text/plain; charset=utf-8',
      'Accept, Accept-Encoding',
    ])
    expect(body.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
      `pip install http://robots.example:8080/install/hub_client-${hubVersion}-py3-none-any.whl`,
      `npm install --global http://robots.example:8080/install/hub-${hubVersion}.tgz`,
      'hub login --url http://robots.example:8080',
    ])
    for (const name of Object.values(installNames)) expect(body).toContain(`# ${sha256(built(name))}  ${name}\n`)
  })

  it('is a page for a browser, and names PUBLIC_URL where it is set', async () => {
    const other = server({ PUBLIC_URL: 'https://hub.example.com' })
    const { headers, body } = await other.inject({ url: '/install', headers: { accept: 'text/html,*/*' } })
    await other.close()
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(body).toContain(`<code>pip install https://hub.example.com/install/${installNames.wheel}</code>`)
  })

  it.each(files)('serves what was built: %s', async (url) => {
    const bytes = built(url.slice('/install/'.length))
    const answer = await app.inject({ url })
    expect([answer.statusCode, answer.headers['content-length']]).toEqual([200, String(bytes.byteLength)])
    expect(answer.rawPayload.equals(bytes)).toBe(true)
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
  })

  it.each(paths)('answers HEAD, 304 for what is known, and 405 for what it does not do: %s', async (url) => {
    const whole = await app.inject({ url })
    const head = await app.inject({ method: 'HEAD', url })
    expect([head.statusCode, head.body, head.headers.etag]).toEqual([200, '', whole.headers.etag])
    const known = await app.inject({ url, headers: { 'if-none-match': String(whole.headers.etag) } })
    expect([known.statusCode, known.body]).toEqual([304, ''])
    const refused = await app.inject({ method: 'POST', url })
    expect([refused.statusCode, refused.headers.allow, refused.json().type]).toEqual([
      405,
      'GET, HEAD',
      '/problems/method.not_allowed',
    ])
  })

  it('has no file of another version', async () => {
    const answer = await app.inject({ url: '/install/hub-0.0.1.tgz' })
    expect([answer.statusCode, answer.json().type]).toEqual([404, '/problems/not_found'])
  })

  it('counts against the address', async () => {
    const other = server({ RATE_LIMIT_PER_MINUTE: '10' })
    const asked = ['/install', ...files].map(async (url) => (await other.inject({ url })).statusCode)
    expect((await Promise.all(asked)).sort()).toEqual([200, 200, 429])
    await other.close()
  })
})

describe('the command', () => {
  it('is one program and the sources of the Python client, without dependencies, below a megabyte', () => {
    const archive = built(installNames.command)
    expect(archive.byteLength).toBeLessThan(1024 * 1024)
    const listed: string[] = []
    const manifest: Buffer[] = []
    const read = list({
      sync: true,
      onReadEntry: (entry) => {
        listed.push(entry.path)
        if (entry.path === 'package/package.json') entry.on('data', (chunk) => manifest.push(Buffer.from(chunk)))
        else entry.resume()
      },
    })
    read.end(archive)
    // By their kind: those of the tree may be newer than what was built.
    const python = /^dist\/python\/hub\/(.*\/)?(\w+\.py|py\.typed|METADATA)$/
    const paths = listed.map((path) => path.replace(/^package\//, ''))
    const others = paths.filter((path) => !python.test(path)).sort()
    expect(others).toEqual(['README.md', 'dist/hub.mjs', 'package.json'])
    expect(paths).toEqual(expect.arrayContaining(['dist/python/hub/__init__.py', 'dist/python/hub/wandb/__init__.py']))
    expect(JSON.parse(Buffer.concat(manifest).toString())).not.toHaveProperty('dependencies')
  })
})

describe('the wheel', needs(noPython), () => {
  it('has the files that Python builds from the sources, and the version of the hub', async () => {
    await writeFile(
      join(base, 'compare.py'),
      `
import json, sys, zipfile
sys.path.insert(0, sys.argv[1])
import hub_wheel
def files(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}
name = hub_wheel.build_wheel(".")
ours, theirs = files(name), files(sys.argv[2])
print(json.dumps([name, sorted(n for n in {*ours, *theirs} if ours.get(n) != theirs.get(n)), len(ours) > 30]))
`,
    )
    const wheel = join(base, 'ours.whl')
    await writeWheel(wheel)
    const args = [join(base, 'compare.py'), join(pythonClientDir, 'packaging'), wheel]
    const { out, err } = await runPython(args, { cwd: base, env: {} })
    expect([err, JSON.parse(out || 'null')]).toEqual(['', [installNames.wheel, [], true]])
  })
})
