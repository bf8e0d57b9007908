/** What a commit of Hugging Face's clients survives, on one kind of store: all of it is there or nothing, and the counters are those of the rows. */
import type { ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { oneIn } from '@hub/testing/torture'
import { beforeEach, describe, expect, it } from 'vitest'
import { kill, killableHub } from '../../support/killable-hub.ts'

const QUOTA_BYTES = 60_000_000
const FILES = 300
const FILE_BYTES = 20_000

/** When a hub is killed, in parts of the time that a commit takes: three of them in a run, by turns. */
const moments = oneIn(2, [0.05, 0.3, 0.5, 0.7, 0.85, 0.95])

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const line = (key: string, value: object) => `${JSON.stringify({ key, value })}\n`
const header = (more: object = {}) => line('header', { summary: 'a commit', ...more })
const inline = (path: string, bytes: Buffer) =>
  line('file', { path, encoding: 'base64', content: bytes.toString('base64') })
const lfs = (path: string, oid: string, size: number) => line('lfsFile', { path, algo: 'sha256', oid, size })

/** Tests of a hub with these settings. */
export function commitsOn(store: string, settings: Readonly<Record<string, string>>): void {
  describe(`commits on ${store}`, () => {
    const { database, made, start } = killableHub({ STORAGE_QUOTA_BYTES: `${QUOTA_BYTES}`, ...settings })
    let hub: ChildProcess | undefined

    beforeEach(async () => {
      hub ??= await start()
    })

    async function ask(method: string, path: string, body?: string, type = 'application/json') {
      const init = { method, headers: { authorization: `Bearer ${made.token}`, 'content-type': type } }
      const answer = await fetch(new URL(path, made.url), body === undefined ? init : { ...init, body })
      const text = await answer.text()
      return {
        status: answer.status,
        code: answer.headers.get('x-error-code'),
        json: text === '' ? null : JSON.parse(text),
      }
    }
    const commit = (name: string, body: string) =>
      ask('POST', `/api/datasets/${name}/commit/main`, body, 'application/x-ndjson')
    const shaOf = async (name: string): Promise<string> =>
      (await ask('GET', `/api/datasets/${name}?expand=sha`)).json.sha
    const pathsOf = async (name: string): Promise<string[]> =>
      (await ask('GET', `/api/datasets/${name}`)).json.siblings.map((file: { rfilename: string }) => file.rfilename)

    async function dataset(): Promise<string> {
      const slug = `d-${randomBytes(4).toString('hex')}`
      expect((await ask('POST', '/api/repos/create', JSON.stringify({ name: slug, type: 'dataset' }))).status).toBe(200)
      return `ada/${slug}`
    }

    async function openUploadsOf(name: string): Promise<number> {
      const { rows } = await database.db.pool.query(
        `select count(*)::int as open from uploads u join repos r on r.id = u.repo_id
         where r.slug = $1 and u.state in ('pending', 'completing', 'assembled')`,
        [name.split('/')[1]],
      )
      return rows[0].open
    }

    /** Storage, reservations and pending uploads of ada are what her rows add up to. */
    async function assertExact(): Promise<void> {
      const { rows } = await database.db.pool.query(
        `select a.storage_bytes = (select coalesce(sum(r.total_bytes + r.snapshot_bytes), 0) from repos r where r.owner_id = a.id) as storage,
          a.reserved_bytes = (select coalesce(sum(u.size), 0) from uploads u where u.owner_id = a.id and u.state in ('pending', 'completing', 'assembled')) as reserved,
          a.pending_uploads = (select count(*) from uploads u where u.owner_id = a.id and u.state in ('pending', 'completing', 'assembled')) as uploads,
          not exists (select 1 from repos r, lateral (select count(*) as count, coalesce(sum(b.size), 0) as bytes from files f join blobs b on b.id = f.blob_id
            where f.repo_id = r.id and f.to_seq is null) made where r.owner_id = a.id and (r.file_count <> made.count or r.total_bytes <> made.bytes)) as files
         from accounts a where a.handle = 'ada'`,
      )
      expect(rows).toEqual([{ storage: true, reserved: true, uploads: true, files: true }])
    }

    const manyFiles = () =>
      header() + Array.from({ length: FILES }, (_, index) => inline(`many/${index}`, randomBytes(FILE_BYTES))).join('')

    it('of a hub that is killed are there as a whole or not at all, and are made when they are sent again', async () => {
      const first = await dataset()
      const startedMs = performance.now()
      expect((await commit(first, manyFiles())).status).toBe(200)
      const wholeMs = performance.now() - startedMs
      for (const moment of moments) {
        const name = await dataset()
        const [empty, body] = [await shaOf(name), manyFiles()]
        const sent = commit(name, body).catch(() => null)
        await pause(wholeMs * moment)
        if (hub) await kill(hub)
        const answered = await sent
        hub = await start()
        const [sha, paths] = [await shaOf(name), await pathsOf(name)]
        expect([moment, paths.length]).toEqual([moment, sha === empty ? 0 : FILES])
        if (answered?.status === 200) expect(paths).toHaveLength(FILES)
        await assertExact()
        // What the dead hub had claimed is free once the database knows that it is gone.
        await expect.poll(async () => (await commit(name, body)).status, { interval: 500 }).toBe(200)
        expect(await pathsOf(name)).toHaveLength(FILES)
        await assertExact()
      }
    })

    it('of a client that is killed leave nothing, and are made when they are sent again', async () => {
      const name = await dataset()
      const [empty, body] = [await shaOf(name), manyFiles()]
      await new Promise<void>((resolve) => {
        const headers = { authorization: `Bearer ${made.token}`, 'content-type': 'application/x-ndjson' }
        const sent = request(new URL(`/api/datasets/${name}/commit/main`, made.url), { method: 'POST', headers })
        sent.on('error', () => resolve())
        sent.on('close', () => resolve())
        sent.write(body.slice(0, body.length / 2), () => setTimeout(() => sent.destroy(), 200))
      })
      expect([await shaOf(name), await pathsOf(name)]).toEqual([empty, []])
      // What it had stored goes with it.
      await expect.poll(() => openUploadsOf(name)).toBe(0)
      expect((await commit(name, body)).status).toBe(200)
      expect(await pathsOf(name)).toHaveLength(FILES)
      await assertExact()
    })

    it('with one wrong digest, or one path that leaves the repo, change nothing', async () => {
      const name = await dataset()
      const before = await shaOf(name)
      const [told, sent] = [randomBytes(200_000), randomBytes(200_000)]
      const batch = { operation: 'upload', objects: [{ oid: sha256(told), size: told.length }] }
      const { json } = await ask('POST', `/datasets/${name}.git/info/lfs/objects/batch`, JSON.stringify(batch))
      const put = await fetch(json.objects[0].actions.upload.href, { method: 'PUT', body: new Uint8Array(sent) })
      expect(put.status).toBe(200)
      const good = inline('good', Buffer.from('good'))
      const wrong = await commit(name, header() + good + lfs('wrong', sha256(told), told.length))
      expect([wrong.status, wrong.code]).toEqual([400, 'UploadSha256Mismatch'])
      for (const path of ['../x', '/x', 'a/../../x', '.git/config', 'a\\b']) {
        const left = await commit(name, header() + good + inline(path, Buffer.from('x')))
        expect([path, left.status, left.code]).toEqual([path, 400, expect.stringContaining('Validation')])
      }
      expect(await shaOf(name)).toBe(before)
      await assertExact()
    })

    it('of two writers with the same parent are one', async () => {
      const name = await dataset()
      const parentCommit = await shaOf(name)
      const writers = ['a', 'b', 'c'].map((path) =>
        commit(name, header({ parentCommit }) + inline(path, randomBytes(1000))),
      )
      expect((await Promise.all(writers)).map(({ status }) => status).sort()).toEqual([200, 412, 412])
      expect(await pathsOf(name)).toHaveLength(1)
      await assertExact()
    })

    it('that pass the quota in their middle change nothing', async () => {
      const name = await dataset()
      const before = await shaOf(name)
      const many = Array.from({ length: 1000 }, (_, index) => inline(`${index}`, randomBytes(65_536)))
      const over = await commit(name, header() + many.join(''))
      expect([over.status, over.code]).toEqual([413, 'QuotaStorage'])
      expect([await shaOf(name), await pathsOf(name)]).toEqual([before, []])
      await assertExact()
    })
  })
}
