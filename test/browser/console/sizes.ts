import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import type { Page, Route } from 'playwright-core'
import { agentOf, customer, ended } from '../../helpers/people.ts'
import type { Platform } from '../../helpers/platform.ts'
import { start } from '../../helpers/runs.ts'
import { consoleStage } from './stage.ts'

const open = consoleStage(test, 'the sizes of the console')
const kB = 1000

/** Somebody with a run, and the pages of the console that they may open. */
async function reader(platform: Platform) {
  const someone = await customer(platform)
  const { id } = (await start(someone, await agentOf(someone))).body
  await ended(someone, id)
  const run = `/w/me/runs/${id}`
  return { someone, paths: ['/w/me', '/w/me/runs', '/w/me/start', '/w/me/approvals', run, `${run}/beside/${id}`] }
}

/** The scripts and styles that a page loads at first, in bytes as gzip makes them. */
async function firstLoad(page: Page, address: string): Promise<number> {
  const bodies: Promise<Buffer>[] = []
  page.on('response', (response) => {
    if (/\/console\/assets\/.+\.(js|css)$/.test(response.url())) bodies.push(response.body())
  })
  await page.goto(address)
  await page.waitForLoadState('networkidle')
  const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body, { level: 9 }).length)
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** What the page has moved under the eyes of its reader (Layout Instability), and when something was shown first. */
const measured = `new Promise((resolve) => {
  const [shown] = performance.getEntriesByName('first-contentful-paint')
  let moved = 0
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) moved += value
  }).observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve({ moved, shownMs: Math.round(shown?.startTime ?? 0) }), 300)
})`

/** Answers come so late that each page first shows what stands in for them. */
const slowly = async (route: Route): Promise<void> => {
  if (!route.request().url().includes('/console/')) await delay(300)
  await route.continue()
}

test.serial('every page keeps its layout while late answers arrive, at both widths', async (t) => {
  const { platform, openPage, visitAs } = await open()
  const { someone, paths } = await reader(platform)
  const state = await (await visitAs(t, someone, '/console/w/me')).context().storageState()
  const browser = (await openPage()).context().browser()!
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ])
    for (const path of ['/sign-in', ...paths]) {
      const context = await browser.newContext({ viewport, ...(path !== '/sign-in' && { storageState: state }) })
      await context.route('**', slowly)
      const page = await context.newPage()
      await page.goto(`${platform.url}/console${path}`)
      await page.waitForLoadState('networkidle')
      const { moved, shownMs } = await page.evaluate<{ moved: number; shownMs: number }>(measured)
      await context.close()
      t.log(`${path} at ${viewport.width}: ${moved.toFixed(3)} moved, ${shownMs} ms`)
      t.true(moved < 0.1, `${path} at ${viewport.width} moved by ${moved}`)
    }
})

test.serial(
  'sign-in loads at most 230 kB, and so does the list of runs; every other page at most 300 kB',
  async (t) => {
    const { platform, openPage, visitAs } = await open()
    const anybody = await openPage()
    const signIn = await firstLoad(anybody, `${platform.url}/console/sign-in`)
    t.log(`sign-in: ${Math.round(signIn / kB)} kB`)
    t.true(signIn <= 230 * kB)
    const { someone, paths } = await reader(platform)
    const page = await visitAs(t, someone, '/console/w/me')
    const state = await page.context().storageState()
    for (const path of paths) {
      const most = path === '/w/me/runs' ? 230 : 300
      const context = await page.context().browser()!.newContext({ storageState: state })
      const size = await firstLoad(await context.newPage(), `${platform.url}/console${path}`)
      await context.close()
      t.log(`${path}: ${Math.round(size / kB)} kB`)
      t.true(size > 50 * kB && size <= most * kB, `${path}: ${size}`)
    }
  },
)
