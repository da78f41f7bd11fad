import type { Browser, BrowserContext, Page } from 'playwright-core'

/** What the page's own observers saw. Times are milliseconds; the shift has no unit (Layout Instability). */
export interface Seen {
  /** When anything was shown, when the heading of the page was, and when the largest text was. */
  first: number
  heading: number
  largest: number
  shift: number
  /** The elements that shifted. */
  shifted: string[]
  /** The slowest event until its next frame (Event Timing), and the longest task if one took 50 ms (Long Tasks). */
  event: number
  task: number
  /** Earlier entries are left out. */
  since: number
}

const nothing: Seen = { first: 0, heading: 0, largest: 0, shift: 0, shifted: [], event: 0, task: 0, since: 0 }

/** Collects what the browser reports, from before any script of the page. */
const observe = `
  globalThis.seen = ${JSON.stringify(nothing)}
  const watch = (type, note, more) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true, ...more })
  const nameOf = ({ node }) => {
    const element = node instanceof Element ? node : node?.parentElement
    return element ? element.localName + '.' + element.classList + ' ' + element.textContent.slice(0, 40) : 'removed'
  }
  watch('paint', ({ name, startTime }) => { if (name === 'first-contentful-paint') seen.first = startTime })
  watch('element', ({ renderTime }) => { seen.heading ||= renderTime })
  watch('largest-contentful-paint', ({ startTime }) => { seen.largest = startTime })
  watch('layout-shift', ({ hadRecentInput, value, sources }) => {
    if (hadRecentInput) return
    seen.shift += value
    seen.shifted.push(...sources.map(nameOf))
  })
  const watchSlow = (type, name, more) =>
    watch(type, ({ startTime, duration }) => { if (startTime >= seen.since) seen[name] = Math.max(seen[name], duration) }, more)
  watchSlow('event', 'event', { durationThreshold: 16 })
  watchSlow('longtask', 'task')
  new MutationObserver(() => document.querySelector('h1:not([elementtiming])')?.setAttribute('elementtiming', 'heading'))
    .observe(document, { childList: true, subtree: true })
`

/** A login's cookies, or undefined for nobody. */
export type State = Awaited<ReturnType<BrowserContext['storageState']>> | undefined

/** A page of a browser with an empty cache. */
export async function openMeasured(browser: Browser, state: State): Promise<Page> {
  const viewport = { width: 1280, height: 800 }
  const context = await browser.newContext({ viewport, ...(state && { storageState: state }) })
  await context.addInitScript(observe)
  return context.newPage()
}

export const seenBy = (page: Page): Promise<Seen> => page.evaluate<Seen>('seen')

/** What the browser reports while somebody does this. */
export async function seenWhile(page: Page, work: () => Promise<void>): Promise<Seen> {
  await page.evaluate(`Object.assign(seen, ${JSON.stringify(nothing)}, { since: performance.now() })`)
  await work()
  await settled(page)
  return seenBy(page)
}

/** Entries arrive after the next frame. */
const settled = (page: Page): Promise<void> => page.waitForTimeout(300)
