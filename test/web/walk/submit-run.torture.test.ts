// @module-tag full
// @module-tag long
/** Runs that are submitted, changed and repeated in Chromium, by keyboard and on a phone. Pictures stay in `test-output/pages`. */
import type { Browser, BrowserContext, Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostedFunction } from '../../support/hosted-function.ts'
import { contractHub } from '../../support/hub.ts'
import { noBrowser, openBrowser, openPage, settled, signedInto } from '../support/browser.ts'
import { tabTo } from '../support/keyboard.ts'
import { type Lab, labSettings, makeLab } from '../support/lab.ts'
import { isSound } from '../support/sound.ts'

const program = hostedFunction()
afterAll(() => program.remove())

describe('runs on the pages in Chromium', needs(noBrowser), () => {
  const hub = contractHub(labSettings(program.command))
  let lab: Lab
  let browser: Browser
  let context: BrowserContext
  let origin: string
  beforeAll(async () => {
    lab = await makeLab(hub)
    browser = await openBrowser()
    origin = new URL(hub.running.url).origin
    context = await signedInto(origin, browser, lab.ada.token)
  })
  afterAll(() => browser?.close())

  const idOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) ?? ''

  /** A group with a number in it. */
  async function addsByKeyboard(page: Page): Promise<void> {
    await tabTo(page, 'New name')
    await page.keyboard.type('optimizer')
    await tabTo(page, 'New kind')
    await page.keyboard.type('Gr')
    await tabTo(page, 'Add')
    await page.keyboard.press('Enter')
    await tabTo(page, 'New name in optimizer')
    await page.keyboard.type('eps')
    await tabTo(page, 'New value in optimizer')
    await page.keyboard.type('1.0e-8')
    await page.keyboard.press('Enter')
    await page.getByLabel('optimizer.eps', { exact: true }).waitFor()
    await isSound(page, 'submit-hyperparameters')
  }

  it('are submitted from the page of a dataset by keyboard alone, with the price first', async () => {
    const { page, faults } = await openPage(context, origin)
    await page.goto(`${origin}/${lab.dataset}`)
    await settled(page)
    await tabTo(page, 'New run')
    await page.keyboard.press('Enter')
    await page.getByLabel(/^Template/).waitFor()
    await expect.poll(() => page.getByLabel(/^Dataset/).inputValue()).toBe(lab.dataset)
    await tabTo(page, 'Robot')
    await page.keyboard.type(lab.robot)
    await tabTo(page, 'batch_size')
    await page.keyboard.type('32')
    await addsByKeyboard(page)
    await tabTo(page, 'All hyperparameters as JSON')
    await page.keyboard.press('Enter')
    await tabTo(page, 'JSON object')
    expect((await page.getByLabel('JSON object').inputValue()).replaceAll(/\s/g, '')).toBe(
      '{"batch_size":32,"optimizer":{"eps":1.0e-8}}',
    )
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('{"batch_size": 32, "lr": 1e-4, "optimizer": {"eps": 1.0e-8}, "sched')
    await page.getByText('This is not a JSON object').waitFor()
    await expect.poll(() => page.getByRole('button', { name: 'Show the price' }).isDisabled()).toBe(true)
    await page.keyboard.type('": "cosine"}')
    await expect.poll(() => page.getByLabel('lr', { exact: true }).inputValue()).toBe('1e-4')
    await expect.poll(() => page.getByLabel('JSON object').isVisible()).toBe(true)
    await tabTo(page, 'Where')
    await page.keyboard.type('On a h')
    await tabTo(page, 'Hours at most')
    await page.keyboard.type('2')
    await tabTo(page, 'Name')
    await page.keyboard.type('first light')
    await tabTo(page, 'Tags')
    await page.keyboard.type('bench, night')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Recommended hardware' }).waitFor()
    await page.getByText('an hour on').waitFor()
    await isSound(page, 'submit-hosted')
    await page.getByLabel(/^Where/).selectOption('WORKER')
    expect(await page.getByRole('heading', { name: 'Price' }).count()).toBe(0)
    await tabTo(page, 'Show the price')
    await page.keyboard.press('Enter')
    await page.getByText('Not charged: it runs').waitFor()
    await tabTo(page, 'Submit run')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'first light' }).waitFor()
    await page.getByText(`hub runner --owner ${lab.ada.handle}`).waitFor()
    const { json, text } = await hub.call(lab.ada, 'GET', `/v1/runs/${idOf(page)}`)
    expect(text).toMatch(/"lr":\s*1e-4,\s*"optimizer":\s*\{\s*"eps":\s*1\.0e-8/)
    expect(json).toMatchObject({
      status: 'queued',
      name: 'first light',
      tags: ['bench', 'night'],
      recipe: {
        template: 'act',
        dataset: [`svc://${lab.dataset}`],
        robot: lab.robot,
        hyperparams: { batch_size: 32, lr: 0.0001, optimizer: { eps: 1e-8 }, sched: 'cosine' },
        executor: 'worker',
        max_hours: 2,
      },
    })
    await isSound(page, 'run-queued')
    expect(faults()).toEqual([])
    await page.close()
  })

  it('have what is wrong with them beside its field', async () => {
    const { page, faults } = await openPage(context, origin)
    await page.goto(`${origin}/new-run?robot=${lab.robot}`)
    await page.getByLabel(/^Template/).waitFor()
    await expect.poll(() => page.getByLabel(/^Robot/).inputValue()).toBe(lab.robot)
    await page.getByLabel(/^Dataset/).fill('my picks')
    await page.getByLabel(/^Hours at most/).fill('900')
    await page.getByRole('button', { name: 'Show the price' }).click()
    await page.locator('.field-error').nth(1).waitFor()
    const beside = (label: RegExp) =>
      page.locator('label.field', { has: page.getByText(label) }).locator('.field-error')
    expect(await beside(/^Dataset$/).count()).toBe(1)
    await expect.poll(() => beside(/^Hours at most$/).textContent()).toContain('720')
    expect(await page.locator('.notice').count()).toBe(0)
    // The first field with a fault has the keyboard, wherever the button was.
    expect(await page.getByLabel(/^Dataset/).evaluate((input) => input === document.activeElement)).toBe(true)
    await isSound(page, 'submit-refused')
    await page.getByLabel(/^Dataset/).fill('')
    await page.getByLabel(/^Hours at most/).fill('')
    await page.getByLabel(/^Template/).selectOption('vla_a_lora')
    await page.getByRole('button', { name: 'Show the price' }).click()
    await page.getByText('This template is only planned').waitFor()
    await page.getByRole('button', { name: 'Show the price' }).waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('are compared with the cap that is left, and a refusal is brought into view and ends with the next price', async () => {
    const cap = (usd: number | null) =>
      hub.call(lab.ada, 'PUT', '/v1/spend/cap', { usd, mode: usd === null ? null : 'stop' })
    const { page, faults } = await openPage(context, origin)
    const { month_usd: spent } = (await hub.call(lab.ada, 'GET', '/v1/spend')).json
    await cap(Math.ceil(spent) + 1)
    await page.goto(`${origin}/new-run?robot=${lab.robot}`)
    await page.getByLabel(/^Where/).selectOption('HOSTED')
    await page.getByLabel(/^Hours at most/).fill('20')
    await page.getByRole('button', { name: 'Show the price' }).click()
    await page.getByText('It cannot start now').waitFor()
    await page.getByText('or less fits').waitFor()
    await isSound(page, 'submit-beyond-cap')
    await page.setViewportSize({ width: 360, height: 700 })
    await page.getByRole('button', { name: 'Submit run' }).click()
    const refusal = page.getByRole('heading', { name: 'Spend cap reached' })
    await refusal.waitFor()
    await expect
      .poll(() => refusal.evaluate((heading) => heading.getBoundingClientRect().top), { timeout: 10_000 })
      .toBeGreaterThan(0)
    await page.getByLabel(/^Budget/).fill('0.5')
    await page.getByRole('button', { name: 'Show the price' }).click()
    await page.getByText('is left of the cap').waitFor()
    expect(await refusal.count()).toBe(0)
    await cap(null)
    // The refusal itself is an answer 429.
    faults()
    await page.close()
  })

  it('are edited, canceled, repeated with changes, and deleted', async () => {
    const { page, faults } = await openPage(context, origin)
    const made = await hub.call(lab.ada, 'POST', '/v1/runs', {
      recipe: { template: 'act', robot: lab.robot, hyperparams: { lr: 0.1 } },
      tags: ['old'],
    })
    const id = made.json.id as string
    await page.goto(`${origin}/runs/${id}`)
    await settled(page)
    await tabTo(page, 'Edit')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await tabTo(page, 'Name')
    await page.keyboard.type('night walk')
    await dialog.getByLabel(/^Project/).fill('grasping')
    await dialog.getByLabel(/^Tags/).fill(`old, ${'x'.repeat(65)}`)
    await dialog.getByLabel(/^Notes/).fill('The gripper slips.\nTry more friction.')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.locator('.field-error').waitFor()
    await isSound(page, 'run-edit')
    await dialog.getByLabel(/^Tags/).fill('old, bench')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'night walk' }).waitFor()
    await page.getByText('Try more friction.').waitFor()
    await page.getByText('bench', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Cancel run' }).click()
    await dialog.getByRole('button', { name: 'Cancel run' }).click()
    await page.getByRole('button', { name: 'Delete run' }).waitFor()

    await page.getByRole('link', { name: 'Run again' }).click()
    await page.getByRole('heading', { name: 'Run again' }).waitFor()
    await expect.poll(() => page.getByLabel('lr', { exact: true }).inputValue()).toBe('0.1')
    await expect.poll(() => page.getByLabel(/^Project/).inputValue()).toBe('grasping')
    await page.getByLabel('lr', { exact: true }).fill('1e-4')
    await page.getByRole('button', { name: 'Show the price' }).click()
    await page.getByText('Not charged: it runs').waitFor()
    await page.getByRole('button', { name: 'Submit run' }).click()
    await page.waitForURL((url) => /\/runs\/run_/.test(url.pathname) && !url.pathname.endsWith(id))
    await page.getByRole('link', { name: 'night walk' }).waitFor()
    const again = await hub.call(lab.ada, 'GET', `/v1/runs/${idOf(page)}`)
    expect(again.json).toMatchObject({
      parent_run_id: id,
      project: 'grasping',
      tags: ['old', 'bench'],
      recipe: { hyperparams: { lr: 0.0001 }, robot: lab.robot },
    })

    await page.getByRole('button', { name: 'Cancel run' }).click()
    await dialog.getByRole('button', { name: 'Cancel run' }).click()
    const repeated = idOf(page)
    await page.getByRole('button', { name: 'Delete run' }).click()
    await dialog.getByRole('button', { name: 'Delete run' }).click()
    await page.waitForURL('**/runs')
    expect((await hub.call(lab.ada, 'GET', `/v1/runs/${repeated}`)).status).toBe(404)
    expect(faults()).toEqual([])
    await page.close()
  })

  it('show their final values first, and have a checkpoint promoted to a model of its own', async () => {
    const { page, faults } = await openPage(context, origin)
    const published = await hub.repo(lab.ada, { kind: 'model' })
    await hub.upload(lab.ada, published, {
      'checkpoints/step_40/policy.onnx': 'weights',
      'checkpoints/step_40/a/b.txt': 'b',
    })
    const { json } = await hub.call(lab.ada, 'POST', '/v1/runs', { recipe: { template: 'act', robot: lab.robot } })
    const run = json.id as string
    await hub.call(lab.trainer, 'POST', `/v1/runs/${run}/claim`, { worker: 'bench box' })
    const ended = await hub.call(lab.trainer, 'POST', `/v1/runs/${run}/report`, {
      status: 'succeeded',
      output_model_repo: published,
      metrics: [{ step: 40, reward: 0.75, lr: 1e-4 }],
      config_yaml: 'lr: 0.0001\nnetwork:\n  hidden: 64\n',
    })
    expect([ended.status, ended.json.errors]).toEqual([200, undefined])
    await page.goto(`${origin}/runs/${run}`)
    const values = page.getByRole('region', { name: 'Final values' })
    await values.getByRole('row', { name: /^lr 0.0001 / }).waitFor()
    await values.getByRole('row', { name: /^reward 0.75 / }).waitFor()
    await page.getByText('100 %').first().waitFor()
    await isSound(page, 'run-final')
    await page.getByRole('button', { name: 'Config' }).click()
    const settings = page.getByRole('region', { name: /^All \d+ settings$/ })
    await settings.getByRole('cell', { name: 'lr', exact: true }).waitFor()
    await settings.getByRole('cell', { name: 'network.hidden', exact: true }).waitFor()

    await page.getByRole('button', { name: 'Checkpoints' }).click()
    await tabTo(page, 'Promote')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    const model = `${lab.ada.handle}/walker-${run.slice(-6)}`
    await dialog.getByLabel(/^Model repo/).fill('walker')
    await dialog.getByRole('button', { name: 'Promote' }).click()
    await dialog.getByText('must be owner/slug').waitFor()
    await isSound(page, 'promote')
    await dialog.getByLabel(/^Model repo/).fill(lab.robot)
    await dialog.getByRole('button', { name: 'Promote' }).click()
    await dialog.getByText('is a robot repo').waitFor()
    await dialog.getByLabel(/^Model repo/).fill(model)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/${model}`)
    await settled(page)
    const tree = await hub.call(lab.ada, 'GET', `/v1/repos/${model}/tree`)
    expect(tree.json.items.map(({ path }: { path: string }) => path)).toEqual(['a/b.txt', 'policy.onnx'])
    const repo = await hub.call(lab.ada, 'GET', `/v1/repos/${model}`)
    expect(repo.json).toMatchObject({
      visibility: 'private',
      model_meta: { policy_type: 'act', source_run_id: run, control_class: 'skill' },
    })
    expect(faults()).toEqual([])
    await page.close()
  })
})
