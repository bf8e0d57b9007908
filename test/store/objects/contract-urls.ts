/** What every object store must do with the URLs that it signs. */
import { describeOnce } from '@hub/testing/torture'
import { expect, it } from 'vitest'
import { md5, type OpenedStore, partOf, putPart } from './opened-store.ts'

export function urlsContract(at: OpenedStore): void {
  const { newKey, small, bytesAt } = at

  describeOnce('signed URLs', () => {
    it('serves an object in full and in ranges', async () => {
      const key = newKey()
      await at.store.put(key, Buffer.from('0123456789'), { sizeBytes: 10, contentType: 'text/plain' })
      const url = await at.store.signGet(key, { ttlSeconds: 60, contentType: 'application/x-mine' })
      const whole = await fetch(url)
      expect([whole.status, whole.headers.get('content-type'), await whole.text()]).toEqual([
        200,
        'application/x-mine',
        '0123456789',
      ])
      expect(whole.headers.get('etag')).toBe(`"${md5(Buffer.from('0123456789'))}"`)
      const cases: Array<[string, number, string | null]> = [
        ['bytes=2-4', 206, '234'],
        ['bytes=8-', 206, '89'],
        ['bytes=-3', 206, '789'],
        ['bytes=5-99', 206, '56789'],
        ['bytes=10-', 416, null],
      ]
      for (const [range, status, text] of cases) {
        const answer = await fetch(url, { headers: { range } })
        const body = await answer.text()
        expect([range, answer.status, text === null ? null : body]).toEqual([range, status, text])
      }
    })

    it('names a download, whatever its name', async () => {
      const key = newKey()
      await at.store.put(key, Buffer.from('x'), { sizeBytes: 1 })
      const url = await at.store.signGet(key, { ttlSeconds: 60, downloadName: 'Größe "1" – 机器人 (a\'b)*%.xml' })
      const answer = await fetch(url)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-disposition')).toBe(
        'attachment; filename="Gr__e _1_ _ ___ (a\'b)*_.xml"; ' +
          "filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22%20%E2%80%93%20%E6%9C%BA%E5%99%A8%E4%BA%BA%20%28a%27b%29%2A%25.xml",
      )
    })

    it('rejects an altered URL and one without a signature', async () => {
      const key = newKey()
      const other = newKey()
      await at.store.put(key, Buffer.from('x'), { sizeBytes: 1 })
      await at.store.put(other, Buffer.from('secret'), { sizeBytes: 6 })
      const { uploadId } = await small(newKey())
      const getUrl = await at.store.signGet(key, { ttlSeconds: 60 })
      const putUrl = await at.store.signPart(key, uploadId, partOf(5), 60)
      const altered = [getUrl.replace(`${key}?`, `${other}?`), `${getUrl}0`, getUrl.split('?')[0] as string]
      for (const url of altered) expect([url, (await fetch(url)).status]).toEqual([url, 403])
      expect(await putPart(getUrl, Buffer.from('x'))).toBe(403)
      expect(await putPart(putUrl.replace(/(part(?:Number)?)=1\b/, '$1=2'), Buffer.from('x'))).toBe(403)
      expect((await bytesAt(key)).toString()).toBe('x')
    })

    it('rejects an expired URL', async () => {
      const key = newKey()
      await at.store.put(key, Buffer.from('x'), { sizeBytes: 1 })
      const url = await at.store.signGet(key, { ttlSeconds: 1 })
      await expect.poll(async () => (await fetch(url)).status, { timeout: 100_000, interval: 200 }).toBe(403)
    })
  })
}
