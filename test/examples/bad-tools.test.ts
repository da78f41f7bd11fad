import test from 'ava'
import { setTimeout as sleep } from 'node:timers/promises'
import { askSite, startSites, type SiteRequest, type Sites } from '../helpers/sites.ts'

const call = ({ badTools }: Sites, tool: string, request: SiteRequest = {}) =>
  askSite(`${badTools.origin}/api/tools/${tool}`, { method: 'POST', token: 'any', body: {}, ...request })

/** Waits until the site has read so many calls, which is before it answers them. */
async function reached({ badTools }: Sites, calls: number): Promise<void> {
  while (badTools.requests().length < calls) await sleep(5)
}

test('the manifest is without fault and says what may be repeated', async (t) => {
  const { badTools } = await startSites(t)
  const manifest = (await askSite(`${badTools.origin}/.well-known/toolsite.json`)).json() as {
    server: { url: string }
    tools: { name: string; effect?: string; description: string; input_schema: { type: string } }[]
  }
  t.is(manifest.server.url, `${badTools.origin}/api`)
  t.true(manifest.tools.every(({ description, input_schema }) => description !== '' && input_schema.type === 'object'))
  const effects = Object.fromEntries(manifest.tools.map(({ name, effect }) => [name, effect]))
  t.like(effects, { slow_read: 'read', slow_once: 'once', slow_idempotent: 'idempotent', flaky_read: 'read' })
  t.is(effects['fail'], undefined)
})

test('any token is good but bad-token', async (t) => {
  const sites = await startSites(t)
  const body = { text: 'hello' }
  t.deepEqual((await call(sites, 'echo_text', { body })).json(), body)
  const refused = await call(sites, 'echo_text', { body, token: 'bad-token' })
  t.is(refused.status, 401)
  t.truthy(refused.json()['error'])
  t.is((await askSite(`${sites.badTools.origin}/api/tools/echo_text`, { body })).status, 401)
})

test('unknown tools and input that does not fit are refused', async (t) => {
  const sites = await startSites(t)
  t.is((await call(sites, 'toString')).status, 404)
  t.is((await call(sites, 'echo_text')).status, 400)
  t.is((await call(sites, 'echo_text', { body: 'not JSON' })).status, 400)
})

test('tools fail, refuse, limit and redirect with the status of their name', async (t) => {
  const sites = await startSites(t)
  const [fail, refuse, limit] = [await call(sites, 'fail'), await call(sites, 'refuse'), await call(sites, 'limit')]
  t.deepEqual([fail.status, refuse.status, limit.status], [500, 403, 429])
  t.is(limit.headers['retry-after'], '30')
  for (const answer of [fail, refuse, limit]) t.is(typeof answer.json()['error'], 'string')
  const redirect = await call(sites, 'redirect', { body: { location: 'https://elsewhere.example/' } })
  t.is(redirect.status, 307)
  t.is(redirect.headers['location'], 'https://elsewhere.example/')
})

test('a tool limits as often as it was told, and says until when in seconds or as a date', async (t) => {
  const sites = await startSites(t)
  const attempt = (how: string) =>
    call(sites, 'limit_first', { body: { refusals: 1, seconds: 90, how }, headers: { 'Idempotency-Key': how } })
  const [seconds, date] = [await attempt('seconds'), await attempt('date')]
  t.deepEqual([seconds.status, date.status], [429, 429])
  t.is(seconds.headers['retry-after'], '90')
  t.true(Math.abs(Date.parse(String(date.headers['retry-after'])) - Date.now() - 90_000) < 5000)
  t.deepEqual((await attempt('date')).json(), { attempts: 2 })
})

test('tools answer with what is no JSON object', async (t) => {
  const sites = await startSites(t)
  t.deepEqual((await call(sites, 'not_object')).json() as unknown, [1, 2, 3])
  const html = await call(sites, 'not_json')
  t.throws(() => html.json())
  t.regex(String(html.headers['content-type']), /html/)
  t.true((await call(sites, 'not_utf8')).text.includes('\uFFFD'))
  t.true((await call(sites, 'too_large')).text.length > 2 * 1024 * 1024)
  t.is((await call(sites, 'compressed_bomb')).headers['content-encoding'], 'gzip')
})

test('a slow tool answers after its seconds', async (t) => {
  const sites = await startSites(t)
  const started = Date.now()
  for (const tool of ['slow_read', 'slow_once', 'slow_idempotent']) {
    t.deepEqual((await call(sites, tool, { body: { seconds: 0.1 } })).json(), { waited: 0.1 })
  }
  t.true(Date.now() - started >= 290)
})

test('a call counts as reached although it is never answered, and closing the site ends it', async (t) => {
  const sites = await startSites(t)
  const hanging = ['hang', 'slow_once'].map((tool) => call(sites, tool, { body: { seconds: 600 } }))
  const ends = Promise.all(hanging.map((pending) => t.throwsAsync(pending, { code: 'ECONNRESET' })))
  await reached(sites, 2)
  t.deepEqual(
    sites.badTools.requests().map(({ status }) => status),
    [null, null],
  )
  await sites.badTools.close()
  await ends
})

test('the connection is cut after the request was read', async (t) => {
  const sites = await startSites(t)
  await t.throwsAsync(call(sites, 'reset'), { code: 'ECONNRESET' })
  t.like(sites.badTools.requests()[0], { tool: 'reset', status: null })
})

test('a flaky tool fails as often as it was told, for each Idempotency-Key anew', async (t) => {
  const sites = await startSites(t)
  const attempt = (key: string, how: string) =>
    call(sites, 'flaky_read', { body: { failures: 2, how }, headers: { 'Idempotency-Key': key } })
  t.is((await attempt('a', 'status')).status, 500)
  t.is((await attempt('a', 'status')).status, 500)
  t.deepEqual((await attempt('a', 'status')).json(), { attempts: 3 })
  await t.throwsAsync(attempt('b', 'cut'), { code: 'ECONNRESET' })
  await t.throwsAsync(attempt('b', 'cut'), { code: 'ECONNRESET' })
  t.is((await attempt('b', 'cut')).status, 200)
})

test('an endless answer goes on until the caller has had enough', async (t) => {
  const sites = await startSites(t)
  const pending = call(sites, 'endless')
  const ended = t.throwsAsync(pending, { code: 'ECONNRESET' })
  await reached(sites, 1)
  await sites.badTools.close()
  await ended
  t.like(sites.badTools.requests()[0], { tool: 'endless', status: 200 })
})

test('the log can be read over HTTP and holds no token', async (t) => {
  const sites = await startSites(t)
  await call(sites, 'fail', { token: 'my-secret', headers: { 'Idempotency-Key': 'k' } })
  const log = await askSite(`${sites.badTools.origin}/log`)
  t.like(log.json(), { requests: [{ tool: 'fail', status: 500, idempotencyKey: 'k' }] })
  t.false(log.text.includes('my-secret'))
})
