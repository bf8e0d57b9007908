/** A person without a mouse. */
import type { Page } from '@hub/testing/browser'
import { expect } from 'vitest'

/** More than any page of the tests has before the control that they look for. */
const MOST_STOPS = 120

/** As a pattern: a text is the beginning of a name. */
export const namePattern = (name: string | RegExp): RegExp =>
  typeof name === 'string' ? new RegExp(`^${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`) : name

/** Goes on by Tab until the control with this name, or beginning of a name, has the focus. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const isThere = () =>
    page.evaluate((wanted) => {
      const focused = document.activeElement
      const label =
        focused instanceof HTMLInputElement ||
        focused instanceof HTMLSelectElement ||
        focused instanceof HTMLTextAreaElement
          ? focused.labels?.[0]
          : null
      const text = focused?.getAttribute('aria-label') ?? (label ?? focused)?.textContent ?? ''
      return wanted.test(text.trim())
    }, namePattern(name))
  let stops = 0
  while (!(await isThere())) {
    expect([name, stops]).toEqual([name, expect.toSatisfy((count: number) => count < MOST_STOPS)])
    await page.keyboard.press('Tab')
    stops += 1
  }
}
