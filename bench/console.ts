import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { acceptTerms } from '../api/auth.ts'
import { buildConsole } from '../bin/local/console.ts'
import { call } from '../test/helpers/client.ts'
import { agentOf, ended, newcomer, type Person } from '../test/helpers/people.ts'
import { start } from '../test/helpers/runs.ts'
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

await buildConsole(console.log)
const servers = await openBenchServers(join(temporaryFolder, 'console'), true)
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
try {
  const someone = await newcomer(servers)
  const runId = await makeRun(someone)
  await copyRun(servers.database, runId, runs)
  await lengthen(servers.database, runId, events)
  const state = await signedIn(someone)
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

async function makeRun(someone: Person): Promise<string> {
  await call(someone, acceptTerms)
  const { id } = (await start(someone, await agentOf(someone))).body
  await ended(someone, id)
  return id
}

async function signedIn(someone: Person): Promise<State> {
  const page = await openMeasured(browser, undefined)
  await page.goto(`${servers.url}/console/sign-in`)
  await page.getByLabel('Email').fill(someone.email)
  await page.getByLabel('Password', { exact: true }).fill(someone.password)
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
  console.log(
    `${name.padEnd(10)} first content ${paint.toFixed(0)} ms (goal 200), layout shift ${shift.toFixed(4)} (goal 0)`,
  )
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
  report(
    `${runs} runs: x, j ten times`,
    await slowestWhile(page, async () => {
      for (let time = 0; time < 10; time += 1) for (const key of ['x', 'j']) await page.keyboard.press(key)
    }),
  )
  report(
    `${runs} runs: another filter`,
    await slowestWhile(page, async () => {
      await page.getByLabel('Status').selectOption('completed')
      await rows.nth(5).waitFor()
    }),
  )
  await page.context().close()
}

async function measureRun(state: State, runId: string): Promise<void> {
  const page = await openMeasured(browser, state)
  await page.goto(`${servers.url}/console/w/me/runs/${runId}`)
  await page.getByText('Rate limit').first().waitFor()
  await page.waitForLoadState('networkidle')
  report(`${events} events: j fifty times`, await slowestWhile(page, () => pressOften(page, 'j', 50)))
  report(
    `${events} events: a row opened and closed`,
    await slowestWhile(page, () => pressOften(page, 'Enter', 10, 200)),
  )
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
