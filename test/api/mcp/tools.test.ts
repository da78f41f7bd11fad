import test from 'ava'
import * as apiKeys from '../../../api/api-keys.ts'
import * as calls from '../../../api/calls.ts'
import { call } from '../../helpers/client.ts'
import { jsonOf, keyOf, mcpClient, textOf } from '../../helpers/mcp-clients.ts'
import { mcpRpc } from '../../helpers/mcp-rpc.ts'
import { newOwner, type Owner } from '../../helpers/owner.ts'
import { sharedPlatform } from '../../helpers/shared.ts'
import { workspaceOf } from '../../helpers/workspaces.ts'

const platformOf = sharedPlatform(test)

/** The name of a tool of the site. */
const slowOnceAt = ({ vaultEntryId }: { vaultEntryId: string }) =>
  `example_of_bad_tools_slow_once_${vaultEntryId.slice(-8)}`
const reading = ['list_runs', 'get_run', 'get_call', 'why']

const namesFor = async (key: string, { url }: Pick<Owner, 'url'>): Promise<string[]> => {
  const { body } = await mcpRpc({ url, token: key }, 'tools/list')
  return ((body?.result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name)
}

for (const mode of [{ pin: '2026-07-28' }, 'legacy'] as const)
  test(`a client of the revisions of ${mode === 'legacy' ? 2025 : 2026} calls a tool of a connected site, and the call is in its ledger`, async (t) => {
    const owner = await newOwner(t, await platformOf())
    const site = await owner.site()
    const client = await mcpClient(t, { url: owner.url, key: await keyOf(owner, ['read', 'write']), mode })
    const { tools } = await client.listTools()
    const tool = tools.find(({ name }) => name === slowOnceAt(site))
    t.regex(tool?.description ?? '', /^A tool from the site "Example of bad tools".* "Answers after some seconds/)
    t.deepEqual(tool?.inputSchema.required, ['seconds'])
    t.like(tool?.annotations, { readOnlyHint: false, idempotentHint: false })
    const result = await client.callTool({ name: slowOnceAt(site), arguments: { seconds: 0 } })
    const { callId } = jsonOf(result)
    const params = { entryId: site.vaultEntryId, callId: String(callId) }
    t.like((await call(owner, calls.getCall, { params })).body, { tool: 'slow_once', status: 'succeeded' })
  })

test('a call that is repeated under the key of its client is made once', async (t) => {
  const owner = await newOwner(t, await platformOf())
  const site = await owner.site()
  const key = await keyOf(owner, ['read', 'write'])
  const client = await mcpClient(t, { url: owner.url, key })
  const same = { name: slowOnceAt(site), arguments: { seconds: 0 }, _meta: { 'switchyard/idempotency-key': 'once-1' } }
  const [first, second] = [await client.callTool(same), await client.callTool(same)]
  t.is(textOf(second), textOf(first))
  const wrong = { ...same, _meta: { 'switchyard/idempotency-key': 5 } }
  t.like(jsonOf((await mcpRpc({ url: owner.url, token: key }, 'tools/call', wrong)).body?.result), {
    code: 'VALIDATION_ERROR',
  })
  const params = { entryId: site.vaultEntryId }
  t.is((await call(owner, calls.listCalls, { params })).body.items.filter(({ tool }) => tool === 'slow_once').length, 1)
})

test('a failure is a result with the code of the platform, so that the model can correct itself', async (t) => {
  const owner = await newOwner(t, await platformOf())
  const site = await owner.site()
  const client = await mcpClient(t, { url: owner.url, key: await keyOf(owner, ['read', 'write']) })
  const result = await client.callTool({ name: slowOnceAt(site), arguments: {} })
  t.true(result.isError)
  t.like(jsonOf(result), {
    code: 'VALIDATION_ERROR',
    details: [{ message: 'does not have required property "seconds"' }],
  })
  const missing = await mcpRpc({ url: owner.url, token: await keyOf(owner, ['read', 'write']) }, 'tools/call', {
    name: 'no_such_tool',
    arguments: {},
  })
  t.like(missing.body?.error, { code: -32_602 })
})

test('what another owner has connected is invisible, and so are its runs', async (t) => {
  const platform = await platformOf()
  const [owner, other] = [await newOwner(t, platform, 'team'), await newOwner(t, platform)]
  const site = await owner.site()
  const agent = await owner.agent({ name: 'Secret agent', sites: [{ vaultEntryId: site.vaultEntryId }] })
  const { id: runId } = (await owner.start(agent)).body
  const runSecret = `run_secret_agent_${agent.id.slice(-8)}`
  const workspace = await workspaceOf(owner)
  const own = await keyOf(owner, ['read', 'write'])
  t.true((await namesFor(own, owner)).includes(runSecret))
  const strangers = [
    await keyOf(other, ['read', 'write', 'decide']),
    await keyOf(owner, ['read', 'write', 'decide'], { workspaceId: workspace.id }),
  ]
  for (const token of strangers) {
    t.deepEqual(await namesFor(token, owner), reading)
    const ask = (method: string, params: Record<string, unknown>) => mcpRpc({ url: owner.url, token }, method, params)
    t.like((await ask('tools/call', { name: slowOnceAt(site), arguments: { seconds: 0 } })).body?.error, {
      code: -32_602,
    })
    t.like((await ask('tools/call', { name: runSecret, arguments: {} })).body?.error, { code: -32_602 })
    for (const name of ['get_run', 'why']) {
      const { body } = await ask('tools/call', { name, arguments: { runId } })
      t.is(jsonOf(body?.result)['code'], 'RUN_NOT_FOUND', name)
    }
    for (const method of ['tasks/get', 'tasks/cancel'])
      t.like((await ask(method, { taskId: runId })).body?.error, { message: 'There is no run with this id.' }, method)
    t.deepEqual(jsonOf((await ask('tools/call', { name: 'list_runs', arguments: {} })).body?.result)['items'], [])
  }
  t.is(site.requests().filter(({ tool }) => tool === 'slow_once').length, 0)
})

test('scopes hold: a key may do no more here than over HTTP, and says which scope is missing', async (t) => {
  const owner = await newOwner(t, await platformOf())
  const site = await owner.site()
  const helper = await owner.agent({ name: 'Helper' })
  const { url } = owner
  const reader = { url, token: await keyOf(owner, ['read']) }
  t.deepEqual(await namesFor(reader.token, owner), reading)
  for (const name of [slowOnceAt(site), `run_helper_${helper.id.slice(-8)}`]) {
    const refused = await mcpRpc(reader, 'tools/call', { name, arguments: { seconds: 0 } })
    t.is(refused.status, 403)
    t.regex(refused.headers.get('www-authenticate') ?? '', /error="insufficient_scope", scope="run"/)
  }
  const writing = { url, token: await keyOf(owner, ['write']) }
  t.is((await mcpRpc(writing, 'tools/list')).status, 403)
  t.is((await mcpRpc(writing, 'tools/call', { name: 'list_runs', arguments: {} })).status, 403)
  const { result } =
    (await mcpRpc(writing, 'tools/call', { name: slowOnceAt(site), arguments: { seconds: 0 } })).body ?? {}
  t.falsy(result?.['isError'])
})

test('only an API key in the Authorization header is accepted, and no page of another origin', async (t) => {
  const owner = await newOwner(t, await platformOf())
  const { url, token: login } = owner
  const key = await keyOf(owner, ['read', 'write'])
  const nobody = await mcpRpc({ url }, 'tools/list')
  t.is(nobody.status, 401)
  t.is(
    nobody.headers.get('www-authenticate'),
    `Bearer realm="Switchyard", resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`,
  )
  for (const cookie of [`switchyard_access=${login}`, `__Host-switchyard_access=${login}`, `switchyard_access=${key}`])
    t.is((await mcpRpc({ url }, 'tools/list', {}, { headers: { cookie } })).body?.code, 'UNAUTHORIZED')
  t.is((await mcpRpc({ url, token: login }, 'tools/list')).body?.code, 'INVALID_TOKEN')
  for (const origin of ['https://evil.example.com', 'null', url.replace('http:', 'https:')])
    t.is((await mcpRpc({ url, token: key }, 'tools/list', {}, { headers: { origin } })).status, 403, origin)
  t.is((await mcpRpc({ url, token: key }, 'tools/list', {}, { headers: { origin: url } })).status, 200)
  const { items } = (await call(owner, apiKeys.listApiKeys)).body
  for (const { id: apiKeyId } of items) await call(owner, apiKeys.deleteApiKey, { params: { apiKeyId } })
  t.is((await mcpRpc({ url, token: key }, 'tools/list')).body?.code, 'TOKEN_REVOKED')
})

test('no stream stays open, and a GET is refused', async (t) => {
  const owner = await newOwner(t, await platformOf())
  const client = { url: owner.url, token: await keyOf(owner, ['read']) }
  const listening = await mcpRpc(client, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  t.truthy(listening.body?.error, listening.text)
  const got = await fetch(`${owner.url}/mcp`, { headers: { Authorization: `Bearer ${client.token}` } })
  t.is(got.status, 405)
})
