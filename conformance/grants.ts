import { setTimeout as delay } from 'node:timers/promises'
import { callTool, comeBack, redirected, startOAuth } from './connections.ts'
import { accepted } from './expect.ts'
import type { OwnOAuth } from './own-oauth.ts'
import type { Person } from './people.ts'
import type { Stage } from './stage.ts'

/** Needs the scope `read`. */
export const readingTool = 'search_things'
export const input = { query: 'a' }

/** Needs the scope `delete`, which is requested for it. */
export const toolNotAllowed = 'delete_thing'

/** Long enough that the first call comes before the platform refreshes the token, even on a busy machine. */
const shortLifeSeconds = 4
/** The number of calls with the first token, and with each token after it. The last calls are simultaneous. */
const callsOfShort = [1, 1, 3]

interface Wanted {
  at: 'oauth' | 'shortOauth'
  life: number
  tools: readonly string[]
}

/**
 * Connects the site by OAuth for these tools, with access tokens that are valid for this many seconds. Grants only
 * `read`.
 */
async function grant({ client, sites }: Stage, person: Person, { at, life, tools }: Wanted) {
  const site = await sites.at(at)
  const { oauth } = site
  oauth.consentTo({ life, scope: 'read' })
  const flow = accepted(await startOAuth(client, person, site, tools), 201)
  const sent = await redirected(client, flow)
  const back = await comeBack(client, sent)
  const entryId = String(accepted(back)['entryId'])
  const [exchange] = exchangesAt(oauth)
  const callback = new URL('/vault/oauth/callback', String(flow['connectUrl'])).href
  return { sent, back, entryId, site, oauth, exchange, query: sent.location.searchParams, callback }
}

/** The token requests that exchanged a code. */
export const exchangesAt = ({ tokenRequests }: OwnOAuth) => tokenRequests.filter(({ form }) => !isRefresh(form))

const refreshesAt = ({ tokenRequests }: OwnOAuth) => tokenRequests.filter(({ form }) => isRefresh(form))

const isRefresh = (form: Record<string, string>): boolean => form['grant_type'] === 'refresh_token'

/** A consent with tokens valid for an hour, to less than was requested. */
export const hourly = (stage: Stage) =>
  stage.once('hourly grant', async () => {
    const tools = [readingTool, toolNotAllowed]
    return grant(stage, await stage.people.free(), { at: 'oauth', life: 3600, tools })
  })

/** Two calls with a long-lived token, and the number of refreshes that they caused. */
export const hourlyCalls = (stage: Stage) =>
  stage.once('hourly calls', async () => {
    const { entryId, oauth } = await hourly(stage)
    const free = await stage.people.free()
    const before = refreshesAt(oauth).length
    const call = { entryId, tool: readingTool, input }
    const answers = [await callTool(stage.client, free, call), await callTool(stage.client, free, call)]
    return { answers, refreshed: refreshesAt(oauth).length - before }
  })

/** An entry whose access token has expired twice, and the requests that its site received. */
export const refreshing = (stage: Stage) =>
  stage.once('refreshing grant', async () => {
    const { client, people } = stage
    const owner = await people.owner()
    const given = { at: 'shortOauth', life: shortLifeSeconds, tools: [readingTool] } as const
    const { entryId, oauth, site } = await grant(stage, owner, given)
    const call = () => callTool(client, owner, { entryId, tool: readingTool, input })
    const answers = []
    for (const [index, count] of callsOfShort.entries()) {
      if (index > 0) await delay(shortLifeSeconds * 1000 + 300)
      answers.push(...(await Promise.all(Array.from({ length: count }, call))))
    }
    return { answers, refreshes: refreshesAt(oauth), statuses: site.arrivals.map(({ status }) => status), entryId }
  })
