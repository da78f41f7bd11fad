// @promise large-requests
import { gzipSync } from 'node:zlib'
import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as chat from '../../api/chat.ts'
import * as oauth from '../../api/oauth.ts'
import * as sessions from '../../api/sessions.ts'
import { routes } from '../../api/routes.ts'
import { isBounded } from '../../api/schemas/list.ts'
import type { AnyRoute } from '../../api/route/route.ts'
import { call } from '../helpers/client.ts'
import { person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { sessionOf, withToken } from '../helpers/sessions.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { send } from './raw-http.ts'

const open = sharedPlatform(test, 'idle')
const kibibytes = (count: number, unit: string) => unit.repeat(Math.floor((count * 1024) / unit.length))

const hostile: [what: string, query: string][] = [
  ['one name again and again', kibibytes(3.9, 'a&')],
  ['one name for fourteen kibibytes', kibibytes(14, 'a&')],
  ['many names', Array.from({ length: 3000 }, (_, index) => index.toString(36)).join('&')],
  ['one long value', `a=${kibibytes(13, 'x')}`],
]
const paths = [
  '/auth/oidc/go',
  '/auth/oidc/x/callback',
  '/vault/oauth/callback',
  '/vault/oauth/callback/x',
  '/agents',
  '/audit',
  '/docs',
  '/docs/search',
  '/nowhere',
]

for (const [what, query] of hostile)
  test(`a query of ${what} is refused before it is read, on every path`, async (t) => {
    const { url } = await open()
    for (const path of paths) {
      const { status, code } = await send(url, { path: `${path}?${query}` })
      t.deepEqual([path, status, code], [path, 400, 'VALIDATION_ERROR'])
    }
  })

test('fifty parameters are read, and those that are sent twice are refused as before', async (t) => {
  const { url } = await open()
  const { token } = await person({ url })
  const headers = { authorization: `Bearer ${token}` }
  const fifty = Array.from({ length: 50 }, (_, index) => `p${index}=1`).join('&')
  const unknown = await send(url, { path: `/agents?${fifty}`, headers })
  t.regex(unknown.text, /This field is unknown/)
  const twice = await send(url, { path: '/agents?limit=1&limit=2', headers })
  t.regex(twice.text, /give it once/)
  const odd = await send(url, { path: '/agents?__proto__=1&constructor=2', headers })
  t.is(odd.status, 400)
})

test('headers that have to be split are refused above a kibibyte, and by name', async (t) => {
  const { url } = await open()
  for (const name of ['Accept', 'Accept-Encoding', 'Content-Type', 'Content-Encoding', 'If-None-Match']) {
    const { status, text } = await send(url, { path: '/healthz', headers: { [name]: `a/b;a="${kibibytes(1, ',')}` } })
    t.is(status, 400, name)
    t.true(text.includes(`The ${name.toLowerCase()} header exceeds the limit of 1024 characters.`), text)
  }
  t.is((await send(url, { path: '/healthz', headers: { Accept: `a/b;a="${kibibytes(0.9, ',')}` } })).status, 200)
})

const items = ['1', '{}']

test('a list that is too long is refused for its length, before any of its items is looked at', async (t) => {
  const { url } = await open()
  const someone = await person({ url })
  const lists: [route: AnyRoute, member: string][] = [
    [agents.createAgent, 'webhookSchema'],
    [agents.createAgent, 'sites'],
    [sessions.createSession, 'sites'],
    [apiKeys.createApiKey, 'scopes'],
    [oauth.startOAuth, 'tools'],
  ]
  for (const [route, member] of lists)
    for (const item of items) {
      const raw = `{"${member}":[${Array.from({ length: 20_000 }, () => item).join(',')}]}`
      const { failure } = await call(someone, route as typeof agents.createAgent, { raw })
      t.is(failure.code, 'VALIDATION_ERROR')
      t.true((failure.details?.length ?? 0) < 10, `${route.name} ${member} ${item}`)
    }
})

test('at most fifty problems of a list are looked for', async (t) => {
  const { url } = await open()
  const someone = await person({ url })
  const tools = Array.from({ length: 200 }, () => 1)
  const sites = Array.from({ length: 50 }, () => ({ vaultEntryId: 'x', tools, askFirst: tools }))
  const raw = JSON.stringify({ name: 'An agent', systemPrompt: 'Report.', trigger: 'manual', sites })
  const { failure } = await call(someone, agents.createAgent, { raw })
  t.is(failure.details?.length, 50)
  t.is(failure.details?.[0]?.path, 'sites.0.tools.0')
})

test('a chat of a mebibyte is read in a thread, and only its last thousand messages', async (t) => {
  const { url } = await open()
  for (const item of items) {
    // What is given to a chat counts, and a mebibyte is what a free account may give at once.
    const headers = withToken(await sessionOf(await person({ url })))
    const raw = `{"messages":[${kibibytes(1023, `${item},`)}${item}]}`
    const packed = { raw: gzipSync(raw), headers: { ...headers, 'content-encoding': 'gzip' } }
    const { failure } = await call({ url }, chat.sendChatMessage, packed)
    t.is(failure.code, 'VALIDATION_ERROR', item)
  }
})

test('of a long history the last message of the user is answered, whatever stands before it', async (t) => {
  const { url } = await open()
  const session = await sessionOf(await person({ url }))
  const before = Array.from({ length: 5000 }, (_, index) => ({
    id: `m${index}`,
    role: 'assistant',
    parts: [{ type: 'odd', x: [1e300] }],
  }))
  const last = {
    id: 'mine',
    role: 'user',
    parts: [
      { type: 'text', text: 'Hello,' },
      { type: 'text', text: 'you' },
    ],
  }
  const raw = JSON.stringify({ id: 'chat', trigger: 'submit-message', messages: [...before, last] })
  t.true(raw.length > 256 * 1024)
  const headers = { ...withToken(session), accept: 'application/json' }
  const { status } = await call({ url }, chat.sendChatMessage, { raw, headers })
  t.is(status, 200)
  const { items: said } = (await call({ url }, chat.listChatMessages, { headers })).body
  t.like(said[0], { id: 'mine', parts: [{ type: 'text', text: 'Hello,\nyou' }] })
})

/** The lists in a schema whose items are looked at before their number. */
function* unbounded(schema: unknown, path: string): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return
  const { type, entries, item, wrapped, options, pipe } = schema as Record<string, unknown>
  if (type === 'array' && !isBounded(schema)) yield path
  for (const [name, each] of Object.entries(entries ?? {})) yield* unbounded(each, `${path}.${name}`)
  for (const each of [item, wrapped, ...((options ?? []) as unknown[])]) yield* unbounded(each, `${path}.0`)
  for (const each of ((pipe ?? []) as unknown[]).filter((one) => one !== schema && isSchema(one)).slice(1))
    yield* unbounded(each, path)
}
const isSchema = (value: unknown): boolean => (value as { kind?: unknown }).kind === 'schema'

test('every list that a client sends has a length that is looked at first', (t) => {
  const isOutlined = ({ rawBody }: AnyRoute) => rawBody?.outline !== undefined
  const given = routes
    .filter((route) => !isOutlined(route))
    .flatMap(({ name, body, query }) => [...unbounded(body, `${name} body`), ...unbounded(query, `${name} query`)])
  t.deepEqual(given, [])
  t.true([...unbounded(agents.createAgent.response, 'answer')].length > 0, 'such lists are found')
})

test('the OpenAPI document and its page are compressed, cached, and limited for each address', async (t) => {
  const { url } = await startPlatform(t, { env: { RATE_LIMIT_BROWSER_PER_MINUTE: '12' } })
  for (const path of ['/openapi.json', '/docs', '/docs/site.css']) {
    const plain = await send(url, { path })
    const zipped = await send(url, { path, headers: { 'Accept-Encoding': 'gzip' } })
    t.is(zipped.headers['content-encoding'], 'gzip')
    t.true(Number(zipped.headers['content-length']) <= Number(plain.headers['content-length']))
    t.is(zipped.headers['cache-control'], 'public, max-age=300')
    t.is(zipped.headers['vary'], 'Accept-Encoding')
    const tag = String(zipped.headers['etag'])
    const again = await send(url, { path, headers: { 'If-None-Match': `"other", ${tag}` } })
    t.deepEqual([again.status, again.text], [304, ''])
    t.is((await send(url, { path, headers: { 'If-None-Match': '"other"' } })).status, 200)
  }
  t.is((await send(url, { path: '/openapi.json' })).code, 'RATE_LIMITED')
})

test('under an https address browsers are told to use https alone, and under another nothing of it', async (t) => {
  const secure = await startPlatform(t, { env: { BASE_URL: 'https://switchyard.example.com' } })
  for (const path of ['/healthz', '/agents', '/docs', '/nowhere'])
    t.is((await send(secure.url, { path })).headers['strict-transport-security'], 'max-age=31536000', path)
  const { url } = await open()
  t.is((await send(url, { path: '/healthz' })).headers['strict-transport-security'], undefined)
})
