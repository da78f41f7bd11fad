import test from 'ava'
import type { Page } from 'playwright-core'
import { customer } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { openBrowser } from './open-browser.ts'

/* Of a page. */
declare const document: {
  documentElement: { scrollWidth: number; clientWidth: number }
  activeElement: { textContent: string } | null
}
declare const navigator: { clipboard: { readText(): Promise<string> } }

const open = forWholeFile(test, 'reading the documentation in a browser', async (t) => {
  const platform = await startPlatform(t)
  const openPage = await openBrowser(t)
  /** A page of this width, and all that its console says. */
  const openWide = async (width: number) => {
    const page = await openPage()
    const said: string[] = []
    page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`))
    page.on('pageerror', (error) => said.push(error.message))
    await page.setViewportSize({ width, height: 844 })
    return { page, said, goto: (path: string) => page.goto(platform.url + path) }
  }
  return { platform, openWide }
})

const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

const paths = [
  '/docs',
  '/docs/specification',
  '/docs/reference/settings',
  '/docs/search?q=run',
  '/docs/api',
  '/docs/api/agents',
  '/docs/api/chat',
]

for (const width of [390, 1280])
  test(`at ${width} pixels no page scrolls sideways, and the console says nothing`, async (t) => {
    const { openWide } = await open()
    const { page, said, goto } = await openWide(width)
    for (const path of paths) {
      await goto(path)
      t.is(await overflow(page), 0, path)
      const shown = (where: string) => page.locator(`.menu.${where}`).isVisible()
      t.deepEqual([await shown('beside'), await shown('above')], [width > 800, width < 800], path)
    }
    t.deepEqual(said, [])
  })

test('the menu of a narrow screen unfolds, and leads to a page', async (t) => {
  const { openWide } = await open()
  const { page, said, goto } = await openWide(390)
  await goto('/docs/reference/errors')
  await page.locator('.menu.above > summary').click()
  await page.locator('.menu.above').getByRole('link', { name: 'Limits', exact: true }).last().click()
  await page.waitForURL('**/docs/reference/limits')
  t.deepEqual(said, [])
})

test('the keyboard reaches the content first, and the search finds an error code', async (t) => {
  const { openWide } = await open()
  const { page, said, goto } = await openWide(1280)
  await goto('/docs')
  await page.keyboard.press('Tab')
  t.is(await page.evaluate(() => document.activeElement?.textContent), 'Skip to the content')
  await page.getByRole('searchbox').fill('NO_CREDITS')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/search?q=NO_CREDITS')
  await page.locator('.results a').first().click()
  await page.waitForURL('**/docs/reference/errors#no_credits')
  t.true(await page.locator('tr:target').isVisible())
  t.deepEqual(said, [])
})

test('a block of code is copied by its button', async (t) => {
  const { platform, openWide } = await open()
  const { page, goto } = await openWide(1280)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: platform.url })
  await goto('/docs/reference/errors')
  const block = page.locator('.code').first()
  await block.getByRole('button', { name: 'Copy' }).click()
  await block.getByRole('button', { name: 'Copied' }).waitFor()
  t.is(await page.evaluate(() => navigator.clipboard.readText()), await block.locator('code').innerText())
})

for (const width of [390, 1280])
  test(`at ${width} pixels an operation is tried with a token, and without one`, async (t) => {
    const { platform, openWide } = await open()
    const someone = await customer(platform)
    const { page, said, goto } = await openWide(width)
    await goto('/docs/api/agents#listAgents')
    const list = page.locator('#listAgents')
    await list.getByText('Try it').click()
    await list.getByRole('button', { name: 'Send' }).click()
    await list.locator('output', { hasText: '401' }).waitFor()
    said.splice(0)
    await page.getByLabel('Access token or API key').fill(someone.token)
    await list.getByRole('button', { name: 'Send' }).click()
    await list.locator('output', { hasText: '200' }).waitFor()
    t.deepEqual(JSON.parse(await list.locator('.answer').innerText()), { items: [], nextCursor: null })
    await goto('/docs/api/auth#me')
    const me = page.locator('#me')
    await me.getByText('Try it').click()
    await me.getByRole('button', { name: 'Send' }).click()
    await me.locator('output', { hasText: '200' }).waitFor()
    t.like(JSON.parse(await me.locator('.answer').innerText()), { email: someone.email })
    t.is(await overflow(page), 0)
    t.deepEqual(said, [])
  })
