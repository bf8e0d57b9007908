/** Money and robots: holds, endpoints, devices and their approvals. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pagePath } from '@hub/formats/page-paths'
import { expect, it } from 'vitest'
import { endpointsOf } from '../../../support/hub-endpoints.ts'
import { accessibilityFaults, openPage, output, phone, signedInto, widerBy } from '../browser.ts'
import type { Walk } from './walk.ts'

/** Registers its tests with the `describe` around it. */
export function walkServing(walk: Walk): void {
  it('tell of a hold by the bell of a person who can decide it, also of one that is filed while the page is open', async () => {
    const person = await walk.hub.person()
    const agent = await walk.hub.key(person, { scope: 'train', agent: true, name: 'agent' })
    const file = () =>
      walk.hub.call(agent, 'POST', '/v1/runs', {
        recipe: { template: 'act', executor: 'hosted', gpu: 'l4', max_hours: 2 },
      })
    const context = await signedInto(walk.origin, walk.browser, person.token)
    const { page, faults } = await openPage(context, walk.origin)
    await page.clock.install()
    await page.goto(`${walk.origin}/developers`)
    await page.getByRole('link', { name: 'Approvals: none to decide' }).waitFor()
    await file()
    await page.clock.runFor(31_000)
    const bell = page.getByRole('link', { name: 'Approvals: 1 to decide' })
    await bell.waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.setViewportSize(phone)
    expect(await widerBy(page)).toBe(0)
    await writeFile(join(output, 'bell-phone.png'), await page.screenshot())
    await bell.click()
    await page.waitForURL('**/holds?status=PENDING')
    await page.getByRole('link', { name: /act/ }).first().waitFor()
    expect(faults()).toEqual([])
    await context.close()
  })

  it('approve a hold', async () => {
    const context = await walk.signInAgain()
    const { page, faults } = await openPage(context, walk.origin)
    await page.goto(`${walk.origin}/holds`)
    await page
      .locator(`a[href="${pagePath('hold', { id: walk.lab.hold })}"]`)
      .first()
      .click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    const statusOf = async () => {
      const [row] = await walk.hub.sql<{ status: string }>('select status::text from spend_holds where id = $1', [
        walk.lab.hold,
      ])
      return row?.status
    }
    await expect.poll(statusOf).toBe('approved')
    await page.getByText('Became').waitFor()
    await writeFile(join(output, 'hold-approved.png'), await page.screenshot())
    expect(faults()).toEqual([])
    await context.close()
  })

  it('serve a model, register a device, approve it, and revoke the approval', async () => {
    const context = await walk.signInAgain()
    const { page, faults } = await openPage(context, walk.origin)
    await page.goto(`${walk.origin}/sessions`)
    await page.getByRole('button', { name: 'Register device' }).click()
    const dialog = page.getByRole('dialog')
    const device = `bench-${walk.lab.device.slice(-6)}`
    await dialog.getByLabel(/^Name/).fill(device)
    await dialog.getByLabel('Robot repo').fill(walk.lab.robot)
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Register device' }).click()
    await page.getByRole('heading', { name: device }).waitFor()

    const model = await endpointsOf(walk.hub).model(walk.lab.ada)
    await page.goto(`${walk.origin}/${model}`)
    await page.getByRole('link', { name: 'Serve', exact: true }).click()
    await expect.poll(() => dialog.getByLabel(/^Model/).inputValue()).toBe(model)
    await dialog.getByLabel('Parameters').fill('1000000')
    await dialog.getByLabel('Hours at most').fill('2')
    await dialog.getByLabel(/^Where/).selectOption('HOSTED')
    await dialog.getByRole('button', { name: 'Show the price' }).click()
    await dialog.getByText('an hour; at most').waitFor()
    await writeFile(join(output, 'serve-model.png'), await page.screenshot())
    await dialog.getByLabel(/^Where/).selectOption('WORKER')
    await dialog.getByRole('button', { name: 'Show the price' }).click()
    await dialog.getByText('Not charged: it runs').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Serve model' }).click()
    await page.waitForURL('**/endpoints/ep_*')
    await page.getByText('No device is approved').waitFor()
    await page.getByText('policy.infer(').waitFor()

    await page.getByRole('button', { name: 'Approve a device' }).click()
    await dialog.getByLabel(/^Device/).selectOption({ label: `${walk.lab.ada.handle}/${device}` })
    await dialog.getByLabel(/^For/).selectOption({ label: '90 days' })
    await writeFile(join(output, 'approve-device.png'), await page.screenshot())
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
    await dialog.getByText('shown only this once').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.setViewportSize(phone)
    await writeFile(join(output, 'approved-phone.png'), await page.screenshot())
    expect(await widerBy(page)).toBe(0)
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByText('valid, not used yet').waitFor()
    await page.getByRole('button', { name: 'Revoke' }).click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('revoked', { exact: true }).waitFor()
    await writeFile(join(output, 'revoked-phone.png'), await page.screenshot())
    expect(faults()).toEqual([])
    await context.close()
  })

  it('draw how long the sessions of an endpoint took', async () => {
    const { page, faults } = await openPage(walk.signedIn, walk.origin)
    await walk.hub.sql(
      `update endpoint_sessions set service_ms_p50 = 8, service_ms_p95 = 14, rtt_ms_p50 = 30, rtt_ms_p95 = 85 where endpoint_id = $1`,
      [walk.lab.endpoint],
    )
    await page.goto(`${walk.origin}${pagePath('endpoint', { id: walk.lab.endpoint })}`)
    await page.getByRole('img', { name: /^Latency of 1 session, .* to 100 ms/ }).waitFor()
    await page.getByRole('cell', { name: '30 / 85 ms' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await writeFile(join(output, 'latency.png'), await page.screenshot({ fullPage: true }))
    await page.setViewportSize(phone)
    expect(await widerBy(page)).toBe(0)
    expect(faults()).toEqual([])
    await page.close()
  })

  it('open the question of a person who asks for an approval by a link', async () => {
    const { page, faults } = await openPage(walk.signedIn, walk.origin)
    await page.goto(`${walk.origin}${pagePath('endpoint', { id: walk.lab.endpoint })}?approve=${walk.lab.device}`)
    await page.getByRole('dialog').getByLabel('Device').waitFor()
    await expect.poll(() => page.getByRole('dialog').getByLabel('Device').inputValue()).toBe(walk.lab.device)
    expect(faults()).toEqual([])
    await page.close()
  })
}
