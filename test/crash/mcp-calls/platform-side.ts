import { setTimeout as delay } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import pMap from 'p-map'
import * as vault from '../../../api/vault.ts'
import { call } from '../../helpers/client.ts'
import { customer, webhookAgent } from '../../helpers/people.ts'
import { rage } from '../rage.ts'
import { openStage, type Stage } from '../stage.ts'
import { deliverRun, outcomesOf } from './agents.ts'
import { isApi, operationsOf } from './apis.ts'
import { callDirectly, settle, type Entries } from './direct.ts'
import type { Outcome } from './outcome.ts'
import type { PlannedCall, ServerName } from './plan.ts'

export interface Schedule {
  plan: PlannedCall[]
  seconds: number
  /** Whether calls of dead processes count as abandoned at once, instead of after minutes. */
  hurries: boolean
  progress: (text: string) => void
}

const agentCount = 6
const callsPerRun = 8
const clients = 6

const env = {
  OUTGOING_PER_MINUTE: '1000000',
  SITE_TIMEOUT_SECONDS: '5',
  RATE_LIMIT_WEBHOOK_PER_MINUTE: '1000000',
  DATABASE_POOL: '12',
}

/**
 * Somebody connects the servers, and makes half of the calls directly and half by agents, while API and worker processes
 * are killed. Returns what the API says about each call in the end.
 */
export async function playOnPlatform(t: ExecutionContext, urls: Record<ServerName, string>, schedule: Schedule) {
  const stage = await openStage(t, { env })
  const cast = await openCast(stage, urls)
  const calm = new AbortController()
  const { done: killing } = await rage(stage, ['api', 'worker', 'worker'], [4000, 9000], calm.signal)
  const began = performance.now()
  const show = openShow(cast, schedule)
  const ticking = setInterval(() => schedule.progress(show.soFar()), 15_000)
  t.teardown(() => clearInterval(ticking))
  const [called, accepted] = await Promise.all([show.callAll(), show.deliverAll()])
  // The runs end under fire, too.
  const ofRuns = (await pMap(accepted, (run) => outcomesOf(cast.someone, run), { concurrency: 4 })).flat()
  calm.abort()
  const kills = await killing
  if (schedule.hurries) await abandonCalls(stage)
  const ofCalls = await pMap(called, (one) => settle(cast.caller, cast.entries, one), { concurrency: 50 })
  clearInterval(ticking)
  const outcomes: Outcome[] = [...ofCalls, ...ofRuns]
  return { outcomes, kills, took: Math.round((performance.now() - began) / 1000) }
}

type Cast = Awaited<ReturnType<typeof openCast>>

/** Somebody with an entry for each server, and with agents that may use all of them. `caller` uses the API that dies. */
async function openCast({ platform, environment }: Stage, urls: Record<ServerName, string>) {
  const someone = await customer(platform, 'enterprise')
  const entries = {} as Entries
  for (const [name, url] of Object.entries(urls))
    entries[name as ServerName] = (await call(someone, vault.addToVault, { body: bodyOf(name, url) })).body.id
  const sites = Object.values(entries).map((vaultEntryId) => ({ vaultEntryId }))
  const fields = { systemPrompt: 'Report.', allowActionOverride: true, sites }
  const agents = await pMap(Array.from({ length: agentCount }), () => webhookAgent(someone, fields), { concurrency: 2 })
  return { someone, entries, agents, caller: { ...someone, url: environment['BASE_URL'] ?? '' } }
}

const bodyOf = (name: string, url: string) => (isApi(name) ? { url, tools: [...operationsOf[name]] } : { url })

/** The calls of a schedule, each at its time: every second one directly, the others in runs of some calls. */
function openShow({ entries, agents, caller }: Cast, { plan, seconds }: Schedule) {
  const began = performance.now()
  const untilDue = (share: number) => delay(Math.max(0, share * seconds * 1000 - (performance.now() - began)))
  const direct = plan.filter((_, index) => index % 2 === 0)
  const runs = chunksOf(plan.filter((_, index) => index % 2 === 1))
  const done = { directly: 0, byAgents: 0 }

  async function callOne([index, planned]: [number, PlannedCall]) {
    await untilDue(index / direct.length)
    const callId = await callDirectly(caller, entries, planned)
    done.directly += 1
    return { planned, callId }
  }

  async function deliverOne([index, planned]: [number, PlannedCall[]]) {
    await untilDue(index / runs.length)
    const accepted = await deliverRun(caller, agents[index % agentCount]!, planned)
    done.byAgents += planned.length
    return accepted
  }

  return {
    callAll: () => pMap(direct.entries(), callOne, { concurrency: clients }),
    deliverAll: () => pMap(runs.entries(), deliverOne, { concurrency: agentCount }),
    soFar: () => `${done.directly} direct calls, ${done.byAgents} given to agents`,
  }
}

const chunksOf = (planned: PlannedCall[]): PlannedCall[][] =>
  Array.from({ length: Math.ceil(planned.length / callsPerRun) }, (_, index) =>
    planned.slice(index * callsPerRun, (index + 1) * callsPerRun),
  )

/** Does at once what workers do when the calls of dead processes can no longer be under way. None is under way. */
async function abandonCalls({ platform: { services } }: Stage): Promise<void> {
  const startedAt = new Date(Date.now() - 86_400_000)
  await services.database('direct_tool_calls').where({ status: 'started' }).update({ startedAt })
  await services.tools.closeAbandoned()
}
