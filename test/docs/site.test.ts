import { gzipSync } from 'node:zlib'
import test from 'ava'
import { send } from '../api/raw-http.ts'
import { startPlatform } from '../helpers/platform.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import type { ApiDocument } from '../../api/docs/reference/document.ts'
import { openapi } from '../../api/openapi/openapi.ts'
import { routes } from '../../api/routes.ts'

const document = openapi(routes, 'http://test') as unknown as ApiDocument

const open = sharedPlatform(test, 'idle')

const pages = [
  '/docs',
  '/docs/specification',
  '/docs/performance',
  '/docs/start/console',
  '/docs/reference/errors',
  '/docs/search?q=run',
  '/docs/api',
  '/docs/api/runs',
]
const tags = ['agents', 'runs', 'auth', 'callbacks', 'health']

const get = async (path: string) => send((await open()).url, { path })

const zipped = (text: string): number => gzipSync(text).length

test('pages have no script or style of their own, load nothing from other hosts, and may not', async (t) => {
  for (const path of [...pages, ...tags.map((tag) => `/docs/api/${tag}`)]) {
    const { status, headers, text } = await get(path)
    t.is(status, 200, path)
    t.is(headers['content-type'], 'text/html; charset=utf-8')
    const policy = String(headers['content-security-policy'])
    t.regex(policy, /^default-src 'self';/)
    t.notRegex(policy, /unsafe|https?:|\*/)
    t.notRegex(text, /<style|<script>|\sstyle="|\son[a-z]+="/, path)
    const loaded = [...text.matchAll(/<(?:script|link|img)\b[^>]*\b(?:src|href)="([^"]*)"/g)].map(
      ([, address = '']) => address,
    )
    t.true(
      loaded.every((address) => address === 'data:,' || /^\/docs\/(?:images\/)?[\w.-]+$/.test(address)),
      loaded.join(' '),
    )
    for (const address of loaded.filter((each) => each !== 'data:,')) t.is((await get(address)).status, 200, address)
  }
})

test('pages are complete: their addresses on this site answer, and what they name as a label or a target exists', async (t) => {
  const seen = new Set<string>()
  for (const path of ['/docs/api', '/docs/api/runs', '/docs/api/agents', '/docs/reference/limits']) {
    const { text } = await get(path)
    const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    t.deepEqual(
      ids.filter((id, index) => ids.indexOf(id) !== index),
      [],
      `${path} has an id twice`,
    )
    for (const [, label] of text.matchAll(/<label[^>]* for="([^"]+)"/g)) t.true(ids.includes(label), `${path} ${label}`)
    for (const [, anchor] of text.matchAll(/href="#([^"]+)"/g)) t.true(ids.includes(anchor), `${path} #${anchor}`)
    for (const [, address = ''] of text.matchAll(/href="(\/docs\/(?:api|[\w.-]+\.)[^"#]*)/g)) seen.add(address)
  }
  for (const address of seen) t.is((await get(address)).status, 200, address)
})

test('every operation has a place in the reference, with its parameters, its example and a form', async (t) => {
  for (const { name } of document.tags) {
    const { status, text } = await get(`/docs/api/${name}`)
    t.is(status, 200, name)
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(methods)) {
        if (operation.tags[0] !== name) continue
        t.true(text.includes(`id="${operation.operationId}"`), operation.operationId)
        t.true(text.includes(`data-method="${method.toUpperCase()}" data-path="${path}"`), operation.operationId)
      }
  }
})

test('an operation with a credential of its own has a field for its header, and the header in its command', async (t) => {
  for (const [tag, header, variable] of [
    ['webhooks', 'X-Webhook-Secret', 'WEBHOOK_SECRET'],
    ['chat', 'X-Session-Token', 'SESSION_TOKEN'],
  ]) {
    const { text } = await get(`/docs/api/${tag}`)
    t.true(text.includes(`name="${header}" data-in="header"`), tag)
    t.true(text.includes(`-H &quot;${header}: $${variable}&quot;`), tag)
  }
})

test('pages, scripts and styles are small, compressed and cached', async (t) => {
  const assets = await Promise.all(['/docs/site.css', '/docs/site.js', '/docs/reference.js'].map(get))
  const shared = assets.reduce((sum, { text }) => sum + zipped(text), 0)
  t.true(shared < 20_000, `${shared} bytes of assets`)
  for (const path of [...pages.filter((one) => !one.includes('?')), ...tags.map((tag) => `/docs/api/${tag}`)]) {
    const answer = await send((await open()).url, { path, headers: { 'Accept-Encoding': 'gzip' } })
    t.is(answer.headers['content-encoding'], 'gzip', path)
    t.is(answer.headers['cache-control'], 'public, max-age=300')
    const size = Number(answer.headers['content-length']) + shared
    t.true(size < 150_000, `${path}: ${size} bytes`)
  }
})

test('a page that does not exist is a page for browsers, and an error for others', async (t) => {
  for (const path of [
    '/docs/how-to/nothing',
    '/docs/api/nothing',
    '/docs/decisions/README',
    '/docs/..%2f/package',
    '/docs/how-to/..%2fREADME',
  ]) {
    const { status, code } = await get(path)
    t.deepEqual([status, code], [404, 'NOT_FOUND'], path)
  }
  const html = await send((await open()).url, { path: '/docs/how-to/nothing', headers: { accept: 'text/html' } })
  t.is(html.status, 404)
  t.regex(html.text, /does not exist/)
})

test('too many requests are a page for browsers', async (t) => {
  const { url } = await startPlatform(t, { env: { RATE_LIMIT_BROWSER_PER_MINUTE: '1' } })
  const ask = () => send(url, { path: '/docs', headers: { accept: 'text/html' } })
  t.is((await ask()).status, 200)
  const { status, headers } = await ask()
  t.is(status, 429)
  t.regex(String(headers['content-type']), /^text\/html/)
  t.truthy(headers['retry-after'])
})

test('the search answers without a script, within bounds, and shows what was asked for as text', async (t) => {
  const found = await get('/docs/search?q=cancel%20a%20run')
  t.regex(found.text, /<mark>Cancel<\/mark> a <mark>run<\/mark>/)
  t.regex(
    (await get('/docs/search?q=NO_CREDITS')).text,
    /<ol>\s*<li>\s*<a href="\/docs\/reference\/errors#no_credits">/,
  )
  t.regex((await get('/docs/search')).text, /Type what you are looking for/)
  t.regex((await get('/docs/search?q=zzzyzzy')).text, /Nothing found for “zzzyzzy”/)
  const hostile = (await get(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`)).text
  t.notRegex(hostile, /<script>/)
  const long = await get(`/docs/search?q=${'a'.repeat(101)}`)
  t.is(long.status, 400)
  t.regex(long.text, /100 characters or fewer/)
  t.is((await get('/docs/search?q=a&q=b')).status, 200)
})

test('the folded menu and the one beside the page are the same, and mark the page', async (t) => {
  const { text } = await get('/docs/reference/errors')
  const [, beside = ''] = /<nav class="menu beside"[^>]*>([^]*?)<\/nav>/.exec(text) ?? []
  const [, above = ''] = /<details class="menu above">[^]*?<nav[^>]*>([^]*?)<\/nav>/.exec(text) ?? []
  t.is(beside.trim(), above.trim())
  t.regex(beside, /<a href="\/docs\/reference\/errors" class="here" aria-current="page">Errors<\/a>/)
  t.regex(text, /rel="prev" href="\/docs\/sites\/middleware"/)
  t.regex(text, /rel="next" href="\/docs\/reference\/limits"/)
})
