import { parseArgs } from 'node:util'
import pMap from 'p-map'
import { withOwnStart } from '../local/own-start.ts'
import { newAccount } from '../mcp-client/account.ts'
import type { RequiredScenarios } from '../mcp-client/scenarios.ts'
import { createServerAttempt, installSuite, type Verdict } from '../mcp-client/suite.ts'
import { startFront } from '../mcp-server/front.ts'
import { tourInspector } from '../mcp-server/inspector-tour.ts'
import { startMount } from '../mcp-server/mount.ts'
import { exceptions, ofPlatform, required } from '../mcp-server/scenarios.ts'
import { newKey } from '../mcp-server/new-key.ts'

/**
 * `npm run conformance -- mcp-server [--scenario <text>]`: the server scenarios of the Model Context Protocol's own
 * conformance suite. All of them with a test server that the platform's code serves, and those that say something about
 * a server with tools alone with `/mcp` of its own `npm start`. Then the official inspector's command line uses `/mcp`. Fails if a scenario fails that is no exception, or if an
 * exception passes.
 */
const settings = {
  ACCESS_TOKEN_SECONDS: '3600',
  RATE_LIMIT_PER_MINUTE: '1000000',
  RATE_LIMIT_TRIES_PER_HOUR: '1000000',
  RATE_LIMIT_CHANGES_PER_MINUTE: '1000000',
}

type Named = Verdict & { name: string }

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { scenario: { type: 'string', default: '' } } })
  const verdicts = await withOwnStart('mcp-server', settings, async ({ folder, ready }) => {
    const suite = `${folder}/suite`
    const bin = await installSuite(suite)
    const mount = await startMount()
    const { api } = await ready
    // The suite has no credentials to send.
    const token = await newAccount(api)
    const key = await newKey(api, token)
    const front = await startFront(api, key)
    const attempt = (server: string, url: string, all: RequiredScenarios[]) =>
      tryAll({ bin, folder: suite, url, name: server }, all, values.scenario)
    const onMount = await attempt('mount', mount.url, required)
    const onPlatform = await attempt('/mcp', front.url, ofPlatform)
    mount.close()
    front.close()
    const tour = { revision: '', scenario: '', passed: 0, name: 'inspector' }
    const toured = tour.name.includes(values.scenario)
      ? [shown({ ...tour, problems: await tourInspector({ folder: `${folder}/inspector`, api, token }) })]
      : []
    return [...onMount, ...onPlatform, ...toured]
  })
  summarize(verdicts)
}

function tryAll(server: Parameters<typeof createServerAttempt>[0], all: RequiredScenarios[], wanted: string) {
  const attempt = createServerAttempt({ ...server, name: server.name.replace('/', '') })
  const chosen = all
    .flatMap(({ revision, scenarios }) => scenarios.map((scenario) => ({ revision, scenario })))
    .map((one) => ({ ...one, name: `${server.name} ${one.revision} ${one.scenario}` }))
    .filter(({ name }) => name.includes(wanted))
  const tried = async ({ revision, scenario, name }: (typeof chosen)[number]) =>
    shown({ ...(await attempt(revision, scenario)), name })
  // More at once would make the time limits of the scenarios depend on the machine.
  return pMap(chosen, tried, { concurrency: 2 })
}

const hasPassed = ({ problems }: Verdict): boolean => problems.length === 0

/** Whether all that did not pass is an exception. */
function isExcepted({ name, problems }: Named): boolean {
  const exception = exceptions[name]
  if (!exception) return false
  const { checks } = exception
  return checks === undefined || problems.every((text) => checks.some((id) => text.startsWith(`${id}: `)))
}

function shown(verdict: Named): Named {
  const { name, passed, problems } = verdict
  const state = hasPassed(verdict) ? 'passed' : isExcepted(verdict) ? 'excepted' : 'FAILED'
  console.log(`${state.padEnd(9)}${name} (${passed} checks passed)`)
  const reason = exceptions[name]?.reason ?? []
  if (state !== 'passed') for (const text of [reason, problems].flat()) console.log(`         ${text}`)
  return verdict
}

function summarize(verdicts: Named[]): void {
  const passed = verdicts.filter(hasPassed)
  const failed = verdicts.filter((one) => !hasPassed(one) && !isExcepted(one))
  const needless = passed.filter(({ name }) => exceptions[name] !== undefined)
  console.log(`\n${passed.length} of ${verdicts.length} passed, ${failed.length} failed; the others are exceptions.`)
  for (const { name } of needless) console.log(`${name} passes, and is no exception any longer.`)
  if (failed.length + needless.length > 0) process.exitCode = 1
}

await main().catch((error: unknown) => {
  console.error(`\n${(error as Error).message}`)
  process.exitCode = 1
})
