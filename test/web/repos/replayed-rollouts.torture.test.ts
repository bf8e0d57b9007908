// @module-tag long
/** A seed of two results, run again beside each other in Chromium: paused, gone on with, and played again. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { beforeAll, describe, expect, it } from 'vitest'
import { outcomes, rolloutsOf } from '../../rollouts/support.ts'
import { accessibilityFaults, noBrowser } from '../support/browser.ts'
import { personInBrowser } from '../support/person-in-browser.ts'

const timeout = 400_000
const example = join(import.meta.dirname, '../../../examples/pendulum')

describe('two results run again in Chromium', needs(noBrowser), () => {
  const work = personInBrowser()
  const { hub } = work
  const { publish, versionOf } = rolloutsOf(hub)
  let robot = ''
  let names: readonly string[] = []

  async function uploaded(kind: string, folder: string) {
    const repo = await hub.repo(work.ada, { kind })
    const files = (await readdir(folder)).map(async (name) => [name, await readFile(join(folder, name))] as const)
    await hub.upload(work.ada, repo, Object.fromEntries(await Promise.all(files)))
    return { repo, version: await versionOf(work.ada, repo) }
  }
  beforeAll(async () => {
    const on = await uploaded('robot', join(example, 'robot'))
    const card = JSON.parse(await readFile(join(example, 'robot/robot_card.json'), 'utf8'))
    expect((await hub.call(work.ada, 'PUT', `/v1/robots/${on.repo}/card`, card)).status).toBe(200)
    const known = JSON.parse(await readFile(join(example, 'policy/task.json'), 'utf8'))
    // Long enough for a person to pause it.
    const task = { ...known, success: { ...known.success, hold_s: 6 } }
    const made: string[] = []
    for (const _side of ['one', 'other']) {
      const from = await uploaded('model', join(example, 'policy'))
      const { status, json } = await publish(work.ada, from, on, { task, outcomes: outcomes(2) })
      expect([status, json.errors]).toEqual([200, undefined])
      made.push(`${from.repo}/${json.id}`)
    }
    robot = on.repo
    names = made
  })

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const seconds = async (page: Page) => {
    const texts = await page.getByText(/^[\d.]+ s, return /).allInnerTexts()
    return texts.map((text) => Number.parseFloat(text))
  }

  it('pause together, go on, end, and play again', { timeout }, async () => {
    const { page, faults } = await work.openPage()
    const query = new URLSearchParams({ one: names[0] ?? '', other: names[1] ?? '', seed: '1' })
    await page.goto(`${hub.running.url}/${robot}/rollouts?${query}`)
    // Before the robots are there: they wait at their start.
    await button(page, 'Pause').click()
    await expect.poll(() => seconds(page)).toEqual([0, 0])
    await button(page, 'Go on').click()
    await expect.poll(async () => Math.min(...(await seconds(page)))).toBeGreaterThan(0.3)
    await button(page, 'Pause').click()
    await button(page, 'Go on').waitFor()
    const paused = () =>
      page.evaluate(async () => {
        const read = () => document.querySelector('[aria-label="Rollouts in 3D"]')?.textContent
        const before = read()
        await new Promise((resolve) => setTimeout(resolve, 500))
        return before === read()
      })
    await expect.poll(paused).toBe(true)
    expect(await accessibilityFaults(page)).toEqual([])
    await button(page, 'Go on').click()
    await expect.poll(() => page.getByText(/^Fingerprint /).count()).toBe(2)
    const [one, other] = await page.getByText(/^Fingerprint /).allInnerTexts()
    expect(one).toBe(other)
    await button(page, 'Play again').click()
    await button(page, 'Pause').waitFor()
    await expect.poll(() => page.getByText(/^Fingerprint /).count()).toBe(2)
    expect(await page.getByText(/^Fingerprint /).allInnerTexts()).toEqual([one, one])
    expect(faults()).toEqual([])
    await page.close()
  })
})
