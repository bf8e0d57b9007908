// @module-tag long
/** Two results that are chosen on a board stand in the address of the page: a link shows the same comparison. */
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { describe, expect, it } from 'vitest'
import { outcomes, rolloutsOf } from '../../rollouts/support.ts'
import { accessibilityFaults, noBrowser, output } from '../support/browser.ts'
import { tabTo } from '../support/keyboard.ts'
import { personInBrowser } from '../support/person-in-browser.ts'

/** A board shows so many at first. */
const PAGE = 25

describe('results chosen on a board', needs(noBrowser), () => {
  const work = personInBrowser()
  const { hub } = work
  const { model, robot, publish } = rolloutsOf(hub)

  /** A model with a result that fails with these seeds. */
  async function published(on: Awaited<ReturnType<typeof robot>>, failed: readonly number[], change = {}) {
    const from = await model(work.ada, change)
    const { status, json } = await publish(work.ada, from, on, { outcomes: outcomes(4, failed) })
    expect(status).toBe(200)
    return { repo: from.repo, name: `${from.repo}/${json.id}` }
  }

  it('are in its address, by keyboard too, and a link shows them', { timeout: 200_000 }, async () => {
    const arm = await robot(work.ada)
    const one = await published(arm, [3])
    const other = await published(arm, [])
    const { page, faults } = await work.openPage()
    await page.goto(`${hub.running.url}/${arm.repo}/rollouts`)
    // The surer one stands first: each is found by Tab and chosen by Space.
    await page.getByRole('columnheader', { name: 'Compare' }).waitFor()
    for (const { repo } of [other, one]) {
      await tabTo(page, `Compare ${repo}@`)
      await page.keyboard.press('Space')
      await page.waitForURL(({ searchParams }) => searchParams.get('compare')?.includes(repo) ?? false)
    }
    expect(new URL(page.url()).searchParams.get('compare')).toBe(`${other.name},${one.name}`)
    const comparison = page.getByRole('region', { name: 'Comparison' })
    const differs = comparison.getByText(/^Seed 3: \S+ succeeds, \S+ does not/)
    await differs.waitFor()
    const told = await comparison.getByRole('heading').innerText()
    expect(told).toMatch(new RegExp(`^${other.repo}@\\S+ beside ${one.repo}@\\S+$`))
    // The way back from the motions in 3D is the comparison.
    await differs.getByRole('link', { name: 'Both in 3D' }).click()
    await page.getByRole('link', { name: 'All boards' }).waitFor()
    await page.goBack()
    await differs.waitFor()
    const link = page.url()
    const tab = await page.context().newPage()
    await tab.goto(link)
    await tab.getByRole('heading', { name: told }).waitFor()
    expect(await tab.getByRole('checkbox', { checked: true }).count()).toBe(2)
    expect(await accessibilityFaults(tab)).toEqual([])
    await tab.screenshot({ path: join(output, 'compared-results.png'), fullPage: true })
    await tab.getByRole('checkbox', { name: `Compare ${one.repo}@` }).press('Space')
    await tab.getByText('Choose another result to compare it with.').waitFor()
    expect(new URL(tab.url()).searchParams.get('compare')).toBe(other.name)
    await tab.close()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('are shown where the table has not loaded them, and said where they are not there', {
    timeout: 300_000,
  }, async () => {
    const arm = await robot(work.ada)
    const weak = await published(arm, [1, 2, 3, 4])
    const strong = await published(arm, [])
    for (let more = 0; more < PAGE; more += 1) await published(arm, [1])
    const { page, faults } = await work.openPage()
    const address = (...names: string[]) =>
      `${hub.running.url}/${arm.repo}/rollouts?${new URLSearchParams({ compare: names.join(',') })}`
    await page.goto(address(weak.name, strong.name))
    const comparison = page.getByRole('region', { name: 'Comparison' })
    await comparison.getByText(/^Seed 4: \S+ succeeds/).waitFor()
    expect(await page.getByRole('checkbox', { name: `Compare ${weak.repo}@` }).count()).toBe(0)
    // Of a repo that is not there, and of an id that is not: both are told alike, and the other one stays.
    for (const gone of [`${work.ada.handle}/nothing/roll_1`, `${weak.repo}/roll_01k00000000000000000000000`]) {
      await page.goto(address(strong.name, gone))
      await comparison.getByText(`The result ${gone} is not there, or you do not see it.`).waitFor()
      await comparison.getByRole('button', { name: 'Compare without it' }).press('Enter')
      await page.getByText('Choose another result to compare it with.').waitFor()
      expect(new URL(page.url()).searchParams.get('compare')).toBe(strong.name)
    }
    expect(faults()).toEqual([])
    await page.close()
  })
})
