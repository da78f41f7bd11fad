import { gzipSync } from 'node:zlib'
import test from 'ava'
import type { Page } from 'playwright-core'
import { agentOf, customer, ended } from '../../helpers/people.ts'
import { start } from '../../helpers/runs.ts'
import { consoleStage } from './stage.ts'

const open = consoleStage(test, 'the sizes of the console')
const kB = 1000

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

test.serial(
  'sign-in loads at most 230 kB, and so does the list of runs; every other page at most 300 kB',
  async (t) => {
    const { platform, openPage, visitAs } = await open()
    const anybody = await openPage()
    const signIn = await firstLoad(anybody, `${platform.url}/console/sign-in`)
    t.log(`sign-in: ${Math.round(signIn / kB)} kB`)
    t.true(signIn <= 230 * kB)
    const someone = await customer(platform)
    const { id } = (await start(someone, await agentOf(someone))).body
    await ended(someone, id)
    const page = await visitAs(t, someone, '/console/w/me')
    const state = await page.context().storageState()
    for (const [path, most] of [
      ['/w/me/runs', 230],
      ['/w/me', 300],
      ['/w/me/start', 300],
      ['/w/me/approvals', 300],
      [`/w/me/runs/${id}`, 300],
      [`/w/me/runs/${id}/beside/${id}`, 300],
    ] as const) {
      const context = await page.context().browser()!.newContext({ storageState: state })
      const size = await firstLoad(await context.newPage(), `${platform.url}/console${path}`)
      await context.close()
      t.log(`${path}: ${Math.round(size / kB)} kB`)
      t.true(size > 50 * kB && size <= most * kB, `${path}: ${size}`)
    }
  },
)
