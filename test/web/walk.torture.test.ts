// @module-tag long
/** A person's way through the pages in Chromium: each page at two sizes and in both themes, and the jobs people come for. Pictures stay in `test-output/pages`. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pagePath } from '@hub/formats/page-paths'
import { runRollouts } from '@hub/rollout/processes/run-rollouts'
import type { Browser, BrowserContext } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { isFull } from '@hub/testing/torture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exampleJob } from '../../packages/rollout/test/support/examples.ts'
import { publishing } from '../checks/support/publishing.ts'
import { hostedFunction } from '../support/hosted-function.ts'
import { contractHub } from '../support/hub.ts'
import { endpointsOf } from '../support/hub-endpoints.ts'
import { pageAddresses } from './support/addresses.ts'
import {
  accessibilityFaults,
  desktop,
  noBrowser,
  openBrowser,
  openPage,
  output,
  phone,
  settled,
  signedInto,
  widerBy,
} from './support/browser.ts'
import { type Lab, labSettings, makeLab, report } from './support/lab.ts'

const program = hostedFunction()
afterAll(() => program.remove())

const forms = [
  ['desktop', 'light'],
  ['phone', 'dark'],
  ['desktop', 'dark'],
  ['phone', 'light'],
] as const
/** In which a page is looked at: in all in the full run, and else in one of the first two, by turns. */
const formsOf = (at: number) => (isFull ? forms : forms.slice(at % 2, (at % 2) + 1))

describe('the pages in Chromium', needs(noBrowser), () => {
  const hub = contractHub(labSettings(program.command))
  let lab: Lab
  let browser: Browser
  let signedIn: BrowserContext
  let origin: string
  beforeAll(async () => {
    lab = await makeLab(hub)
    browser = await openBrowser()
    origin = new URL(hub.running.url).origin
    signedIn = await browser.newContext({ viewport: desktop })
  })
  afterAll(() => browser?.close())

  it('sign a person in by a session, and out again', async () => {
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}/`)
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor()
    await page.goto(`${origin}/auth/session?return_to=/`)
    await page.getByLabel('Session token').fill(lab.ada.token)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(lab.ada.handle).first().waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('show nothing of a person who has signed out when the browser goes back to a page that it kept', async () => {
    const person = await hub.person()
    const context = await signedInto(origin, browser, person.token)
    const { page } = await openPage(context, origin)
    await page.goto(`${origin}/settings/keys`)
    await page.getByText(person.handle).first().waitFor()
    const { status } = await hub.send(person, 'POST', '/auth/logout')
    expect(status).toBe(204)
    // Playwright turns the cache of left pages off; this is the event by which a page is told that it comes from there.
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor()
    expect(await page.getByText(person.handle).count()).toBe(0)
    await context.close()
  })

  it('each have a title, no fault, nothing that axe finds, and fit on a phone', { timeout: 900_000 }, async () => {
    const { page, faults } = await openPage(signedIn, origin)
    const found: Record<string, unknown> = {}
    const pages = Object.entries(pageAddresses(lab)).filter(([, path]) => path !== null)
    for (const [at, [name, path]] of pages.entries()) {
      await page.goto(`${origin}${path}`)
      for (const [size, colorScheme] of formsOf(at)) {
        await page.setViewportSize(size === 'desktop' ? desktop : phone)
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await settled(page)
        const title = await page.title()
        const faultsHere = [...faults(), ...(await accessibilityFaults(page))]
        const wider = size === 'phone' ? await widerBy(page) : 0
        if (wider > 0) faultsHere.push(`is ${wider} px wider than the window`)
        if (/^(?:Hub|Not found.*)$/.test(title)) faultsHere.push(`its title is ${title}`)
        if (faultsHere.length > 0) found[`${name} (${size}, ${colorScheme})`] = faultsHere
        if (isFull)
          await writeFile(join(output, `${name}-${size}-${colorScheme}.png`), await page.screenshot({ fullPage: true }))
      }
    }
    expect(found).toEqual({})
    await page.close()
  })

  it('show the media of a run: step by step from the keyboard, and what a training wrote runs nothing', async () => {
    const { ada } = lab
    const start = { recipe: { template: 'act' }, worker: 'bench' }
    const { id } = (await hub.call(ada, 'POST', '/v1/runs/start', start)).json
    const output = await hub.repo(ada, { kind: 'model' })
    const script = '<p>drawn</p><script>document.body.textContent = "ran"</script>'
    const square = (color: string) =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8" fill="${color}"/></svg>`
    await hub.upload(ada, output, { 'a.svg': square('red'), 'b.svg': square('blue'), 'page.html': script })
    await hub.call(ada, 'POST', `/v1/runs/${id}/report`, { output_model_repo: output })
    const media = [
      { key: 'camera', step: 10, kind: 'image', path: 'a.svg' },
      { key: 'camera', step: 20, kind: 'image', path: 'b.svg', caption: 'the last one' },
      { key: 'grasps', step: 20, kind: 'table', value: { columns: ['name', 'n'], rows: [['cup', 1]] } },
      { key: 'returns', step: 20, kind: 'histogram', value: { edges: [0, 1, 3], counts: [2, 5] } },
      { key: 'view', step: 20, kind: 'html', path: 'page.html' },
    ]
    expect((await hub.call(ada, 'POST', `/v1/runs/${id}/media`, { media })).status).toBe(200)
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}/runs/${id}`)
    await page.getByRole('button', { name: 'Media' }).click()
    const camera = page.getByRole('region', { name: 'camera' })
    await camera.getByText('the last one').waitFor()
    await expect.poll(() => camera.getByRole('img').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(8)
    await camera.getByRole('slider').focus()
    await page.keyboard.press('ArrowLeft')
    await camera.getByRole('img', { name: 'camera, step 10' }).waitFor()
    expect(await camera.getByText('the last one').count()).toBe(0)
    await page.getByRole('cell', { name: 'cup' }).waitFor()
    await page.getByRole('img', { name: 'returns, step 20: 7 values from 0 to 3' }).waitFor()
    // A card asks for nothing before it is near.
    await page.getByRole('region', { name: 'view' }).scrollIntoViewIfNeeded()
    const framed = page.frameLocator('iframe')
    await framed.getByText('drawn').waitFor()
    await settled(page)
    expect(await framed.getByText('ran').count()).toBe(0)
    expect(await accessibilityFaults(page)).toEqual([])
    // The browser says what it did not run.
    expect(faults()).toEqual([expect.stringMatching(/^console: Blocked script execution in 'about:srcdoc'/)])
    await page.close()
  })

  it('let a policy drive its robot, to the bit as a process does, and name what they cannot give it', {
    timeout: 300_000,
  }, async () => {
    const { ada } = lab
    const example = (path: string) => readFile(join(import.meta.dirname, '../../examples/pendulum', path))
    const robot = await hub.repo(ada, { kind: 'robot' })
    await hub.upload(ada, robot, { 'robot.xml': await example('robot/robot.xml') })
    const card = JSON.parse(String(await example('robot/robot_card.json')))
    expect((await hub.call(ada, 'PUT', `/v1/robots/${robot}/card`, card)).status).toBe(200)
    const [policy, blind] = [await hub.repo(ada, { kind: 'model' }), await hub.repo(ada, { kind: 'model' })]
    const [onnx, contract, task] = await Promise.all(
      ['policy.onnx', 'contract.json', 'task.json'].map((name) => example(`policy/${name}`)),
    )
    const files = { 'policy.onnx': onnx ?? '', 'task.json': task ?? '' }
    await hub.upload(ada, policy, { ...files, 'contract.json': contract ?? '' })
    const unknown = String(contract).replace('"joint_vel"', '"velocity_command"')
    await hub.upload(ada, blind, { ...files, 'contract.json': unknown })
    const episodes: unknown[] = []
    const { outcomes } = await runRollouts({
      job: await exampleJob(),
      seeds: [7],
      parallel: 1,
      record: true,
      signal: new AbortController().signal,
      done: (_outcome, episode) => episodes.push(JSON.parse(JSON.stringify(episode))),
    })

    const context = await signedInto(origin, browser, ada.token)
    const { page, faults } = await openPage(context, origin)
    await page.goto(`${origin}/${robot}/robot`)
    await page.locator('summary', { hasText: 'Policy' }).click()
    const drive = page.getByRole('button', { name: 'Drive', exact: true })
    await page.getByLabel('Policy of the hub').fill(blind)
    await page.getByRole('button', { name: 'Load', exact: true }).click()
    await page.getByText(`${blind} is loaded.`).waitFor()
    await drive.click()
    await page.getByText('The policy sees "velocity_command": the simulation has no such term.').waitFor()
    await page.getByLabel('Policy of the hub').fill(policy)
    await page.getByRole('button', { name: 'Load', exact: true }).click()
    await page.getByText(`${policy} is loaded.`).waitFor()
    await page.getByLabel('Seed').fill('7')
    await drive.click()
    await page.getByText('It has reached its goal.').waitFor()
    await page.getByText(`Fingerprint ${outcomes[0]?.fingerprint}`).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download episode' }).click(),
    ])
    const recorded = JSON.parse(await readFile(await download.path(), 'utf8'))
    expect(recorded).toEqual({ version: 1, task: 'swing-up', ...outcomes[0], episode: episodes[0] })
    expect(await accessibilityFaults(page)).toEqual([])
    expect(faults()).toEqual([])
    await context.close()
  })

  it('find a repo by its name', async () => {
    const { page, faults } = await openPage(signedIn, origin)
    const [, slug = ''] = lab.robot.split('/')
    await page.goto(`${origin}/repos`)
    await settled(page)
    await page.keyboard.press('/')
    await page.keyboard.type(slug)
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
    await page.keyboard.press('Escape')
    expect(await page.locator('input:focus').count()).toBe(0)
    await page.getByRole('link', { name: lab.robot }).click()
    await page.waitForURL(`**/${lab.robot}`)
    await settled(page)
    expect(faults()).toEqual([])
    await page.close()
  })

  it('find anything by one box, from the keyboard alone', async () => {
    const { page, faults } = await openPage(signedIn, origin)
    let asked = 0
    page.on('request', (request) => {
      if (request.postData()?.includes('query palette(')) asked += 1
    })
    await page.goto(`${origin}/developers`)
    await settled(page)
    await page.keyboard.press('/')
    const box = page.getByRole('combobox', { name: /^Search repos/ })
    await box.waitFor()
    const [, slug = ''] = lab.robot.split('/')
    // The clock of the page stands still while a person types: a busy machine would make pauses of its own.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 1000)
    for (const letter of slug) {
      await page.keyboard.type(letter)
      await page.clock.runFor(20)
    }
    await page.clock.resume()
    await page.getByRole('option', { name: `${lab.robot} robot` }).waitFor()
    // What is typed without a pause is asked for once.
    expect(asked).toBe(1)
    expect(await accessibilityFaults(page)).toEqual([])
    await writeFile(join(output, 'palette.png'), await page.screenshot())
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/${lab.robot}`)
    await settled(page)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('audit')
    await page.getByRole('option', { name: /^Audit log/ }).waitFor()
    await page.keyboard.press('Escape')
    expect(await box.count()).toBe(0)
    await page.keyboard.press('Control+k')
    await page.keyboard.type(lab.run)
    await page.getByRole('option', { name: /run/ }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/runs/${lab.run}`)
    await page.setViewportSize(phone)
    await page.getByRole('button', { name: 'Search' }).click()
    await box.fill(lab.org)
    await page.getByRole('option', { name: `@${lab.org}` }).waitFor()
    expect([await accessibilityFaults(page), await widerBy(page)]).toEqual([[], 0])
    await writeFile(join(output, 'palette-phone.png'), await page.screenshot())
    expect(faults()).toEqual([])
    await page.close()
  })

  it('begin with what waits, what people did, and the repos of the orgs; and with first steps for who has none', async () => {
    const { page, faults } = await openPage(signedIn, origin)
    const made = await hub.repo(lab.ada, { owner: lab.org, kind: 'dataset' })
    await page.goto(`${origin}/`)
    await page
      .getByRole('region', { name: `Repos of ${lab.org}` })
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

    const person = await hub.person()
    const context = await signedInto(origin, browser, person.token)
    const { page: empty } = await openPage(context, origin)
    await empty.goto(`${origin}/`)
    await empty.getByRole('region', { name: 'First steps' }).waitFor()
    expect(await accessibilityFaults(empty)).toEqual([])
    await writeFile(join(output, 'home-empty.png'), await empty.screenshot({ fullPage: true }))
    await context.close()
  })

  it('follow a run to its end', async () => {
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}${pagePath('run', { id: lab.run })}`)
    await page.getByText('running').first().waitFor()
    for (let step = 2; step <= 10; step += 1) await report(hub, lab.trainer, lab.run, step)
    await page.getByText('step 10').first().waitFor()
    const ended = await hub.call(lab.trainer, 'POST', `/v1/runs/${lab.run}/report`, { status: 'succeeded' })
    expect(ended.status).toBe(200)
    await page.getByText('succeeded').first().waitFor()
    await writeFile(join(output, 'run-ended.png'), await page.screenshot())
    await page.setViewportSize(phone)
    await page.getByRole('button', { name: 'Metrics' }).click()
    await page.getByRole('img', { name: /^reward over steps.* to 1, last 1$/ }).waitFor()
    expect([await accessibilityFaults(page), await widerBy(page)]).toEqual([[], 0])
    await page.goto(`${origin}/runs?compare=${lab.run},${lab.ended}`)
    await page.getByText('2 runs compared').waitFor()
    await page
      .getByRole('region', { name: 'Last values' })
      .getByRole('row', { name: /^reward / })
      .waitFor()
    await page.getByRole('img', { name: /^loss over steps/ }).waitFor()
    expect([await accessibilityFaults(page), await widerBy(page)]).toEqual([[], 0])
    await writeFile(join(output, 'runs-compared-phone.png'), await page.screenshot({ fullPage: true }))
    expect(faults()).toEqual([])
    await page.close()
  })

  it('find a run by a part of its name, show a metric, and sort by it', async () => {
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}/runs`)
    await settled(page)
    const asked = new Set<string>()
    page.on('request', (request) => {
      const [, text] = /"q":"([^"]*)"/.exec(request.postData() ?? '') ?? []
      if (text !== undefined) asked.add(text)
    })
    // All keys in one task of the page: however slow the machine is, none of them comes after the wait between keys.
    await page.getByRole('searchbox', { name: 'Search runs' }).evaluate((box: HTMLInputElement) => {
      for (const key of 'nothing has it') {
        box.setRangeText(key, box.value.length, box.value.length, 'end')
        box.dispatchEvent(new InputEvent('input', { bubbles: true, data: key, inputType: 'insertText' }))
      }
    })
    await page.getByText('No run matches').waitFor()
    // Of the keys before the last none asked.
    expect([...asked]).toEqual(['nothing has it'])
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('Columns').click()
    await page.getByLabel('Add a metric').selectOption('loss')
    await page.getByRole('button', { name: 'loss' }).click()
    await page.getByText('Sorted by loss').waitFor()
    await page.waitForURL(/sort=loss/)
    await settled(page)
    expect(await page.locator('th[aria-sort=ascending], th[aria-sort=descending]').count()).toBe(1)
    expect(await accessibilityFaults(page)).toEqual([])
    await writeFile(join(output, 'runs-sorted.png'), await page.screenshot())
    await page.setViewportSize(phone)
    expect([await accessibilityFaults(page), await widerBy(page)]).toEqual([[], 0])
    await writeFile(join(output, 'runs-sorted-phone.png'), await page.screenshot({ fullPage: true }))
    expect(faults()).toEqual([])
    await page.close()
  })

  it('publish a check, whose card the repo shows then', async () => {
    const { repo, check } = await publishing(hub).robotCheck({ request: { executor: 'worker' } }, lab.ada)
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}/${repo}`)
    await settled(page)
    expect(await page.getByRole('heading', { name: 'Robot card' }).count()).toBe(0)
    await page.goto(`${origin}${pagePath('check', { id: check })}`)
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText(`by ${lab.ada.handle}`).waitFor()
    await page.getByRole('link', { name: repo }).first().click()
    await page.getByRole('heading', { name: 'Robot card' }).waitFor()
    await page.getByText('Degrees of freedom').waitFor()
    await writeFile(join(output, 'check-published.png'), await page.screenshot())
    expect(faults()).toEqual([])
    await page.close()
  })

  it('tell of a hold by the bell of a person who may decide it, also of one that is filed while the page is open', async () => {
    const person = await hub.person()
    const agent = await hub.key(person, { scope: 'train', agent: true, name: 'agent' })
    const file = () =>
      hub.call(agent, 'POST', '/v1/runs', {
        recipe: { template: 'act', executor: 'hosted', gpu: 'l4', max_hours: 2 },
      })
    const context = await signedInto(origin, browser, person.token)
    const { page, faults } = await openPage(context, origin)
    await page.clock.install()
    await page.goto(`${origin}/developers`)
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

  it('find who did what in the audit log, and save it as a file', async () => {
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}${pagePath('audit', {})}`)
    await page.getByRole('table').waitFor()
    await page.getByLabel('Action').fill('repo.create')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.waitForURL('**action=repo.create')
    await expect.poll(() => page.locator('tbody tr', { hasNotText: 'repo.create' }).count()).toBe(0)
    await page.getByRole('link', { name: lab.robot }).first().waitFor()
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
      expect(file.suggestedFilename()).toMatch(new RegExp(`^audit-${lab.ada.handle}-.*\\.${ending}$`))
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

  it('approve a hold', async () => {
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}/holds`)
    await page
      .locator(`a[href="${pagePath('hold', { id: lab.hold })}"]`)
      .first()
      .click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    const statusOf = async () => {
      const [row] = await hub.sql<{ status: string }>('select status::text from spend_holds where id = $1', [lab.hold])
      return row?.status
    }
    await expect.poll(statusOf).toBe('approved')
    await page.getByText('Became').waitFor()
    await writeFile(join(output, 'hold-approved.png'), await page.screenshot())
    expect(faults()).toEqual([])
    await page.close()
  })

  it('serve a model, register a device, approve it, and revoke the approval', async () => {
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}/sessions`)
    await page.getByRole('button', { name: 'Register device' }).click()
    const dialog = page.getByRole('dialog')
    const device = `bench-${lab.device.slice(-6)}`
    await dialog.getByLabel(/^Name/).fill(device)
    await dialog.getByLabel('Robot repo').fill(lab.robot)
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Register device' }).click()
    await page.getByRole('heading', { name: device }).waitFor()

    const model = await endpointsOf(hub).model(lab.ada)
    await page.goto(`${origin}/${model}`)
    await page.getByRole('link', { name: 'Serve', exact: true }).click()
    expect(await dialog.getByLabel(/^Model/).inputValue()).toBe(model)
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
    await dialog.getByLabel(/^Device/).selectOption({ label: `${lab.ada.handle}/${device}` })
    await dialog.getByLabel(/^For/).selectOption({ label: '90 days' })
    await writeFile(join(output, 'approve-device.png'), await page.screenshot())
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click()
    await dialog.getByText('shown only this once').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.setViewportSize(phone)
    await writeFile(join(output, 'approved-phone.png'), await page.screenshot())
    expect(await widerBy(page)).toBe(0)
    await dialog.getByRole('button', { name: 'I have copied it' }).click()
    await page.getByText('issued').waitFor()
    await page.getByRole('button', { name: 'Revoke' }).click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('revoked', { exact: true }).waitFor()
    await writeFile(join(output, 'revoked-phone.png'), await page.screenshot())
    expect(faults()).toEqual([])
    await page.close()
  })

  it('draw how long the sessions of an endpoint took', async () => {
    const { page, faults } = await openPage(signedIn, origin)
    await hub.sql(
      `update endpoint_sessions set service_ms_p50 = 8, service_ms_p95 = 14, rtt_ms_p50 = 30, rtt_ms_p95 = 85 where endpoint_id = $1`,
      [lab.endpoint],
    )
    await page.goto(`${origin}${pagePath('endpoint', { id: lab.endpoint })}`)
    await page.getByRole('img', { name: /^Latency of 1 session, .* to 100 ms/ }).waitFor()
    await page.getByRole('cell', { name: '30 / 85 ms' }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await writeFile(join(output, 'latency.png'), await page.screenshot({ fullPage: true }))
    await page.setViewportSize(phone)
    expect(await widerBy(page)).toBe(0)
    expect(faults()).toEqual([])
    await page.close()
  })

  it('open the question of who asks for an approval by a link', async () => {
    const { page, faults } = await openPage(signedIn, origin)
    await page.goto(`${origin}${pagePath('endpoint', { id: lab.endpoint })}?approve=${lab.device}`)
    await page.getByRole('dialog').getByLabel('Device').waitFor()
    await expect.poll(() => page.getByRole('dialog').getByLabel('Device').inputValue()).toBe(lab.device)
    expect(faults()).toEqual([])
    await page.close()
  })

  it('end another session of the person, and lead to the sign-in when their own has ended', async () => {
    const person = await hub.person()
    const elsewhere = await hub.signIn(person)
    const context = await signedInto(origin, browser, person.token)
    const { page, faults } = await openPage(context, origin)
    await page.goto(`${origin}/settings`)
    await page.getByRole('button', { name: 'End session' }).click()
    await writeFile(join(output, 'end-session.png'), await page.screenshot())
    await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
    await page.getByText('The session has ended.').waitFor()
    await page.getByText('ended', { exact: true }).waitFor()
    expect((await hub.send(elsewhere.token, 'GET', '/v1/me')).status).toBe(401)
    expect(faults()).toEqual([])

    await hub.sql(`update sessions set expires_at = now() - interval '1 second' where account_id = $1`, [person.id])
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.reload()
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor()
    expect(await page.getByText(person.handle).count()).toBe(0)
    await writeFile(join(output, 'session-over.png'), await page.screenshot())
    await context.close()
  })

  it('say that the hub cannot be reached, and go on when it can', async () => {
    const { page } = await openPage(signedIn, origin)
    await page.goto(`${origin}/developers`)
    await settled(page)
    await page.route('**/graphql', (route) => route.abort())
    // A page that follows changes would come back by itself.
    await page.getByRole('link', { name: 'Repos', exact: true }).first().click()
    await page.getByText('The hub cannot be reached').waitFor()
    await writeFile(join(output, 'hub-away.png'), await page.screenshot())
    await page.unroute('**/graphql')
    await page.getByRole('button', { name: 'Try again' }).first().click()
    await page.getByRole('table').first().waitFor()
    await page.close()
  })

  it('show errors on a phone, and the API in the dark', async () => {
    const { page } = await openPage(signedIn, origin)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${origin}/problems`)
    expect(await widerBy(page)).toBe(0)
    await writeFile(join(output, 'problems-phone.png'), await page.screenshot())
    await page.setViewportSize(desktop)
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    for (const [colorScheme, isDark] of [
      ['light', false],
      ['dark', true],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.goto(`${origin}/docs`)
      await page.locator('.opblock').first().waitFor()
      expect(await page.locator('html.dark-mode').count()).toBe(isDark ? 1 : 0)
      await writeFile(join(output, `docs-${colorScheme}.png`), await page.screenshot())
      expect(/rgba?\(0, 0, 0, 0\)|rgb\(255/.test(await background())).toBe(!isDark)
    }
    await page.close()
  })

  it.each([desktop, phone])('have one for an address without a page ($width px)', async (viewport) => {
    const { page } = await openPage(signedIn, origin)
    await page.setViewportSize(viewport)
    await page.goto(`${origin}/no/such/page/here`)
    await page.getByText('There is nothing at this address').waitFor()
    // To a person who is signed in.
    await page.getByText('It may be private, renamed or deleted').waitFor()
    expect([await accessibilityFaults(page), await widerBy(page)]).toEqual([[], 0])
    await writeFile(join(output, `not-found-${viewport.width}.png`), await page.screenshot())
    await page.close()
  })
})
