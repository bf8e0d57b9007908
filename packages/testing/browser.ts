/** Playwright for tests of pages: Chromium is that of the machine. */
export { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
