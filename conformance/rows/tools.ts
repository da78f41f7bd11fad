import { callTool, connect } from '../connections.ts'
import { accepted, assert, assertSame, pathsIn, refused, told } from '../expect.ts'
import type { Row } from '../row.ts'
import type { Stage } from '../stage.ts'
import { plainEntry } from './sites.ts'

const needs = ['ownSites', 'cards'] as const
const input = { query: 'export', status: 'open', limit: 3 }

/** One call that succeeds, as the site got it. */
const goodCall = (stage: Stage) =>
  stage.once('good call', async () => {
    const { site, entryId } = await plainEntry(stage)
    const answer = await callTool(stage.client, await stage.people.owner(), { entryId, tool: 'search_things', input })
    const result = accepted(answer)['result']
    const arrival = site.arrivals.find(({ path }) => path === '/api/tools/search_things')
    assert(arrival, 'the call did not reach the site')
    return { answer, result, arrival }
  })

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
    says: "the User-Agent has the platform's identifier",
    needs,
    async run(stage) {
      const userAgent = (await goodCall(stage)).arrival.headers['user-agent'] ?? ''
      assert(/^Switchyard\/\d+\.\d+\.\d+ \(\+https?:\/\/[^)]+\)$/.test(userAgent), `it is "${userAgent}"`)
      return userAgent
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
      return told(answer)
    },
  },
  {
    id: 'tool call/Response is an object',
    says: 'a response that is no JSON object is no result',
    needs,
    async run(stage) {
      const { entryId } = await plainEntry(stage)
      const answer = await callTool(stage.client, await stage.people.owner(), { entryId, tool: 'answer_text' })
      return `${refused(answer, 'TOOL_EXECUTION_ERROR')}, for a list`
    },
  },
  {
    id: 'tool call/input_schema',
    says: 'type, required and enum are checked before the site is called',
    needs,
    async run(stage) {
      const { site, entryId } = await plainEntry(stage)
      const owner = await stage.people.owner()
      const wrong = [{}, { query: 1 }, { query: 'a', status: 'lost' }]
      for (const one of wrong)
        refused(await callTool(stage.client, owner, { entryId, tool: 'search_things', input: one }), 'VALIDATION_ERROR')
      const last = await callTool(stage.client, owner, {
        entryId,
        tool: 'search_things',
        input: { query: 'a', limit: 'b' },
      })
      refused(last, 'VALIDATION_ERROR')
      const texts = site.arrivals.map(({ text }) => text)
      assert(
        !texts.some((text) => text.includes('lost') || (text === '{}' && text.includes('query'))),
        'the site was called',
      )
      return `four wrong inputs: VALIDATION_ERROR (${pathsIn(last).join(', ')}), and no call`
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
      assert(answer.json['error']?.toString().includes('This tool was told to answer 403.'), 'its reason is missing')
      const entry = accepted(await stage.client.send({ url: `/vault/${entryId}`, token: owner.token }))
      assertSame(entry['status'], 'connected', 'the status of the entry')
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
      const url = `/vault/${entryId}`
      const entry = accepted(await client.send({ url, token: owner.token }))
      assertSame(entry['status'], 'needs_reauth', 'the status of the entry')
      const body = { token: 'another-good-token' }
      accepted(await client.send({ method: 'PATCH', url, token: owner.token, body }))
      const after = await callTool(client, owner, call)
      accepted(after)
      const last = site.arrivals.findLast(({ path }) => path.endsWith('search_things'))
      assertSame(last?.headers.authorization, 'Bearer another-good-token', 'the token of the next call')
      return `${evidence}, status needs_reauth; after PATCH: ${told(after)}`
    },
  },
  {
    id: 'tool call/Failure 429',
    says: 'rate limited: all calls to the site are held for as long as Retry-After says',
    needs,
    async run(stage) {
      const { client, people, sites } = stage
      const owner = await people.owner()
      const site = await sites.at('held')
      const entryId = await connect(client, owner, site)
      const limited = { entryId, tool: 'answer_with', input: { status: 429, retryAfter: 2 }, takesLimits: true }
      const answer = await callTool(client, owner, limited)
      const evidence = refused(answer, 'OUTGOING_RATE_LIMITED')
      const search = { entryId, tool: 'search_things', input: { query: 'a' } }
      const before = site.arrivals.length
      refused(await callTool(client, owner, { ...search, takesLimits: true }), 'OUTGOING_RATE_LIMITED')
      assertSame(site.arrivals.length, before, 'the number of calls that the site got')
      const after = await callTool(client, owner, search)
      accepted(after)
      const [first, next] = site.arrivals.slice(-2)
      assert(next && first && next.from - first.until >= 1_900, 'the site was called before its time')
      return `${evidence}, Retry-After ${answer.headers.get('retry-after')}; afterwards: ${told(after)}`
    },
  },
]
