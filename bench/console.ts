import { join } from 'node:path'
import ky from 'ky'
import { chromium, type Page } from 'playwright-core'
import { buildConsole } from '../bin/local/console.ts'
import { copyRun, lengthen } from './console/fill.ts'
import { openMeasured, seenBy, slowestWhile, type State } from './console/measured-page.ts'
import { temporaryFolder } from './shared/folder.ts'
import { numbersGiven } from './shared/options.ts'
import { openBenchServers } from './shared/servers.ts'
import { median } from './shared/statistics.ts'

/**
 * `npm run bench -- console [--runs 100000] [--events 10000] [--loads 5]`: how fast the console is in Chromium, by the
 * browser's own measures: first content and layout shifts of cold loads, and the slowest interaction with that many runs
 * in the list and that many events on a timeline.
 */
const { runs, events, loads } = numbersGiven({ runs: 100_000, events: 10_000, loads: 5 })
const credentials = { email: 'bench@example.com', password: 'a password for the bench' }

await buildConsole(console.log)
const servers = await openBenchServers(join(temporaryFolder, 'console'), true)
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  const runId = await makeRun()
  await copyRun(servers.database, runId, runs)
  await lengthen(servers.database, runId, events)
  const state = await signedIn()
  for (const [name, path, who] of [
    ['sign-in', '/sign-in', undefined],
    ['home', '/w/me', state],
    ['runs', '/w/me/runs', state],
    ['run', `/w/me/runs/${runId}`, state],
  ] as const)
    await measureLoads(name, path, who)
  await measureList(state)
  await measureRun(state, runId)
} finally {
  await browser.close()
  await servers.close()
}

async function makeRun(): Promise<string> {
  const api = ky.create({ prefix: servers.url })
  await api.post('auth/register', { json: credentials })
  const { accessToken } = await api.post('auth/login', { json: credentials }).json<{ accessToken: string }>()
  const own = api.extend({ headers: { authorization: `Bearer ${accessToken}` } })
  await own.post('auth/accept-terms')
  const agent = { name: 'Bench', trigger: 'manual', systemPrompt: 'Report.' }
  const { id } = await own.post('agents', { json: agent }).json<{ id: string }>()
  const run = await own.post(`agents/${id}/runs`).json<{ id: string }>()
  for (;;) {
    const { endedAt } = await own.get(`runs/${run.id}`).json<{ endedAt: string | null }>()
    if (endedAt !== null) return run.id
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

async function signedIn(): Promise<State> {
  const page = await openMeasured(browser, undefined)
  await page.goto(`${servers.url}/console/sign-in`)
  await page.getByLabel('Email').fill(credentials.email)
  await page.getByLabel('Password', { exact: true }).fill(credentials.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  return page.context().storageState()
}

async function measureLoads(name: string, path: string, state: State): Promise<void> {
  const seen = []
  for (let load = 0; load < loads; load += 1) {
    const page = await openMeasured(browser, state)
    await page.goto(`${servers.url}/console${path}`)
    await page.waitForLoadState('networkidle')
    seen.push(await seenBy(page))
    await page.context().close()
  }
  const paint = median(seen.map(({ firstPaint }) => firstPaint))
  const shift = Math.max(...seen.map(({ shift }) => shift))
  console.log(`${name.padEnd(10)} first content ${paint.toFixed(0)} ms (goal 200), layout shift ${shift.toFixed(4)} (goal 0)`)
}

const report = (name: string, ms: number) => console.log(`${name.padEnd(44)} ${ms.toFixed(0)} ms (goal 100)`)

async function measureList(state: State): Promise<void> {
  const page = await openMeasured(browser, state)
  await page.goto(`${servers.url}/console/w/me/runs`)
  const rows = page.getByRole('grid').getByRole('row')
  await rows.nth(5).waitFor()
  report(`${runs} runs: 20 pages by wheel`, await slowestWhile(page, () => wheel(page, 20)))
  await rows.nth(5).focus()
  report(`${runs} runs: j fifty times`, await slowestWhile(page, () => pressOften(page, 'j', 50)))
  report(`${runs} runs: End ten times`, await slowestWhile(page, () => pressOften(page, 'End', 10, 400)))
  report(`${runs} runs: x, j ten times`, await slowestWhile(page, async () => {
    for (let time = 0; time < 10; time += 1) for (const key of ['x', 'j']) await page.keyboard.press(key)
  }))
  report(`${runs} runs: another filter`, await slowestWhile(page, async () => {
    await page.getByLabel('Status').selectOption('completed')
    await rows.nth(5).waitFor()
  }))
  await page.context().close()
}

async function measureRun(state: State, runId: string): Promise<void> {
  const page = await openMeasured(browser, state)
  await page.goto(`${servers.url}/console/w/me/runs/${runId}`)
  await page.getByText('Rate limit').first().waitFor()
  await page.waitForLoadState('networkidle')
  report(`${events} events: j fifty times`, await slowestWhile(page, () => pressOften(page, 'j', 50)))
  report(`${events} events: a row opened and closed`, await slowestWhile(page, () => pressOften(page, 'Enter', 10, 200)))
  report(`${events} events: 20 pages by wheel`, await slowestWhile(page, () => wheel(page, 20)))
  report(`${events} events: all rows opened and closed`, await slowestWhile(page, () => pressOften(page, 'e', 2, 1500)))
  await page.context().close()
}

async function wheel(page: Page, pages: number): Promise<void> {
  await page.mouse.move(640, 400)
  for (let time = 0; time < pages; time += 1) {
    await page.mouse.wheel(0, 700)
    await page.waitForTimeout(150)
  }
}

async function pressOften(page: Page, key: string, times: number, pauseMs = 30): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await page.keyboard.press(key)
    await page.waitForTimeout(pauseMs)
  }
}
