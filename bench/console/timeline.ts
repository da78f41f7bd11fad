import type { Page } from 'playwright-core'
import { press, wheel, type Interactions } from './interactions.ts'

/** Uses the timeline of a long run, from its arrival to its end. `append` adds events until its page is left. */
export async function measureTimeline(
  { measure, on }: Interactions,
  url: string,
  name: string,
  append?: (isOver: () => boolean) => Promise<void>,
): Promise<void> {
  await on(url, async (page) => {
    await page.locator('h1').waitFor()
    await measure(page, name, 'nothing while the events arrive', () => grown(page))
    let isOver = false
    const appended = append?.(() => isOver)
    await measure(page, name, 'j, 50 times', () => press(page, ['j'], 50))
    await measure(page, name, 'k, 50 times', () => press(page, ['k'], 50))
    await measure(page, name, 'a row opened and closed, 5 times', () => press(page, ['Enter'], 10, 150))
    await measure(page, name, 'the wheel, 20 pages', () => wheel(page))
    await measure(page, name, 'to the end and back, 3 times', () => toEndAndBack(page))
    await measure(page, name, 'all rows opened and closed', () => press(page, ['e'], 2, 1500))
    await measure(page, name, 'the end with all rows open', async () => {
      await press(page, ['e'], 1, 300)
      await toEndAndBack(page)
    })
    isOver = true
    await appended
  })
}

/** Waits until the page has not grown for half a second. */
async function grown(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Timeline' }).locator('[data-row]').first().waitFor()
  const height = () => page.evaluate<number>('document.body.scrollHeight')
  for (let before = 0, now = await height(); now > before; now = await height()) {
    before = now
    await page.waitForTimeout(500)
  }
}

async function toEndAndBack(page: Page): Promise<void> {
  for (let time = 0; time < 3; time += 1)
    for (const place of ['document.body.scrollHeight', '0']) {
      await page.evaluate(`scrollTo(0, ${place})`)
      await page.waitForTimeout(200)
    }
}
