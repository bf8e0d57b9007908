// @module-tag full
// @module-tag long
/** A gigabyte as one archive: the memory of the hub does not grow with it. And the same from S3. */
import { randomBytes } from 'node:crypto'
import { needs } from '@hub/testing/needs'
import { describe, expect, it } from 'vitest'
import { hubOnCeph, startCeph } from '../support/ceph.ts'
import { contractHub, type Person, sha256Of } from '../support/hub.ts'
import { noPython } from '../support/python.ts'
import { readZip } from './support/read-zip.ts'

const MIB = 1024 * 1024
const ceph = await startCeph()

describe('an archive of a gigabyte', () => {
  const hub = contractHub({ ARCHIVE_MAX_BYTES: String(1024 * MIB) })

  it('takes no memory of its size, read as fast as it comes', async () => {
    const ada = await hub.person()
    const repo = await hub.repo(ada)
    await hub.upload(ada, repo, { 'data/00': randomBytes(64 * MIB) })
    await hub.sql(
      `insert into files (repo_id, from_seq, path, blob_id) select f.repo_id, 1, 'data/' || lpad(n::text, 2, '0'), f.blob_id
        from files f join repos r on r.id = f.repo_id join accounts o on o.id = r.owner_id, generate_series(1, 15) n
        where o.handle || '/' || r.slug = $1 and f.path = 'data/00'`,
      [repo],
    )
    const answer = await fetch(`${hub.running.url}/v1/repos/${repo}/archive`, {
      headers: { authorization: `Bearer ${ada.token}` },
    })
    expect(answer.status).toBe(200)
    const before = process.memoryUsage.rss()
    let [bytes, most] = [0, 0]
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.byteLength
      most = Math.max(most, process.memoryUsage.rss() - before)
    }
    expect(bytes).toBe(Number(answer.headers.get('content-length')))
    expect(bytes).toBeGreaterThan(1024 * MIB)
    // The client is in this process too, and the collector lets chunks of about 100 MiB accumulate.
    expect(most).toBeLessThan(400 * MIB)
  })
})

if ('skipped' in ceph) {
  describe('an archive from S3', needs(ceph.skipped), () => {
    it('has the same bytes', () => undefined)
  })
} else {
  describe('an archive from S3', needs(noPython), () => {
    const hub = contractHub(hubOnCeph(ceph.settings))

    it('has the files, and breaks off where one is lost', async () => {
      const ada: Person = await hub.person()
      const repo = await hub.repo(ada)
      const large = randomBytes(9 * MIB)
      await hub.upload(ada, repo, { 'a/large': large, 'a/small': 'small', 'b/last': '' })
      const read = async () => {
        const headers = { authorization: `Bearer ${ada.token}` }
        const answer = await fetch(`${hub.running.url}/v1/repos/${repo}/archive`, { headers })
        expect(answer.status).toBe(200)
        return new Uint8Array(await answer.arrayBuffer())
      }
      const name = repo.split('/')[1]
      expect((await readZip(await read())).map((one) => [one.name, one.sha256])).toEqual([
        [`${name}/a/large`, sha256Of(large)],
        [`${name}/a/small`, sha256Of('small')],
        [`${name}/b/last`, sha256Of('')],
      ])
      const [row] = await hub.sql<{ key: string }>(
        `select b.storage_key as key from files f join blobs b on b.id = f.blob_id where f.path = 'a/small'`,
      )
      await hub.running.deps.objects?.delete([row?.key ?? ''])
      await expect(read()).rejects.toThrow()
    })
  })
}
