// @module-tag long
/** What people do with a repo in Chromium: make it, edit its files and its card, name its versions. Pictures stay in `test-output/pages`. */
import { needs } from '@hub/testing/needs'
import { describe, expect, it } from 'vitest'
import { newName } from '../../support/hub.ts'
import { accessibilityFaults, fitsScreens, noBrowser } from '../support/browser.ts'
import { personInBrowser } from '../support/person-in-browser.ts'

describe('work on a repo in Chromium', needs(noBrowser), () => {
  const work = personInBrowser()
  const { hub } = work

  it('makes a repo, also of an organization, and says what is wrong with a name that is taken', async () => {
    const org = await hub.org([{ user: work.ada.handle, role: 'member' }])
    const slug = newName('arm')
    const { page, faults } = await work.openPage()
    await page.goto(`${work.origin}/`)
    await page.getByRole('link', { name: 'New repo' }).first().click()
    await page.getByLabel(/^Owner/).selectOption(org)
    await page.getByLabel(/^Name/).fill(slug.toUpperCase())
    await page.getByLabel(/^Kind/).selectOption('ROBOT')
    await page.getByLabel(/^Description/).fill('An arm of the bench')
    await page.getByLabel(/^Tags/).fill('so100, bench')
    await fitsScreens(page, 'new-repo')
    await page.getByRole('button', { name: 'Create repo' }).click()
    await page.waitForURL(`**/${org}/${slug}/tree/`)
    await page.getByRole('heading', { name: 'No files yet' }).waitFor()
    const { json } = await hub.call(work.ada, 'GET', `/v1/repos/${org}/${slug}`)
    expect([json.kind, json.visibility, json.description, json.tags.toSorted()]).toEqual([
      'robot',
      'private',
      'An arm of the bench',
      ['bench', 'so100'],
    ])

    await page.goto(`${work.origin}/new?owner=${org}`)
    await page.getByLabel(/^Name/).fill(slug)
    await page.getByRole('button', { name: 'Create repo' }).click()
    await page.getByRole('alert').first().waitFor()
    await expect.poll(() => page.getByRole('alert').first().textContent()).toContain(slug)
    expect(faults()).toEqual([])
    await page.close()
  })

  it('edits a README with its preview, and keeps what another person saved meanwhile', async () => {
    const repo = await hub.repo(work.ada, { kind: 'robot' })
    await hub.upload(work.ada, repo, { 'README.md': '# Arm\n', 'arm.xml': '<mujoco/>' })
    const { page, faults } = await work.openPage()
    await page.goto(`${work.origin}/${repo}`)
    await page.getByRole('link', { name: 'Edit README' }).click()
    await page.getByLabel('Text of README.md').fill('# Arm\n\nIt lifts **2 kg**.\n')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('2 kg').waitFor()
    await fitsScreens(page, 'edit-preview')
    await page.getByLabel(/^Message/).fill('What it lifts')
    // Another file does not stand in the way.
    await hub.upload(work.ada, repo, { 'other.txt': 'other' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL('**/tree/README.md')
    expect(await work.textOf(repo, 'README.md')).toBe('# Arm\n\nIt lifts **2 kg**.\n')
    const { json } = await hub.call(work.ada, 'GET', `/v1/repos/${repo}/commits`)
    expect(json.items[0].message).toBe('What it lifts')

    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Text of README.md').fill('# Mine\n')
    await hub.upload(work.ada, repo, { 'README.md': '# Theirs\n' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('This file was changed while you edited it').waitFor()
    expect(await work.textOf(repo, 'README.md')).toBe('# Theirs\n')
    await page.getByText('The text that is saved now').click()
    await page.getByText('# Theirs').waitFor()
    await fitsScreens(page, 'edit-conflict')
    await page.getByRole('button', { name: 'Save mine over it' }).click()
    await page.waitForURL('**/tree/README.md')
    expect(await work.textOf(repo, 'README.md')).toBe('# Mine\n')

    const secret = `ghp_${'a1B2'.repeat(9)}`
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Text of README.md').fill(`# Mine\n\n${secret}\n`)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('README.md:3').waitFor()
    expect(await work.textOf(repo, 'README.md')).toBe('# Mine\n')
    await page.getByRole('button', { name: 'Save anyway' }).click()
    await page.waitForURL('**/tree/README.md')
    expect(await work.textOf(repo, 'README.md')).toContain(secret)
    expect(faults()).toEqual([])
    await page.close()
  })

  it('opens the addresses of files and folders that clients of Hugging Face print', async () => {
    const repo = await hub.repo(work.ada, { kind: 'model' })
    await hub.upload(work.ada, repo, { 'sub/a.txt': 'a', 'HEAD/b.txt': 'b' })
    const { page, faults } = await work.openPage()
    for (const [printed, shown, text] of [
      ['blob/main/sub/a.txt', 'tree/sub/a.txt', /^a\.txt/],
      ['tree/main/sub', 'tree/sub', /^a\.txt/],
      ['tree/main/', 'tree/', /^sub/],
      ['tree/HEAD/b.txt', 'tree/HEAD/b.txt', /^b\.txt/],
    ] as const) {
      await page.goto(`${work.origin}/${repo}/${printed}`)
      await page.waitForURL(`**/${repo}/${shown}`)
      await page.getByText(text).first().waitFor()
    }
    expect(faults()).toEqual([])
    await page.close()
  })

  it('makes, renames and deletes files and folders, and refuses what would undo a change', async () => {
    const repo = await hub.repo(work.ada, { kind: 'dataset' })
    await hub.upload(work.ada, repo, { 'meta/a.json': '{}', 'meta/b.json': '{}', 'x.txt': 'x' })
    const { page, faults } = await work.openPage()
    const dialog = page.getByRole('dialog')
    await page.goto(`${work.origin}/${repo}/tree/`)
    await page.getByRole('link', { name: 'New file' }).click()
    await page.getByLabel(/^Name/).fill('notes/day.md')
    // More than a request holds: sent to the store first.
    await page.getByLabel('Text of notes/day.md').fill('day '.repeat(20_000))
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL('**/tree/notes/day.md')
    expect((await work.textOf(repo, 'notes/day.md')).length).toBe(80_000)

    await page.goto(`${work.origin}/${repo}/tree/x.txt`)
    await page.getByRole('button', { name: 'Rename' }).click()
    await dialog.getByLabel(/^New path/).fill('notes')
    await dialog.getByRole('button', { name: 'Rename file' }).click()
    await dialog.getByText('There is something at notes already').waitFor()
    await dialog.getByLabel(/^New path/).fill('texts/y.txt')
    await dialog.getByLabel(/^Message/).fill('Sorted')
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Rename file' }).click()
    await page.waitForURL('**/tree/texts/y.txt')

    await page.goto(`${work.origin}/${repo}/tree/meta`)
    await page.getByRole('button', { name: 'Rename' }).click()
    await dialog.getByLabel(/^New path/).fill('info')
    await dialog.getByRole('button', { name: 'Rename folder' }).click()
    await page.waitForURL('**/tree/info')
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('Older versions keep it').waitFor()
    await expect.poll(() => dialog.getByRole('button', { name: 'Delete folder' }).isEnabled()).toBe(true)
    await hub.upload(work.ada, repo, { 'info/c.json': '{}' })
    await dialog.getByRole('button', { name: 'Delete folder' }).click()
    await dialog.getByText('was changed since you opened this page').waitFor()
    expect(Object.keys(await work.treeOf(repo))).toContain('info/c.json')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete folder' }).click()
    await page.waitForURL(`**/${repo}/tree/`)
    expect(Object.keys(await work.treeOf(repo)).toSorted()).toEqual(['notes/day.md', 'texts/y.txt'])
    await page.goto(`${work.origin}/${repo}/tree/texts/y.txt`)
    await page.getByRole('button', { name: 'Delete' }).waitFor()
    await fitsScreens(page, 'file-of-writer')
    expect(faults()).toEqual([])
    await page.close()
  })

  it('edits the card, the facts of a model, the name and the owner of a repo', async () => {
    const org = await hub.org([{ user: work.ada.handle, role: 'member' }])
    const repo = await hub.repo(work.ada, { kind: 'model' })
    await hub.upload(work.ada, repo, {
      'README.md': '---\nlicense: mit # for now\n---\n# Policy\n',
      'keys/a.txt': 'a secret',
    })
    const { page, faults } = await work.openPage()
    await page.goto(`${work.origin}/${repo}/settings`)
    await page.getByLabel(/^License/).fill('apache-2.0')
    await page.getByLabel(/^Title/).fill('Pick and place')
    await page.getByLabel(/^Tags of the card/).fill('robotics so100')
    await fitsScreens(page, 'repo-settings')
    await page.getByRole('button', { name: 'Save card' }).click()
    await page.getByText('The card is saved').waitFor()
    expect(await work.textOf(repo, 'README.md')).toBe(
      '---\nlicense: apache-2.0 # for now\npretty_name: Pick and place\ntags:\n  - robotics\n  - so100\n---\n# Policy\n',
    )
    await page.getByLabel(/^Policy/).fill('act')
    await page.getByLabel(/^Level/).selectOption('SKILL')
    await page.getByRole('button', { name: 'Save model facts' }).click()
    await page.getByText('Saved.').waitFor()
    const purge = page.getByRole('button', { name: 'Purge files' })
    await page.getByLabel(/^Paths/).fill('keys/a.txt\nkeys/b.txt')
    await expect.poll(() => purge.isDisabled()).toBe(true)
    await page.getByLabel(`Type ${repo} to confirm the purge`).fill(repo)
    await purge.click()
    await page.getByText('In no version: keys/b.txt.').waitFor()
    expect(Object.keys(await work.treeOf(repo))).toEqual(['README.md'])
    const slug = newName('policy')
    await page.getByRole('button', { name: 'Rename or move…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Owner/).selectOption(org)
    await dialog.getByLabel(/^Name/).fill(slug)
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Rename or move' }).click()
    await page.waitForURL(`**/${org}/${slug}/settings`)
    await expect.poll(() => page.getByLabel(/^Policy/).inputValue()).toBe('act')
    const { json } = await hub.call(work.ada, 'GET', `/v1/repos/${org}/${slug}`)
    expect([json.license, json.model_meta?.policy_type, json.model_meta?.control_class]).toEqual([
      'apache-2.0',
      'act',
      'skill',
    ])
    expect(faults()).toEqual([])
    await page.close()
  })

  it('names an older version, and deletes the name', async () => {
    const repo = await hub.repo(work.ada, { kind: 'dataset' })
    await hub.upload(work.ada, repo, { 'a.txt': 'a' })
    await hub.upload(work.ada, repo, { 'b.txt': 'b' })
    const { page, faults } = await work.openPage()
    await page.goto(`${work.origin}/${repo}/history`)
    await page.getByRole('button', { name: 'Name change 1' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Name/).fill('1 bad name')
    await dialog.getByRole('button', { name: 'Create snapshot' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel(/^Name/).fill('v1')
    await dialog.getByLabel(/^Note/).fill('First')
    await dialog.getByRole('button', { name: 'Create snapshot' }).click()
    await page.getByRole('link', { name: 'v1' }).waitFor()
    const { json } = await hub.call(work.ada, 'GET', `/v1/repos/${repo}/snapshots`)
    expect(json.items.map(({ name, seq }: { name: string; seq: number }) => [name, seq])).toEqual([['v1', 1]])
    await fitsScreens(page, 'history-named')
    await page.getByRole('button', { name: 'Delete v1' }).click()
    await dialog.getByRole('button', { name: 'Delete snapshot' }).click()
    await page.getByText('v1 is deleted.').waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })
})
