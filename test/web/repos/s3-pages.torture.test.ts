// @module-tag full
// @module-tag long
/** Pages whose files are on another site, an S3 store: what a browser may do there is the bucket's to say. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, DeleteBucketCommand, PutBucketCorsCommand } from '@aws-sdk/client-s3'
import type { Browser, BrowserContext } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pagesCheck } from '../../../src/operator/doctor-pages.ts'
import { openS3Store } from '../../../src/store/objects/s3.ts'
import { s3Client } from '../../../src/store/objects/s3-client.ts'
import { letPagesIn } from '../../../src/store/objects/s3-cors.ts'
import { hubOnCeph, startCeph } from '../../support/ceph.ts'
import { contractHub, type Person, sha256Of } from '../../support/hub.ts'
import { noBrowser, openBrowser, openPage, signedInto } from '../support/browser.ts'

const ceph = await startCeph()
const MIB = 1_048_576

if ('skipped' in ceph || noBrowser !== null) {
  describe('pages on an S3 store', needs('skipped' in ceph ? ceph.skipped : noBrowser), () => {
    it('send files and read files', () => undefined)
  })
} else {
  // Rules of the bucket that other tests use would be theirs too.
  const settings = { ...ceph.settings, bucket: `pages-${randomBytes(6).toString('hex')}` }
  const store = settings.endpoint ?? ''
  const client = s3Client(settings)
  const objects = openS3Store(settings)
  const hub = contractHub(hubOnCeph(settings))
  let ada: Person
  let browser: Browser
  let signedIn: BrowserContext
  let origin: string
  let folder: string

  beforeAll(async () => {
    await client.send(new CreateBucketCommand({ Bucket: settings.bucket }))
    await objects.put('probe', Buffer.from('probe'), { sizeBytes: 5 })
    ada = await hub.person()
    origin = new URL(hub.running.url).origin
    browser = await openBrowser()
    signedIn = await signedInto(origin, browser, ada.token)
    folder = await mkdtemp(join(tmpdir(), 'hub-s3-pages-'))
  })
  afterAll(async () => {
    await browser?.close()
    await rm(folder, { recursive: true, force: true })
    for await (const { key } of objects.list('')) await objects.delete([key])
    for await (const { key, uploadId } of objects.listUploads(new Date())) await objects.abortUpload(key, uploadId)
    await client.send(new DeleteBucketCommand({ Bucket: settings.bucket }))
    await objects.close()
    client.destroy()
  })

  const digests = async (repo: string): Promise<Record<string, string>> => {
    const { json } = await hub.call(ada, 'GET', `/v1/repos/${repo}/tree`)
    return Object.fromEntries(json.items.map(({ path, sha256 }: { path: string; sha256: string }) => [path, sha256]))
  }

  describe('pages on an S3 store', () => {
    it('are told by doctor what the bucket does not let them do, and the rule that is missing', async () => {
      const check = () => pagesCheck(settings, [origin, 'https://app.example.org'], 'probe')
      const shut = await check()
      expect(shut).toMatchObject({ name: 'bucket cors', status: 'warn' })
      expect(shut.detail).toContain(`pages of ${origin} cannot send parts of files (PUT), nor read files (GET)`)
      expect(shut.fix).toContain('store allow-pages')

      const own = { ID: 'ours', AllowedOrigins: ['https://app.example.org'], AllowedMethods: ['GET', 'PUT'] }
      await client.send(new PutBucketCorsCommand({ Bucket: settings.bucket, CORSConfiguration: { CORSRules: [own] } }))
      expect((await check()).detail).toContain(
        'pages of https://app.example.org cannot read the header ETag, nor read the header Content-Range',
      )
      // The rule of another stays; putting ours twice is putting it once.
      await letPagesIn(settings, [origin])
      await letPagesIn(settings, [origin])
      expect(await pagesCheck(settings, [origin], 'probe')).toMatchObject({ status: 'ok', fix: null })
      expect((await check()).status).toBe('warn')
    })

    it('send small and large files, go on after a reload, and read what they sent', async () => {
      await letPagesIn(settings, [origin])
      const repo = await hub.repo(ada, { kind: 'dataset' })
      const large = Buffer.alloc(25 * MIB, 'frames')
      const csv = 'joint,limit\nlift,1.5\n'
      await writeFile(join(folder, 'large.bin'), large)
      await writeFile(join(folder, 'small.csv'), csv)
      await writeFile(join(folder, 'middle.csv'), `a,b\n${'1,2\n'.repeat(50_000)}`)
      const { page, faults } = await openPage(signedIn, origin, store)
      const sent: string[] = []
      let isCut = true
      await page.route(`${store}/**`, async (route) => {
        if (route.request().method() !== 'PUT') return route.continue()
        if (isCut && sent.length > 0) return route.abort()
        sent.push(route.request().url())
        return route.continue()
      })
      await page.goto(`${origin}/${repo}/tree/`)
      await page.getByLabel('Upload files').setInputFiles(join(folder, 'large.bin'))
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      await expect.poll(() => sent.length).toBe(1)
      page.on('dialog', (dialog) => void dialog.accept())
      await page
        .getByText(/sending/i)
        .first()
        .waitFor()
      await page.reload()
      await page.getByText('An upload of 1 file').waitFor()
      isCut = false
      faults()
      await page
        .getByLabel('Upload files')
        .setInputFiles(['large.bin', 'small.csv', 'middle.csv'].map((name) => join(folder, name)))
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      await page.getByRole('heading', { name: 'Saved 3 files' }).waitFor()
      expect(await digests(repo)).toMatchObject({ 'large.bin': sha256Of(large), 'small.csv': sha256Of(csv) })
      // Four parts of the large file, each once, and the one of the middle.
      expect(sent.length).toBe(5)

      await page.goto(`${origin}/${repo}/tree/small.csv`)
      await page.getByRole('cell', { name: 'lift' }).waitFor()
      await page.goto(`${origin}/${repo}/tree/middle.csv`)
      await page.getByText('The first 200 rows.').waitFor()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download' }).click(),
      ])
      expect(download.suggestedFilename()).toBe('middle.csv')
      expect(faults()).toEqual([])

      // The same hub by a name that the bucket does not know.
      const other = origin.replace('127.0.0.1', 'localhost')
      await signedIn.addCookies([{ name: 'hub_session', value: ada.token, url: other }])
      await page.goto(`${other}/${repo}/tree/small.csv`)
      await page.getByText('the object store does not let pages read it').waitFor()
      await page.close()
    })
  })
}
