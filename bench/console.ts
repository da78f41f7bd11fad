import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { acceptTerms, me } from '../api/auth.ts'
import { buildConsole } from '../bin/local/console.ts'
import { launchBrowser } from '../test/browser/open-browser.ts'
import { call } from '../test/helpers/client.ts'
import { agentOf, newcomer, type Person } from '../test/helpers/people.ts'
import { appendUntil, fillConsole } from './console/fill.ts'
import { createInteractions } from './console/interactions.ts'
import { measureList } from './console/list.ts'
import { openMeasured, type State } from './console/measured-page.ts'
import { measurePages, type Opened } from './console/pages.ts'
import { measureTimeline } from './console/timeline.ts'
import { temporaryFolder } from './shared/folder.ts'
import { numbersGiven } from './shared/options.ts'
import { publish } from './shared/report.ts'
import { openBenchServers } from './shared/servers.ts'

/**
 * `npm run bench -- console [--runs 100000] [--loaded 20000] [--events 10000] [--loads 3]`: how fast the console is in
 * Chromium, by the browser's own measures: how soon a page is shown, what shifts, and the slowest interaction with that
 * many runs in the list, that many of them in the page, and that many events on a timeline.
 */
const { runs, loaded, events, loads } = numbersGiven({ runs: 100_000, loaded: 20_000, events: 10_000, loads: 3 })

await buildConsole(console.log)
const servers = await openBenchServers(join(temporaryFolder, 'console'))
const browser = await launchBrowser()
try {
  const someone = await newcomer(servers)
  const long = await filled(someone)
  const state = await signedIn(browser, someone)
  const at = (path: string) => `${servers.url}/console/w/me${path}`
  const pages = ['', '/runs', `/runs/${long.ended}`, '/approvals', '/agents', '/sites']
  const opened = pages.map((path): Opened => [nameOf(path), at(path), state])
  publish(await measurePages(browser, [['sign-in', `${servers.url}/console/sign-in`, undefined], ...opened], loads))
  const interactions = createInteractions(browser, state)
  await measureTimeline(interactions, at(`/runs/${long.ended}`), `run of ${events} events`)
  await measureTimeline(interactions, at(`/runs/${long.running}`), 'one that is running', (isOver) =>
    appendUntil(servers.database, long.running, isOver),
  )
  await measureList(interactions, at('/runs'), runs, loaded)
  publish(interactions.report())
} finally {
  await browser.close()
  await servers.close()
}

function nameOf(path: string): string {
  const [, name = 'home', id] = path.split('/')
  return id === undefined ? name : 'run'
}

async function filled(someone: Person) {
  await call(someone, acceptTerms)
  const agentIds = []
  for (const name of ['Issue filer', 'Inbox', 'Nightly report']) agentIds.push((await agentOf(someone, { name })).id)
  const { id } = (await call(someone, me)).body
  return fillConsole(servers.database, { ownerId: id, agentIds, runs, events })
}

async function signedIn(inBrowser: Browser, someone: Person): Promise<State> {
  const page = await openMeasured(inBrowser, undefined)
  await page.goto(`${servers.url}/console/sign-in`)
  await page.getByLabel('Email').fill(someone.email)
  await page.getByLabel('Password', { exact: true }).fill(someone.password)
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  const state = await page.context().storageState()
  await page.context().close()
  return state
}
