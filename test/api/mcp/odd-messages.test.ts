import test from 'ava'
import { jsonOf, keyOf } from '../../helpers/mcp-clients.ts'
import { newOwner } from '../../helpers/owner.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

const platformOf = sharedPlatform(test, 'idle')

const odd: unknown[] = [
  null,
  0.25,
  -5,
  true,
  '',
  '\u0000',
  '\ud800',
  'x'.repeat(100_000),
  [],
  [[]],
  {},
  { toString: null },
  { toString: null, valueOf: null, length: -1 },
  { constructor: 1 },
  JSON.parse('{"then":1,"__proto__":1}'),
  2 ** 53 + 2,
  1e300,
  '00000000-0000-7000-8000-000000000000',
]

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: {},
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
}

/** Parameters with one odd value at each place that a method reads. */
const places: Record<string, (value: unknown) => unknown[]> = {
  'tools/list': (value) => [value, { cursor: value }, { _meta: value }],
  'tools/call': (value) => [
    value,
    { name: value },
    { name: value, arguments: {} },
    { name: 'get_run', arguments: value },
    { name: 'get_run', arguments: { runId: value } },
    { name: 'get_call', arguments: { vaultEntryId: value, callId: value } },
    { name: 'list_runs', arguments: { agentId: value } },
    { name: 'list_runs', arguments: { limit: value, cursor: value, status: value } },
    { name: 'why', arguments: { agentId: value, runId: value } },
    { name: 'RUN', arguments: value },
    { name: 'RUN', arguments: { input: {}, [typeof value]: value } },
    { name: 'SITE', arguments: value },
    { name: 'SITE', arguments: { seconds: value } },
    { name: 'get_run', arguments: {}, requestState: value, inputResponses: value },
    { name: 'RUN', arguments: {}, requestState: value, inputResponses: { x: value } },
  ],
  'tasks/get': (value) => [value, { taskId: value }],
  'tasks/update': (value) => [value, { taskId: value }, { taskId: unknownId, inputResponses: value }],
  'tasks/cancel': (value) => [value, { taskId: value }],
  'server/discover': (value) => [value],
  ping: (value) => [value],
}
const unknownId = '00000000-0000-7000-8000-000000000000'

test('no odd value at any place is a failure of the platform, and a model reads what is wrong with its arguments', async (t) => {
  const owner = await newOwner(t, await platformOf())
  const site = await owner.site()
  const agent = await owner.agent({ name: 'Odd' })
  const key = await keyOf(owner, ['read', 'write', 'decide'])
  const names: Record<string, string> = {
    RUN: `run_odd_${agent.id.slice(-8)}`,
    SITE: `example_of_bad_tools_slow_once_${site.vaultEntryId.slice(-8)}`,
  }
  const post = async (method: string, params: unknown, isCurrent: boolean) => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: isCurrent ? withEnvelope(params) : params })
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${key}`,
      ...(isCurrent && { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method, ...nameHeader(params) }),
    }
    const response = await fetch(`${owner.url}/mcp`, { method: 'POST', headers, body: text })
    return { status: response.status, text: await response.text() }
  }
  let count = 0
  for (const [method, paramsWith] of Object.entries(places))
    for (const value of odd)
      for (const given of paramsWith(value))
        for (const isCurrent of [true, false]) {
          const params = named(given, names)
          const { status, text } = await post(method, params, isCurrent)
          const what = `${method} ${JSON.stringify(params)?.slice(0, 200)} ${isCurrent}: ${status} ${text.slice(0, 500)}`
          t.true(status < 500, what)
          t.notRegex(text, /-32603|INTERNAL_ERROR/, what)
          count += 1
        }
  t.true(count > 500)
  const big = await post('tools/call', { name: names['SITE'], arguments: { seconds: 2 ** 53 + 2 } }, true)
  t.like(jsonOf((JSON.parse(big.text) as { result: unknown }).result), {
    code: 'VALIDATION_ERROR',
    details: [{ path: 'arguments.seconds' }],
  })
  const why = await post('tools/call', { name: 'why', arguments: {} }, true)
  t.is(jsonOf((JSON.parse(why.text) as { result: unknown }).result)['error'], 'Give runId or agentId.')
})

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const withEnvelope = (params: unknown): unknown => (isRecord(params) ? { _meta: envelope, ...params } : params)

function nameHeader(params: unknown): Record<string, string> {
  const name = isRecord(params) ? (params['name'] ?? params['taskId']) : undefined
  return typeof name === 'string' && /^[\x21-\x7e]{1,100}$/.test(name) ? { 'Mcp-Name': name } : {}
}

const named = (params: unknown, names: Record<string, string>): unknown =>
  isRecord(params) && typeof params['name'] === 'string' && Object.hasOwn(names, params['name'])
    ? { ...params, name: names[params['name']] }
    : params
