/** Playwright for tests of pages: Chromium is that of the machine. */
export {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type ConsoleMessage,
  chromium,
  type Page,
  type Route,
} from 'playwright-core'
