import type { Browser } from 'playwright-core'
import type { Report } from '../shared/report.ts'
import { median } from '../shared/statistics.ts'
import { openMeasured, seenBy, type Seen, type State } from './measured-page.ts'

/** A page: its name, its address, and who opens it. */
export type Opened = readonly [name: string, url: string, state: State]

const shown = (ms: number): string => ms.toFixed(0)

/** Opens each page by its address, as often as that, in a browser that has nothing in its cache. */
export async function measurePages(browser: Browser, pages: readonly Opened[], loads: number): Promise<Report> {
  const rows: string[][] = []
  const notes: string[] = []
  for (const [name, url, state] of pages) {
    const seen: Seen[] = []
    for (let load = 0; load < loads; load += 1) seen.push(await opened(browser, url, state))
    const middle = (what: 'first' | 'heading' | 'largest') => shown(median(seen.map((each) => each[what])))
    const most = seen.toSorted((one, other) => other.shift - one.shift)[0]
    rows.push([name, middle('first'), middle('heading'), middle('largest'), (most?.shift ?? 0).toFixed(4)])
    if (most && most.shift > 0) notes.push(`Shifted on ${name}: ${[...new Set(most.shifted)].join('; ')}`)
  }
  return {
    title: 'Opening a page of the console',
    text: [
      `\`npm run bench -- console\`, in Chromium ${browser.version()}: pages opened by their address on loopback, ${loads} times each with an empty cache. The figures are what the browser reports: the medians of the times from the start of the navigation until anything is shown, until the heading of the page is, and until the largest text is; and the largest layout shift (Layout Instability). The goals are 200 ms until the first content, and no shift. The first content is a sentence that the page has while its scripts are read.`,
    ],
    columns: ['page', 'first content, ms', 'heading, ms', 'largest text, ms', 'layout shift'],
    rows,
    notes,
  }
}

async function opened(browser: Browser, url: string, state: State) {
  const page = await openMeasured(browser, state)
  await page.goto(url)
  await page.locator('h1').first().waitFor()
  // What arrives later may shift the page.
  await page.waitForTimeout(1000)
  const seen = await seenBy(page)
  await page.context().close()
  return seen
}
