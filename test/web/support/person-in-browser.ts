/** A hub with one person, signed in to its pages in Chromium. */
import type { Browser, BrowserContext } from '@hub/testing/browser'
import { afterAll, beforeAll } from 'vitest'
import { contractHub, type Person } from '../../support/hub.ts'
import { openBrowser, openPage, signedInto } from './browser.ts'

/** Registers the set-up with the `describe` around it. What it gives is there from its `beforeAll` on. */
export function personInBrowser() {
  const hub = contractHub()
  let browser: Browser
  let context: BrowserContext
  const shared = {
    hub,
    ada: undefined as unknown as Person,
    origin: '',
    openPage: () => openPage(context, shared.origin),
    /** Digests of the repo's files by path. */
    async treeOf(repo: string): Promise<Record<string, string>> {
      const { json } = await hub.call(shared.ada, 'GET', `/v1/repos/${repo}/tree`)
      return Object.fromEntries(json.items.map(({ path, sha256 }: { path: string; sha256: string }) => [path, sha256]))
    },
    async textOf(repo: string, path: string): Promise<string> {
      const headers = { authorization: `Bearer ${shared.ada.token}` }
      return (await fetch(`${hub.running.url}/v1/repos/${repo}/resolve/${path}`, { headers })).text()
    },
  }
  beforeAll(async () => {
    shared.ada = await hub.person()
    browser = await openBrowser()
    shared.origin = new URL(hub.running.url).origin
    context = await signedInto(shared.origin, browser, shared.ada.token)
  })
  afterAll(() => browser?.close())
  return shared
}
