// @module-tag sampled
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describeOnce, inTorture, itOnce } from '@hub/testing/torture'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openDiskStore } from '../../../src/store/objects/disk.ts'
import { startObjectServer } from '../../support/object-server.ts'
import { objectStoreContract } from './contract.ts'
import { code, collect, partOf, putPart } from './opened-store.ts'

objectStoreContract('the disk store', async () => {
  const { store, close } = await startObjectServer()
  return { store, prefix: 'suite', close }
})

describe('the disk store on its own', () => {
  let dir: string
  const open = () => openDiskStore({ dir, signingKey: Buffer.alloc(32, 1), baseUrl: () => 'http://hub' })
  const grant = (key: string, uploadId: string, sizeBytes: number, partNumber = 1) =>
    ({ method: 'PUT', key, uploadId, partNumber, sizeBytes, expiresAtSeconds: 0 }) as const

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'hub-disk-'))
  })
  afterAll(async () => {
    await rm(dir, { recursive: true, force: true })
  })

  itOnce.each(['', '/a', 'a/', 'a//b', '..', 'a/../b', './a', 'a@', 'a~/b', 'ä', 'a\0', `${'a'.repeat(201)}`])(
    'has no key %j',
    async (key) => {
      const store = await open()
      await expect(store.head(key)).rejects.toSatisfy(code('no_such_object'))
      await expect(store.put(key, Buffer.from('x'), { sizeBytes: 1 })).rejects.toSatisfy(code('no_such_object'))
      await expect(store.createUpload(key, {})).rejects.toSatisfy(code('no_such_object'))
      await store.close()
    },
  )

  itOnce('has no upload whose id is a path', async () => {
    const store = await open()
    await expect(store.listParts('a', '../objects')).rejects.toSatisfy(code('no_such_upload'))
    await store.close()
  })

  itOnce('completes an upload once, and only with every stored part', async () => {
    const store = await open()
    const uploadId = await store.createUpload('once', {})
    const one = await store.writePart(grant('once', uploadId, 1, 1), Readable.from([Buffer.from('1')]))
    const two = await store.writePart(grant('once', uploadId, 1, 2), Readable.from([Buffer.from('2')]))
    await expect(store.completeUpload('once', uploadId, [two])).rejects.toSatisfy(code('invalid_part'))
    const attempts = await Promise.allSettled([1, 2, 3].map(() => store.completeUpload('once', uploadId, [two, one])))
    expect(attempts.map((attempt) => attempt.status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
    await expect(store.completeUpload('once', uploadId, [one, two])).rejects.toSatisfy(code('no_such_upload'))
    expect((await buffer((await store.get('once')).body)).toString()).toBe('12')
    await store.delete(['once'])
    await store.close()
  })

  itOnce('leaves no directory behind a deleted object', async () => {
    const store = await open()
    await store.put('deep/er/key', Buffer.from('x'), { sizeBytes: 1 })
    await store.delete(['deep/er/key'])
    expect(await readdir(join(dir, 'objects'))).toEqual([])
    await store.close()
  })

  itOnce('keeps two concurrent writes of a part apart, and the later one wins', async () => {
    const store = await open()
    const uploadId = await store.createUpload('race', {})
    const bodies = Array.from({ length: 20 }, (_, index) => Buffer.from(`body ${index}`))
    const stored = await Promise.all(
      bodies.map((body) => store.writePart(grant('race', uploadId, body.byteLength), Readable.from([body]))),
    )
    const [part, ...others] = await store.listParts('race', uploadId)
    expect(others).toEqual([])
    expect(stored).toContainEqual(part)
    await store.completeUpload('race', uploadId, part ? [part] : [])
    const text = (await buffer((await store.get('race')).body)).toString()
    expect(createHash('md5').update(text).digest('hex')).toBe(part?.etag)
    await store.close()
  })

  itOnce('never shows a replaced object as absent or mixed', async () => {
    const store = await open()
    const bodyOf = (n: number) => Buffer.alloc(3000, n)
    await store.put('swap', bodyOf(0), { sizeBytes: 3000 })
    let writing = true
    const writers = Promise.all(
      [1, 2, 3].map(async (lane) => {
        for (let round = 0; round < 20; round += 1)
          await store.put('swap', bodyOf(lane * 50 + round), { sizeBytes: 3000 })
      }),
    ).finally(() => {
      writing = false
    })
    let reads = 0
    while (writing) {
      expect(await store.head('swap')).not.toBeNull()
      reads += 1
    }
    await writers
    expect(reads).toBeGreaterThan(5)
    const bytes = await buffer((await store.get('swap')).body)
    expect(new Set(bytes).size).toBe(1)
    expect(await readdir(join(dir, 'objects'))).toContain('swap@')
    expect(await readdir(join(dir, 'objects'))).not.toContain('swap~')
    await store.delete(['swap'])
    await store.close()
  })

  itOnce(
    'has other bytes in the place of an object at once, whether either is one file or a folder of parts',
    async () => {
      const store = await open()
      const put = {
        file: (text: string) => store.put('turns', Buffer.from(text), { sizeBytes: text.length }),
        folder: (text: string) => store.put('turns', Readable.from([Buffer.from(text)]), { sizeBytes: text.length }),
      }
      const kinds = ['file', 'folder', 'folder', 'file', 'file'] as const
      for (const [at, kind] of kinds.entries()) {
        const before = at === 0 ? null : await store.get('turns')
        await put[kind](`bytes ${at}`)
        expect((await buffer((await store.get('turns')).body)).toString()).toBe(`bytes ${at}`)
        // Who had it open reads what it was.
        if (before) expect((await buffer(before.body)).toString()).toBe(`bytes ${at - 1}`)
      }
      expect((await readdir(join(dir, 'objects'))).filter((name) => name.startsWith('turns'))).toEqual(['turns@'])
      await store.delete(['turns'])
      expect(await store.head('turns')).toBeNull()
      await store.close()
    },
  )

  itOnce('reads and copies an object that is one file', async () => {
    const store = await open()
    const bytes = randomBytes(5000)
    // A media type too long for the header of a file.
    for (const contentType of ['text/plain', 'x'.repeat(5000)]) {
      const head = await store.put('whole', bytes, { sizeBytes: 5000, contentType })
      expect((await store.open('whole', () => 'nothing')).object.contentType).toBe(contentType)
      const { body } = await store.get('whole', { range: { start: 4, end: 4998 } })
      expect((await buffer(body)).equals(bytes.subarray(4, 4999))).toBe(true)
      await expect(store.get('whole', { range: { start: 5000 } })).rejects.toSatisfy(code('invalid_range'))
      expect([await store.copy('whole', 'second'), await store.copy('second', 'third')]).toEqual([head, head])
      await store.delete(['whole', 'second'])
      expect((await buffer((await store.get('third')).body)).equals(bytes)).toBe(true)
      expect(await collect(store.list('third'))).toEqual([{ key: 'third', sizeBytes: 5000 }])
      await store.delete(['third'])
    }
    await expect(store.put('whole', bytes, { sizeBytes: 4999 })).rejects.toSatisfy(code('too_large'))
    await expect(store.put('whole', bytes, { sizeBytes: 5001 })).rejects.toSatisfy(code('too_small'))
    expect(await store.head('whole')).toBeNull()
    await store.close()
  })

  itOnce(
    'removes the temporary files of a dead process, and reopens an upload whose completion was interrupted',
    async () => {
      const first = await open()
      const uploadId = await first.createUpload('cut', {})
      const part = await first.writePart(grant('cut', uploadId, 5), Readable.from([Buffer.from('whole')]))
      const dead = spawn(process.execPath, ['-e', ''])
      await once(dead, 'exit')
      const room = join(dir, 'tmp', `${dead.pid}-00`)
      await mkdir(join(room, 'half'), { recursive: true })
      await rename(join(dir, 'uploads', uploadId), join(room, `sealed-${uploadId}`))
      const second = await open()
      expect(await readdir(join(dir, 'tmp'))).toHaveLength(2)
      expect(await second.listParts('cut', uploadId)).toEqual([part])
      expect((await second.completeUpload('cut', uploadId, [part])).sizeBytes).toBe(5)
      await second.delete(['cut'])
      await Promise.all([first.close(), second.close()])
      expect(await readdir(join(dir, 'tmp'))).toEqual([])
    },
  )

  itOnce(
    'completes what a process that dies left in the middle of its completion, and waits for one that is there',
    async () => {
      const store = await open()
      const uploadId = await store.createUpload('left', {})
      const part = await store.writePart(grant('left', uploadId, 5), Readable.from([Buffer.from('whole')]))
      const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
      const room = join(dir, 'tmp', `${other.pid}-00`)
      await mkdir(room)
      await rename(join(dir, 'uploads', uploadId), join(room, `sealed-${uploadId}`))
      await expect(store.listParts('left', uploadId)).rejects.toMatchObject({ code: 'unavailable' })
      await expect(store.completeUpload('left', uploadId, [part])).rejects.toMatchObject({ code: 'unavailable' })
      other.kill('SIGKILL')
      await once(other, 'exit')
      expect(await store.listParts('left', uploadId)).toEqual([part])
      expect((await store.completeUpload('left', uploadId, [part])).sizeBytes).toBe(5)
      await store.delete(['left'])
      await store.close()
      await rm(room, { recursive: true })
    },
  )

  inTorture(() => {
    it('shows only complete objects after being killed at any moment', async () => {
      const home = await mkdtemp(join(tmpdir(), 'hub-crash-'))
      const script = fileURLToPath(new URL('crash-child.ts', import.meta.url))
      const acknowledged = new Set<string>()
      for (const wantedLines of [3, 8, 13, 21, 34]) {
        const child = spawn(process.execPath, [script, home], { stdio: ['ignore', 'pipe', 'inherit'] })
        const exited = once(child, 'exit')
        let lines = 0
        for await (const line of createInterface(child.stdout)) {
          acknowledged.add(line)
          lines += 1
          if (lines === wantedLines) child.kill('SIGKILL')
        }
        // Its output ends a moment before it does, and until then its room is a living one's.
        await exited
      }
      const store = await openDiskStore({ dir: home, signingKey: randomBytes(32), baseUrl: () => 'http://hub' })
      const listed = await collect(store.list(''))
      for (const { key, sizeBytes } of listed) {
        const bytes = await buffer((await store.get(key)).body)
        expect([key, bytes.byteLength]).toEqual([key, sizeBytes])
        // The child names an object after its bytes.
        expect(key).toBe(`crash/${createHash('sha256').update(bytes).digest('hex')}`)
      }
      const keys = new Set(listed.map((object) => object.key))
      expect([...acknowledged].filter((key) => !keys.has(key))).toEqual([])
      expect(acknowledged.size).toBeGreaterThan(70)
      expect(await readdir(join(home, 'tmp'))).toHaveLength(1)
      // An interrupted completion leaves an upload that can still be completed.
      for await (const { key, uploadId } of store.listUploads(new Date())) {
        const parts = await store.listParts(key, uploadId)
        if (parts.length > 0) await store.completeUpload(key, uploadId, parts)
      }
      await store.close()
      await rm(home, { recursive: true, force: true })
    })
  })
})

describeOnce('the signed URLs of the disk store', () => {
  it('stores nothing of a part over its limit, and reports it', async () => {
    const server = await startObjectServer()
    const uploadId = await server.store.createUpload('big', {})
    const url = await server.store.signPart('big', uploadId, partOf(1000), 60)
    expect(await putPart(url, Buffer.alloc(1001))).toBe(413)
    const chunked: RequestInit & { duplex: 'half' } = {
      method: 'PUT',
      body: Readable.toWeb(Readable.from([Buffer.alloc(900), Buffer.alloc(900)])) as ReadableStream,
      duplex: 'half',
    }
    const answer = await fetch(url, chunked)
    expect([answer.status, await answer.json()]).toEqual([
      413,
      expect.objectContaining({ type: '/problems/too_large' }),
    ])
    expect(await server.store.listParts('big', uploadId)).toEqual([])
    expect(await putPart(url, Buffer.alloc(1000))).toMatch(/^[0-9a-f]{32}$/)
    await server.close()
  })

  it('stores nothing of a PUT that the client aborted', async () => {
    const server = await startObjectServer()
    const uploadId = await server.store.createUpload('cut', {})
    const url = await server.store.signPart('cut', uploadId, partOf(4_000_000), 60)
    const stop = new AbortController()
    const body = async function* () {
      yield Buffer.alloc(2_000_000)
      await expect.poll(async () => (await tmpFiles(server.dir)).length).toBe(1)
      stop.abort()
      await new Promise(() => undefined)
    }
    const request: RequestInit & { duplex: 'half' } = {
      method: 'PUT',
      body: Readable.toWeb(Readable.from(body())) as ReadableStream,
      duplex: 'half',
      signal: stop.signal,
    }
    await expect(fetch(url, request)).rejects.toThrow()
    await expect.poll(() => tmpFiles(server.dir)).toEqual([])
    expect(await server.store.listParts('cut', uploadId)).toEqual([])
    await server.close()
  })

  it('supports HEAD, If-None-Match and If-Range, and lets any page read the ETag', async () => {
    const server = await startObjectServer()
    const { etag } = await server.store.put('a', Buffer.from('0123456789'), { sizeBytes: 10 })
    const url = await server.store.signGet('a', { ttlSeconds: 60 })
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), head.headers.get('etag')]).toEqual([
      200,
      '10',
      `"${etag}"`,
    ])
    expect(head.headers.get('access-control-allow-origin')).toBe('*')
    expect(head.headers.get('access-control-expose-headers')).toContain('ETag')
    expect(head.headers.get('content-type')).toBe('application/octet-stream')
    expect(head.headers.get('x-content-type-options')).toBe('nosniff')
    expect(head.headers.get('content-security-policy')).toContain('sandbox')
    expect((await fetch(url, { headers: { 'if-none-match': `"other", "${etag}"` } })).status).toBe(304)
    expect((await fetch(url, { headers: { range: 'bytes=1-2', 'if-range': `"${etag}"` } })).status).toBe(206)
    expect((await fetch(url, { headers: { range: 'bytes=1-2', 'if-range': '"other"' } })).status).toBe(200)
    const past = await fetch(url, { headers: { range: 'bytes=10-' } })
    expect([past.status, past.headers.get('content-range')]).toEqual([416, 'bytes */10'])
    const preflight = await fetch(url, { method: 'OPTIONS' })
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'PUT, GET, HEAD'])
    await server.close()
  })

  it('looks for an object once, whatever of it is asked for', async () => {
    const server = await startObjectServer()
    const { etag } = await server.store.put('a', Buffer.from('0123456789'), { sizeBytes: 10 })
    const url = await server.store.signGet('a', { ttlSeconds: 60 })
    const looks = (['open', 'get', 'head'] as const).map((name) => vi.spyOn(server.store, name))
    const answers: unknown[] = []
    for (const [method, headers] of [
      ['GET', {}],
      ['GET', { range: 'bytes=2-3' }],
      ['GET', { range: 'bytes=10-' }],
      ['GET', { 'if-none-match': `"${etag}"` }],
      ['HEAD', {}],
    ] as const) {
      const answer = await fetch(url, { method, headers })
      const text = answer.ok ? await answer.text() : ''
      answers.push([answer.status, text, looks.map(({ mock }) => mock.calls.length)])
      for (const look of looks) look.mockClear()
    }
    const once = [1, 0, 0]
    expect(answers).toEqual([
      [200, '0123456789', once],
      [206, '23', once],
      [416, '', once],
      [304, '', once],
      [200, '', once],
    ])
    await server.close()
  })

  it('distinguishes an expired URL from an altered one, as a Problem', async () => {
    const server = await startObjectServer()
    await server.store.put('a', Buffer.from('x'), { sizeBytes: 1 })
    const expired = await fetch(await server.store.signGet('a', { ttlSeconds: 0 }))
    expect([expired.status, await expired.json()]).toEqual([
      403,
      expect.objectContaining({ type: '/problems/forbidden.signature', detail: expect.stringContaining('expired') }),
    ])
    const url = await server.store.signGet('a', { ttlSeconds: 60, downloadName: 'x' })
    for (const altered of [
      `${url}&name=y`,
      url.replace('name=x', 'name=y'),
      `${url}&more=1`,
      url.replace('expires=', 'expires=9'),
    ]) {
      const answer = await fetch(altered)
      expect([answer.status, await answer.json()]).toEqual([
        403,
        expect.objectContaining({ detail: expect.stringContaining('was not signed by this hub') }),
      ])
    }
    await server.store.delete(['a'])
    expect((await fetch(url)).status).toBe(404)
    await server.close()
  })

  it('accepts a part of any content type, with and without a length', async () => {
    const server = await startObjectServer()
    const uploadId = await server.store.createUpload('typed', {})
    for (const type of ['application/json', 'multipart/form-data', 'text/plain', 'not a type']) {
      const url = await server.store.signPart('typed', uploadId, partOf(7), 60)
      const answer = await fetch(url, {
        method: 'PUT',
        body: Buffer.from('{broken'),
        headers: { 'content-type': type },
      })
      expect([type, answer.status]).toEqual([type, 200])
    }
    await server.close()
  })
})

/** Everything under the store's rooms for unfinished work, but the marks of their processes. */
async function tmpFiles(dir: string): Promise<string[]> {
  const rooms = await readdir(join(dir, 'tmp'))
  return (await Promise.all(rooms.map((room) => readdir(join(dir, 'tmp', room)))))
    .flat()
    .filter((name) => name !== 'mark')
}
