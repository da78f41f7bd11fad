import type { Page } from 'playwright-core'
import { press, wheel, type Interactions } from './interactions.ts'

/** Uses the list of runs: its first pages, and then all of its rows, which are loaded by scrolling. */
export async function useList({ measure, on }: Interactions, url: string, runs: number): Promise<void> {
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
    const loaded = `${await loadAll(page)} rows loaded`
    await measure(page, loaded, 'j, 50 times', () => press(page, ['j'], 50))
    await measure(page, loaded, 'k, 50 times', () => press(page, ['k'], 50))
    await measure(page, loaded, 'Home and End, 5 times', () => press(page, ['Home', 'End'], 5, 100))
    await measure(page, loaded, 'x and k, 10 times', () => press(page, ['x', 'k'], 10))
    await measure(page, loaded, 'Shift+Home', () => press(page, ['Shift+Home'], 1, 300))
    await measure(page, loaded, 'the wheel, 20 pages', () => wheel(page))
    await measure(page, loaded, 'open a run and go back', async () => {
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

/** Presses End until the list has its last row. */
async function loadAll(page: Page): Promise<number> {
  return focused(page, async () => {
    while ((await page.getByRole('grid').getAttribute('aria-rowcount')) === '-1') await press(page, ['End'], 5, 10)
  }).then(async () => Number(await page.getByRole('grid').getAttribute('aria-rowcount')) - 1)
}
