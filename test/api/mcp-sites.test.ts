import type { ServerResponse } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import * as calls from '../../api/calls.ts'
import * as manifests from '../../api/manifests.ts'
import * as siteInspection from '../../api/site-inspection.ts'
import * as vault from '../../api/vault.ts'
import { call } from '../helpers/client.ts'
import { askingTools } from '../helpers/asking-tools.ts'
import { startMcpServer, type Received } from '../helpers/mcp-server.ts'
import { agentOf, customer, ended, timelineOf } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { dataOf, start } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const platformOf = forWholeFile(test, 'mcp', (t) => startPlatform(t, { worker: true }))

/** Somebody, and an MCP server of the test's own. */
async function open(t: ExecutionContext, options: Parameters<typeof startMcpServer>[1] = {}) {
  const [platform, server] = [await platformOf(), await startMcpServer(t, options)]
  const someone = await customer(platform)
  const add = (body: { url: string; token?: string }) => call(someone, vault.addToVault, { body })
  const use = (entryId: string, toolName: string, body: Record<string, unknown> = {}, key?: string) =>
    call(someone, vault.callTool, {
      params: { entryId, toolName },
      body,
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    })
  return { platform, server, someone, add, use }
}

test('an MCP server is connected by its address alone, and its tools are called like those of any site', async (t) => {
  const { server, someone, add, use } = await open(t)
  const inspected = (await call(someone, siteInspection.inspectSite, { body: { url: server.url } })).body
  t.like(inspected, { origin: server.url, name: 'Test server', authType: 'none', foreignHosts: [] })
  const entry = (await add({ url: server.url })).body
  t.like(entry, { origin: server.url, authType: 'none', serverUrl: server.url, status: 'connected' })
  t.is((await add({ url: server.url })).failure.code, 'TOKEN_EXISTS')
  const { items } = (await call(someone, vault.listTools, { params: { entryId: entry.id } })).body
  t.deepEqual(
    items.map(({ name, effect, usable }) => [name, effect, usable]),
    ['add', 'say', 'fail', 'count'].map((name) => [name, 'once', true]),
  )
  t.deepEqual((await use(entry.id, 'add', { a: 1, b: 2 })).body.result, { sum: 3 })
  t.is((await use(entry.id, 'add', { a: 'one' })).failure.code, 'VALIDATION_ERROR')
  t.like((await use(entry.id, 'fail')).failure, { code: 'TOOL_EXECUTION_ERROR', outcome: 'failed' })
})

test('a server that wants a token is connected with one, and the token is stored and sent as every other', async (t) => {
  const token = 'the-token-of-the-owner'
  const { server, add, use } = await open(t, { era: 'sessions', token })
  const { code, details } = (await add({ url: server.url })).failure
  t.deepEqual([code, details?.[0]?.path], ['VALIDATION_ERROR', 'token'])
  t.is((await add({ url: server.url, token: 'another-token' })).failure.code, 'MANIFEST_NOT_FOUND')
  const entry = (await add({ url: server.url, token })).body
  t.is(entry.authType, 'bearer')
  t.deepEqual((await use(entry.id, 'say', { text: token })).body.result, {
    content: [{ type: 'text', text: '[token]' }],
  })
})

test('a tool that asks in the middle of a call cannot be called directly, because nobody waits for the question', async (t) => {
  const { add, use, server } = await open(t, { more: askingTools([]) })
  const entry = (await add({ url: server.url })).body
  server.instead = ({ method }, _request, response) => {
    if (method !== 'tools/call') return false
    const { id } = JSON.parse(server.received.at(-1)?.body ?? '{}') as { id: number }
    const result = { resultType: 'input_required', inputRequests: { asked: confirmation } }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    return true
  }
  const { failure } = await use(entry.id, 'order')
  t.like(failure, { code: 'TOOL_EXECUTION_ERROR', outcome: 'failed' })
  t.regex(failure.error, /only in runs and chats/)
})

const confirmation = {
  method: 'elicitation/create',
  params: { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } },
}

test('a call that is cut off is in doubt and never sent again, neither by a run nor under its key', async (t) => {
  const { server, someone, add, use } = await open(t)
  const entry = (await add({ url: server.url })).body
  server.instead = ({ method }, _request, response) => {
    if (method !== 'tools/call') return false
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end()
    return true
  }
  const { failure } = await use(entry.id, 'count', {}, 'once')
  t.like(failure, { code: 'TOOL_EXECUTION_ERROR', outcome: 'unknown' })
  t.like((await use(entry.id, 'count', {}, 'once')).failure, { outcome: 'unknown' })
  t.is(server.calls().length, 1)
  const { callId } = failure as unknown as { callId: string }
  t.like((await call(someone, calls.getCall, { params: { entryId: entry.id, callId } })).body, { status: 'unknown' })

  const sites = [{ vaultEntryId: entry.id }]
  const agent = await agentOf(someone, { systemPrompt: '[[call count]] [[then]] [[say Done.]]', sites })
  const run = (await start(someone, agent)).body
  t.is((await ended(someone, run.id)).status, 'completed')
  t.is(server.calls().length, 2)
  t.like(dataOf(await timelineOf(someone, run.id), 'tool.finished'), { 0: { status: 'unknown' }, length: 1 })
})

test('a list that becomes shorter waits for its owner, and a longer one is used at once', async (t) => {
  const { server, someone, add } = await open(t)
  server.removed.add('say')
  const params = { entryId: (await add({ url: server.url })).body.id }
  const refresh = async () => (await call(someone, manifests.refreshManifest, { params })).body
  const names = async () => (await call(someone, vault.listTools, { params })).body.items.map(({ name }) => name)
  t.like(await refresh(), { class: 'none', status: 'none' })
  server.removed.delete('say')
  t.like(await refresh(), { class: 'compatible', status: 'adopted' })
  t.deepEqual(await names(), ['add', 'say', 'fail', 'count'])
  server.removed.add('count')
  t.like(await refresh(), { class: 'breaking', status: 'pending' })
  t.deepEqual(await names(), ['add', 'say', 'fail', 'count'])
  server.instead = offering(['add', 'tell', 'fail', 'count'].map((name) => toolNamed(name)))
  const renamed = await refresh()
  t.like(renamed, { class: 'breaking', status: 'pending' })
  const changed = renamed.differences.map(({ path, kind }) => `${kind} ${path}`)
  t.true(changed.includes('removed tools.say') && changed.includes('added tools.tell'), changed.join(', '))
})

/** Answers with these tools, whose calls return their own names. */
const offering =
  (tools: object[], more: object = {}) =>
  ({ method, id, body }: Received, _request: unknown, response: ServerResponse): boolean => {
    if (method !== 'tools/list' && method !== 'tools/call') return false
    const { params } = JSON.parse(body) as { params: { name?: string } }
    const listed = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', tools, ...more }
    const called = { resultType: 'complete', content: [], structuredContent: { name: params.name } }
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'tools/list' ? listed : called }))
    return true
  }

const toolNamed = (name: string, schema: object = {}) => ({ name, inputSchema: { type: 'object', ...schema } })

test('a tool that cannot be used costs the others nothing, and its owner sees why it is missing', async (t) => {
  const { server, someone, add, use } = await open(t)
  server.instead = offering([toolNamed('files/read'), toolNamed('walk', { properties: { next: { $ref: '#' } } })])
  const problem =
    '"inputSchema.properties.next.$ref" is a reference of a schema to itself, and recursion is not supported'
  const leftOut = [{ name: 'walk', problem }]
  t.like((await call(someone, siteInspection.inspectSite, { body: { url: server.url } })).body, { leftOut })
  const entry = (await add({ url: server.url })).body
  t.deepEqual(entry.leftOut, leftOut)
  const params = { entryId: entry.id }
  t.deepEqual((await call(someone, vault.getVaultEntry, { params })).body.leftOut, leftOut)
  const { items } = (await call(someone, vault.listVault)).body
  t.deepEqual(items.find(({ id }) => id === entry.id)?.leftOut, leftOut)
  t.deepEqual((await use(entry.id, 'files/read')).body.result, { name: 'files/read' })
  t.is((await use(entry.id, 'walk')).failure.code, 'NOT_FOUND')
})

test('an address that seems to hold a secret is refused before anything is sent there', async (t) => {
  const { server, add } = await open(t)
  for (const query of ['api_key=abc', 'a=b&Access-Token=abc'])
    t.is((await add({ url: `${server.url}?${query}` })).failure.code, 'INVALID_URL')
  t.is(server.received.length, 0)
  t.is((await add({ url: server.url.replace('https://', 'https://me:secret@') })).failure.code, 'INVALID_URL')
})

const anHourAgo = () => new Date(Date.now() - 60 * 60_000)

test.serial('a stale list is fetched beside the work that needs it, at most once a minute', async (t) => {
  const { platform, server, someone, add, use } = await open(t)
  const { database, manifests: checking } = platform.services
  const entry = (await add({ url: server.url })).body
  const row = () => database('vault_entries').where({ id: entry.id })
  const wanted = async () => ((await row().first()) as { manifestWantedAt: Date | null }).manifestWantedAt !== null
  const lists = () => server.received.filter(({ method }) => method === 'tools/list').length
  const find = async () => (await call(someone, vault.getVaultEntry, { params: { entryId: entry.id } })).body
  const sites = [{ vaultEntryId: entry.id }]
  const agent = await agentOf(someone, { systemPrompt: '[[say Done.]]', sites })
  const runOnce = async () => {
    const run = (await start(someone, agent)).body
    t.is((await ended(someone, run.id)).status, 'completed')
  }
  // A server that does not say how long its list is current is not asked when a run starts.
  await row().update({ manifestCheckedAt: anHourAgo(), manifestStaleAt: null })
  await runOnce()
  t.false(await wanted())
  // One that says it is asked once the list is stale, but not within a minute.
  server.instead = offering([toolNamed('say')], { ttlMs: 1 })
  await call(someone, manifests.refreshManifest, { params: { entryId: entry.id } })
  await runOnce()
  t.false(await wanted())
  await row().update({ manifestCheckedAt: anHourAgo(), manifestStaleAt: anHourAgo() })
  await runOnce()
  t.true(await wanted())
  const before = lists()
  await checking.checkDue()
  t.deepEqual([lists(), await wanted()], [before + 1, false])
  await checking.checkDue()
  t.is(lists(), before + 1)

  // Somebody who holds the row does not hold up the work.
  await row().update({ manifestCheckedAt: anHourAgo() })
  await database.transaction(async (trx) => {
    await trx('vault_entries').where({ id: entry.id }).forUpdate()
    await platform.services.vault.wantChecks([entry.id])
    t.false(await wanted())
  })
  await checking.checkDue()

  server.instead = () => false
  await call(someone, manifests.refreshManifest, { params: { entryId: entry.id } })
  server.removed.add('count')
  const unknown = async () => t.like((await use(entry.id, 'count')).failure, { outcome: 'failed' })
  await unknown()
  t.false(await wanted(), 'it was checked within the last minute')
  await row().update({ manifestCheckedAt: anHourAgo(), manifestStaleAt: null })
  await unknown()
  await unknown()
  t.true(await wanted())
  t.is((await find()).pendingManifest, null)
  await checking.checkDue()
  t.is((await find()).pendingManifest?.class, 'breaking')
})
