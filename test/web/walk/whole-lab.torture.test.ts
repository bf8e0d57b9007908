// @module-tag full
// @module-tag long
/**
 * A new lab in Chromium, from the setup page to an approved device: two people, and no terminal but for the three programs that work on machines of
 * their own. Once by the keyboard alone and once by taps on a phone. Pictures stay in `test-output/pages`.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from '@hub/testing/browser'
import { needs } from '@hub/testing/needs'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { move } from '../../../scripts/demo/serve.ts'
import { TEMPLATE } from '../../../scripts/demo/train.ts'
import { startWorker } from '../../../scripts/demo/worker-process.ts'
import { freePort } from '../../support/free-port.ts'
import { PASSWORD } from '../../support/passwords.ts'
import { printingHub } from '../../support/printing-hub.ts'
import { noBrowser, openBrowser, openPage, settled } from '../support/browser.ts'
import { type Hands, keyboard, thumb } from '../support/hands.ts'
import { isSound } from '../support/sound.ts'

const examples = fileURLToPath(new URL('../../../examples', import.meta.url))

/** A training of seconds on an idle machine, and a whole lab of a minute. */
const PATIENCE_MS = 900_000

/** A person at a browser of their own. */
interface Seat {
  readonly page: Page
  readonly hands: Hands
  readonly url: string
}

describe.each([keyboard, thumb])('a new lab by $name', (hands) => {
  describe('in Chromium', needs(noBrowser), () => {
    const hub = printingHub({ OPERATOR_HANDLE: 'ada', EXTRA_TEMPLATES: TEMPLATE })
    let browser: Browser
    beforeAll(async () => {
      browser = await openBrowser()
    })
    afterAll(() => browser?.close())

    const sit = async () => {
      const context = await browser.newContext({ viewport: hands.viewport, hasTouch: true })
      const { page, faults } = await openPage(context, hub.url)
      return { page, faults, hands, url: hub.url }
    }
    /** As on a machine of the lab. Ends with the test. */
    const work = (token: string, ...args: string[]) => {
      const worker = startWorker(hub, token, args)
      onTestFinished(() => worker.stop())
      return worker
    }

    it(
      'goes from its setup to an approved device',
      async () => {
        const ada = await sit()
        const [setup = ''] = /http\S*\/redeem#\S+/.exec(hub.printed) ?? []
        await ada.page.goto(setup)
        await setPassword(ada, 'Set the password')
        const invitation = await makeOrg(ada)
        const bea = await sit()
        await bea.page.goto(invitation)
        await hands.type(bea.page, 'Handle', 'bea')
        await setPassword(bea, 'Make the account')

        const key = await makeKey(ada, { name: 'machines', scope: 'Train' })
        await makeRepo(ada, { name: 'pico-arm', kind: 'Robot', folder: join(examples, 'robot') })
        work(key, 'check-worker', '--owner', 'walnut')
        await checkAndPublish(ada)

        const trainer = `${JSON.stringify(process.execPath)} ${JSON.stringify(join(examples, 'trainer/train.ts'))}`
        await submitRun(ada)
        work(key, 'runner', '--owner', 'walnut', '--once', '--command', trainer, '--work-dir', join(hub.dir, 'runs'))
        await watchAndPromote(ada)

        await makeRepo(ada, { name: 'reach', kind: 'Model', folder: join(examples, 'policy') })
        const endpoint = await serve(ada)
        const port = await freePort()
        const listen = ['--listen', `127.0.0.1:${port}`, '--public-url', `ws://127.0.0.1:${port}/policy`]
        work(key, 'policy-server', '--endpoint', endpoint, ...listen)
        await ada.page.getByText('running').first().waitFor()
        const ask = await askForApproval(ada)
        await bea.page.goto(ask)
        const approval = await approve(bea)

        const robot = await makeKey(ada, { name: 'robot', scope: 'Write' })
        // The robot's own computer.
        const opened = await fetch(`${hub.url}/v1/endpoints/${endpoint}/sessions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${robot}` },
          body: JSON.stringify({ device_id: new URL(ask).searchParams.get('approve'), approval_token: approval }),
        })
        expect(opened.status).toBe(201)
        const session = (await opened.json()) as { readonly url: string; readonly session_token: string }
        await move(session.url, session.session_token, () => undefined)
        await ada.page.goto(`${hub.url}/endpoints/${endpoint}`)
        await ada.page.getByRole('cell', { name: 'closed' }).first().waitFor()
        await isSound(ada.page, `lab-${hands.name}-endpoint`)
        await ada.page.setViewportSize(hands.viewport)

        await ada.page.goto(`${hub.url}/spend?account=walnut`)
        await settled(ada.page)
        await isSound(ada.page, `lab-${hands.name}-spend`)
        expect([ada.faults(), bea.faults()]).toEqual([[], []])
      },
      PATIENCE_MS,
    )
  })
})

async function setPassword({ page, hands, url }: Seat, done: string): Promise<void> {
  await hands.type(page, 'New password', PASSWORD)
  await hands.type(page, 'New password again', PASSWORD)
  await hands.press(page, done)
  await page.waitForURL(`${url}/`)
  await settled(page)
}

/** The address of an invitation of an owner. */
async function makeOrg({ page, hands, url }: Seat): Promise<string> {
  await hands.press(page, 'Make an organization')
  await hands.type(page, 'Handle', 'walnut')
  await hands.press(page, 'Create')
  await page.waitForURL(`${url}/settings/orgs/walnut`)
  await hands.choose(page, 'Role of the invited person', 'Owner')
  await hands.press(page, 'Invite by a link')
  return shownOnce(page, 'link of the invitation')
}

/** What a dialog shows this once; the dialog is closed. */
async function shownOnce(page: Page, what: string): Promise<string> {
  const copy = page.getByRole('button', { name: `Copy: ${what}` })
  const text =
    (await page.getByRole('dialog').locator('.command', { has: copy }).locator('code').textContent())?.trim() ?? ''
  expect([what, text]).toEqual([what, expect.not.stringMatching(/^$/)])
  await page.keyboard.press('Escape')
  return text
}

/** Its token. */
async function makeKey(
  { page, hands, url }: Seat,
  { name, scope }: { readonly name: string; readonly scope: string },
): Promise<string> {
  await page.goto(`${url}/settings/keys?owner=walnut`)
  await hands.press(page, 'New key')
  await hands.type(page, 'Name', name)
  await hands.choose(page, 'Scope', scope)
  await hands.press(page, 'Create key')
  await page.getByText('shown only this once').waitFor()
  return shownOnce(page, 'token of the key')
}

async function makeRepo(
  { page, hands, url }: Seat,
  { name, kind, folder }: { readonly name: string; readonly kind: string; readonly folder: string },
): Promise<void> {
  await page.goto(`${url}/repos`)
  await hands.press(page, 'New repo')
  await hands.choose(page, 'Owner', 'walnut')
  await hands.type(page, 'Name', name)
  await hands.choose(page, 'Kind', kind)
  await hands.press(page, 'Create repo')
  await page.waitForURL(`${url}/walnut/${name}/tree/`)
  await hands.chooseFolder(page, 'Upload a folder', folder)
  await page.getByRole('heading', { name: /^Upload \d+ files/ }).waitFor()
  await hands.press(page, /^Upload$/)
  await page.getByRole('heading', { name: /^Saved \d+ files/ }).waitFor()
}

async function checkAndPublish({ page, hands, url }: Seat): Promise<void> {
  await page.goto(`${url}/walnut/pico-arm`)
  await settled(page)
  await hands.press(page, 'Check this robot')
  await hands.type(page, 'Model file', 'scene.xml')
  await hands.press(page, 'Start check')
  await page.waitForURL('**/checks/check_*')
  await hands.press(page, 'Publish')
  await hands.press(page, 'Publish')
  await page.getByText('by ada').waitFor()
  await isSound(page, `lab-${hands.name}-check`)
  await page.setViewportSize(hands.viewport)
}

async function submitRun({ page, hands, url }: Seat): Promise<void> {
  await page.goto(`${url}/walnut/pico-arm`)
  await settled(page)
  await hands.press(page, 'New run')
  await hands.choose(page, 'Template', TEMPLATE)
  await hands.choose(page, 'Billed to', 'walnut')
  await hands.type(page, 'Name', 'first light')
  await hands.press(page, 'Show the price')
  await hands.press(page, 'Submit run')
  await page.waitForURL('**/runs/run_*')
}

async function watchAndPromote({ page, hands, url }: Seat): Promise<void> {
  await page.getByText('succeeded').first().waitFor({ timeout: PATIENCE_MS })
  await page.getByRole('region', { name: 'Final values' }).waitFor()
  await isSound(page, `lab-${hands.name}-run`)
  await page.setViewportSize(hands.viewport)
  await hands.press(page, 'Checkpoints')
  await hands.press(page, 'Promote')
  await hands.type(page, 'Model repo', 'walnut/swing-up')
  await hands.press(page, 'Promote')
  await page.waitForURL(`${url}/walnut/swing-up`)
  await settled(page)
}

/** The id of the endpoint. */
async function serve({ page, hands, url }: Seat): Promise<string> {
  await page.goto(`${url}/walnut/reach`)
  await settled(page)
  await hands.press(page, 'Serve')
  await hands.choose(page, 'Billed to', 'walnut')
  await hands.press(page, 'Show the price')
  await page.getByText('Not charged: it runs').waitFor()
  await hands.press(page, 'Serve model')
  await page.waitForURL('**/endpoints/ep_*')
  return new URL(page.url()).pathname.split('/').at(-1) ?? ''
}

/** The address where another person may approve the device. */
async function askForApproval({ page, hands, url }: Seat): Promise<string> {
  const endpoint = page.url()
  await page.goto(`${url}/sessions`)
  await hands.press(page, 'Register device')
  await hands.choose(page, 'Owner', 'walnut')
  await hands.type(page, 'Name', 'bench-1')
  await hands.press(page, 'Register device')
  await page.getByRole('heading', { name: 'bench-1' }).waitFor()
  await page.goto(endpoint)
  await hands.press(page, 'Approve a device')
  await hands.choose(page, 'Device', 'walnut/bench-1')
  await page.getByText('Ask someone else').waitFor()
  return (await page.getByRole('dialog').locator('code', { hasText: '?approve=' }).textContent())?.trim() ?? ''
}

/** The token of the approval. */
async function approve({ page, hands }: Seat): Promise<string> {
  await page.getByRole('dialog').getByText('until you revoke the approval').waitFor()
  await hands.press(page, /^Approve$/)
  await page.getByText('shown only this once').waitFor()
  return shownOnce(page, 'token of the approval')
}
