/** Playwright for tests of pages: Chromium is that of the machine. */
export { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
