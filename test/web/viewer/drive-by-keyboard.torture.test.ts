// @module-tag long
/** A policy drives its robot for a person without a mouse, who hears what is said; files that are not there are told. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { beforeAll, describe, expect, it } from 'vitest'
import { accessibilityFaults, noBrowser } from '../support/browser.ts'
import { tabTo } from '../support/keyboard.ts'
import { personInBrowser } from '../support/person-in-browser.ts'

const timeout = 200_000
const example = join(import.meta.dirname, '../../../examples/pendulum')

describe('the panel Policy by keyboard', needs(noBrowser), () => {
  const work = personInBrowser()
  const { hub } = work
  let robot = ''
  let policy = ''
  let other = ''

  async function uploaded(kind: string, folder: string, only = /./) {
    const repo = await hub.repo(work.ada, { kind })
    const names = (await readdir(folder)).filter((name) => only.test(name))
    const files = await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const))
    await hub.upload(work.ada, repo, Object.fromEntries(files))
    return repo
  }
  beforeAll(async () => {
    robot = await uploaded('robot', join(example, 'robot'), /xml$/)
    const card = JSON.parse(await readFile(join(example, 'robot/robot_card.json'), 'utf8'))
    expect((await hub.call(work.ada, 'PUT', `/v1/robots/${robot}/card`, card)).status).toBe(200)
    policy = await uploaded('model', join(example, 'policy'))
    other = await uploaded('model', join(example, 'policy'))
  })

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const spoken = (page: Page) => page.locator('.viewer-drive-said [role="status"]')
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent)

  async function opened() {
    const { page, faults } = await work.openPage()
    await page.goto(`${hub.running.url}/${robot}/robot`)
    await page.locator('[data-phase="ready"]').waitFor()
    await tabTo(page, /^Policy$/)
    await page.keyboard.press('Enter')
    await tabTo(page, 'Policy of the hub')
    return { page, faults }
  }

  it('drives, stops and keeps the episode, and the focus is never lost', { timeout }, async () => {
    const { page, faults } = await opened()
    await page.keyboard.type(policy)
    await page.keyboard.press('Enter')
    await spoken(page).getByText(`${policy} is loaded.`).waitFor()
    await tabTo(page, /^Drive$/)
    await page.keyboard.press('Space')
    await spoken(page).getByText('It has reached its goal.').waitFor()
    // Numbers are not read aloud.
    expect(await spoken(page).innerText()).not.toMatch(/decisions|Fingerprint/)
    await page.getByText(/^Fingerprint /).waitFor()
    expect(await focused(page)).toBe('Stop')
    await tabTo(page, 'Download episode')
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
    expect(download.suggestedFilename()).toBe('episode.json')
    await page.keyboard.press('Shift+Tab')
    expect(await focused(page)).toBe('Stop')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toBe('Drive')
    expect(await button(page, 'Stop').isDisabled()).toBe(true)
    expect(await accessibilityFaults(page)).toEqual([])
    expect(faults()).toEqual([])
    await page.close()
  })

  it('has a link, which drives the same from its start', { timeout }, async () => {
    const { page, faults } = await opened()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const copied = async () => {
      await button(page, 'Copy link').click()
      await page.getByText('The link is copied').waitFor()
      return page.evaluate(() => navigator.clipboard.readText())
    }
    const fingerprint = () => page.getByText(/^Fingerprint /).innerText()
    await page.getByLabel('Policy of the hub').fill(policy)
    await page.getByLabel('Policy of the hub').press('Enter')
    await spoken(page).getByText(`${policy} is loaded.`).waitFor()
    await page.getByLabel('Seed').fill('3')
    await page.getByLabel('Pushes').fill('0.5')
    expect(await copied()).toBe(page.url())
    await button(page, 'Drive').click()
    await page.getByText(/^Fingerprint /).waitFor()
    const [link, first] = [await copied(), await fingerprint()]
    expect(link).toBe(`${page.url()}?${new URLSearchParams({ policy, seed: '3', pushN: '0.5' })}`)
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByText(/^Fingerprint /).waitFor()
    expect(await fingerprint()).toBe(first)
    expect(await page.getByLabel('Policy of the hub').inputValue()).toBe(policy)
    expect(await copied()).toBe(link)
    await page.goto(`${hub.running.url}/${robot}/robot?policy=${work.ada.handle}/none`)
    await spoken(page).getByText(`${work.ada.handle}/none is not there`).waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('names what is not there, and drives by nothing that was named before', { timeout }, async () => {
    const empty = await hub.repo(work.ada, { kind: 'model' })
    await hub.upload(work.ada, empty, { 'README.md': 'No policy yet.' })
    const broken = await hub.repo(work.ada, { kind: 'model' })
    await hub.upload(work.ada, broken, { 'policy.onnx': 'no policy either, and long enough to be read as one' })
    const { page, faults } = await opened()
    const load = async (name: string, told: string) => {
      await page.getByLabel('Policy of the hub').fill(name)
      await page.getByLabel('Policy of the hub').press('Enter')
      await spoken(page).getByText(told).waitFor()
    }
    const none = `${work.ada.handle}/none`
    for (const [name, told] of [
      ['', 'Name a model of the hub as owner/repo'],
      [none, `${none} is not there, or you do not see it.`],
      [empty, `${empty}: There is no ONNX file.`],
      [`${policy}:lost.onnx`, `${policy}: There is no lost.onnx.`],
      [broken, 'policy.onnx is not an ONNX file.'],
    ] as const) {
      await load(policy, `${policy} is loaded.`)
      expect(await button(page, 'Drive').isDisabled()).toBe(false)
      await load(name, told)
      expect(await button(page, 'Drive').isDisabled()).toBe(true)
      // What the engine says meanwhile gives the button back to no policy.
      await button(page, 'Reset').click()
      expect(await button(page, 'Drive').isDisabled()).toBe(true)
    }
    expect(faults()).toEqual([])
    await page.close()
  })

  it('takes the one that was named last, whichever comes first', { timeout }, async () => {
    const { page, faults } = await opened()
    const held = Promise.withResolvers<void>()
    let waits = 0
    // The first policy's file waits until the second one is there.
    await page.route(/policy\.onnx/, async (route) => {
      waits += 1
      if (waits === 1) await held.promise
      await route.continue()
    })
    const field = page.getByLabel('Policy of the hub')
    await field.fill(policy)
    await field.press('Enter')
    await expect.poll(() => waits).toBe(1)
    await field.fill(other)
    await field.press('Enter')
    await spoken(page).getByText(`${other} is loaded.`).waitFor()
    const late = page.waitForResponse(/policy\.onnx/)
    held.resolve()
    await (await late).finished()
    await button(page, 'Drive').click()
    await spoken(page).getByText('It has reached its goal.').waitFor()
    await page.getByText(`${other}, task swing-up, seed 1`).waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })
})
