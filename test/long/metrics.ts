import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ExecutionContext } from 'ava'
import { freePorts } from '../../bin/local/ports.ts'
import { measured } from '../crash/record.ts'
import { openStage } from '../crash/stage.ts'
import { counted, recorded, sameNumbers } from '../deploy/record.ts'
import { alertRules, queriesOver, rulesFile } from '../deploy/shipped.ts'
import { tellStory } from '../deploy/story.ts'
import { eventually } from '../helpers/eventually.ts'
import { startProcess } from '../helpers/processes.ts'
import { startPrometheus, type Prometheus } from '../helpers/prometheus.ts'
import { promtool } from '../helpers/promtool.ts'
import { testWith } from '../helpers/programs.ts'
import { startSites } from '../helpers/sites.ts'

/*
 * The shipped rules and dashboard with a real Prometheus, two API processes and three workers, for five minutes:
 * npm run long -- metrics
 */
testWith('prometheus', 'promtool')(
  'Prometheus gets data for every panel, counts what is on record, and raises alerts',
  async (t) => {
    t.timeout(10 * 60_000)
    const stage = await openPlatform(t)
    const { workers, urls, prometheus } = await startAll(t, stage)
    await tellStory(t, stage, urls)

    for (const same of sameNumbers) {
      const numbers = async () => {
        const record = await recorded(stage.platform.services.database, same)
        return { record, counted: await counted(prometheus, same) }
      }
      // The last ones are scraped within a second, while the canary adds more.
      await eventually(20, 'the same is counted', async () => {
        const found = await numbers()
        return isDeepStrictEqual(found.counted, found.record) || undefined
      }).catch(async () => t.like(await numbers(), { record: [], counted: [] }, same.counter))
      measured(t, `${same.counter}: ${(await numbers()).counted.join(', ')}`)
    }
    for (const url of urls) await promtoolFindsNothing(t, url)
    await everyPanelHasData(t, prometheus)
    await everyRuleFindsItsSeries(t, prometheus)

    // The first call in doubt since the processes started: its counter was there before, at zero.
    t.deepEqual(await firing(prometheus, 'SwitchyardCallsInDoubt'), ['ticket'])
    t.deepEqual(await firing(prometheus, 'SwitchyardNoWorkers'), [])
    await Promise.all(workers.map((worker) => worker.stop()))
    // The rules wait for two and three minutes of trouble.
    await eventually(
      200,
      'the lack of workers raises an alert',
      async () => (await firing(prometheus, 'SwitchyardNoWorkers')).length === 1 || undefined,
    )
    await eventually(
      200,
      'three processes are down',
      async () => (await firing(prometheus, 'SwitchyardProcessDown')).length === 3 || undefined,
    )
  },
)

const token = randomBytes(24).toString('base64url')

async function openPlatform(t: ExecutionContext) {
  const sites = await startSites(t)
  return openStage(t, { sites, contacts: {}, allow: sites.allow, env: { METRICS_TOKEN: token, CANARY_SECONDS: '5' } })
}

/** Two API processes and three workers, which a Prometheus has scraped once before anything happens. */
async function startAll(t: ExecutionContext, { environment }: Awaited<ReturnType<typeof openPlatform>>) {
  const ports = await freePorts(5)
  const [first = 0, second = 0, ...workerPorts] = ports
  const env = { ...environment, CANARY_URL: `http://127.0.0.1:${first}` }
  const [, , ...workers] = await Promise.all([
    ...[first, second].map((port) => startProcess(t, 'api', { ...env, PORT: String(port) })),
    ...workerPorts.map((port) => startProcess(t, 'worker', { ...env, WORKER_HEALTH_PORT: String(port) })),
  ])
  const jobs = { 'switchyard-api': [first, second], 'switchyard-worker': workerPorts }
  const prometheus = await startPrometheus(t, { jobs, token, rulesFile })
  await eventually(
    30,
    'all processes are scraped',
    async () => (await prometheus.query('up == 1')).length === 5 || undefined,
  )
  const urls: [string, string] = [`http://127.0.0.1:${first}`, `http://127.0.0.1:${second}`]
  return { workers, urls, prometheus }
}

/** Of an API process. Temporal's names in workers are not as Prometheus wants them, nor some of prom-client's. */
async function promtoolFindsNothing(t: ExecutionContext, url: string): Promise<void> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  t.is(response.status, 200)
  const input = (await response.text()).replaceAll(/^(?:# \w+ )?nodejs_.*\n/gm, '')
  await t.notThrowsAsync(promtool(['check', 'metrics'], input))
}

async function everyPanelHasData(t: ExecutionContext, prometheus: Prometheus): Promise<void> {
  const empty: string[] = []
  for (const { title, expr } of queriesOver('10m')) {
    const samples = await prometheus.query(expr)
    if (!samples.some(({ value }) => Number.isFinite(value))) empty.push(`${title}: ${expr}`)
  }
  t.deepEqual(empty, [])
}

interface Evaluated {
  groups: { rules: { name: string; health: string; lastError?: string }[] }[]
}

/** Series that begin when the first of their events happens. An alert without them is silent, which is right. */
const onceTheyHappen = new Set([
  'switchyard_model_outages',
  'temporal_request_failure{operation!~"Poll.+"}',
  'temporal_sticky_cache_total_forced_eviction',
])

/** A rule that finds no series never alarms, so each part of a rule must find some before anything is wrong. */
async function everyRuleFindsItsSeries(t: ExecutionContext, prometheus: Prometheus): Promise<void> {
  const rules = (await prometheus.get<Evaluated>('rules')).groups.flatMap((group) => group.rules)
  t.is(rules.length, alertRules.length)
  t.deepEqual(
    rules.filter(({ health }) => health !== 'ok'),
    [],
  )
  const selectors = alertRules.flatMap(
    ({ expr }) => expr.match(/\b(?:up|(?:switchyard|temporal)_\w+)\b(?:\{[^}]*\})?/g) ?? [],
  )
  const blind: string[] = []
  for (const selector of new Set(selectors)) if ((await prometheus.query(selector)).length === 0) blind.push(selector)
  const unexpected = blind.filter((selector) => !onceTheyHappen.has(selector))
  t.deepEqual(unexpected, [])
}

/** The severities of the alerts of this name that are firing. Their texts were rendered without mistakes. */
async function firing({ alerts }: Prometheus, name: string): Promise<string[]> {
  const found = (await alerts()).filter(({ labels, state }) => labels['alertname'] === name && state === 'firing')
  for (const { annotations } of found) {
    for (const text of Object.values(annotations)) if (/error expanding|<no value>/.test(text)) throw new Error(text)
  }
  return found.map(({ labels }) => labels['severity'] ?? '')
}
