/** What each page that a walk stops at has to be, on a wide screen and on a phone's. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@hub/testing/browser'
import { expect } from 'vitest'
import { accessibilityFaults, desktop, output, widerBy } from './browser.ts'

const phone = { width: 390, height: 844 }

/** axe finds nothing, light at 1280 px and dark at 390, where nothing is wider than the window. Leaves two pictures. */
export async function isSound(page: Page, name: string): Promise<void> {
  const picture = async (file: string) =>
    writeFile(join(output, `${file}.png`), await page.screenshot({ fullPage: true }))
  const found = await accessibilityFaults(page)
  await picture(name)
  await page.setViewportSize(phone)
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  found.push(...(await accessibilityFaults(page)))
  await picture(`${name}-phone`)
  expect([name, found, await widerBy(page)]).toEqual([name, [], 0])
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(desktop)
}
