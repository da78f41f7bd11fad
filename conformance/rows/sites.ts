import { addToVault, callTool, connect, inspect } from '../connections.ts'
import { accepted, assert, assertSame, pathsIn, refused, told } from '../expect.ts'
import type { Row } from '../row.ts'
import type { Stage } from '../stage.ts'

/** An entry of the owner at the checker's first site. */
export const plainEntry = (stage: Stage) =>
  stage.once('plain entry', async () => {
    const site = await stage.sites.at('plain')
    return { site, entryId: await connect(stage.client, await stage.people.owner(), site) }
  })

/** How many calls go to one host in a minute (docs/specification.md, "Limits"). */
const perMinute = 10

/** Calls a tool until a call is refused; begins when the window of an earlier check is over. */
const outgoing = (stage: Stage) =>
  stage.once('outgoing', async () => {
    const owner = await stage.people.owner()
    const site = await stage.sites.at('limited')
    const call = { entryId: await connect(stage.client, owner, site), tool: 'search_things', input: { query: 'a' } }
    let succeeded = 0
    for (let attempt = 0; attempt < 2 * perMinute + 2; attempt += 1) {
      const answer = await callTool(stage.client, owner, { ...call, takesLimits: succeeded > 0 })
      if (answer.status !== 200) return { answer, succeeded, arrived: site.arrivals.length }
      succeeded += 1
    }
    return { answer: undefined, succeeded, arrived: site.arrivals.length }
  })

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
      const { answer, succeeded } = await outgoing(stage)
      assert(answer, `${succeeded} calls in a row were all made`)
      const evidence = refused(answer, 'OUTGOING_RATE_LIMITED')
      const seconds = Number(answer.headers.get('retry-after'))
      assert(seconds <= 60, `Retry-After says ${seconds} s`)
      return `${evidence}, Retry-After ${seconds}`
    },
  },
  {
    id: 'limits/Outgoing tool calls',
    says: '10 per minute per domain; excess gives OUTGOING_RATE_LIMITED',
    needs: [...manifestNeeds, 'cards'],
    async run(stage) {
      const { answer, succeeded, arrived } = await outgoing(stage)
      assertSame(succeeded, perMinute, 'the number of calls before the limit')
      assertSame(arrived, perMinute, 'the number of calls that the site got')
      return `call ${succeeded + 1}: ${answer ? told(answer) : ''}; the site got ${arrived}`
    },
  },
  {
    id: 'codes/TOKEN_EXISTS',
    says: 'a token for this site already exists in the vault; update it with PATCH',
    needs: [...manifestNeeds, 'cards'],
    async run(stage) {
      const { site, entryId } = await plainEntry(stage)
      const owner = await stage.people.owner()
      const evidence = refused(await addToVault(stage.client, owner, site.origin, 'another-token'), 'TOKEN_EXISTS')
      const entry = { method: 'GET', url: `/vault/${entryId}`, token: owner.token } as const
      accepted(await stage.client.send(entry))
      return evidence
    },
  },
  {
    id: 'codes/VAULT_LIMIT_REACHED',
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
    needs: ['deadSite'],
    run: async ({ client, people, facts }) =>
      refused(await inspect(client, await people.free(), facts.deadSite), 'MANIFEST_NOT_FOUND'),
  },
  {
    id: 'codes/MANIFEST_INVALID',
    says: 'manifest JSON malformed or missing required fields',
    needs: ['sites'],
    async run({ client, people, facts }) {
      const answer = await inspect(client, await people.free(), facts.sites.brokenManifest)
      const evidence = refused(answer, 'MANIFEST_INVALID')
      return `${evidence}; details: ${pathsIn(answer).join(', ')}`
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
