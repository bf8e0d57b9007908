/** The lab of the walk through the pages, and a browser in which a person signs in. */
import type { Browser, BrowserContext } from '@hub/testing/browser'
import { afterAll, beforeAll } from 'vitest'
import { hostedFunction } from '../../../support/hosted-function.ts'
import { contractHub } from '../../../support/hub.ts'
import { desktop, openBrowser, signedInto } from '../browser.ts'
import { type Lab, labSettings, makeLab } from '../lab.ts'

/** What is opened is there from its `beforeAll` on. */
export interface Walk {
  readonly hub: ReturnType<typeof contractHub>
  readonly lab: Lab
  readonly browser: Browser
  /** Of one person, who signs in by the first test. */
  readonly signedIn: BrowserContext
  readonly origin: string
  /** Another sign-in of that person, for what only a person who signed in within 15 minutes may do. */
  readonly signInAgain: () => Promise<BrowserContext>
}

/** Registers the set-up with the `describe` around it. */
export function openWalk(): Walk {
  const program = hostedFunction()
  // Hooks run last come first: the hub is closed by then.
  afterAll(() => program.remove())
  const hub = contractHub(labSettings(program.command))
  const opened: { lab?: Lab; browser?: Browser; signedIn?: BrowserContext } = {}
  const there = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('The walk has not begun.')
    return value
  }
  beforeAll(async () => {
    opened.lab = await makeLab(hub)
    opened.browser = await openBrowser()
    opened.signedIn = await opened.browser.newContext({ viewport: desktop })
  })
  afterAll(() => opened.browser?.close())
  return {
    hub,
    get lab() {
      return there(opened.lab)
    },
    get browser() {
      return there(opened.browser)
    },
    get signedIn() {
      return there(opened.signedIn)
    },
    get origin() {
      return new URL(hub.running.url).origin
    },
    async signInAgain() {
      const { token } = await hub.signIn(there(opened.lab).ada)
      return signedInto(new URL(hub.running.url).origin, there(opened.browser), token)
    },
  }
}
