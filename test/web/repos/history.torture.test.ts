// @module-tag full
// @module-tag long
/** Versions of a repo in Chromium: what changed, any two compared, one file's history, and a folder as an archive. */
import { readFile } from 'node:fs/promises'
import type { Browser, BrowserContext } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person } from '../../support/hub.ts'
import { fitsScreens, noBrowser, openBrowser, openPage, signedInto } from '../support/browser.ts'

const arm = (mass: number) =>
  `<mujoco model="arm">\n${Array.from({ length: 30 }, (_, at) => `  <body name="link${at}"/>\n`).join('')}  <geom mass="${mass}"/>\n</mujoco>\n`

describe('versions in Chromium', needs(noBrowser), () => {
  const hub = contractHub()
  let ada: Person
  let repo: string
  let browser: Browser
  let signedIn: BrowserContext
  let origin: string
  const commit = async (message: string, files: Readonly<Record<string, string | Buffer>>) => {
    const add = Object.entries(files).map(([path, text]) => ({ path, content: Buffer.from(text).toString('base64') }))
    const made = await hub.call(ada, 'POST', `/v1/repos/${repo}/commits`, { message, add })
    expect(made.status).toBe(200)
    return made.json.commit_id as string
  }
  let first: string
  let second: string
  beforeAll(async () => {
    ada = await hub.person()
    repo = await hub.repo(ada, { kind: 'robot' })
    first = await commit('the first arm', {
      'robot/arm.xml': arm(1),
      'robot/part.bin': Buffer.from([0, 1, 255]),
      'README.md': '# Arm\n',
    })
    second = await commit('a heavier arm', { 'robot/arm.xml': arm(2), 'robot/part.bin': Buffer.from([0, 2, 255]) })
    browser = await openBrowser()
    origin = new URL(hub.running.url).origin
    signedIn = await signedInto(origin, browser, ada.token, { acceptDownloads: true })
  })
  afterAll(() => browser?.close())

  it('opens what a version changed, side by side, and compares any two', async () => {
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}/${repo}/history`)
    await page.getByText('a heavier arm').waitFor()
    await fitsScreens(page, 'history')
    await page.getByRole('link', { name: 'Changes', exact: true }).first().click()
    await page.waitForURL(`**/${repo}/compare?from=${first}&to=${second}`)
    const lines = page.getByRole('region', { name: 'Changed lines of robot/arm.xml' })
    await lines.waitFor()
    await expect.poll(() => lines.locator('del').allTextContents()).toEqual(['1'])
    await expect.poll(() => lines.locator('ins').allTextContents()).toEqual(['2'])
    expect(await lines.locator('tbody tr').count()).toBe(6)
    expect(await page.getByText('Before', { exact: true }).count()).toBe(1)
    await fitsScreens(page, 'compare')
    await page.getByRole('button', { name: 'One column' }).press('Enter')
    expect((await lines.locator('tbody tr').allTextContents()).filter((text) => /[-+] +</.test(text))).toHaveLength(2)
    await page.getByRole('button', { name: 'Swap' }).press('Enter')
    await page.waitForURL(`**/${repo}/compare?from=${second}&to=${first}`)
    await expect.poll(() => lines.locator('del').allTextContents()).toEqual(['2'])
    await page.getByLabel('From').selectOption(first)
    await page.getByText('Nothing differs.').waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('has the history of a file, the file as it was, and gives it back without undoing what was not seen', async () => {
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}/${repo}/tree/robot/arm.xml`)
    await page.getByRole('link', { name: 'History' }).last().click()
    await page.waitForURL(`**/${repo}/history/robot/arm.xml`)
    const versions = page.getByRole('article')
    await versions.first().waitFor()
    expect(await versions.count()).toBe(2)
    await versions.first().getByRole('button', { name: 'Changes' }).click()
    await page.getByRole('region', { name: 'Changed lines of robot/arm.xml' }).waitFor()
    await fitsScreens(page, 'file-history')
    await versions.nth(1).getByRole('link', { name: 'View' }).click()
    await page.getByRole('region', { name: 'The file as it was' }).getByText('mass').first().waitFor()

    await versions
      .nth(1)
      .getByRole('button', { name: /^Restore/ })
      .click()
    const submit = page.getByRole('button', { name: 'Restore file' })
    await expect.poll(() => submit.isEnabled()).toBe(true)
    await commit('another person', { 'robot/arm.xml': arm(3) })
    await submit.click()
    await page.getByRole('alert').getByText('was changed since').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await versions
      .nth(1)
      .getByRole('button', { name: /^Restore/ })
      .click()
    await expect.poll(() => submit.isEnabled()).toBe(true)
    await submit.click()
    await page.getByText(`robot/arm.xml is as it was in ${first.slice(0, 7)}.`).waitFor()
    const { json } = await hub.call(ada, 'GET', `/v1/repos/${repo}/file-history?path=robot/arm.xml`)
    expect(json.items.map(({ message }: Json) => message)).toEqual([
      `Restore robot/arm.xml of ${first.slice(0, 7)}`,
      'another person',
      'a heavier arm',
      'the first arm',
    ])
    expect(json.items[0].after).toEqual(json.items[3].after)
    expect(faults()).toEqual([])
    await page.close()
  })

  it('downloads a folder as one archive, and says first what is in it', async () => {
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}/${repo}/tree/robot`)
    await page.getByRole('button', { name: 'Download folder' }).click()
    await page.getByText(/^2 files, .*, as one ZIP of version/).waitFor()
    const coming = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download', exact: true }).last().click()
    const download = await coming
    expect(download.suggestedFilename()).toBe('robot.zip')
    const bytes = await readFile(await download.path())
    expect(bytes.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004')
    expect(bytes.includes('robot/part.bin')).toBe(true)
    expect(faults()).toEqual([])
    await page.close()
  })
})
