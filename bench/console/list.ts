import type { Page } from 'playwright-core'
import { press, wheel, type Interactions } from './interactions.ts'

/** Uses the list of runs: its first pages, and then with `loaded` rows, which are loaded by scrolling. */
export async function measureList(
  { measure, on }: Interactions,
  url: string,
  runs: number,
  loaded: number,
): Promise<void> {
  await on(url, async (page) => {
    const rows = page.getByRole('grid').locator('[data-run]')
    await rows.nth(5).waitFor()
    const begun = `${runs} runs`
    await measure(page, begun, 'the wheel, 20 pages', () => wheel(page))
    await measure(page, begun, 'End, 10 times', () => focused(page, () => press(page, ['End'], 10, 200)))
    await measure(page, begun, 'another filter', async () => {
      await page.getByRole('button', { name: /Status/ }).click()
      await page.getByRole('option', { name: 'failed' }).click()
      await rows.filter({ hasText: 'failed' }).nth(5).waitFor()
      await page.getByRole('button', { name: 'Clear', exact: true }).click()
      await rows.filter({ hasText: 'completed' }).nth(5).waitFor()
    })
    const many = `${await load(page, loaded)} of them in the page`
    await measure(page, many, 'j, 50 times', () => press(page, ['j'], 50))
    await measure(page, many, 'k, 50 times', () => press(page, ['k'], 50))
    await measure(page, many, 'Home and End, 5 times', () => press(page, ['Home', 'End'], 5, 100))
    await measure(page, many, 'x and k, 10 times', () => press(page, ['x', 'k'], 10))
    await measure(page, many, 'Shift+Home', () => press(page, ['Shift+Home'], 1, 300))
    await measure(page, many, 'the wheel, 20 pages', () => wheel(page))
    await measure(page, many, 'open a run and go back', async () => {
      await press(page, ['Escape', 'Home', 'Enter'], 1, 100)
      await page.getByRole('region', { name: 'Timeline' }).waitFor()
      await page.goBack()
      await rows.nth(5).waitFor()
    })
  })
}

async function focused(page: Page, work: () => Promise<void>): Promise<void> {
  await page.getByRole('grid').locator('[data-run][tabindex="0"]').focus()
  await work()
}

/** Presses End until this many rows are loaded, or all. */
async function load(page: Page, most: number): Promise<number> {
  const loaded = () =>
    page.evaluate<number>(`document.querySelector('[role=rowgroup] + [role=rowgroup]').offsetHeight / 40`)
  await focused(page, async () => {
    const grid = page.getByRole('grid')
    while ((await loaded()) < most && (await grid.getAttribute('aria-rowcount')) === '-1')
      await press(page, ['End'], 5, 5)
  })
  return loaded()
}
