import { isDeepStrictEqual } from 'node:util'
import { callTool, connect, entryOf } from '../connections.ts'
import { accepted, assert, assertSame, pathsIn, refused, outcomeOf } from '../expect.ts'
import { hourly, refreshing } from '../grants.ts'
import type { OwnSite } from '../own-site.ts'
import type { Row } from '../row.ts'
import type { Stage } from '../stage.ts'
import { plainEntry } from './sites.ts'

const needs = ['ownSites', 'cards'] as const
const input = { query: 'export', status: 'open', limit: 3 }

/** One successful call, as the site received it. */
const goodCall = (stage: Stage) =>
  stage.once('good call', async () => {
    const { site, entryId } = await plainEntry(stage)
    const answer = await callTool(stage.client, await stage.people.owner(), { entryId, tool: 'search_things', input })
    const result = accepted(answer)['result']
    // Other rows call the same tool with other text.
    const arrival = site.arrivals.find(({ text }) => text.includes(input.query))
    assert(arrival, 'the call did not reach the site')
    return { answer, result, arrival }
  })

const isOurs = (userAgent = ''): boolean => /^Switchyard\/\d+\.\d+\.\d+ \(\+https?:\/\/[^)]+\)$/.test(userAgent)

/** Responses that are not a JSON object. */
const noObjects = { 'a list': '["not","an","object"]', 'a text that is not JSON': 'All is well.', null: 'null' }

const wrongInputs = [{}, { query: 1 }, { query: 'a', status: 'lost' }, { query: 'a', limit: 'b' }]

/** Whether a call reached the site with an input that its schema forbids. */
const cameThrough = ({ arrivals }: OwnSite): boolean =>
  arrivals.some(
    ({ path, text }) =>
      path.endsWith('search_things') && wrongInputs.some((wrong) => isDeepStrictEqual(JSON.parse(text), wrong)),
  )

/** Headers of a 429, and for how many seconds (from, to) the site then gets no calls. */
const holds = [
  { says: { retryAfter: 3, asDate: true }, least: 1, most: 3 },
  { says: { retryAfter: 2 }, least: 2, most: 2 },
]
/** Without Retry-After: a minute (docs/specification.md, "Limits"). */
const usualHold = { least: 55, most: 60 }
const mostAfterHold = 10_000

/** A site whose calls are not held because of an earlier check. */
async function freeSite({ client, people, sites }: Stage) {
  const owner = await people.owner()
  const site = await sites.at('held')
  const entryId = await connect(client, owner, site)
  const search = { entryId, tool: 'search_things', input: { query: 'a' } }
  accepted(await callTool(client, owner, search))
  return { owner, site, search }
}

export const toolRows: Row[] = [
  {
    id: 'tool call/Method and path',
    says: 'POST {server_url}/tools/{tool_name}',
    needs,
    async run(stage) {
      const { arrival } = await goodCall(stage)
      assertSame([arrival.method, arrival.path], ['POST', '/api/tools/search_things'], 'the request line')
      const { site, entryId } = await plainEntry(stage)
      const call = { entryId, tool: 'things.createThing', input: { title: 'A' } }
      accepted(await callTool(stage.client, await stage.people.owner(), call))
      assert(
        site.arrivals.some(({ path }) => path === '/api/tools/things.createThing'),
        'no call of a namespaced tool',
      )
      return 'POST /api/tools/search_things, POST /api/tools/things.createThing'
    },
  },
  {
    id: 'tool call/Request headers',
    says: 'Authorization: Bearer <ACCESS_TOKEN>; Content-Type: application/json',
    needs,
    async run(stage) {
      const { headers } = (await goodCall(stage)).arrival
      assertSame(headers.authorization, 'Bearer good-token', 'Authorization')
      assert(/^application\/json\b/.test(headers['content-type'] ?? ''), `Content-Type is ${headers['content-type']}`)
      return `as the row says; Content-Type: ${headers['content-type']}`
    },
  },
  {
    id: 'tool call/User-Agent',
    says: "the User-Agent has the platform's identifier: of tool calls, and of requests for manifests and tokens",
    needs,
    async run(stage) {
      const { arrival } = await goodCall(stage)
      const [manifest] = (await plainEntry(stage)).site.manifestRequests
      const { exchange } = await hourly(stage)
      const [refresh] = (await refreshing(stage)).refreshes
      for (const [kind, request] of Object.entries({ 'tool call': arrival, manifest, code: exchange, refresh }))
        assert(isOurs(request?.headers['user-agent']), `${kind}: it is "${request?.headers['user-agent']}"`)
      return String(arrival.headers['user-agent'])
    },
  },
  {
    id: 'tool call/Request body',
    says: "a JSON object whose members are the input_schema's properties",
    needs,
    async run(stage) {
      assertSame(JSON.parse((await goodCall(stage)).arrival.text), input, 'the body')
      return JSON.stringify(input)
    },
  },
  {
    id: 'tool call/Success response',
    says: 'JSON body; an object with results of id, title, status, assignee, created',
    needs,
    async run(stage) {
      const { answer, result } = await goodCall(stage)
      const thing = { id: 1, title: 'A thing', status: 'open', assignee: 'ada', created: '2026-11-21' }
      assertSame(result, { results: [thing] }, 'the result')
      return outcomeOf(answer)
    },
  },
  {
    id: 'tool call/Response is an object',
    says: 'a response that is no JSON object is no result',
    needs: ['ownSites'],
    async run(stage) {
      // Most other calls go to another site, because one site gets ten in a minute.
      const { entryId } = await hourly(stage)
      const free = await stage.people.free()
      const evidence = []
      for (const [what, text] of Object.entries(noObjects)) {
        const answer = await callTool(stage.client, free, { entryId, tool: 'answer_text', input: { text } })
        assert(answer.status !== 200, `${what} is a result`)
        evidence.push(`${refused(answer, 'TOOL_EXECUTION_ERROR')} for ${what}`)
      }
      return evidence.join(', ')
    },
  },
  {
    id: 'tool call/input_schema',
    says: 'type, required and enum are checked before the site is called',
    needs,
    async run(stage) {
      const { site, entryId } = await plainEntry(stage)
      const owner = await stage.people.owner()
      const paths = []
      for (const wrong of wrongInputs) {
        const answer = await callTool(stage.client, owner, { entryId, tool: 'search_things', input: wrong })
        refused(answer, 'VALIDATION_ERROR')
        paths.push(...pathsIn(answer).map((path) => path || 'required'))
      }
      assert(!cameThrough(site), 'the site was called')
      return `${wrongInputs.length} wrong inputs: VALIDATION_ERROR (${paths.join(', ')}), and no call`
    },
  },
  {
    id: 'tool call/Failure 403',
    says: 'the user lacks permission: TOOL_EXECUTION_ERROR, and the token stays good',
    needs,
    async run(stage) {
      const { entryId } = await plainEntry(stage)
      const owner = await stage.people.owner()
      const answer = await callTool(stage.client, owner, { entryId, tool: 'answer_with', input: { status: 403 } })
      const evidence = refused(answer, 'TOOL_EXECUTION_ERROR')
      assertSame([answer.json['siteStatus'], answer.json['outcome']], [403, 'failed'], 'siteStatus and outcome')
      assert(answer.json['error']?.toString().includes('This tool is set to answer 403.'), 'its reason is missing')
      assertSame((await entryOf(stage.client, owner, entryId))['status'], 'connected', 'the status of the entry')
      return `${evidence}, siteStatus 403, with the sentence of the site`
    },
  },
  {
    id: 'tool call/Failure 401',
    says: 'the token is invalid: the entry needs another one; PATCH updates it',
    needs,
    async run(stage) {
      const { client, people, sites } = stage
      const owner = await people.free()
      const site = await sites.at('queue')
      const entryId = await connect(client, owner, site, 'revoked-token')
      site.refuse('revoked-token')
      const call = { entryId, tool: 'search_things', input: { query: 'a' } }
      const evidence = refused(await callTool(client, owner, call), 'TOOL_EXECUTION_ERROR')
      assertSame((await entryOf(client, owner, entryId))['status'], 'needs_reauth', 'the status of the entry')
      const body = { token: 'another-good-token' }
      accepted(await client.send({ method: 'PATCH', url: `/vault/${entryId}`, token: owner.token, body }))
      const after = await callTool(client, owner, call)
      accepted(after)
      const last = site.arrivals.findLast(({ path }) => path.endsWith('search_things'))
      assertSame(last?.headers.authorization, 'Bearer another-good-token', 'the token of the next call')
      return `${evidence}, status needs_reauth; after PATCH: ${outcomeOf(after)}`
    },
  },
  {
    id: 'tool call/Failure 429',
    says: 'rate limited: all calls to the site are held for as long as Retry-After says, in seconds or as a date',
    needs,
    async run(stage) {
      const { client } = stage
      const { owner, site, search } = await freeSite(stage)
      const limit = async (input: object, { least, most }: typeof usualHold) => {
        const call = { ...search, tool: 'answer_with', input: { status: 429, ...input }, takesLimits: true }
        const answer = await callTool(client, owner, call)
        const evidence = refused(answer, 'OUTGOING_RATE_LIMITED')
        const seconds = Number(answer.headers.get('retry-after'))
        assert(seconds >= least && seconds <= most, `Retry-After is ${seconds}, and not from ${least} to ${most}`)
        return `${evidence}, Retry-After ${seconds}`
      }
      for (const { says, ...bounds } of holds) {
        await limit(says, bounds)
        const before = site.arrivals.length
        refused(await callTool(client, owner, { ...search, takesLimits: true }), 'OUTGOING_RATE_LIMITED')
        assertSame(site.arrivals.length, before, 'the number of calls that the site got')
        accepted(await callTool(client, owner, search))
        assertHeld(site, bounds.least)
      }
      return `${await limit({}, usualHold)} without the header; 2 seconds and a date were waited for`
    },
  },
]

/** Checks that the time between the last two calls matches the hold. */
function assertHeld({ arrivals }: OwnSite, seconds: number): void {
  const [first, next] = arrivals.slice(-2)
  const waited = (next?.from ?? 0) - (first?.until ?? 0)
  assert(waited >= seconds * 1000 - 100, `the site was called after ${waited} ms`)
  assert(waited < mostAfterHold, `the site was called only after ${waited} ms`)
}
