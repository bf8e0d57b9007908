// @module-tag long
/** Members of an organization in Chromium: one is added, has another role, is removed, and leaves. */
import { needs } from '@hub/testing/needs'
import { describe, expect, it } from 'vitest'
import { accessibilityFaults, noBrowser } from '../support/browser.ts'
import { tabTo } from '../support/keyboard.ts'
import { personInBrowser } from '../support/person-in-browser.ts'

const timeout = 120_000

describe('members in Chromium', needs(noBrowser), () => {
  const work = personInBrowser()
  const { hub } = work

  it('are added, made owners and removed by an owner, who then leaves', { timeout }, async () => {
    const bea = await hub.person()
    const org = await hub.org([{ user: work.ada.handle, role: 'owner' }])
    const { page, faults } = await work.openPage()
    await page.goto(`${work.origin}/settings/orgs/${org}`)
    const members = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Members' }) })
    const row = (handle: string) => members.getByRole('row').filter({ hasText: handle })
    const handle = members.getByLabel('Handle of a person')
    const add = members.getByRole('button', { name: 'Add', exact: true })

    await handle.fill(`${bea.handle}x`)
    await add.click()
    await members.getByRole('alert').getByText(`${bea.handle}x`).waitFor()
    expect(await row(bea.handle).count()).toBe(0)
    await handle.fill(bea.handle)
    await add.click()
    await page.getByText(`${bea.handle} is a member of ${org} now.`).waitFor()
    await row(bea.handle).getByText('member', { exact: true }).waitFor()
    expect(await handle.inputValue()).toBe('')

    // The key that she makes for the organization goes with her.
    const query = `mutation { createApiKey(input: { owner: "${org}", name: "hers", scope: READ }) { token } }`
    expect((await hub.call(bea, 'POST', '/graphql', { query })).json.errors).toBeUndefined()
    await members.getByRole('button', { name: `Make owner: ${bea.handle}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Make owner' }).click()
    await row(bea.handle).getByText('owner', { exact: true }).waitFor()
    await members.getByRole('button', { name: `Remove ${bea.handle}` }).click()
    await page
      .getByRole('dialog', { name: `Remove ${bea.handle}?` })
      .getByText('They lose sight')
      .waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    expect(await row(bea.handle).count()).toBe(1)
    await members.getByRole('button', { name: `Remove ${bea.handle}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove member' }).click()
    await page.getByText(`${bea.handle} is removed, and 1 key is revoked.`).waitFor()
    await expect.poll(() => row(bea.handle).count()).toBe(0)

    // The last owner stays.
    await members.getByRole('button', { name: `Leave ${org}` }).click()
    await page
      .getByRole('dialog', { name: `Leave ${org}?` })
      .getByRole('button', { name: 'Leave' })
      .click()
    await page.getByText(`${org} would be left without an owner`).waitFor()
    expect(await row(work.ada.handle).count()).toBe(1)

    await handle.fill(bea.handle)
    await members.getByLabel('Role').selectOption('OWNER')
    await add.click()
    await row(bea.handle).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await members.getByRole('button', { name: `Leave ${org}` }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click()
    await page.getByText(`You left ${org}.`).waitFor()
    await page.getByRole('heading', { name: 'No organization of yours has this handle' }).waitFor()
    // What only members are led to is not offered any more.
    await expect.poll(() => page.getByRole('link', { name: 'Audit log' }).count()).toBe(0)
    expect(faults()).toEqual([])
    await page.close()
  })

  it('are added and removed without a mouse', { timeout }, async () => {
    const bea = await hub.person()
    const org = await hub.org([{ user: work.ada.handle, role: 'owner' }])
    const { page, faults } = await work.openPage()
    await page.goto(`${work.origin}/settings/orgs/${org}`)
    await page.getByLabel('Handle of a person').waitFor()
    await tabTo(page, 'Handle of a person')
    await page.keyboard.type(bea.handle)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: `Remove ${bea.handle}` }).waitFor()
    await page.keyboard.press('Escape')
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
    await tabTo(page, `Remove ${bea.handle}`)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await tabTo(page, 'Remove member')
    await page.keyboard.press('Enter')
    await page.getByText(`${bea.handle} is removed.`).waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })
})
