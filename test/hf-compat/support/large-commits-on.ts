/** 2 GB in one commit of an LFS client, on one kind of store: sent in parts, committed at once, and read back by digest. */
import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { contractHub } from '../../support/hub.ts'
import { hfClient } from './hf-client.ts'

const MIB = 1_048_576
/** One file of more than one part of 100 MiB, and eight of one. */
const sizes = [1220 * MIB, ...Array.from({ length: 8 }, () => 100 * MIB)]

/** Tests of a hub with these settings. */
export function largeCommitsOn(store: string, settings: Readonly<Record<string, string>>): void {
  describe(`2 GB on ${store}`, () => {
    const hub = contractHub({ ...settings, STORAGE_QUOTA_BYTES: `${8192 * MIB}` }, { alone: true })
    const hf = hfClient(hub)

    it('are there as one commit, and what is sent comes back', async () => {
      const person = await hub.person()
      const name = await hub.repo(person)
      const mebibyte = randomBytes(MIB)
      /** A piece of a file of its own: the number of file and piece are its beginning. */
      const pieceOf = (file: number, index: number) => {
        mebibyte.writeUInt32BE(file, 0)
        mebibyte.writeUInt32BE(index, 4)
        return mebibyte
      }
      const objects = sizes.map((size, file) => {
        const hash = createHash('sha256')
        for (let index = 0; index < size / MIB; index += 1) hash.update(pieceOf(file, index))
        return { oid: hash.digest('hex'), size }
      })
      const startedMs = performance.now()
      const batch = await hf.json(person, 'POST', `/datasets/${name}.git/info/lfs/objects/batch`, {
        operation: 'upload',
        transfers: ['multipart'],
        objects,
      })
      for (const [file, { actions, size }] of batch.json.objects.entries()) {
        const { chunk_size, ...parts } = actions.upload.header ?? {
          chunk_size: `${size}`,
          '00001': actions.upload.href,
        }
        const perPart = Number(chunk_size) / MIB
        for (const [number, url] of Object.entries(parts)) {
          const from = (Number(number) - 1) * perPart
          const pieces = Array.from({ length: Math.min(perPart, size / MIB - from) }, (_, at) =>
            Buffer.from(pieceOf(file, from + at)),
          )
          const body = new Uint8Array(Buffer.concat(pieces))
          expect((await fetch(`${url}`, { method: 'PUT', body })).status).toBe(200)
        }
      }
      const sentMs = performance.now()
      const lines = objects.map(({ oid, size }, file) =>
        JSON.stringify({ key: 'lfsFile', value: { path: `${file}.bin`, algo: 'sha256', oid, size } }),
      )
      const header = JSON.stringify({ key: 'header', value: { summary: '2 GB' } })
      const made = await hf.request(person, 'POST', `/api/datasets/${name}/commit/main`, {
        headers: { 'content-type': 'application/x-ndjson' },
        body: [header, ...lines].join('\n'),
      })
      expect([made.status, made.json]).toMatchObject([200, { success: true }])
      const committedMs = performance.now()
      const info = (await hf.get(person, `/api/datasets/${name}?blobs=true`)).json
      expect(info.usedStorage).toBe(sizes.reduce((sum, size) => sum + size, 0))
      for (const [file, { oid }] of objects.entries()) {
        const { headers } = await hf.get(person, `/datasets/${name}/resolve/main/${file}.bin`)
        const answer = await fetch(headers.get('location') ?? '')
        const hash = createHash('sha256')
        for await (const chunk of answer.body ?? []) hash.update(chunk)
        expect([file, hash.digest('hex')]).toEqual([file, oid])
      }
      const seconds = [sentMs - startedMs, committedMs - sentMs, performance.now() - committedMs]
      const [sent, committed, read] = seconds.map((ms) => (ms / 1000).toFixed(1))
      console.info(`2 GB on ${store}: sent in ${sent} s, committed in ${committed} s, read in ${read} s`)
    })
  })
}
