/** The files of a check go where the hub says, inside one folder, and are what the hub lists. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDouble } from '@hub/testing/double'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fetchSources } from '../src/serve/fetch-sources.ts'

const bytes = Buffer.from('<mujoco/>')
const sha256 = createHash('sha256').update(bytes).digest('hex')
let base: string
let server: Server
let url: string
let asked: string[]

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-sources-'))
  asked = []
  server = createDouble((request, response) => {
    asked.push(request.url ?? '')
    if (request.url === '/old') response.writeHead(403).end()
    else response.end(bytes)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await rm(base, { recursive: true, force: true })
})

const source = (path: string, place = '/new') => ({ path, sha256, size: bytes.length, url: `${url}${place}` })
const fetchAll = (sources: ReturnType<typeof source>[], isFresh = true) =>
  fetchSources({
    ...{ sources, isFresh, folder: join(base, 'work') },
    signAgain: async () => sources.map(({ path }) => source(path)),
    log: () => {},
    signal: new AbortController().signal,
  })

describe('the files of a check', () => {
  it.each(['../out.xml', '/etc/out.xml', 'a/../../out.xml', '.git/config', 'a\0b'])(
    'are refused as a whole if one would go to %j',
    async (path) => {
      await expect(fetchAll([source('arm.xml'), source(path)])).rejects.toThrow('nothing was written')
      expect([await readdir(base), asked]).toEqual([[], []])
    },
  )

  it('get fresh URLs where theirs have expired, with one request for all of them', async () => {
    await fetchAll([source('arm.xml', '/old'), source('meshes/a.xml', '/old')])
    expect(await readFile(join(base, 'work/meshes/a.xml'))).toEqual(bytes)
    expect(asked.filter((path) => path === '/new')).toHaveLength(2)
  })

  it('are fetched again only if they are missing or differ', async () => {
    await fetchAll([source('a.xml'), source('b.xml'), source('c.xml')])
    await rm(join(base, 'work/a.xml'))
    await writeFile(join(base, 'work/b.xml'), 'tampered!')
    asked = []
    await fetchAll([source('a.xml'), source('b.xml'), source('c.xml')], false)
    expect(asked).toHaveLength(2)
    expect(await readFile(join(base, 'work/b.xml'))).toEqual(bytes)
  })
})
