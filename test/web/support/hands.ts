/** Two ways to use a page: by the keyboard alone, and by taps on a phone. A walk is written once for both. */
import type { Page } from '@hub/testing/browser'
import { desktop } from './browser.ts'
import { namePattern, tabTo } from './keyboard.ts'

/** What a person does at a page. Each names a control as a person reads it, or the beginning of that. */
export interface Hands {
  readonly name: string
  readonly viewport: { readonly width: number; readonly height: number }
  press(page: Page, name: string | RegExp): Promise<void>
  /** In place of what the field has. */
  type(page: Page, label: string, text: string): Promise<void>
  /** `option`: how the option begins. */
  choose(page: Page, label: string, option: string): Promise<void>
  chooseFolder(page: Page, label: string, folder: string): Promise<void>
}

/** Not one stop of the mouse. */
export const keyboard: Hands = {
  name: 'keyboard',
  viewport: desktop,
  async press(page, name) {
    await shown(page, name)
    await tabTo(page, name)
    // A link has no other key, and a check box no Enter.
    await page.keyboard.press('Enter')
  },
  async type(page, label, text) {
    await page.getByLabel(namePattern(label)).first().waitFor()
    await tabTo(page, label)
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type(text)
  },
  async choose(page, label, option) {
    await page.getByLabel(namePattern(label)).first().waitFor()
    await tabTo(page, label)
    await page.keyboard.type(option)
  },
  async chooseFolder(page, label, folder) {
    await page.getByLabel(label).waitFor({ state: 'attached' })
    await tabTo(page, label)
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')])
    await chooser.setFiles(folder)
  },
}

/** Taps alone, on the screen of a phone. */
export const thumb: Hands = {
  name: 'thumb',
  viewport: { width: 390, height: 844 },
  async press(page, name) {
    await shown(page, name)
    await control(page, name).tap()
  },
  async type(page, label, text) {
    const field = page.getByLabel(namePattern(label)).first()
    await field.tap()
    await field.fill(text)
  },
  async choose(page, label, option) {
    const field = page.getByLabel(namePattern(label)).first()
    const value = await field.evaluate(
      (select, wanted) =>
        [...(select as HTMLSelectElement).options].find(({ text }) => text.startsWith(wanted))?.value ?? '',
      option,
    )
    await field.selectOption(value)
  },
  async chooseFolder(page, label, folder) {
    const input = page.getByLabel(label)
    await input.waitFor({ state: 'attached' })
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByText(label).first().tap()])
    await chooser.setFiles(folder)
  },
}

/** The button or link; inside a dialog where one is open, as nothing else can be used then. */
function control(page: Page, name: string | RegExp) {
  const beginning = namePattern(name)
  const both = page.getByRole('button', { name: beginning }).or(page.getByRole('link', { name: beginning }))
  return page
    .locator('dialog[open]')
    .locator(both)
    .or(page.locator('body:not(:has(dialog[open]))').locator(both))
    .first()
}

const shown = (page: Page, name: string | RegExp) => control(page, name).waitFor()
