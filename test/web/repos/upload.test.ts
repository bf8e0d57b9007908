/** An upload from a page: what is sent, what is sent again, and what is saved. The hub and the store are doubles. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  type AskedBlob,
  CallFault,
  type Change,
  type HubCalls,
  type SentParts,
  type Target,
} from '../../../web/src/pages/repos/upload/hub-calls.ts'
import { PutFault } from '../../../web/src/pages/repos/upload/put-part.ts'
import type { Remembered } from '../../../web/src/pages/repos/upload/remembered.ts'
import { openUpload, type UploadParts } from '../../../web/src/pages/repos/upload/run-upload.ts'
import { mostTelling, percentOf, sumsOf } from '../../../web/src/pages/repos/upload/upload-state.ts'

const MIB = 1_048_576
const bytesOf = async (blob: Blob) => Buffer.from(await blob.arrayBuffer())
const file = (path: string, content: string | Uint8Array<ArrayBuffer>) => ({
  path,
  file: new File([content], path, { lastModified: 7 }),
})

/** A hub that keeps what it is sent; each of its answers can be replaced. */
function world(over: Partial<HubCalls> = {}, put?: UploadParts['put']) {
  const stored: string[] = []
  const puts: string[] = []
  const completed: SentParts[] = []
  const commits: Change[] = []
  const kept: Remembered[] = []
  const read: string[] = []
  const target = ({ sha256, size, partSize }: AskedBlob): Target => ({
    uploadId: `up-${sha256.slice(0, 4)}`,
    partSize: partSize ?? 100 * MIB,
    parts: Array.from({ length: Math.ceil(size / (partSize ?? 100 * MIB)) }, (_, at) => ({
      partNumber: at + 1,
      url: `${sha256.slice(0, 4)}/${at + 1}`,
    })),
    uploaded: [],
    uploadedEtags: [],
  })
  const hub: HubCalls = {
    async store(contents) {
      stored.push(...contents.map((one) => Buffer.from(one, 'base64').toString()))
    },
    presign: async (blobs) => blobs.map(target),
    async complete(uploads) {
      completed.push(...uploads)
    },
    async commit(change) {
      commits.push(change)
      return { commitId: 'c', seq: 1, added: change.add?.length ?? 0, changed: 0, removed: 0 }
    },
    ...over,
  }
  const ending = new AbortController()
  const parts: UploadParts = {
    hub,
    signal: ending.signal,
    async digest(blob, algorithm, told = () => undefined) {
      const bytes = await bytesOf(blob)
      if (algorithm === 'sha256') read.push(bytes.subarray(0, 8).toString())
      told(bytes.length)
      return createHash(algorithm).update(bytes).digest('hex')
    },
    put:
      put ??
      (async (url, body, sent) => {
        puts.push(url)
        sent(body.size)
        return `"${createHash('md5')
          .update(await bytesOf(body))
          .digest('hex')}"`
      }),
    async keep(what) {
      kept.push(what)
    },
  }
  return { hub, parts, stored, puts, completed, commits, kept, read, target, ending }
}

const job = (files: ReturnType<typeof file>[], known: Remembered | null = null) => ({ files, message: 'm', known })
const nothing = () => undefined

describe('an upload', () => {
  it('sends small files in requests and large ones in parts, and saves all as one version', async () => {
    const { parts, stored, puts, completed, commits } = world()
    const large = file('big.bin', new Uint8Array(20 * MIB))
    const upload = openUpload(parts, job([file('a.txt', 'a'), large]), nothing)
    expect(await upload.run()).toMatchObject({ added: 2 })
    expect([stored, puts.length, completed[0]?.parts.map(({ partNumber }) => partNumber)]).toEqual([
      ['a'],
      3,
      [1, 2, 3],
    ])
    expect(commits.map(({ add, message }) => [add?.map(({ path }) => path), message])).toEqual([
      [['a.txt', 'big.bin'], 'm'],
    ])
    expect(upload.state().phase).toBe('done')
  })

  it('sends the same bytes once, for each of their files', async () => {
    const { parts, stored, commits } = world()
    await openUpload(parts, job([file('a', 'same'), file('b', 'same')]), nothing).run()
    expect([stored, commits[0]?.add?.length]).toEqual([['same'], 2])
  })

  it('sends nothing that a commit can name as it is', async () => {
    const { parts, puts, completed, commits } = world({ presign: async (blobs) => blobs.map(() => null) })
    await openUpload(parts, job([file('big', new Uint8Array(MIB))]), nothing).run()
    expect([puts, completed, commits.length]).toEqual([[], [], 1])
  })

  it('reads no file again whose digest an interrupted one kept, if it is as it was', async () => {
    const first = world()
    await openUpload(first.parts, job([file('a', 'first'), file('b', 'other')]), nothing).run()
    const known = first.kept.at(-1) ?? null
    expect(known?.files.every(({ sha256 }) => sha256 !== null)).toBe(true)
    const second = world()
    await openUpload(second.parts, job([file('a', 'first'), file('b', 'longer now')], known), nothing).run()
    expect(second.read).toEqual(['longer n'])
  })

  it('sends no part again that the store has with these bytes, but one with others', async () => {
    const content = new Uint8Array(20 * MIB)
    const right = createHash('md5')
      .update(new Uint8Array(8 * MIB))
      .digest('hex')
    const made = world()
    const listed = (blobs: readonly AskedBlob[]) =>
      blobs.map((one) => ({ ...made.target(one), uploaded: [1, 2], uploadedEtags: [`"${right}"`, '"of other bytes"'] }))
    const { parts, puts, completed } = {
      ...made,
      parts: { ...made.parts, hub: { ...made.hub, presign: async (blobs: readonly AskedBlob[]) => listed(blobs) } },
    }
    const upload = openUpload(parts, job([file('big', content)]), nothing)
    await upload.run()
    expect(puts.map((url) => url.split('/')[1]).toSorted()).toEqual(['2', '3'])
    expect(completed[0]?.parts[0]).toEqual({ partNumber: 1, etag: `"${right}"` })
    expect(sumsOf(upload.state())).toMatchObject({ sent: 1, done: 20 * MIB })
  })

  it('asks for a new address of a part whose own has expired', async () => {
    const tried: string[] = []
    const made = world({}, async (url, _body, sent) => {
      tried.push(url)
      sent(5)
      if (tried.length === 1) throw new PutFault(403, 'expired')
      return '"e"'
    })
    await openUpload(made.parts, job([file('big', new Uint8Array(MIB))]), nothing).run()
    expect([tried.length, made.commits.length]).toEqual([2, 1])
  })

  it('saves nothing while a file fails, and then without it, if so asked', async () => {
    const made = world()
    const digest: UploadParts['digest'] = async (blob, algorithm, told) => {
      if (blob.size === 6) throw new Error('The browser cannot read this file.')
      return made.parts.digest(blob, algorithm, told)
    }
    const upload = openUpload({ ...made.parts, digest }, job([file('a', 'a'), file('bad', 'broken')]), nothing)
    expect(await upload.run()).toBeNull()
    expect([upload.state().phase, made.commits.length]).toEqual(['incomplete', 0])
    expect(mostTelling(upload.state().files, 1)).toEqual([
      { path: 'bad', size: 6, status: 'failed', done: 0, why: 'The browser cannot read this file.' },
    ])
    await upload.save()
    expect(made.commits[0]?.add?.map(({ path }) => path)).toEqual(['a'])
  })

  it('sends only what failed when it is tried again', async () => {
    let isBroken = true
    const made = world()
    const put: UploadParts['put'] = async (...told) => {
      if (isBroken) throw new PutFault(400, 'no')
      return made.parts.put(...told)
    }
    const upload = openUpload({ ...made.parts, put }, job([file('a', 'a'), file('big', new Uint8Array(MIB))]), nothing)
    await upload.run()
    isBroken = false
    expect(await upload.run()).toMatchObject({ added: 2 })
    expect([made.stored, made.read.length]).toEqual([['a'], 2])
  })

  it('names the files that the hub refuses, and fails no other', async () => {
    const refusal = new CallFault('Too large', 'quota.storage', [{ loc: ['blobs', 1], detail: 'is too large' }])
    const made = world()
    const presign: HubCalls['presign'] = async (blobs) => {
      if (blobs.length > 1) throw refusal
      return made.hub.presign(blobs)
    }
    const files = [file('a', new Uint8Array(MIB)), file('b', new Uint8Array(MIB + 1))]
    const upload = openUpload({ ...made.parts, hub: { ...made.hub, presign } }, job(files), nothing)
    await upload.run()
    expect(upload.state().files.map(({ status, why }) => [status, why])).toEqual([
      ['sent', null],
      ['failed', 'is too large'],
    ])
  })

  it('ends where it is stopped, and saves nothing', async () => {
    const made = world()
    const put: UploadParts['put'] = async () => {
      made.ending.abort(new Error('stopped'))
      throw made.ending.signal.reason
    }
    const upload = openUpload({ ...made.parts, put }, job([file('big', new Uint8Array(MIB))]), nothing)
    expect(await upload.run()).toBeNull()
    expect([upload.state().phase, made.commits.length]).toEqual(['stopped', 0])
  })
})

describe('how far an upload is', () => {
  it('is never 100 percent before all is there', () => {
    expect([percentOf(999, 1000), percentOf(1000, 1000), percentOf(0, 0)]).toEqual([99, 100, 100])
  })
})
