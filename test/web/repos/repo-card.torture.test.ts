// @module-tag long
/**
 * What people see of a card: on the page of the repo, in its lineage, and in the list that it filters. And what runs on a
 * robot, with the reasons.
 */
import { join } from 'node:path'
import { needs } from '@hub/testing/needs'
import { describe, expect, it } from 'vitest'
import { bodyRepos } from '../../fits/support/bodies.ts'
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
    await expect.poll(() => page.getByLabel('License').inputValue()).toBe(license)
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await page.getByRole('button', { name: tag }).click()
    await page.waitForURL((url) => url.searchParams.get('tag') === tag)
    await page.goto(`${hub.running.url}/${data}`)
    await page.getByText('Used by').waitFor()
    await page.getByRole('link', { name: model }).waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('says what runs on a robot and which robots a policy fits, what comes near, and why', async () => {
    const { model, robot } = bodyRepos(hub, () => work.ada)
    const [arm, policy, faster] = [await robot(), await model(), await model({ control_rate_hz: 500 })]
    const { page, faults } = await work.openPage()
    await page.goto(`${hub.running.url}/${arm}`)
    const panel = page.getByRole('region', { name: 'What runs on this robot' })
    await panel.getByRole('listitem').filter({ hasText: policy }).getByText('fits as it is').waitFor()
    expect(await panel.getByRole('link', { name: faster }).count()).toBe(0)
    await panel.getByLabel('Same joints, but no fit').check()
    const near = panel.getByRole('listitem').filter({ has: page.getByRole('link', { name: faster }) })
    await near.getByText('does not fit').waitFor()
    await near.getByText('One difference').click()
    await near.getByText('control_rate_hz').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.screenshot({ path: join(output, 'repo-fits.png'), fullPage: true })
    await panel.getByRole('link', { name: faster }).click()
    await page.getByRole('region', { name: 'Robots it fits' }).getByText('It fits no robot').waitFor()
    // No command to map joints is offered where no joints are known.
    const plain = await hub.repo(work.ada, { kind: 'robot' })
    await page.goto(`${hub.running.url}/${plain}`)
    await panel.getByText('It has no card, which says its joints').waitFor()
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
