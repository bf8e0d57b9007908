/** What a person looks for: a repo, anything by one box, what waits, who did what. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pagePath } from '@hub/formats/page-paths'
import { expect, it } from 'vitest'
import { accessibilityFaults, openPage, output, phone, settled, signedInto, widerBy } from '../browser.ts'
import type { Walk } from './walk.ts'

/** Registers its tests with the `describe` around it. */
export function walkFinding(walk: Walk): void {
  it('find a repo by its name', async () => {
    const { page, faults } = await openPage(walk.signedIn, walk.origin)
    const [, slug = ''] = walk.lab.robot.split('/')
    await page.goto(`${walk.origin}/repos`)
    await settled(page)
    await page.keyboard.press('/')
    await page.keyboard.type(slug)
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await page.keyboard.press('Escape')
    expect(await page.locator('input:focus').count()).toBe(0)
    await page.getByRole('link', { name: walk.lab.robot }).click()
    await page.waitForURL(`**/${walk.lab.robot}`)
    await settled(page)
    expect(faults()).toEqual([])
    await page.close()
  })

  it('find anything by one box, from the keyboard alone', async () => {
    const { page, faults } = await openPage(walk.signedIn, walk.origin)
    let asked = 0
    page.on('request', (request) => {
      if (request.postData()?.includes('query palette(')) asked += 1
    })
    await page.goto(`${walk.origin}/developers`)
    await settled(page)
    await page.keyboard.press('/')
    const box = page.getByRole('combobox', { name: /^Search repos/ })
    await box.waitFor()
    const [, slug = ''] = walk.lab.robot.split('/')
    // The clock of the page stands still while a person types: a busy machine would make pauses of its own.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 1000)
    for (const letter of slug) {
      await page.keyboard.type(letter)
      await page.clock.runFor(20)
    }
    await page.clock.resume()
    await page.getByRole('option', { name: `${walk.lab.robot} robot` }).waitFor()
    // What is typed without a pause is asked for once.
    expect(asked).toBe(1)
    expect(await accessibilityFaults(page)).toEqual([])
    await writeFile(join(output, 'palette.png'), await page.screenshot())
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/${walk.lab.robot}`)
    await settled(page)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('audit')
    await page.getByRole('option', { name: /^Audit log/ }).waitFor()
    await page.keyboard.press('Escape')
    expect(await box.count()).toBe(0)
    await page.keyboard.press('Control+k')
    await page.keyboard.type(walk.lab.run)
    await page.getByRole('option', { name: /run/ }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/runs/${walk.lab.run}`)
    await page.setViewportSize(phone)
    await page.getByRole('button', { name: 'Search' }).click()
    await box.fill(walk.lab.org)
    await page.getByRole('option', { name: `@${walk.lab.org}` }).waitFor()
    expect([await accessibilityFaults(page), await widerBy(page)]).toEqual([[], 0])
    await writeFile(join(output, 'palette-phone.png'), await page.screenshot())
    expect(faults()).toEqual([])
    await page.close()
  })

  it('begin with what waits, what people did, and the repos of the orgs; and with first steps for a person who has none', async () => {
    const { page, faults } = await openPage(walk.signedIn, walk.origin)
    const made = await walk.hub.repo(walk.lab.ada, { owner: walk.lab.org, kind: 'dataset' })
    await page.goto(`${walk.origin}/`)
    await page
      .getByRole('region', { name: `Repos of ${walk.lab.org}` })
      .getByRole('table')
      .waitFor()
    const activity = page.getByRole('region', { name: 'Activity' })
    await activity.getByText('made the repo').first().waitFor()
    await activity.getByRole('link', { name: made }).first().waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await writeFile(join(output, 'home-full.png'), await page.screenshot({ fullPage: true }))
    await page.setViewportSize(phone)
    expect(await widerBy(page)).toBe(0)
    expect(faults()).toEqual([])
    await page.close()

    const person = await walk.hub.person()
    const context = await signedInto(walk.origin, walk.browser, person.token)
    const { page: empty } = await openPage(context, walk.origin)
    await empty.goto(`${walk.origin}/`)
    await empty.getByRole('region', { name: 'First steps' }).waitFor()
    expect(await accessibilityFaults(empty)).toEqual([])
    await writeFile(join(output, 'home-empty.png'), await empty.screenshot({ fullPage: true }))
    await context.close()
  })

  it('find who did what in the audit log, and save it as a file', async () => {
    const { page, faults } = await openPage(walk.signedIn, walk.origin)
    await page.goto(`${walk.origin}${pagePath('audit', {})}`)
    await page.getByRole('table').waitFor()
    await page.getByLabel('Action').fill('repo.create')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL('**action=repo.create')
    await expect.poll(() => page.locator('tbody tr', { hasNotText: 'repo.create' }).count()).toBe(0)
    await page.getByRole('link', { name: walk.lab.robot }).first().waitFor()
    await page.getByText('Show').first().click()
    expect(await accessibilityFaults(page)).toEqual([])
    const rows = await page.locator('tbody tr').count()
    for (const [name, ending] of [
      ['Export CSV', 'csv'],
      ['Export JSON Lines', 'jsonl'],
    ] as const) {
      const started = page.waitForEvent('download')
      await page.getByRole('button', { name }).click()
      const file = await started
      expect(file.suggestedFilename()).toMatch(new RegExp(`^audit-${walk.lab.ada.handle}-.*\\.${ending}$`))
      const text = await readFile(await file.path(), 'utf8')
      expect(text.match(/repo\.create/g)).toHaveLength(rows)
    }
    await page.setViewportSize(phone)
    expect(await widerBy(page)).toBe(0)
    await writeFile(join(output, 'audit-filtered-phone.png'), await page.screenshot({ fullPage: true }))
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.waitForURL((url) => !url.search.includes('action'))
    expect(faults()).toEqual([])
    await page.close()
  })
}
