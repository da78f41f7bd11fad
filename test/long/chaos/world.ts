import { setTimeout as delay } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import * as agents from '../../../api/agents.ts'
import { createDatabase } from '../../../src/database/database.ts'
import { createLogger } from '../../../src/logger.ts'
import { call } from '../../helpers/client.ts'
import { connectContacts } from '../../helpers/connect.ts'
import { onServer } from '../../helpers/database.ts'
import { chance } from '../../money/chance.ts'
import { contradictionsIn } from '../../money/invariants.ts'
import type { Evidence } from './evidence.ts'
import { play } from './load.ts'
import { openBusy, openThrifty, secretsOf } from './owners.ts'
import { readRecord } from './read-evidence.ts'
import { disturbRefreshes, startSites } from './sites.ts'
import { openStage } from './stage.ts'
import { createStorm } from './storm.ts'
import { emptyLoad } from './told.ts'

/** How long requests are sent on after the storm, in milliseconds. */
const calmMs = 60_000
/** How long everything may take to end after that. */
const mostDrainMs = 10 * 60_000
/** How long the last requests may take to be answered. */
const mostWaitMs = 3 * 60_000
/** Between two blows. */
const pauseMs: [least: number, most: number] = [1500, 6000]

type Say = (text: string) => void

/** The cluster, its sites and its users, as a seed says. */
export async function openWorld(t: ExecutionContext, seed: number, say: Say) {
  const stage = await openStage(t, say)
  const sites = await startSites(
    t,
    (...to) => stage.road(...to),
    [`${stage.url}/vault/oauth/callback`],
    chance(seed + 3),
  )
  const tokens: string[] = []
  sites.contacts.transformToken = (body) => {
    tokens.push(String(body['access_token']), String(body['refresh_token']))
    return body
  }
  const [busy, thrifty] = [await openBusy(stage.url, sites), await openThrifty(stage.url)]
  const load = emptyLoad()
  const storm = createStorm(stage, chance(seed), say)
  const scheduled = { from: Date.now(), until: Infinity }
  const [end, giveUp] = [new AbortController(), new AbortController()]
  t.teardown(() => [end, giveUp].forEach((one) => one.abort()))
  const lostGrants: Evidence['lostGrants'] = []

  const query = <T extends object>(statement: string): Promise<T[]> =>
    onServer(stage.databaseUrl, async (client) => (await client.query<T>(statement)).rows)

  /** As its owner would: signs a connection in again that its site has ended. */
  async function signInAgain(): Promise<void> {
    const statement = `select id as "entryId", generation from vault_entries where status <> 'connected'`
    for (; !giveUp.signal.aborted; await delay(2000)) {
      // Postgres may be away.
      const rows = await query<Evidence['lostGrants'][number]>(statement).catch(() => [])
      for (const row of rows) {
        if (!lostGrants.some((known) => known.generation === row.generation)) lostGrants.push(row)
        await connectContacts(busy.someone, sites.contacts, { entryId: row.entryId }).catch(() => undefined)
      }
    }
  }

  async function liftCap(): Promise<void> {
    const request = { params: { agentId: thrifty.capped.id }, body: { creditsPerMonth: null } }
    await call(thrifty.someone, agents.updateAgent, request).then(({ body }) => body)
  }

  /** No run begins while the record is read. A fire of the last half minute may come after the pause. */
  async function stopSchedules(): Promise<void> {
    scheduled.until = Date.now() - 30_000
    for (const { id: agentId } of busy.scheduled) {
      await call(busy.someone, agents.pauseAgent, { params: { agentId } }).then(({ body }) => body)
    }
  }

  /** Waits until everything has ended, and says meanwhile how much has not. */
  async function drain(): Promise<void> {
    const until = Date.now() + mostDrainMs
    for (let quiet = 0; quiet < 2 && Date.now() < until; await delay(5000)) {
      const [open = {}] = await query<Record<string, number>>(unfinished)
      quiet = Object.values(open).every((number) => number === 0) ? quiet + 1 : 0
      say(`unfinished: ${JSON.stringify(open)}`)
    }
  }

  return {
    load,
    storm,
    /** Resolves when the storm is over and everything has ended, or will not. Rejects if a request had no answer. */
    async play(minutes: number): Promise<void> {
      const pace = { random: chance(seed + 1), signal: end.signal, gaveUp: giveUp.signal }
      const { sending, deciding } = play(load, { busy, thrifty }, pace)
      // Awaited below.
      for (const one of [sending, deciding]) one.catch(() => undefined)
      const signingIn = signInAgain()
      const refreshes = disturbRefreshes(sites.contacts, chance(seed + 2))
      await storm.rage(Date.now() + minutes * 60_000, pauseMs)
      refreshes.stop()
      say(`calm after ${storm.blows.length} blows; ${load.receipts.length} deliveries`)
      await delay(calmMs)
      end.abort()
      await liftCap()
      await stopSchedules()
      const late = setTimeout(() => giveUp.abort(), mostWaitMs)
      await sending.finally(() => clearTimeout(late))
      say('no more requests')
      await drain()
      giveUp.abort()
      await Promise.all([deciding, signingIn])
    },
    logs: stage.logs,
    evidence: async (): Promise<Evidence> => ({
      ...(await onServer(stage.databaseUrl, readRecord)),
      contradictions: await contradictionsAt(stage.databaseUrl),
      receipts: load.receipts,
      accepted: load.accepted,
      messages: load.messages,
      lostGrants,
      tokenRequests: sites.contacts.tokenRequests().map((one) => ({ ...one, at: Date.parse(one.at) })),
      arrivals: sites.arrivals(),
      blows: storm.blows,
      schedules: busy.scheduled.map(({ id: agentId }) => ({ agentId, ...scheduled })),
      cappedAgentId: thrifty.capped.id,
      logs: await stage.logs(),
      secrets: [
        ...secretsOf(busy, thrifty),
        ...stage.secrets,
        ...tokens.map((value) => ({ name: 'an OAuth token', value })),
      ].filter(({ value }) => value.length >= 16),
    }),
  }
}

async function contradictionsAt(url: string): Promise<string[]> {
  const database = createDatabase({ database: { url, pool: 1 } }, createLogger('silent', 'judge'))
  try {
    return await contradictionsIn(database)
  } finally {
    await database.destroy()
  }
}

const unfinished = `
  select (select count(*)::int from runs where ended_at is null and status <> 'queued') as running,
         (select count(*)::int from runs where status = 'queued') as queued,
         (select count(*)::int from chat_answers where ended_at is null) as answers`
