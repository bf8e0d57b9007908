// @module-tag long
/** What people see of a card: on the page of the repo, in its lineage, and in the list that it filters. */
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { describe, expect, it } from 'vitest'
import { newName } from '../../support/hub.ts'
import { accessibilityFaults, noBrowser, output } from '../support/browser.ts'
import { personInBrowser } from '../support/person-in-browser.ts'

describe('the card of a repo in Chromium', needs(noBrowser), () => {
  const work = personInBrowser()
  const { hub } = work

  it('is on its page, without the header in the README, and leads to the list of its license and tags', async () => {
    const tag = newName('tag')
    const license = newName('license')
    const data = await hub.repo(work.ada)
    const header = `license: ${license}\ntags: [${tag}]\ndatasets: [${data}, else/where]\nlibrary_name: lerobot\nbase_model: no/base`
    const model = await hub.repo(work.ada, { kind: 'model', tags: ['own'] })
    await hub.upload(work.ada, model, { 'README.md': `---\n${header}\n---\n# A policy\n` })
    const { page, faults } = await work.openPage()
    await page.goto(`${hub.running.url}/${model}`)
    await page.getByRole('heading', { name: 'A policy' }).waitFor()
    const text = (await page.locator('main').textContent()) ?? ''
    for (const shown of ['Card', 'lerobot', 'Made from', 'else/where', 'no/base', tag, 'own'])
      expect(text).toContain(shown)
    expect(text).not.toContain('library_name')
    expect(await accessibilityFaults(page)).toEqual([])
    await page.screenshot({ path: join(output, 'repo-card.png'), fullPage: true })
    await page.getByRole('link', { name: license }).click()
    await page.getByRole('link', { name: model }).waitFor()
    expect(await page.getByLabel('License').inputValue()).toBe(license)
    expect(await page.locator('tbody tr').count()).toBe(1)
    await page.getByRole('button', { name: tag }).click()
    await page.waitForURL((url) => url.searchParams.get('tag') === tag)
    await page.goto(`${hub.running.url}/${data}`)
    await page.getByText('Used by').waitFor()
    await page.getByRole('link', { name: model }).waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('says what is wrong with a header', async () => {
    const repo = await hub.repo(work.ada)
    await hub.upload(work.ada, repo, { 'README.md': '---\nlicense: [\n---\n# Broken\n' })
    const { page, faults } = await work.openPage()
    await page.goto(`${hub.running.url}/${repo}`)
    await page.getByText('The header of README.md is not YAML').waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })
})
