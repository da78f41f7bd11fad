import type { Locator, Page } from 'playwright-core'

const mostPresses = 60

/** Presses Tab until this has the focus, as somebody without a mouse does. */
export async function reach(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let press = 0; press < mostPresses; press += 1) {
    if ((await target.and(page.locator(':focus, :focus-within')).count()) > 0) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${String(target)}`)
}

/** Presses a button or opens a link by keyboard. */
export async function press(page: Page, target: Locator): Promise<void> {
  await reach(page, target)
  await page.keyboard.press('Enter')
}

/** Replaces what a field has, by keyboard. */
export async function type(page: Page, field: Locator, text: string): Promise<void> {
  await reach(page, field)
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}

/** Waits until this has the focus. */
export const hasFocus = (page: Page, target: Locator): Promise<void> => target.and(page.locator(':focus')).waitFor()
