import type { Browser, BrowserContext, Page } from 'playwright-core'

/** What the page's own observers saw. Durations are milliseconds; the shift has no unit (Layout Instability API). */
interface Seen {
  firstPaint: number
  shift: number
  slowest: number
}

/** Collects the entries of the browser, before any script of the page runs. */
const observe = `
  globalThis.seen = { firstPaint: 0, shift: 0, slowest: 0 }
  const watch = (type, note, more) => new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true, ...more })
  watch('paint', (entry) => { if (entry.name === 'first-contentful-paint') seen.firstPaint = entry.startTime })
  watch('layout-shift', (entry) => { if (!entry.hadRecentInput) seen.shift += entry.value })
  watch('event', (entry) => { seen.slowest = Math.max(seen.slowest, entry.duration) }, { durationThreshold: 16 })
  watch('longtask', (entry) => { seen.slowest = Math.max(seen.slowest, entry.duration) })
`

export async function openMeasured(browser: Browser, state: State): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    ...(state && { storageState: state }),
  })
  await context.addInitScript(observe)
  return context.newPage()
}

/** A login's cookies, or undefined for nobody. */
export type State = Awaited<ReturnType<BrowserContext['storageState']>> | undefined

export const seenBy = (page: Page): Promise<Seen> => page.evaluate<Seen>('({ ...seen })')

/** The slowest interaction or task while somebody does this, in milliseconds. */
export async function slowestWhile(page: Page, work: () => Promise<void>): Promise<number> {
  await page.waitForTimeout(500)
  await page.evaluate('seen.slowest = 0')
  await work()
  // Entries arrive after the next paint.
  await page.waitForTimeout(500)
  return (await seenBy(page)).slowest
}
