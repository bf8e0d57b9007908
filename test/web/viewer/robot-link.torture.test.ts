/** A link to a robot in 3D, as a person copies it, opens it and puts it into a README, in Chromium. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractHub } from '../../support/hub.ts'
import { noBrowser, openBrowser, openPage } from '../support/browser.ts'

const hub = contractHub()
const example = join(import.meta.dirname, '../../../examples/robot')
/** It ends what hangs, where the processor draws. */
const timeout = 400_000

describe('a link to a robot in 3D', needs(noBrowser), () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  it('opens its pose and its view, on its page and in a README', { timeout }, async () => {
    const owner = await hub.person()
    const name = await hub.repo(owner, { kind: 'robot', visibility: 'public' })
    const files = (await readdir(example, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())
    const entries = files.map(async ({ parentPath, name: file }) => {
      const path = join(parentPath, file)
      return [path.slice(example.length + 1), await readFile(path)] as const
    })
    await hub.upload(owner, name, Object.fromEntries(await Promise.all(entries)))
    const context = await browser.newContext({ viewport: { width: 960, height: 640 } })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const { page, faults } = await openPage(context, new URL(hub.running.url).origin)
    const button = (label: string) => page.getByRole('button', { name: label, exact: true })
    const joint = () => page.getByRole('slider').first()
    const copied = async (label: string) => {
      await button(label).click()
      await page.getByText('copied').waitFor()
      return page.evaluate(() => navigator.clipboard.readText())
    }

    await page.goto(new URL(`/${name}/robot`, hub.running.url).href)
    await button('Simulate').waitFor()
    // As it is first shown it has the address of its page.
    expect(await copied('Copy link')).toBe(page.url())
    await page.reload()
    await button('Simulate').waitFor()
    await joint().fill('0.3')
    // Of the steps of the slider the next one.
    const posed = await joint().inputValue()
    await page.locator('.viewer-stage canvas').press('ArrowLeft')
    const link = new URL(await copied('Copy link'))
    expect(link.pathname).toBe(`/${name}/robot`)
    expect(Number(link.searchParams.get('pose')?.split(',')[0])).toBeCloseTo(Number(posed), 3)
    expect(link.searchParams.get('view')?.split(',')).toHaveLength(6)

    await page.goto('about:blank')
    await page.goto(link.href)
    await button('Simulate').waitFor()
    await expect.poll(() => joint().inputValue()).toBe(posed)
    expect(await copied('Copy link')).toBe(link.href)

    await page.goto(new URL(`/${name}/robot?model=gone.xml&pose=1`, hub.running.url).href)
    await page.getByText('The repo has no model gone.xml: its first one is shown.').waitFor()
    await page.goto(link.href)
    await button('Simulate').waitFor()
    await expect.poll(() => joint().inputValue()).toBe(posed)

    const line = await copied('Copy for a README')
    await hub.upload(owner, name, { 'README.md': Buffer.from(`# Arm\n\n${line}\n`) })
    await page.goto(new URL(`/${name}`, hub.running.url).href)
    await button(`Show Robot ${name}`).click()
    await expect.poll(() => page.locator('.embedded-episode').getByRole('slider').first().inputValue()).toBe(posed)
    // In a README only the robot is shown, as of an episode and a recorded motion: the link below leads to the rest.
    expect(await page.locator('.embedded-episode').getByRole('group', { name: 'Share' }).count()).toBe(0)
    await page.locator('.embedded-episode').getByRole('group', { name: 'Simulation' }).waitFor()
    expect(faults()).toEqual([])
  })
})
