// @module-tag long
/** Files and folders that people send to a repo in Chromium. Pictures stay in `test-output/pages`. */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { describe, expect, it } from 'vitest'
import { fitsScreens, noBrowser } from '../support/browser.ts'
import { personInBrowser } from '../support/person-in-browser.ts'

/** A folder on the disk, as a person has one. */
async function folderOf(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const root = join(await mkdtemp(join(tmpdir(), 'hub-upload-')), 'arm')
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  return root
}

const digestOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

describe('files sent to a repo in Chromium', needs(noBrowser), () => {
  const work = personInBrowser()
  const { hub } = work

  it('sends a folder, without what its ignore file and the name of a key leave out, as one version', async () => {
    const repo = await hub.repo(work.ada, { kind: 'robot' })
    // 17 MiB: three parts.
    const mesh = Buffer.alloc(17 * 1_048_576, 'mesh')
    const files = { 'arm.xml': '<mujoco/>', 'meshes/base.stl': mesh, 'meshes/link.stl': Buffer.alloc(200_000, 1) }
    const folder = await folderOf({
      ...files,
      '.gitignore': 'build/\n',
      'build/log.txt': 'log',
      '.git/HEAD': 'ref',
      id_ed25519: 'key',
    })
    const { page, faults } = await work.openPage()
    await page.goto(`${work.origin}/${repo}`)
    await page.getByRole('heading', { name: 'This repo is empty' }).waitFor()
    await fitsScreens(page, 'empty-repo')
    await page.getByRole('link', { name: 'Upload files' }).click()
    await page.getByText('or drop files and folders').waitFor()
    await page.getByLabel('Upload a folder').setInputFiles(folder)
    await page.getByRole('heading', { name: /^Upload 4 files/ }).waitFor()
    await page.getByText('1 file left out: may hold a password or key').waitFor()
    await page.getByText('1 file left out: ignored').click()
    await page.getByText('build/log.txt').waitFor()
    await fitsScreens(page, 'upload-review')
    await page.getByLabel(/^Message/).fill('The arm as built')
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    await page.getByRole('heading', { name: 'Saved 4 files' }).waitFor()
    await page.getByRole('link', { name: 'arm.xml', exact: true }).waitFor()
    expect(await work.treeOf(repo)).toEqual({
      '.gitignore': digestOf('build/\n'),
      ...Object.fromEntries(Object.entries(files).map(([path, content]) => [path, digestOf(content)])),
    })
    const { json } = await hub.call(work.ada, 'GET', `/v1/repos/${repo}/commits`)
    expect(json.items.map(({ message }: { message: string }) => message)[0]).toBe('The arm as built')
    await page.getByRole('button', { name: 'Close' }).click()
    await fitsScreens(page, 'files-of-writer')
    expect(faults()).toEqual([])
    await page.close()
    await rm(dirname(folder), { recursive: true })
  })

  it('sends nothing of a file that holds a secret before the person says so', async () => {
    const repo = await hub.repo(work.ada, { kind: 'robot' })
    const token = await hub.key(work.ada)
    const folder = await folderOf({ 'notes.md': `# Notes\n\ntoken: ${token}\n`, 'arm.xml': '<mujoco/>' })
    const { page, faults } = await work.openPage()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.postData() ?? ''))
    const choose = async () => {
      await page.getByLabel('Upload a folder').setInputFiles(folder)
      await page.getByLabel('Keep them in the folder').uncheck()
      await page.getByLabel(/^Message/).fill('With notes')
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      await page.getByText('notes.md:3').waitFor()
    }
    await page.goto(`${work.origin}/${repo}/tree/`)
    await choose()
    await page.getByText('API key of a hub').waitFor()
    await fitsScreens(page, 'upload-secrets')
    expect(await page.locator('main').textContent()).not.toContain(token)
    expect(asked.filter((body) => /presignBlobs|storeBlobs|commitFiles/.test(body))).toEqual([])
    // Back to what was chosen, with its message.
    await page.getByRole('button', { name: 'Back' }).click()
    await expect.poll(() => page.getByLabel(/^Message/).inputValue()).toBe('With notes')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await choose()
    await page.getByRole('button', { name: 'Upload the 1 other file' }).click()
    await page.getByRole('heading', { name: 'Saved 1 file' }).waitFor()
    expect(Object.keys(await work.treeOf(repo))).toEqual(['arm.xml'])
    await page.getByRole('button', { name: 'Close' }).click()
    await choose()
    await page.getByRole('button', { name: 'Upload all 2 anyway' }).click()
    await page.getByRole('heading', { name: 'Saved 2 files' }).waitFor()
    expect(Object.keys(await work.treeOf(repo)).toSorted()).toEqual(['arm.xml', 'notes.md'])
    expect(faults()).toEqual([])
    await page.close()
    await rm(dirname(folder), { recursive: true })
  })

  it('takes files that are dropped on the page, and nothing of what is canceled', async () => {
    const repo = await hub.repo(work.ada, { kind: 'dataset' })
    await hub.upload(work.ada, repo, { 'meta/info.json': '{}' })
    const { page, faults } = await work.openPage()
    await page.goto(`${work.origin}/${repo}/tree/meta`)
    await page.getByLabel('Upload files').waitFor()
    const drop = () =>
      page.evaluate(() => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File(['{"task": 1}'], 'tasks.json'))
        for (const type of ['dragover', 'drop'])
          document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
      })
    await drop()
    await page.getByRole('heading', { name: /^Upload 1 file .* to meta$/ }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Upload files').waitFor()
    await drop()
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    await page.getByRole('heading', { name: 'Saved 1 file' }).waitFor()
    expect(Object.keys(await work.treeOf(repo)).toSorted()).toEqual(['meta/info.json', 'meta/tasks.json'])
    const { json } = await hub.call(work.ada, 'GET', `/v1/repos/${repo}/commits`)
    expect(json.items.length).toBe(3)

    // A store that never answers: the person ends it, and nothing is saved.
    await page.getByRole('button', { name: 'Close' }).click()
    await page.route('**/objects/**', (route) => (route.request().method() === 'PUT' ? undefined : route.continue()))
    const folder = await folderOf({ 'big.bin': Buffer.alloc(1_048_576) })
    await page.getByLabel('Upload files').setInputFiles(join(folder, 'big.bin'))
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    await page.getByRole('heading', { name: 'Sending 1 file' }).waitFor()
    await fitsScreens(page, 'upload-sending')
    await page.getByRole('button', { name: 'Cancel upload' }).click()
    await page.getByRole('heading', { name: 'Canceled: nothing is saved' }).waitFor()
    expect(Object.keys(await work.treeOf(repo)).toSorted()).toEqual(['meta/info.json', 'meta/tasks.json'])
    expect(faults()).toEqual([])
    await page.close()
    await rm(dirname(folder), { recursive: true })
  })

  it('goes on after a reload without sending again what the store has', async () => {
    const repo = await hub.repo(work.ada, { kind: 'dataset' })
    const content = Buffer.alloc(25 * 1_048_576, 'frames')
    const folder = await folderOf({ 'data.bin': content })
    const { page } = await work.openPage()
    const sent: string[] = []
    // The second part and those after it never arrive.
    let isCut = true
    await page.route('**/objects/**', async (route) => {
      if (route.request().method() !== 'PUT') return route.continue()
      if (isCut && sent.length > 0) return route.abort()
      sent.push(route.request().url())
      return route.continue()
    })
    await page.goto(`${work.origin}/${repo}/tree/`)
    await page.getByLabel('Upload files').setInputFiles(join(folder, 'data.bin'))
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    await expect.poll(() => sent.length).toBe(1)
    await page
      .getByText(/sending/i)
      .first()
      .waitFor()
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('An upload of 1 file').waitFor()
    await fitsScreens(page, 'upload-interrupted')
    isCut = false
    await page.getByLabel('Upload files').setInputFiles(join(folder, 'data.bin'))
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    await page.getByRole('heading', { name: 'Saved 1 file' }).waitFor()
    // Four parts, each sent once.
    expect(sent.length).toBe(4)
    expect(await work.treeOf(repo)).toEqual({ 'data.bin': digestOf(content) })
    await page.reload()
    await page.getByLabel('Upload files').waitFor()
    expect(await page.getByText('An upload of 1 file').count()).toBe(0)

    await page.close()
    await rm(dirname(folder), { recursive: true })
  })
})
