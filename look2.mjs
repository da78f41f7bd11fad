import { chromium } from 'playwright-core'
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium' })
const ctx = await browser.newContext({
  viewport: { width: 1280, height: 800 },
  colorScheme: 'light',
  storageState: '/tmp/look/state.json',
})
const page = await ctx.newPage()
page.on('console', (m) => {
  if (['error', 'warning'].includes(m.type())) console.log('console', m.type(), m.text())
})
page.on('pageerror', (e) => console.log('pageerror', e.message))
const shot = (n) => page.screenshot({ path: `/tmp/look/${n}.png` })
await page.goto('http://127.0.0.1:3000/console/w/me/start')
await page.getByRole('button', { name: /Start/ }).nth(0).click()
await page.waitForURL(/runs\//)
await page.waitForTimeout(1200)
await shot('run-live')
await page.waitForTimeout(6000)
await shot('run-wait')
console.log(page.url())
console.log(await page.locator('main').innerText())
await page.goto('http://127.0.0.1:3000/console/w/me/start')
await page.waitForTimeout(800)
await page.getByRole('button', { name: /Start/ }).nth(1).click()
await page.waitForURL(/runs\//)
await page.waitForTimeout(8000)
await shot('run-done')
console.log(page.url())
console.log(await page.locator('main').innerText())
const done = page.url()
await page.keyboard.press('e')
const open = page.getByRole('button', { name: 'Open all' })
if (await open.count()) await open.click()
await page.waitForTimeout(1500)
await page.screenshot({ path: '/tmp/look/run-open.png', fullPage: true })
for (const [n, u] of [
  ['home', '/w/me'],
  ['runs', '/w/me/runs'],
  ['approvals', '/w/me/approvals'],
]) {
  await page.goto('http://127.0.0.1:3000/console' + u)
  await page.waitForTimeout(1500)
  await shot(n)
}
await ctx.storageState({ path: '/tmp/look/state.json' })
await browser.close()
