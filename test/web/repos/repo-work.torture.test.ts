// @module-tag long
/** What people do with a repo in Chromium: make it, and fill it. Pictures stay in `test-output/pages`. */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Browser, BrowserContext, Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractHub, newName, type Person } from '../../support/hub.ts'
import {
  accessibilityFaults,
  desktop,
  noBrowser,
  openBrowser,
  openPage,
  output,
  phone,
  settled,
  widerBy,
} from '../support/browser.ts'

describe('work on a repo in Chromium', needs(noBrowser), () => {
  const hub = contractHub()
  let ada: Person
  let browser: Browser
  let signedIn: BrowserContext
  let origin: string
  beforeAll(async () => {
    ada = await hub.person()
    browser = await openBrowser()
    origin = new URL(hub.running.url).origin
    signedIn = await browser.newContext({ viewport: desktop })
    await signedIn.addCookies([{ name: 'hub_session', value: ada.token, url: origin }])
  })
  afterAll(() => browser?.close())

  /** On a narrow and dark screen nothing is cut off, and axe finds nothing. */
  async function fitsOnPhone(page: Page, picture: string): Promise<void> {
    await page.setViewportSize({ ...phone, width: 390 })
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
    await settled(page)
    await page.screenshot({ path: join(output, `${picture}-390.png`), fullPage: true })
    expect([picture, await accessibilityFaults(page), await widerBy(page)]).toEqual([picture, [], 0])
    await page.setViewportSize(desktop)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.screenshot({ path: join(output, `${picture}-1280.png`), fullPage: true })
    expect([picture, await accessibilityFaults(page)]).toEqual([picture, []])
  }

  it('makes a repo, also of an organization, and says what is wrong with a name that is taken', async () => {
    const org = await hub.org([{ user: ada.handle, role: 'member' }])
    const slug = newName('arm')
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}/`)
    await page.getByRole('link', { name: 'New repo' }).first().click()
    await page.getByLabel(/^Owner/).selectOption(org)
    await page.getByLabel(/^Name/).fill(slug.toUpperCase())
    await page.getByLabel(/^Kind/).selectOption('ROBOT')
    await page.getByLabel(/^Description/).fill('An arm of the bench')
    await page.getByLabel(/^Tags/).fill('so100, bench')
    await fitsOnPhone(page, 'new-repo')
    await page.getByRole('button', { name: 'Create repo' }).click()
    await page.waitForURL(`**/${org}/${slug}/tree/`)
    await page.getByRole('heading', { name: 'No files yet' }).waitFor()
    const { json } = await hub.call(ada, 'GET', `/v1/repos/${org}/${slug}`)
    expect([json.kind, json.visibility, json.description, json.tags.toSorted()]).toEqual([
      'robot',
      'private',
      'An arm of the bench',
      ['bench', 'so100'],
    ])

    await page.goto(`${origin}/new?owner=${org}`)
    await page.getByLabel(/^Name/).fill(slug)
    await page.getByRole('button', { name: 'Create repo' }).click()
    await page.getByRole('alert').first().waitFor()
    expect(await page.getByRole('alert').first().textContent()).toContain(slug)
    expect(faults()).toEqual([])
    await page.close()
  })

  /** A folder on the disk, as a person has one. */
  async function folderOf(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
    const root = join(await mkdtemp(join(tmpdir(), 'hub-upload-')), 'arm')
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), content)
    }
    return root
  }

  const treeOf = async (repo: string): Promise<Record<string, string>> => {
    const { json } = await hub.call(ada, 'GET', `/v1/repos/${repo}/tree`)
    return Object.fromEntries(json.items.map(({ path, sha256 }: { path: string; sha256: string }) => [path, sha256]))
  }
  const digestOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

  it('sends a folder, without what its ignore file and the name of a key leave out, as one version', async () => {
    const repo = await hub.repo(ada, { kind: 'robot' })
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
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}/${repo}`)
    await page.getByRole('heading', { name: 'This repo is empty' }).waitFor()
    await fitsOnPhone(page, 'empty-repo')
    await page.getByRole('link', { name: 'Upload files' }).click()
    await page.getByText('or drop files and folders').waitFor()
    await page.getByLabel('Upload a folder').setInputFiles(folder)
    await page.getByRole('heading', { name: /^Upload 4 files/ }).waitFor()
    await page.getByText('1 file left out: may hold a password or key').waitFor()
    await page.getByText('1 file left out: ignored').click()
    await page.getByText('build/log.txt').waitFor()
    await fitsOnPhone(page, 'upload-review')
    await page.getByLabel(/^Message/).fill('The arm as built')
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    await page.getByRole('heading', { name: 'Saved 4 files' }).waitFor()
    await page.getByRole('link', { name: 'arm.xml', exact: true }).waitFor()
    expect(await treeOf(repo)).toEqual({
      '.gitignore': digestOf('build/\n'),
      ...Object.fromEntries(Object.entries(files).map(([path, content]) => [path, digestOf(content)])),
    })
    const { json } = await hub.call(ada, 'GET', `/v1/repos/${repo}/commits`)
    expect(json.items.map(({ message }: { message: string }) => message)[0]).toBe('The arm as built')
    await page.getByRole('button', { name: 'Close' }).click()
    await fitsOnPhone(page, 'files-of-writer')
    expect(faults()).toEqual([])
    await page.close()
    await rm(dirname(folder), { recursive: true })
  })

  it('sends nothing of a file that holds a secret before the person says so', async () => {
    const repo = await hub.repo(ada, { kind: 'robot' })
    const token = await hub.key(ada)
    const folder = await folderOf({ 'notes.md': `# Notes\n\ntoken: ${token}\n`, 'arm.xml': '<mujoco/>' })
    const { page, faults } = await openPage(signedIn, origin)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.postData() ?? ''))
    const choose = async () => {
      await page.getByLabel('Upload a folder').setInputFiles(folder)
      await page.getByLabel('Keep them in the folder').uncheck()
      await page.getByLabel(/^Message/).fill('With notes')
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      await page.getByText('notes.md:3').waitFor()
    }
    await page.goto(`${origin}/${repo}/tree/`)
    await choose()
    await page.getByText('API key of a hub').waitFor()
    await fitsOnPhone(page, 'upload-secrets')
    expect(await page.locator('main').textContent()).not.toContain(token)
    expect(asked.filter((body) => /presignBlobs|storeBlobs|commitFiles/.test(body))).toEqual([])
    // Back to what was chosen, with its message.
    await page.getByRole('button', { name: 'Back' }).click()
    expect(await page.getByLabel(/^Message/).inputValue()).toBe('With notes')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await choose()
    await page.getByRole('button', { name: 'Upload the 1 other file' }).click()
    await page.getByRole('heading', { name: 'Saved 1 file' }).waitFor()
    expect(Object.keys(await treeOf(repo))).toEqual(['arm.xml'])
    await page.getByRole('button', { name: 'Close' }).click()
    await choose()
    await page.getByRole('button', { name: 'Upload all 2 anyway' }).click()
    await page.getByRole('heading', { name: 'Saved 2 files' }).waitFor()
    expect(Object.keys(await treeOf(repo)).toSorted()).toEqual(['arm.xml', 'notes.md'])
    expect(faults()).toEqual([])
    await page.close()
    await rm(dirname(folder), { recursive: true })
  })

  it('takes files that are dropped on the page, and nothing of what is canceled', async () => {
    const repo = await hub.repo(ada, { kind: 'dataset' })
    await hub.upload(ada, repo, { 'meta/info.json': '{}' })
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}/${repo}/tree/meta`)
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
    expect(Object.keys(await treeOf(repo)).toSorted()).toEqual(['meta/info.json', 'meta/tasks.json'])
    const { json } = await hub.call(ada, 'GET', `/v1/repos/${repo}/commits`)
    expect(json.items.length).toBe(3)

    // A store that never answers: the person ends it, and nothing is saved.
    await page.getByRole('button', { name: 'Close' }).click()
    await page.route('**/objects/**', (route) => (route.request().method() === 'PUT' ? undefined : route.continue()))
    const folder = await folderOf({ 'big.bin': Buffer.alloc(1_048_576) })
    await page.getByLabel('Upload files').setInputFiles(join(folder, 'big.bin'))
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    await page.getByRole('heading', { name: 'Sending 1 file' }).waitFor()
    await fitsOnPhone(page, 'upload-sending')
    await page.getByRole('button', { name: 'Cancel upload' }).click()
    await page.getByRole('heading', { name: 'Canceled: nothing is saved' }).waitFor()
    expect(Object.keys(await treeOf(repo)).toSorted()).toEqual(['meta/info.json', 'meta/tasks.json'])
    expect(faults()).toEqual([])
    await page.close()
    await rm(dirname(folder), { recursive: true })
  })

  it('goes on after a reload without sending again what the store has', async () => {
    const repo = await hub.repo(ada, { kind: 'dataset' })
    const content = Buffer.alloc(25 * 1_048_576, 'frames')
    const folder = await folderOf({ 'data.bin': content })
    const { page } = await openPage(signedIn, origin)
    const sent: string[] = []
    // The second part and those after it never arrive.
    let isCut = true
    await page.route('**/objects/**', async (route) => {
      if (route.request().method() !== 'PUT') return route.continue()
      if (isCut && sent.length > 0) return route.abort()
      sent.push(route.request().url())
      return route.continue()
    })
    await page.goto(`${origin}/${repo}/tree/`)
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
    await fitsOnPhone(page, 'upload-interrupted')
    isCut = false
    await page.getByLabel('Upload files').setInputFiles(join(folder, 'data.bin'))
    await page.getByRole('button', { name: 'Upload', exact: true }).click()
    await page.getByRole('heading', { name: 'Saved 1 file' }).waitFor()
    // Four parts, each sent once.
    expect(sent.length).toBe(4)
    expect(await treeOf(repo)).toEqual({ 'data.bin': digestOf(content) })
    await page.reload()
    await page.getByLabel('Upload files').waitFor()
    expect(await page.getByText('An upload of 1 file').count()).toBe(0)

    await page.close()
    await rm(dirname(folder), { recursive: true })
  })

  const textOf = async (repo: string, path: string): Promise<string> =>
    (
      await fetch(`${hub.running.url}/v1/repos/${repo}/resolve/${path}`, {
        headers: { authorization: `Bearer ${ada.token}` },
      })
    ).text()

  it('edits a README with its preview, and keeps what another person saved meanwhile', async () => {
    const repo = await hub.repo(ada, { kind: 'robot' })
    await hub.upload(ada, repo, { 'README.md': '# Arm\n', 'arm.xml': '<mujoco/>' })
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}/${repo}`)
    await page.getByRole('link', { name: 'Edit README' }).click()
    await page.getByLabel('Text of README.md').fill('# Arm\n\nIt lifts **2 kg**.\n')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('2 kg').waitFor()
    await fitsOnPhone(page, 'edit-preview')
    await page.getByLabel(/^Message/).fill('What it lifts')
    // Another file does not stand in the way.
    await hub.upload(ada, repo, { 'other.txt': 'other' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL('**/tree/README.md')
    expect(await textOf(repo, 'README.md')).toBe('# Arm\n\nIt lifts **2 kg**.\n')
    const { json } = await hub.call(ada, 'GET', `/v1/repos/${repo}/commits`)
    expect(json.items[0].message).toBe('What it lifts')

    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Text of README.md').fill('# Mine\n')
    await hub.upload(ada, repo, { 'README.md': '# Theirs\n' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('This file was changed while you edited it').waitFor()
    expect(await textOf(repo, 'README.md')).toBe('# Theirs\n')
    await page.getByText('The text that is saved now').click()
    await page.getByText('# Theirs').waitFor()
    await fitsOnPhone(page, 'edit-conflict')
    await page.getByRole('button', { name: 'Save mine over it' }).click()
    await page.waitForURL('**/tree/README.md')
    expect(await textOf(repo, 'README.md')).toBe('# Mine\n')

    const secret = `ghp_${'a1B2'.repeat(9)}`
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Text of README.md').fill(`# Mine\n\n${secret}\n`)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('README.md:3').waitFor()
    expect(await textOf(repo, 'README.md')).toBe('# Mine\n')
    await page.getByRole('button', { name: 'Save anyway' }).click()
    await page.waitForURL('**/tree/README.md')
    expect(await textOf(repo, 'README.md')).toContain(secret)
    expect(faults()).toEqual([])
    await page.close()
  })

  it('makes, renames and deletes files and folders, and refuses what would undo a change', async () => {
    const repo = await hub.repo(ada, { kind: 'dataset' })
    await hub.upload(ada, repo, { 'meta/a.json': '{}', 'meta/b.json': '{}', 'x.txt': 'x' })
    const { page, faults } = await openPage(signedIn, origin)
    const dialog = page.getByRole('dialog')
    await page.goto(`${origin}/${repo}/tree/`)
    await page.getByRole('link', { name: 'New file' }).click()
    await page.getByLabel(/^Name/).fill('notes/day.md')
    // More than a request holds: sent to the store first.
    await page.getByLabel('Text of notes/day.md').fill('day '.repeat(20_000))
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL('**/tree/notes/day.md')
    expect((await textOf(repo, 'notes/day.md')).length).toBe(80_000)

    await page.goto(`${origin}/${repo}/tree/x.txt`)
    await page.getByRole('button', { name: 'Rename' }).click()
    await dialog.getByLabel(/^New path/).fill('notes')
    await dialog.getByRole('button', { name: 'Rename file' }).click()
    await dialog.getByText('There is something at notes already').waitFor()
    await dialog.getByLabel(/^New path/).fill('texts/y.txt')
    await dialog.getByLabel(/^Message/).fill('Sorted')
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Rename file' }).click()
    await page.waitForURL('**/tree/texts/y.txt')

    await page.goto(`${origin}/${repo}/tree/meta`)
    await page.getByRole('button', { name: 'Rename' }).click()
    await dialog.getByLabel(/^New path/).fill('info')
    await dialog.getByRole('button', { name: 'Rename folder' }).click()
    await page.waitForURL('**/tree/info')
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('Older versions keep it').waitFor()
    await expect.poll(() => dialog.getByRole('button', { name: 'Delete folder' }).isEnabled()).toBe(true)
    await hub.upload(ada, repo, { 'info/c.json': '{}' })
    await dialog.getByRole('button', { name: 'Delete folder' }).click()
    await dialog.getByText('was changed since you opened this page').waitFor()
    expect(Object.keys(await treeOf(repo))).toContain('info/c.json')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete folder' }).click()
    await page.waitForURL(`**/${repo}/tree/`)
    expect(Object.keys(await treeOf(repo)).toSorted()).toEqual(['notes/day.md', 'texts/y.txt'])
    await page.goto(`${origin}/${repo}/tree/texts/y.txt`)
    await page.getByRole('button', { name: 'Delete' }).waitFor()
    await fitsOnPhone(page, 'file-of-writer')
    expect(faults()).toEqual([])
    await page.close()
  })

  it('edits the card, the facts of a model, the name and the owner of a repo', async () => {
    const org = await hub.org([{ user: ada.handle, role: 'member' }])
    const repo = await hub.repo(ada, { kind: 'model' })
    await hub.upload(ada, repo, {
      'README.md': '---\nlicense: mit # for now\n---\n# Policy\n',
      'keys/a.txt': 'a secret',
    })
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}/${repo}/settings`)
    await page.getByLabel(/^License/).fill('apache-2.0')
    await page.getByLabel(/^Title/).fill('Pick and place')
    await page.getByLabel(/^Tags of the card/).fill('robotics so100')
    await fitsOnPhone(page, 'repo-settings')
    await page.getByRole('button', { name: 'Save card' }).click()
    await page.getByText('The card is saved').waitFor()
    expect(await textOf(repo, 'README.md')).toBe(
      '---\nlicense: apache-2.0 # for now\npretty_name: Pick and place\ntags:\n  - robotics\n  - so100\n---\n# Policy\n',
    )
    await page.getByLabel(/^Policy/).fill('act')
    await page.getByLabel(/^Level/).selectOption('SKILL')
    await page.getByRole('button', { name: 'Save model facts' }).click()
    await page.getByText('Saved.').waitFor()
    const purge = page.getByRole('button', { name: 'Purge files' })
    await page.getByLabel(/^Paths/).fill('keys/a.txt\nkeys/b.txt')
    expect(await purge.isDisabled()).toBe(true)
    await page.getByLabel(`Type ${repo} to confirm the purge`).fill(repo)
    await purge.click()
    await page.getByText('In no version: keys/b.txt.').waitFor()
    expect(Object.keys(await treeOf(repo))).toEqual(['README.md'])
    const slug = newName('policy')
    await page.getByRole('button', { name: 'Rename or move…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Owner/).selectOption(org)
    await dialog.getByLabel(/^Name/).fill(slug)
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Rename or move' }).click()
    await page.waitForURL(`**/${org}/${slug}/settings`)
    await expect.poll(() => page.getByLabel(/^Policy/).inputValue()).toBe('act')
    const { json } = await hub.call(ada, 'GET', `/v1/repos/${org}/${slug}`)
    expect([json.license, json.model_meta?.policy_type, json.model_meta?.control_class]).toEqual([
      'apache-2.0',
      'act',
      'skill',
    ])
    expect(faults()).toEqual([])
    await page.close()
  })

  it('names an older version, and deletes the name', async () => {
    const repo = await hub.repo(ada, { kind: 'dataset' })
    await hub.upload(ada, repo, { 'a.txt': 'a' })
    await hub.upload(ada, repo, { 'b.txt': 'b' })
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}/${repo}/history`)
    await page.getByRole('button', { name: 'Name change 1' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Name/).fill('1 bad name')
    await dialog.getByRole('button', { name: 'Create snapshot' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel(/^Name/).fill('v1')
    await dialog.getByLabel(/^Note/).fill('First')
    await dialog.getByRole('button', { name: 'Create snapshot' }).click()
    await page.getByRole('link', { name: 'v1' }).waitFor()
    const { json } = await hub.call(ada, 'GET', `/v1/repos/${repo}/snapshots`)
    expect(json.items.map(({ name, seq }: { name: string; seq: number }) => [name, seq])).toEqual([['v1', 1]])
    await fitsOnPhone(page, 'history-named')
    await page.getByRole('button', { name: 'Delete v1' }).click()
    await dialog.getByRole('button', { name: 'Delete snapshot' }).click()
    await page.getByText('v1 is deleted.').waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })
})
