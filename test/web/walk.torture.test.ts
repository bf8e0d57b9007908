// @module-tag long
/** A person's way through the pages in Chromium: each page at two sizes and in both themes, and the jobs people come for. Pictures stay in `test-output/pages`. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pagePath } from '@hub/formats/page-paths'
import { runRollouts } from '@hub/rollout/processes/run-rollouts'
import { needs } from '@hub/testing/needs'
import { isFull } from '@hub/testing/torture'
import { describe, expect, it } from 'vitest'
import { exampleJob } from '../../packages/rollout/test/support/examples.ts'
import { publishing } from '../checks/support/publishing.ts'
import { pageAddresses } from './support/addresses.ts'
import {
  accessibilityFaults,
  desktop,
  noBrowser,
  openPage,
  output,
  phone,
  settled,
  signedInto,
  widerBy,
} from './support/browser.ts'
import { walkFinding } from './support/walk/finding.ts'
import { walkRuns } from './support/walk/runs.ts'
import { walkServing } from './support/walk/serving.ts'
import { openWalk } from './support/walk/walk.ts'

type Page = Awaited<ReturnType<typeof openPage>>['page']

const forms = [
  ['desktop', 'light'],
  ['phone', 'dark'],
  ['desktop', 'dark'],
  ['phone', 'light'],
] as const
/** In which a page is looked at: in all in the full run, and else in one of the first two, by turns. */
const formsOf = (at: number) => (isFull ? forms : forms.slice(at % 2, (at % 2) + 1))

describe('the pages in Chromium', needs(noBrowser), () => {
  const walk = openWalk()

  it('sign a person in by a session, and out again', async () => {
    const { page, faults } = await openPage(walk.signedIn, walk.origin)
    await page.goto(`${walk.origin}/`)
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor()
    await page.goto(`${walk.origin}/auth/session?return_to=/`)
    await page.getByLabel('Session token').fill(walk.lab.ada.token)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(walk.lab.ada.handle).first().waitFor()
    expect(faults()).toEqual([])
    await page.close()
  })

  it('show nothing of a person who has signed out when the browser goes back to a page that it kept', async () => {
    const person = await walk.hub.person()
    const context = await signedInto(walk.origin, walk.browser, person.token)
    const { page } = await openPage(context, walk.origin)
    await page.goto(`${walk.origin}/settings/keys`)
    await page.getByText(person.handle).first().waitFor()
    const { status } = await walk.hub.send(person, 'POST', '/auth/logout')
    expect(status).toBe(204)
    // Playwright turns the cache of left pages off; this is the event by which a page is told that it comes from there.
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor()
    expect(await page.getByText(person.handle).count()).toBe(0)
    await context.close()
  })

  it('each have a title, no fault, nothing that axe finds, and fit on a phone', { timeout: 900_000 }, async () => {
    const { page, faults } = await openPage(walk.signedIn, walk.origin)
    const found: Record<string, unknown> = {}
    const pages = Object.entries(pageAddresses(walk.lab)).filter(([, path]) => path !== null)
    for (const [at, [name, path]] of pages.entries()) {
      await page.goto(`${walk.origin}${path}`)
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

  it('let a policy drive its robot, to the bit as a process does, and name what they cannot give it', {
    timeout: 300_000,
  }, async () => {
    const { ada } = walk.lab
    const example = (path: string) => readFile(join(import.meta.dirname, '../../examples/pendulum', path))
    const robot = await walk.hub.repo(ada, { kind: 'robot' })
    await walk.hub.upload(ada, robot, { 'robot.xml': await example('robot/robot.xml') })
    const card = JSON.parse(String(await example('robot/robot_card.json')))
    expect((await walk.hub.call(ada, 'PUT', `/v1/robots/${robot}/card`, card)).status).toBe(200)
    const [policy, blind] = [await walk.hub.repo(ada, { kind: 'model' }), await walk.hub.repo(ada, { kind: 'model' })]
    const [onnx, contract, task] = await Promise.all(
      ['policy.onnx', 'contract.json', 'task.json'].map((name) => example(`policy/${name}`)),
    )
    const files = { 'policy.onnx': onnx ?? '', 'task.json': task ?? '' }
    await walk.hub.upload(ada, policy, { ...files, 'contract.json': contract ?? '' })
    const unknown = String(contract).replace('"joint_vel"', '"velocity_command"')
    await walk.hub.upload(ada, blind, { ...files, 'contract.json': unknown })
    const episodes: unknown[] = []
    const { outcomes } = await runRollouts({
      job: await exampleJob(),
      seeds: [7],
      parallel: 1,
      record: true,
      signal: new AbortController().signal,
      done: (_outcome, episode) => episodes.push(JSON.parse(JSON.stringify(episode))),
    })

    const context = await signedInto(walk.origin, walk.browser, ada.token)
    const { page, faults } = await openPage(context, walk.origin)
    await page.goto(`${walk.origin}/${robot}/robot`)
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

    const joints = [{ from: 'pivot', to: 'pivot', sign: -1, scale: 1, offset: 0.5 }]
    const map = { version: 1, joints, held: [], dropped: [] }
    const asked = { robot, if_version: 0, map }
    expect((await walk.hub.call(ada, 'PUT', `/v1/repos/${policy}/joint-maps`, asked)).status).toBe(200)
    await page.goto(`${walk.origin}/${robot}`)
    await page.getByRole('link', { name: 'map version 1' }).click()
    await page.waitForURL(`${walk.origin}/${policy}/map/${robot}`)
    await page.getByLabel(`Robot with the joints of ${policy}`).fill(robot)
    await page.getByRole('button', { name: 'Show beside' }).click()
    await expect.poll(() => page.locator('.episode-stage[data-frame]').count()).toBe(2)
    await page.getByRole('slider', { name: 'pivot' }).fill('1.25')
    await page.getByText('pivot = −pivot + 0.500 = -0.750 rad').waitFor()
    await page.getByText('pivot turns the other way.').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.screenshot({ path: join(output, 'map-of-joints.png'), fullPage: true })
    await page.getByRole('button', { name: 'Move each joint in turn' }).click()
    await page.getByRole('button', { name: 'Review version 1' }).click()
    await page.getByText('Reviewed', { exact: true }).waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await compareIn3d(page, { robot, policy, outcome: outcomes[0] })
    expect(faults()).toEqual([])
    await context.close()
  })

  /** Two results of one board run a seed again beside each other: the board, the address, the same bits. */
  async function compareIn3d(
    page: Page,
    { robot, policy, outcome }: { readonly robot: string; readonly policy: string; readonly outcome: unknown },
  ) {
    const { ada } = walk.lab
    const { task, disturbance } = await exampleJob()
    const commitOf = async (repo: string): Promise<string> =>
      (await walk.hub.call(ada, 'GET', `/v1/repos/${repo}/commits?limit=1`)).json.items[0].commit_id
    const names: string[] = []
    for (const success of [true, false]) {
      const body = {
        ...{ version: await commitOf(policy), policy: 'policy.onnx', robot, robot_version: await commitOf(robot) },
        ...{ task, disturbance, software: { mujoco: '3.14.0' } },
        outcomes: [{ ...(outcome as object), success, ending: success ? 'reached' : 'missed' }],
      }
      const made = await walk.hub.call(ada, 'PUT', `/v1/repos/${policy}/rollouts`, body)
      expect(made.status).toBe(200)
      names.push(`${policy}/${made.json.id}`)
      // A new version of the model asks the question again.
      await walk.hub.upload(ada, policy, { 'notes.txt': 'another version' })
    }
    await page.goto(`${walk.origin}/${policy}/rollouts`)
    await page.getByRole('checkbox').nth(1).waitFor()
    for (const box of await page.getByRole('checkbox').all()) await box.check()
    await page.getByRole('link', { name: 'Both in 3D' }).click()
    const fingerprint = (outcome as { readonly fingerprint: string }).fingerprint
    await page.getByText(`Fingerprint ${fingerprint}`).nth(1).waitFor()
    expect(await page.getByText('It succeeds.').count()).toBe(2)
    expect(page.url()).toContain('seed=7')
    expect(await accessibilityFaults(page)).toEqual([])
    await writeFile(join(output, 'rollouts-in-3d.png'), await page.screenshot())
    // The gate of such a board is set and removed where the results are.
    await page.goto(`${walk.origin}/${policy}/rollouts`)
    await page.getByText('Add a gate').click()
    const body = page.getByLabel('Robot of the gate')
    await body.fill(`${robot}-2`)
    await page.getByText(`There is no robot ${robot}-2 that you see.`).waitFor()
    await body.fill(robot)
    await page.getByRole('button', { name: 'Set gate' }).click()
    await page.getByText('100 seeds, interval from 80.0 %').waitFor()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove gate' }).click()
    await page.getByText(/^The gate .* is removed\.$/).waitFor()
  }

  walkFinding(walk)
  walkRuns(walk)

  it('publish a check, whose card the repo shows then', async () => {
    const { repo, check } = await publishing(walk.hub).robotCheck({ request: { executor: 'worker' } }, walk.lab.ada)
    const { page, faults } = await openPage(walk.signedIn, walk.origin)
    await page.goto(`${walk.origin}/${repo}`)
    await settled(page)
    expect(await page.getByRole('heading', { name: 'Robot card' }).count()).toBe(0)
    await page.goto(`${walk.origin}${pagePath('check', { id: check })}`)
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText(`by ${walk.lab.ada.handle}`).waitFor()
    await page.getByRole('link', { name: repo }).first().click()
    await page.getByRole('heading', { name: 'Robot card' }).waitFor()
    await page.getByText('Degrees of freedom').waitFor()
    await writeFile(join(output, 'check-published.png'), await page.screenshot())
    expect(faults()).toEqual([])
    await page.close()
  })

  walkServing(walk)

  it('end another session of the person, and lead to the sign-in when their own has ended', async () => {
    const person = await walk.hub.person()
    const elsewhere = await walk.hub.signIn(person)
    const context = await signedInto(walk.origin, walk.browser, person.token)
    const { page, faults } = await openPage(context, walk.origin)
    await page.goto(`${walk.origin}/settings`)
    await page.getByRole('button', { name: 'End session' }).click()
    await writeFile(join(output, 'end-session.png'), await page.screenshot())
    await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
    await page.getByText('The session has ended.').waitFor()
    await page.getByText('ended', { exact: true }).waitFor()
    expect((await walk.hub.send(elsewhere.token, 'GET', '/v1/me')).status).toBe(401)
    expect(faults()).toEqual([])

    await walk.hub.sql(`update sessions set expires_at = now() - interval '1 second' where account_id = $1`, [
      person.id,
    ])
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.reload()
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor()
    expect(await page.getByText(person.handle).count()).toBe(0)
    await writeFile(join(output, 'session-over.png'), await page.screenshot())
    await context.close()
  })

  it('say that the hub cannot be reached, and go on when it can', async () => {
    const { page } = await openPage(walk.signedIn, walk.origin)
    await page.goto(`${walk.origin}/developers`)
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
    const { page } = await openPage(walk.signedIn, walk.origin)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${walk.origin}/problems`)
    expect(await widerBy(page)).toBe(0)
    await writeFile(join(output, 'problems-phone.png'), await page.screenshot())
    await page.setViewportSize(desktop)
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    for (const [colorScheme, isDark] of [
      ['light', false],
      ['dark', true],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.goto(`${walk.origin}/docs`)
      await page.locator('.opblock').first().waitFor()
      expect(await page.locator('html.dark-mode').count()).toBe(isDark ? 1 : 0)
      await writeFile(join(output, `docs-${colorScheme}.png`), await page.screenshot())
      expect(/rgba?\(0, 0, 0, 0\)|rgb\(255/.test(await background())).toBe(!isDark)
    }
    await page.close()
  })

  it.each([desktop, phone])('have one for an address without a page ($width px)', async (viewport) => {
    const { page } = await openPage(walk.signedIn, walk.origin)
    await page.setViewportSize(viewport)
    await page.goto(`${walk.origin}/no/such/page/here`)
    await page.getByText('There is nothing at this address').waitFor()
    // To a person who is signed in.
    await page.getByText('It may be private, renamed or deleted').waitFor()
    expect([await accessibilityFaults(page), await widerBy(page)]).toEqual([[], 0])
    await writeFile(join(output, `not-found-${viewport.width}.png`), await page.screenshot())
    await page.close()
  })
})
