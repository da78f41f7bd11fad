// @promise direct-calls
import type { RequestListener } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import * as calls from '../../api/calls.ts'
import * as vault from '../../api/vault.ts'
import { newId } from '../../src/ids.ts'
import { DirectToolCall } from '../../src/tools/tool-call.ts'
import { VaultEntry } from '../../src/vault/vault-entry.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { manifestWith, answering, startHostileSite } from '../helpers/hostile-site.ts'
import { person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { sharedPlatform } from '../helpers/shared.ts'

const tool = (name: string, effect: string) => ({
  name,
  description: 'Acts.',
  effect,
  input_schema: { type: 'object', properties: { n: { type: 'number' } } },
})

const platformOf = sharedPlatform(test, 'idle')

/** Somebody with a site of two tools, of which one must be called once; and what the site does. */
async function open(t: ExecutionContext, env?: Record<string, string>) {
  const site = await startHostileSite(t)
  const tools = [tool('act', 'once'), tool('look', 'read')]
  site.manifest = answering(manifestWith(`${site.origin}/api`, { tools }))
  const platform = env ? await startPlatform(t, { env }) : await platformOf()
  const someone = await person(platform)
  const { id: entryId } = (await call(someone, vault.addToVault, { body: { url: site.origin, token: 'a-token' } })).body
  /** How often the site was asked to act. */
  let effects = 0
  const answers = (listener: RequestListener) => {
    site.tool = (request, response) => {
      effects += 1
      listener(request, response)
    }
  }
  answers(answering({ done: true }))
  const use = (key?: string, body: Record<string, unknown> = {}, toolName = 'act') =>
    call(someone, vault.callTool, {
      params: { entryId, toolName },
      body,
      ...(key !== undefined && { headers: { 'idempotency-key': key } }),
    })
  const look = (callId: string) => call(someone, calls.getCall, { params: { entryId, callId } })
  const list = async (query: Record<string, string> = {}) =>
    (await call(someone, calls.listCalls, { params: { entryId }, query })).body.items
  return { platform, someone, entryId, answers, use, look, list, effects: () => effects }
}

const cut: RequestListener = (_request, response) => void response.socket?.destroy()
const failing =
  (status: number): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"It failed."}')

test('a call whose answer is lost is in doubt, never to be repeated blindly, and can be looked up', async (t) => {
  const { answers, use, look, list, effects } = await open(t)
  answers(cut)
  const { failure } = await use('pay-1', { n: 1 })
  t.like(failure, { code: 'TOOL_EXECUTION_ERROR', statusCode: 502, outcome: 'unknown' })
  t.false('siteStatus' in failure)
  const { callId = '' } = failure as { callId?: string }
  t.like((await look(callId)).body, { id: callId, status: 'unknown', arguments: '{"n":1}', idempotencyKey: 'pay-1' })
  answers(answering({ done: true }))
  t.like((await use('pay-1', { n: 1 })).failure, { code: 'TOOL_EXECUTION_ERROR', outcome: 'unknown', callId })
  t.is(effects(), 1)
  t.deepEqual(
    (await list({ idempotencyKey: 'pay-1' })).map(({ id }) => id),
    [callId],
  )
  t.deepEqual(await list({ idempotencyKey: 'other' }), [])
  answers(failing(500))
  t.like((await use()).failure, { code: 'TOOL_EXECUTION_ERROR', outcome: 'unknown', siteStatus: 500 })
})

test('under one key there is one effect, and a repeated request gets the recorded result', async (t) => {
  const { platform, someone, entryId, answers, use, effects, look } = await open(t)
  answers(answering({ order: 7 }))
  const first = (await use('order', { n: 1 })).body
  t.deepEqual(first.result, { order: 7 })
  answers(answering({ order: 8 }))
  t.deepEqual((await use('order', { n: 1 })).body, first)
  t.is(effects(), 1)
  t.like((await look(first.callId)).body, { status: 'succeeded', siteStatus: 200, result: '{"order":7}' })
  t.deepEqual((await use('another', { n: 1 })).body.result, { order: 8 })
  const elsewhere = await startHostileSite(t)
  elsewhere.tool = answering({ order: 'elsewhere' })
  const { body: other } = await call(someone, vault.addToVault, { body: { url: elsewhere.origin, token: 'a-token' } })
  const there = {
    params: { entryId: other.id, toolName: 'act' },
    body: { n: 1 },
    headers: { 'idempotency-key': 'order' },
  }
  t.deepEqual((await call(someone, vault.callTool, there)).body.result, { order: 'elsewhere' }, 'at another site')
  const read = (await use('read', {}, 'look')).body
  answers(answering({ order: 9 }))
  t.deepEqual((await use('read', {}, 'look')).body, read)
  answers(answering({ order: 8 }))
  t.deepEqual((await use(undefined, { n: 1 })).body.result, { order: 8 })
  const entry = await VaultEntry.query(platform.services.database).findById(entryId).throwIfNotFound()
  await entry.$query(platform.services.database).patch({ manifest: { ...entry.manifest, tools: [] } })
  t.deepEqual((await use('order', { n: 1 })).body, first, 'although the site offers the tool no more')
})

test('a key that was used for something else is refused, and nothing is sent', async (t) => {
  const { use, effects } = await open(t)
  await use('k', { n: 1 })
  for (const { failure } of [await use('k', { n: 2 }), await use('k', { n: 1 }, 'look')]) {
    t.like(failure, { code: 'VALIDATION_ERROR', details: [{ path: 'Idempotency-Key' }] })
  }
  t.is(effects(), 1)
})

test('requests with one key at the same instant are one call, and all get its result', async (t) => {
  const { platform, answers, use, effects } = await open(t)
  const held: (() => void)[] = []
  answers((request, response) => void held.push(() => answering({ done: 1 })(request, response)))
  let looks = 0
  platform.services.database.on('query', ({ sql }: { sql: string }) => {
    if (/^select .* from "direct_tool_calls"/.test(sql)) looks += 1
  })
  const asked = Array.from({ length: 6 }, () => use('k', { n: 1 }))
  const release = await eventually(20, 'the site is asked', () => Promise.resolve(held[0]))
  // Each looks for a call under the key at least once, and then again and again whether it is over.
  await eventually(20, 'the others wait', () => Promise.resolve(looks > 20 || undefined))
  release()
  const ids = (await Promise.all(asked)).map(({ body }) => body.callId)
  t.is(new Set(ids).size, 1)
  t.is(effects(), 1)
})

test('a call that is refused for its token leaves its key free for the time after the owner has reconnected', async (t) => {
  const { someone, entryId, answers, use, list, effects } = await open(t)
  answers(failing(401))
  t.like((await use('k')).failure, { code: 'TOOL_EXECUTION_ERROR', outcome: 'failed' })
  t.deepEqual(await list({ idempotencyKey: 'k' }), [])
  answers(answering({ done: true }))
  await call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token: 'another-token' } })
  t.is((await use('k')).status, 200)
  t.is(effects(), 2)
})

test('a refused call may be tried again under its key, and so may a read that failed', async (t) => {
  const { answers, use, effects } = await open(t)
  answers(failing(403))
  t.like((await use('k')).failure, { code: 'TOOL_EXECUTION_ERROR', outcome: 'failed', siteStatus: 403 })
  answers(answering({ done: true }))
  t.is((await use('k')).status, 200)
  answers(failing(409))
  const told = (await use('c')).failure
  t.like(told, { code: 'TOOL_EXECUTION_ERROR', outcome: 'failed', siteStatus: 409 })
  answers(answering({ done: true }))
  t.like((await use('c')).failure, { callId: Object(told).callId as string, siteStatus: 409 }, 'it may have acted')
  answers(cut)
  t.like((await use('r', {}, 'look')).failure, { code: 'SITE_UNAVAILABLE', outcome: 'failed' })
  answers(answering({ done: true }))
  t.is((await use('r', {}, 'look')).status, 200)
  t.is(effects(), 5)
})

test('a call that was never begun has an id, too, unless the limit of the host kept it back', async (t) => {
  const { someone, entryId, answers, use, look, list } = await open(t, { OUTGOING_PER_MINUTE: '1' })
  answers(failing(401))
  t.like((await use()).failure, { code: 'TOOL_EXECUTION_ERROR', outcome: 'failed' })
  const { failure } = await use('k')
  t.is(failure.code, 'TOOL_EXECUTION_ERROR')
  t.deepEqual(await list({ idempotencyKey: 'k' }), [], 'the key is free')
  t.like((await look((failure as { callId?: string }).callId ?? '')).body, { status: 'failed', attempts: 0 })
  await call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token: 'another-token' } })
  const { failure: limited } = await use('k')
  t.is(limited.code, 'OUTGOING_RATE_LIMITED')
  t.false('callId' in limited)
  t.is((await list()).length, 2)
})

test('a call is shown to its owner, under its own entry', async (t) => {
  const { platform, someone, entryId, use } = await open(t)
  const { callId } = (await use()).body
  const stranger = await person(platform)
  const ask = async (who: typeof someone, entry: string, id: string) =>
    (await call(who, calls.getCall, { params: { entryId: entry, callId: id } })).status
  t.is(await ask(someone, entryId, callId), 200)
  t.is(await ask(stranger, entryId, callId), 404)
  t.is(await ask(someone, entryId, newId()), 404)
  t.is(await ask(someone, entryId, 'none'), 404)
  await DirectToolCall.query(platform.services.database).findById(callId).patch({ vaultEntryId: newId() })
  t.is(await ask(someone, entryId, callId), 404, 'it is of another entry')
})

// @promise hard-texts
test('a result that is too complex was carried out, and is never had again under its key', async (t) => {
  const { answers, use, look, list, effects } = await open(t)
  answers(answering(`{"a":${'['.repeat(300)}${']'.repeat(300)}}`))
  const { failure } = await use('deep')
  const told = { code: 'TOOL_EXECUTION_ERROR', outcome: 'succeeded', siteStatus: 200 }
  t.like(failure, told)
  t.regex(failure.error, /performed the call, but its answer .* It is too complex\./)
  const { callId = '' } = failure as { callId?: string }
  t.like((await look(callId)).body, { status: 'succeeded', siteStatus: 200, result: null, idempotencyKey: 'deep' })
  answers(answering({ done: true }))
  t.like((await use('deep')).failure, { ...told, callId })
  t.is(effects(), 1)
  t.like((await list())[0], { id: callId, status: 'succeeded' })
})

test('a large result is answered as the site wrote it, and again under its key', async (t) => {
  const { someone, entryId, answers } = await open(t)
  const long = `{\n "id": 123456789012345678901234567890,\r\n "text": "${'x'.repeat(100_000)}",\n "a": 1, "a": {"b": 2} }`
  answers(answering(long))
  const post = async () => {
    const headers = {
      authorization: `Bearer ${someone.token}`,
      'content-type': 'application/json',
      'idempotency-key': 'k',
    }
    const response = await fetch(`${someone.url}/vault/${entryId}/tools/act/call`, {
      method: 'POST',
      headers,
      body: '{}',
    })
    t.is(response.headers.get('content-type'), 'application/json; charset=utf-8')
    return response.text()
  }
  const [first, again] = [await post(), await post()]
  t.deepEqual((JSON.parse(first) as { result: unknown }).result, JSON.parse(long))
  t.is(again, first)
  t.true(first.includes('123456789012345678901234567890'), 'long numbers are as the site wrote them')
})
