import { setTimeout as delay } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import pMap from 'p-map'
import * as vault from '../../../api/vault.ts'
import { call } from '../../helpers/client.ts'
import { customer, webhookAgent } from '../../helpers/people.ts'
import { rage } from '../rage.ts'
import { openStage, type Stage } from '../stage.ts'
import { deliverRun, outcomesOf, type AcceptedRun } from './agents.ts'
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
  const { plan, seconds, progress } = schedule
  const stage = await openStage(t, { env })
  const someone = await customer(stage.platform, 'enterprise')
  const entries = {} as Entries
  for (const [name, url] of Object.entries(urls))
    entries[name as ServerName] = (await call(someone, vault.addToVault, { body: { url } })).body.id
  const sites = Object.values(entries).map((vaultEntryId) => ({ vaultEntryId }))
  const fields = { systemPrompt: 'Report.', allowActionOverride: true, sites }
  const agents = await pMap(Array.from({ length: agentCount }), () => webhookAgent(someone, fields), { concurrency: 2 })
  const [direct, byAgents] = [plan.filter((_, index) => index % 2 === 0), plan.filter((_, index) => index % 2 === 1)]
  const calm = new AbortController()
  const { done: killing } = await rage(stage, ['api', 'worker', 'worker'], [4000, 9000], calm.signal)
  const through = { ...someone, url: stage.environment['BASE_URL'] ?? '' }
  const began = performance.now()
  const untilDue = (share: number) => delay(Math.max(0, share * seconds * 1000 - (performance.now() - began)))
  const counts = { direct: 0, delivered: 0 }
  const ticking = setInterval(() => progress(`${counts.direct} direct calls, ${counts.delivered} by agents`), 15_000)
  t.teardown(() => clearInterval(ticking))

  const callAll = pMap(
    direct.entries(),
    async ([index, planned]) => {
      await untilDue(index / direct.length)
      const callId = await callDirectly(through, entries, planned)
      counts.direct += 1
      return { planned, callId }
    },
    { concurrency: clients },
  )
  const chunks = Array.from({ length: Math.ceil(byAgents.length / callsPerRun) }, (_, index) =>
    byAgents.slice(index * callsPerRun, (index + 1) * callsPerRun),
  )
  const deliverAll = pMap(
    chunks.entries(),
    async ([index, planned]): Promise<AcceptedRun> => {
      await untilDue(index / chunks.length)
      const accepted = await deliverRun(through, agents[index % agentCount]!, planned)
      counts.delivered += planned.length
      return accepted
    },
    { concurrency: agentCount },
  )
  const [called, accepted] = await Promise.all([callAll, deliverAll])
  // The runs end under fire, too.
  const ofRuns = (await pMap(accepted, (run) => outcomesOf(someone, run), { concurrency: 4 })).flat()
  calm.abort()
  const kills = await killing
  if (schedule.hurries) await abandonCalls(stage)
  const ofCalls = await pMap(called, ({ planned, callId }) => settle(through, entries, planned, callId), {
    concurrency: 50,
  })
  clearInterval(ticking)
  return { outcomes: [...ofCalls, ...ofRuns], kills, took: Math.round((performance.now() - began) / 1000) }
}

export type Played = { outcomes: Outcome[]; kills: { api: number; worker: number }; took: number }

/** Does at once what workers do when the calls of dead processes can no longer be under way. None is under way. */
async function abandonCalls({ platform: { services } }: Stage): Promise<void> {
  const startedAt = new Date(Date.now() - 86_400_000)
  await services.database('direct_tool_calls').where({ status: 'started' }).update({ startedAt })
  await services.tools.closeAbandoned()
}
