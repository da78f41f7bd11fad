import test, { type ExecutionContext } from 'ava'
import * as calls from '../../api/calls.ts'
import * as manifests from '../../api/manifests.ts'
import * as siteInspection from '../../api/site-inspection.ts'
import * as vault from '../../api/vault.ts'
import { call } from '../helpers/client.ts'
import { askingTools } from '../helpers/asking-tools.ts'
import { startMcpServer } from '../helpers/mcp-server.ts'
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
  t.is(
    (await call(someone, vault.replaceVaultToken, { params: { entryId: entry.id }, body: { token: 'a' } })).status,
    400,
  )
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
})
