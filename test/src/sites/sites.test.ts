// @promise addresses
import type { RequestListener } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import { CodedError, type ErrorCode } from '../../../src/errors.ts'
import type { Lookup } from '../../../src/safe-fetch/checked-lookup.ts'
import { createLogger } from '../../../src/logger.ts'
import { createSafeFetch } from '../../../src/safe-fetch/safe-fetch.ts'
import type * as inThread from '../../../src/in-thread.ts'
import { createDialect } from '../../../src/sites/dialects/registry.ts'
import { createSites } from '../../../src/sites/sites.ts'
import { createThreads } from '../../../src/threads/threads.ts'
import { createCallSite } from '../../../src/tools/call-site.ts'
import { startHttpsSite, temporaryCertificates } from '../../helpers/https-server.ts'

const manifest = {
  name: 'Site',
  version: '1',
  description: 'A site.',
  server: { url: 'https://localhost:8443/api' },
  auth: { type: 'bearer' },
  tools: [{ name: 'search_contacts', description: 'Searches.', input_schema: { type: 'object' } }],
}
const manifestBytes = 20_000

const answer =
  (body: string | Uint8Array, status = 200, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end(body)

const limits = { caFile: undefined, timeoutSeconds: 5, resultBytes: 1_000, manifestBytes }

/** Knows this machine only. Not the system's resolver: it has two threads for all tests. */
const known: Lookup = (hostname, _options, callback) =>
  hostname === 'localhost'
    ? callback(null, [{ address: '127.0.0.1', family: 4 }])
    : callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), [])

interface Reach {
  allow: string[]
  trusted?: boolean
  timeoutSeconds?: number
  lookup?: Lookup
}

/** Sites of which those at the given `host:port` can be reached although they are on this machine. */
async function reach(t: ExecutionContext, { allow, trusted = true, timeoutSeconds = 30, lookup = known }: Reach) {
  const { caFile } = await temporaryCertificates()
  const options = {
    allow,
    loopback: true,
    caFile: trusted ? caFile : undefined,
    baseUrl: 'http://127.0.0.1:3000',
    version: '0.0.0',
    lookup,
  }
  const safeFetch = createSafeFetch(options)
  t.teardown(() => safeFetch.close())
  const config = {
    sites: { ...limits, allow: [...allow, 'localhost:8443'], loopback: true, manifestTimeoutSeconds: timeoutSeconds },
  }
  const threads = createThreads<typeof inThread>({ file: new URL('../../../src/in-thread.ts', import.meta.url) })
  t.teardown(() => threads.close())
  const callSite = createCallSite({ logger: createLogger('silent', 'test'), threads })
  const dialect = createDialect({ ...safeFetch, documents: { read: async () => undefined }, threads, config, callSite })
  return createSites({ dialect, threads, config })
}

async function connect(t: ExecutionContext, handler: RequestListener, options: Omit<Reach, 'allow'> = {}) {
  const site = await startHttpsSite(t, handler)
  return { site, sites: await reach(t, { allow: [`localhost:${site.port}`], ...options }) }
}

async function failure(t: ExecutionContext, attempt: Promise<unknown>, code: ErrorCode): Promise<CodedError> {
  const error: unknown = await t.throwsAsync(attempt, { code })
  if (error instanceof CodedError) return error
  throw new Error('not a coded error', { cause: error })
}

test('a site is discovered by the manifest at its origin, whatever path was given', async (t) => {
  const asked: unknown[] = []
  const { site, sites } = await connect(t, (request, response) => {
    asked.push([request.method, request.url, request.headers.accept, request.headers.authorization])
    response.end(JSON.stringify(manifest))
  })
  const found = await sites.discover(`${site.origin}/some/page?and=query`, 'someone')
  t.deepEqual(asked, [['GET', '/.well-known/toolsite.json', 'application/json', undefined]])
  t.is(found.origin, site.origin)
  t.deepEqual(found.manifest, manifest as never)
  t.deepEqual(
    found.tools.map(({ name, scope, effect }) => [name, scope, effect]),
    [['search_contacts', 'read', 'once']],
  )
  t.deepEqual(found.foreignHosts, ['localhost:8443'], 'another port than its own')
})

const members = ['authorization_url', 'token_url', 'revocation_url'] as const

test('a manifest that sends somebody to a private address is invalid, whatever member does it', async (t) => {
  const address = 'https://login.site.example/'
  const auth = { type: 'oauth2', authorization_url: address, token_url: address, revocation_url: address, scopes: [] }
  let body: object = { ...manifest, auth }
  const { site, sites } = await connect(t, (_request, response) => response.end(JSON.stringify(body)))
  t.is((await sites.discover(site.origin, 'someone')).manifest.auth.type, 'oauth2')
  for (const host of ['127.0.0.1', '[fd00::1]', 'a.localhost'])
    for (const [path, attack] of [
      ['server.url', { server: { url: `https://${host}/api` } }],
      ...members.map((name) => [`auth.${name}`, { auth: { ...auth, [name]: `https://${host}/latest` } }] as const),
    ] as const) {
      body = { ...manifest, ...attack }
      const { details, message } = await failure(t, sites.discover(site.origin, 'someone'), 'MANIFEST_INVALID')
      t.deepEqual(details, [{ path, message: 'is not a public internet address' }], host)
      t.true(message.includes(path))
    }
})

test('a site that gives no manifest has none, and the sentence says why', async (t) => {
  const secret = JSON.stringify({ ...manifest, secret: 'internal' })
  const breakingOff: RequestListener = (_request, response) => {
    response.writeHead(200, { 'content-length': '500' }).write('{"name":')
    setImmediate(() => response.destroy())
  }
  const rows: [says: RegExp, answer: RequestListener, options?: Omit<Reach, 'allow'>][] = [
    [/201/, answer(secret, 201)],
    [/503/, answer(secret, 503)],
    [/in time/, () => {}, { timeoutSeconds: 1 }],
    [/closed the connection before/, breakingOff],
    [/certificate/, answer(secret), { trusted: false }],
  ]
  for (const [says, handler, options] of rows) {
    const { site, sites } = await connect(t, handler, options)
    const { message } = await failure(t, sites.discover(site.origin, 'someone'), 'MANIFEST_NOT_FOUND')
    t.regex(message, says)
    t.false(message.includes('internal'))
  }
})

test('a host that is no public address, as it is written, is said to be none', async (t) => {
  const { site, sites } = await connect(t, answer(JSON.stringify(manifest)))
  const urls = [`https://127.0.0.1:${site.port}`, 'https://localhost:64999', 'https://[::1]:8443', 'https://10.1.2.3']
  for (const url of urls) {
    const { message } = await failure(t, sites.discover(url, 'someone'), 'MANIFEST_NOT_FOUND')
    t.true(message.startsWith('The site does not have a public internet address.'), url)
  }
  await failure(t, sites.discover('http://localhost', 'someone'), 'INVALID_URL')
  t.is(site.connections(), 0)
})

test('a refused name, an unknown name and a closed port cannot be told apart', async (t) => {
  const lookup: Lookup = (hostname, options, callback) =>
    hostname === 'crm.corp.example'
      ? callback(null, [{ address: '10.1.2.3', family: 4 }])
      : known(hostname, options, callback)
  const sites = await reach(t, { allow: ['127.0.0.1:64999'], lookup })
  const messages = new Set<string>()
  for (const url of ['https://crm.corp.example', 'https://127.0.0.1:64999', 'https://nowhere.invalid']) {
    const error = await failure(t, sites.discover(url, 'someone'), 'MANIFEST_NOT_FOUND')
    messages.add(error.message)
    t.is(error.details, undefined)
    t.false(error.message.includes('127.0.0.1') || error.message.includes('10.1.2.3'))
  }
  t.is(messages.size, 1)
})

const wrong: [body: string | Uint8Array, path: string, said: string][] = [
  [JSON.stringify({ ...manifest, more: 'x'.repeat(manifestBytes) }), '', `: it is larger than ${manifestBytes} bytes.`],
  [Uint8Array.from([0xff, 0xfe]), '', ': it is not valid UTF-8.'],
  ['<html>', '', '. It is not valid JSON.'],
  ['[]', '', ': it must be an object.'],
  ['['.repeat(15_000), '', '. It must not be nested more than 100 levels deep.'],
  [JSON.stringify({ ...manifest, version: undefined }), 'version', ': "version" is required.'],
]

test('a manifest that cannot be used is invalid, and the place is named', async (t) => {
  for (const [body, path, said] of wrong) {
    const { site, sites } = await connect(t, answer(body))
    const error = await failure(t, sites.discover(site.origin, 'someone'), 'MANIFEST_INVALID')
    t.is(error.message, `The site's manifest is invalid${said}`)
    t.like(error.details, { 0: { path }, length: 1 })
  }
})
