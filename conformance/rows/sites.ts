import { setTimeout as delay } from 'node:timers/promises'
import { agentOf, startRun } from '../agents.ts'
import { addToVault, callTool, connect, inspect, startOAuth } from '../connections.ts'
import { accepted, assert, assertSame, pathsIn, refused, outcomeOf } from '../expect.ts'
import { hourly, readingTool } from '../grants.ts'
import type { Person } from '../people.ts'
import type { Row } from '../row.ts'
import type { Stage } from '../stage.ts'
import { until } from '../until.ts'
import { inspectedAt } from './manifests.ts'

/** The owner's entry at the checker's first site. */
export const plainEntry = (stage: Stage) =>
  stage.once('plain entry', async () => {
    const site = await stage.sites.at('plain')
    return { site, entryId: await connect(stage.client, await stage.people.owner(), site) }
  })

/** The most calls to one host in a minute (docs/specification.md, "Limits"). */
const perMinute = 10

const windowSeconds = 60

const search = { tool: 'search_things', input: { query: 'a' } }

/** Calls a tool until a call is refused, and then once more as another account. */
const outgoing = (stage: Stage) =>
  stage.once('outgoing', async () => {
    const { client, people } = stage
    const site = await stage.sites.at('limited')
    const [owner, other] = [await people.owner(), await people.free()]
    const entryId = await connect(client, owner, site)
    const ofOther = await connect(client, other, site)
    let counted = await untilRefused(stage, owner, { ...search, entryId })
    // Calls of an earlier check still counted. A minute after the last one, none does.
    if (counted.succeeded < perMinute) {
      await delay((windowSeconds + 1) * 1000)
      counted = await untilRefused(stage, owner, { ...search, entryId })
    }
    const answerToOther = await callTool(client, other, { ...search, entryId: ofOther, takesLimits: true })
    return { ...counted, site, entryId, answerToOther, arrived: site.arrivals.length - counted.before }
  })

/** `seconds`: the time since before the first call, and so its greatest age. */
async function untilRefused({ client, sites }: Stage, owner: Person, call: typeof search & { entryId: string }) {
  const before = (await sites.at('limited')).arrivals.length
  const began = performance.now()
  const since = () => (performance.now() - began) / 1000
  for (let succeeded = 0; succeeded < 2 * perMinute + 2; succeeded += 1) {
    const answer = await callTool(client, owner, { ...call, takesLimits: succeeded > 0 })
    if (answer.status !== 200) return { answer, succeeded, before, seconds: since() }
  }
  return { answer: undefined, succeeded: 2 * perMinute + 2, before, seconds: since() }
}

/** Starts to connect an OAuth site that is already connected. */
async function startAgain(stage: Stage): Promise<string> {
  await hourly(stage)
  const { client, people, sites } = stage
  const answer = await startOAuth(client, await people.free(), await sites.at('oauth'), [readingTool])
  assert(answer.status !== 201, 'a second consent to the same site is begun')
  return refused(answer, 'TOKEN_EXISTS')
}

/** Uses a site that this account does not call. */
async function deletedFirst({ client, people, sites }: Stage): Promise<void> {
  const free = await people.free()
  const site = await sites.at('held')
  const remove = async (id: string) => client.send({ method: 'DELETE', url: `/vault/${id}`, token: free.token })
  const entryId = await connect(client, free, site)
  refused(await addToVault(client, free, site.origin, 'another-token'), 'TOKEN_EXISTS')
  accepted(await remove(entryId), 204)
  accepted(await remove(await connect(client, free, site, 'another-token')), 204)
}

const manifestNeeds = ['ownSites', 'siteCaFile'] as const

export const siteRows: Row[] = [
  {
    id: 'codes/TOOL_EXECUTION_ERROR',
    says: 'a tool call to an external site failed',
    needs: [...manifestNeeds, 'cards'],
    async run(stage) {
      const { entryId } = await plainEntry(stage)
      const call = { entryId, tool: 'answer_with', input: { status: 500 } }
      const answer = await callTool(stage.client, await stage.people.owner(), call)
      const evidence = refused(answer, 'TOOL_EXECUTION_ERROR')
      assertSame(answer.json['siteStatus'], 500, '"siteStatus"')
      return `${evidence}, after the site's 500`
    },
  },
  {
    id: 'codes/SITE_UNAVAILABLE',
    says: 'a connected site is unreachable',
    needs: [...manifestNeeds, 'cards'],
    async run(stage) {
      const owner = await stage.people.owner()
      const site = await stage.sites.at('leaving')
      const entryId = await connect(stage.client, owner, site)
      await site.close()
      const answer = await callTool(stage.client, owner, { entryId, tool: 'search_things', input: { query: 'a' } })
      return `${refused(answer, 'SITE_UNAVAILABLE')}, after the site was closed`
    },
  },
  {
    id: 'codes/OUTGOING_RATE_LIMITED',
    says: 'too many outgoing tool calls to one site; wait 60 seconds',
    needs: [...manifestNeeds, 'cards'],
    async run(stage) {
      const { answer, succeeded, seconds } = await outgoing(stage)
      assert(answer, `${succeeded} calls in a row were all made`)
      const evidence = refused(answer, 'OUTGOING_RATE_LIMITED')
      const wait = Number(answer.headers.get('retry-after'))
      // The first call counts for a minute and is at most this old.
      const least = windowSeconds - seconds - 1
      assert(
        wait >= least && wait <= windowSeconds,
        `Retry-After is ${wait}, ${seconds.toFixed(1)} s after the first call`,
      )
      return `${evidence}, Retry-After ${wait}`
    },
  },
  {
    id: 'limits/Outgoing tool calls',
    says: '10 per minute per domain; excess gives OUTGOING_RATE_LIMITED',
    needs: [...manifestNeeds, 'cards'],
    async run(stage) {
      const { answer, answerToOther, succeeded, arrived } = await outgoing(stage)
      assertSame(succeeded, perMinute, 'the number of calls before the limit')
      refused(answerToOther, 'OUTGOING_RATE_LIMITED')
      assertSame(arrived, perMinute, 'the number of calls that the site got')
      const one = `call ${succeeded + 1}: ${answer ? outcomeOf(answer) : ''}`
      return `${one}, and so for another account; the site got ${arrived} (each port is a site: OUTGOING_COUNT_PORTS)`
    },
  },
  {
    id: 'limits/Outgoing calls of runs',
    says: 'calls of runs count like direct ones: a run waits while there is no call left',
    needs: [...manifestNeeds, 'cards', 'directives'],
    async run(stage) {
      const { client, people } = stage
      const { site, entryId: vaultEntryId } = await outgoing(stage)
      const owner = await people.owner()
      const before = site.arrivals.length
      const agent = await agentOf(client, owner, {
        systemPrompt: '[[call search_things {"query": "a run"}]]',
        sites: [{ vaultEntryId, tools: [search.tool] }],
      })
      const run = `/runs/${String(accepted(await startRun(client, owner, agent), 202)['id'])}`
      // Within the minute of the direct calls.
      const cause = await until(40, 'the run waits for the site', async () => {
        assertSame(site.arrivals.length, before, 'the number of calls that the site got')
        return accepted(await client.send({ url: run, token: owner.token }))['waitingCause'] ?? undefined
      })
      assertSame(cause, 'rate_limit', 'waitingCause')
      accepted(await client.send({ method: 'POST', url: `${run}/cancel`, token: owner.token }))
      return `after ${perMinute} direct calls a run waits (rate_limit), and the site gets no call of it`
    },
  },
  {
    id: 'codes/TOKEN_EXISTS',
    says: 'a token for this site already exists in the vault; update it with PATCH or delete it first',
    needs: [...manifestNeeds, 'cards'],
    async run(stage) {
      const { site, entryId } = await plainEntry(stage)
      const owner = await stage.people.owner()
      const evidence = refused(await addToVault(stage.client, owner, site.origin, 'another-token'), 'TOKEN_EXISTS')
      accepted(await callTool(stage.client, owner, { entryId, tool: 'search_things', input: { query: 'token' } }))
      const call = site.arrivals.findLast(({ text }) => text.includes('"token"'))
      assertSame(call?.headers.authorization, 'Bearer good-token', 'Authorization of the next call')
      const byOAuth = await startAgain(stage)
      await deletedFirst(stage)
      return `${evidence}; the token of before is still used; by OAuth: ${byOAuth}; after DELETE it can be added`
    },
  },
  {
    id: 'codes/VAULT_LIMIT_REACHED',
    ofMoney: true,
    says: 'maximum sites in the vault for the tier',
    needs: [...manifestNeeds, 'sites'],
    async run(stage) {
      const { client, people, sites, facts } = stage
      const spender = await people.spender()
      const { limits } = accepted(await client.send({ url: '/billing', token: spender.token })) as {
        limits: Record<string, number>
      }
      const places = ['plain', 'limited', 'held', 'queue'] as const
      const own = await Promise.all(places.map(async (place) => (await sites.at(place)).origin))
      const all = [facts.sites.issueTracker, facts.sites.badTools, ...own]
      const most = limits['vaultSites'] ?? 0
      assert(most < all.length, `the tier allows ${most} sites, more than there are here`)
      for (const url of all.slice(0, most)) accepted(await addToVault(client, spender, url, 'good-token'), 201)
      const answer = await addToVault(client, spender, all[most] ?? '', 'good-token')
      return `${refused(answer, 'VAULT_LIMIT_REACHED')} at site ${most + 1}`
    },
  },
  {
    id: 'codes/MANIFEST_NOT_FOUND',
    says: 'the manifest could not be fetched from the site URL',
    needs: ['deadSite', 'ownSites'],
    async run(stage) {
      const { client, people, facts } = stage
      const evidence = refused(await inspect(client, await people.free(), facts.deadSite), 'MANIFEST_NOT_FOUND')
      const missing = await inspectedAt(stage, ({ manifest }) => ({ status: 404, body: manifest }))
      refused(missing, 'MANIFEST_NOT_FOUND')
      const moved = await inspectedAt(stage, ({ origin, manifest }) => {
        return { status: 302, headers: { location: `${origin}/toolsite.json` }, body: manifest }
      })
      refused(moved, 'MANIFEST_NOT_FOUND')
      return `${evidence} where nothing listens; also after a 404 and a redirect of the site`
    },
  },
  {
    id: 'codes/MANIFEST_INVALID',
    says: 'manifest JSON malformed or missing required fields',
    needs: ['sites', 'ownSites'],
    async run(stage) {
      const { client, people, facts } = stage
      const answer = await inspect(client, await people.free(), facts.sites.brokenManifest)
      const evidence = refused(answer, 'MANIFEST_INVALID')
      // Truncated in the middle.
      const cut = await inspectedAt(stage, ({ manifest }) => ({ body: JSON.stringify(manifest).slice(0, 100) }))
      refused(cut, 'MANIFEST_INVALID')
      return `${evidence}; details: ${pathsIn(answer).join(', ')}; the same for half a manifest`
    },
  },
  {
    id: 'codes/INVALID_URL',
    says: 'a provided URL is invalid; URLs must include the protocol (https://)',
    async run({ client, people }) {
      const free = await people.free()
      const evidence = refused(await inspect(client, free, 'crm.example.com'), 'INVALID_URL')
      refused(await inspect(client, free, 'ftp://crm.example.com'), 'INVALID_URL')
      return `${evidence}, without a protocol and with another one`
    },
  },
]
