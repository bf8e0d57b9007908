// @module-tag long
/** Pages in Chromium whose answers come late: what a person does before stays, and no answer stands for another question. */
import { newId } from '@hub/formats/ids'
import { needs } from '@hub/testing/needs'
import { describe, expect, it } from 'vitest'
import { publishing } from '../checks/support/publishing.ts'
import { putRun } from '../support/runs.ts'
import { noBrowser, settled } from './support/browser.ts'
import { answers, gate, variablesOf } from './support/late-answers.ts'
import { personInBrowser } from './support/person-in-browser.ts'

describe('pages whose answers come late in Chromium', needs(noBrowser), () => {
  const work = personInBrowser()
  const { hub } = work
  const recipe = { template: 'act', executor: 'worker' }
  const newRun = async () => (await hub.call(work.ada, 'POST', '/v1/runs', { recipe })).json.id as string

  it('show nothing of one account as that of another, and offer no cap of one to the other', async () => {
    const org = await hub.org([{ user: work.ada.handle, role: 'owner' }])
    const { page, faults } = await work.openPage()
    await page.goto(`${work.origin}/spend`)
    const cap = page.getByLabel(/^Cap a month/)
    await cap.fill('7')
    await page.getByRole('form', { name: 'Cap' }).getByRole('button', { name: 'Save' }).click()
    await page.getByText('$7.00').first().waitFor()
    const late = gate()
    await answers(page, { spend: late.hold })
    await page.getByLabel('Account', { exact: true }).selectOption(org)
    await late.asked
    expect(await page.getByText('$7.00').count()).toBe(0)
    late.release()
    await cap.waitFor()
    expect(await cap.inputValue()).toBe('')
    expect(faults()).toEqual([])
    await page.close()
  })

  it('offer no price for what was changed while it was asked for', async () => {
    const { page, faults } = await work.openPage()
    const late = gate()
    await answers(page, { planRun: late.hold })
    await page.goto(`${work.origin}/new-run`)
    await page.getByLabel(/^Template/).selectOption('act')
    await page.getByRole('button', { name: 'Show the price' }).click()
    await late.asked
    await page.getByLabel(/^Hours at most/).fill('3')
    late.release()
    const price = page.getByRole('button', { name: 'Show the price' })
    await expect.poll(() => price.isEnabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Submit run' }).count()).toBe(0)
    await price.click()
    await page.getByRole('button', { name: 'Submit run' }).waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('show what a check found that ended before the page had its answer', async () => {
    const { page, faults } = await work.openPage()
    const { begin, end } = publishing(hub)
    const reported = await begin('robot', { request: { executor: 'worker' } }, work.ada)
    const late = gate()
    let isFirst = true
    await answers(page, {
      check: (route) => {
        if (!isFirst) return route.continue()
        isFirst = false
        return late.holdAnswer(route)
      },
    })
    await page.goto(`${work.origin}/checks/${reported.check}`)
    await late.asked
    const { page: other } = await work.openPage()
    await other.goto(`${work.origin}/checks/${reported.check}`)
    await other.getByText('running').first().waitFor()
    await end(reported, {}, {})
    // The event that this page has had by now, the other one has too.
    await other.getByRole('region', { name: 'Report' }).waitFor()
    await other.close()
    late.release()
    await page.getByRole('region', { name: 'Report' }).waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('have the next page of a list that changes while it is asked for, and all pages after the change', async () => {
    const { page, faults } = await work.openPage()
    await newRun()
    const late = gate()
    const lastPage = 'the run of the second page'
    await answers(page, {
      async runs(route) {
        const { after } = variablesOf(route)
        if (after && after !== 'second') return route.continue()
        if (after) await late.opened()
        const response = await route.fetch({ postData: JSON.stringify(firstPageOf(route.request().postDataJSON())) })
        const json = await response.json()
        const { runs } = json.data
        if (after) {
          runs.nodes = runs.nodes.slice(0, 1).map((run: object) => ({ ...run, id: secondId, displayName: lastPage }))
          runs.pageInfo = { hasNextPage: false, endCursor: null }
        } else runs.pageInfo = { hasNextPage: true, endCursor: 'second' }
        await route.fulfill({ response, json }).catch(() => undefined)
      },
    })
    await page.goto(`${work.origin}/runs`)
    await settled(page)
    await page.getByRole('button', { name: 'Load more' }).click()
    await late.asked
    const added = await newRun()
    const { page: other } = await work.openPage()
    await other.goto(`${work.origin}/runs`)
    await other.locator(`a[href$="${added}"]`).first().waitFor()
    await other.close()
    late.release()
    await page.getByText(lastPage).waitFor()
    await page.locator(`a[href$="${added}"]`).first().waitFor()
    await page.getByText(lastPage).waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('show a list that changes faster than the hub answers', async () => {
    const { page, faults } = await work.openPage()
    const first = await newRun()
    let isSlow = false
    await answers(page, {
      async runs(route) {
        if (isSlow) await new Promise((resolve) => setTimeout(resolve, 3000))
        await route.continue().catch(() => undefined)
      },
    })
    await page.goto(`${work.origin}/runs`)
    await page.locator(`a[href$="${first}"]`).first().waitFor()
    await settled(page)
    isSlow = true
    const wanted = await newRun()
    const link = page.locator(`a[href$="${wanted}"]`).first()
    // As long as the test may take: without a pause longer than a page waits for further changes.
    for (let at = 0; !(await link.isVisible()); at += 1) {
      await hub.call(work.ada, 'PATCH', `/v1/runs/${first}`, { name: `changed ${at} times` })
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    expect(faults()).toEqual([])
    await page.close()
  })

  it('say of no run that it cannot be seen before it is known', async () => {
    const { page, faults } = await work.openPage()
    const { db } = hub.running.deps
    const ids = await Promise.all([1, 2, 3].map(() => putRun(db, { ownerId: work.ada.id, status: 'succeeded' })))
    await page.goto(`${work.origin}/runs?compare=${ids.slice(0, 2).join(',')}`)
    await page.getByRole('heading', { name: '2 runs compared' }).waitFor()
    const late = gate()
    await answers(page, { compareRuns: late.hold })
    await page
      .locator('tr', { has: page.locator(`a[href$="${ids[2]}"]`) })
      .getByRole('checkbox')
      .check()
    await late.asked
    expect(await page.getByText('is not visible to you').count()).toBe(0)
    late.release()
    await page.getByRole('heading', { name: '3 runs compared' }).waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('find nothing for a text that was found for another one', async () => {
    const { page, faults } = await work.openPage()
    const [one, other] = [
      await hub.repo(work.ada, { slug: 'walnut-one' }),
      await hub.repo(work.ada, { slug: 'cherry-two' }),
    ]
    await page.goto(`${work.origin}/developers`)
    await page.locator('.account-menu').waitFor()
    await page.keyboard.press('ControlOrMeta+K')
    const box = page.getByRole('combobox')
    await box.fill('walnut-one')
    await page.getByRole('option', { name: one }).waitFor()
    const late = gate()
    await answers(page, { palette: late.hold })
    await box.fill('cherry-two')
    await late.asked
    expect(await page.getByRole('option', { name: one }).count()).toBe(0)
    late.release()
    await page.getByRole('option', { name: other }).waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('search for what was typed before the box of the search was there', async () => {
    const { page, faults } = await work.openPage()
    const repo = await hub.repo(work.ada, { slug: 'early-bird' })
    await page.goto(`${work.origin}/developers`)
    await page.locator('.account-menu').waitFor()
    const late = gate()
    await page.route('**/palette-*.js', late.hold)
    await page.keyboard.press('ControlOrMeta+K')
    await late.asked
    await page.keyboard.type('early-birx')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('d')
    late.release()
    await page.getByRole('option', { name: repo }).waitFor()
    expect([await page.getByRole('combobox').inputValue(), faults()]).toEqual(['early-bird', []])
    await page.close()
  })

  it('read a folder once, and again when it changes', async () => {
    const { page, faults } = await work.openPage()
    const repo = await hub.repo(work.ada)
    await hub.upload(work.ada, repo, { 'first.txt': '1' })
    let reads = 0
    await answers(page, {
      RepoTree: (route) => {
        reads += 1
        return route.continue()
      },
    })
    const followed = page.waitForResponse(
      (response) => response.url().includes('/stream') && response.request().method() === 'POST',
    )
    await Promise.all([followed, page.goto(`${work.origin}/${repo}/tree/`)])
    await page.getByRole('link', { name: 'first.txt', exact: true }).waitFor()
    await settled(page)
    await hub.upload(work.ada, repo, { 'second.txt': '2' })
    await page.getByRole('link', { name: 'second.txt', exact: true }).waitFor()
    expect([reads, faults()]).toEqual([2, []])
    await page.close()
  })

  it('begin a form with what the hub has now, not with what this tab has read before', async () => {
    const { page, faults } = await work.openPage()
    const repo = await hub.repo(work.ada, { description: 'old words' })
    await page.goto(`${work.origin}/${repo}/settings`)
    const description = page.getByLabel('Description')
    await description.waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByText('This repo is empty').waitFor()
    await hub.call(work.ada, 'PATCH', `/v1/repos/${repo}`, { description: 'new words' })
    const late = gate()
    await answers(page, { RepoSettings: late.hold })
    await page.getByRole('link', { name: 'Settings', exact: true }).first().click()
    await late.asked
    late.release()
    await description.waitFor()
    await expect.poll(() => description.inputValue()).toBe('new words')
    expect(faults()).toEqual([])
    await page.close()
  })

  it('keep what they show while the hub is away, and say that it is', async () => {
    const { page } = await work.openPage()
    const first = await newRun()
    await page.goto(`${work.origin}/runs`)
    const link = page.locator(`a[href$="${first}"]`).first()
    await link.waitFor()
    await settled(page)
    await answers(page, { runs: (route) => route.abort() })
    await newRun()
    await page.getByText('The hub cannot be reached').waitFor()
    expect(await link.isVisible()).toBe(true)
    const late = gate()
    await answers(page, { runs: late.hold })
    const second = await newRun()
    await late.asked
    expect(await link.isVisible()).toBe(true)
    late.release()
    await page.locator(`a[href$="${second}"]`).first().waitFor()
    await page.close()
  })

  it('keep what is written in a form when the answer that it began with cannot be read again', async () => {
    const { page } = await work.openPage()
    const repo = await hub.repo(work.ada, { description: 'first words' })
    await page.goto(`${work.origin}/${repo}/settings`)
    const begun = page.getByLabel(/^Paths/)
    await begun.fill('not sent yet')
    await page.getByLabel('Description').fill('second words')
    await settled(page)
    await answers(page, { RepoSettings: (route) => route.abort() })
    // The repo changes, so the page reads it again.
    await page.getByRole('button', { name: 'Save', exact: true }).first().click()
    await page.getByText('The hub cannot be reached').first().waitFor()
    expect(await begun.inputValue()).toBe('not sent yet')
    await page.close()
  })

  it('are there although the hub was busy when they asked', async () => {
    const { page, faults } = await work.openPage()
    let asked = 0
    await answers(page, {
      async repos(route) {
        asked += 1
        if (asked > 2) return route.continue()
        const problem = {
          type: '/problems/unavailable',
          title: 'Temporarily unavailable',
          status: 503,
          detail: 'Busy.',
        }
        await route.fulfill({ status: 503, json: { errors: [{ message: 'x', extensions: { problem } }] } })
      },
    })
    await page.goto(`${work.origin}/repos`)
    await page.locator('tbody tr, .empty').first().waitFor()
    expect([asked >= 3, await page.getByRole('alert').count(), faults()]).toEqual([true, 0, []])
    await page.close()
  })
})

const secondId = newId('run')

/** The same request for the first page: the hub knows no cursor of this test. */
const firstPageOf = (body: { readonly variables: object }) => ({
  ...body,
  variables: { ...body.variables, after: null },
})
