// @promise addresses
import type { RequestListener } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import { CodedError, type ErrorCode } from '../../../src/errors.ts'
import type { Lookup } from '../../../src/safe-fetch/checked-lookup.ts'
import { createSafeFetch } from '../../../src/safe-fetch/safe-fetch.ts'
import type * as inThread from '../../../src/in-thread.ts'
import { createSites } from '../../../src/sites/sites.ts'
import { createThreads } from '../../../src/threads/threads.ts'
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
  return createSites({ fetch: (request) => safeFetch.fetch(request), threads, config })
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

const privateHosts = ['127.0.0.1', '[fd00::1]', 'a.localhost']
const members = ['authorization_url', 'token_url', 'revocation_url'] as const

for (const host of privateHosts)
  test(`a manifest that sends somebody to ${host} is invalid, whatever member does it`, async (t) => {
    const address = 'https://login.site.example/'
    const auth = { type: 'oauth2', authorization_url: address, token_url: address, revocation_url: address, scopes: [] }
    const attacks: [string, object][] = [
      ['server.url', { ...manifest, server: { url: `https://${host}/api` } }],
      ...members.map((name): [string, object] => [
        `auth.${name}`,
        { ...manifest, auth: { ...auth, [name]: `https://${host}/latest` } },
      ]),
    ]
    for (const [path, body] of attacks) {
      const { site, sites } = await connect(t, answer(JSON.stringify(body)))
      const { details, message } = await failure(t, sites.discover(site.origin, 'someone'), 'MANIFEST_INVALID')
      t.deepEqual(details, [{ path, message: 'is an address that is not on the public internet' }])
      t.true(message.includes(path))
    }
    const { site, sites } = await connect(t, answer(JSON.stringify({ ...manifest, auth })))
    t.is((await sites.discover(site.origin, 'someone')).manifest.auth.type, 'oauth2')
  })

for (const url of ['', 'http://localhost']) {
  test(`what is no address of a site is said to be none: ${JSON.stringify(url)}`, async (t) => {
    const { site, sites } = await connect(t, answer(JSON.stringify(manifest)))
    await failure(t, sites.discover(url, 'someone'), 'INVALID_URL')
    t.is(site.connections(), 0)
  })
}

for (const status of [201, 204, 404, 503]) {
  test(`a site that answers ${status} has no manifest, and the sentence says so`, async (t) => {
    const body = status === 204 ? '' : JSON.stringify({ ...manifest, secret: 'internal' })
    const { site, sites } = await connect(t, answer(body, status))
    const error = await failure(t, sites.discover(site.origin, 'someone'), 'MANIFEST_NOT_FOUND')
    t.true(error.message.includes(String(status)))
    t.false(error.message.includes('internal'))
  })
}

test('a site that never answers is not waited for', async (t) => {
  const { site, sites } = await connect(t, () => {}, { timeoutSeconds: 1 })
  t.regex((await failure(t, sites.discover(site.origin, 'someone'), 'MANIFEST_NOT_FOUND')).message, /in time/)
})

test('a site that breaks off has no manifest', async (t) => {
  const { site, sites } = await connect(t, (_request, response) => {
    response.writeHead(200, { 'content-length': '500' })
    response.write('{"name":')
    setImmediate(() => response.destroy())
  })
  t.regex(
    (await failure(t, sites.discover(site.origin, 'someone'), 'MANIFEST_NOT_FOUND')).message,
    /closed the connection before/,
  )
})

test('a site without a valid certificate has no manifest', async (t) => {
  const { site, sites } = await connect(t, answer(JSON.stringify(manifest)), { trusted: false })
  t.regex((await failure(t, sites.discover(site.origin, 'someone'), 'MANIFEST_NOT_FOUND')).message, /certificate/)
  t.is(site.requests(), 0)
})

test('a host that is no public address, as it is written, is said to be none', async (t) => {
  const { site, sites } = await connect(t, answer(JSON.stringify(manifest)))
  const urls = [`https://127.0.0.1:${site.port}`, 'https://localhost:64999', 'https://[::1]:8443', 'https://10.1.2.3']
  for (const url of urls) {
    const { message } = await failure(t, sites.discover(url, 'someone'), 'MANIFEST_NOT_FOUND')
    t.true(message.startsWith('The site has an address that is not on the public internet.'), url)
  }
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

const wrong: Record<string, [body: string | Uint8Array, path: string, said: string]> = {
  'is too large': [
    JSON.stringify({ ...manifest, more: 'x'.repeat(manifestBytes) }),
    '',
    `: it is larger than ${manifestBytes} bytes.`,
  ],
  'is not UTF-8': [Uint8Array.from([0xff, 0xfe]), '', ': it is not UTF-8 text.'],
  'is not JSON': ['<html>', '', '. It is not valid JSON.'],
  'is empty': ['', '', '. It is not valid JSON.'],
  'is not an object': ['[]', '', ': it must be an object.'],
  'is nested very deep': ['['.repeat(15_000), '', '. It must not be nested deeper than 100 levels.'],
  'lacks a member': [JSON.stringify({ ...manifest, version: undefined }), 'version', ': "version" is required.'],
}
for (const [title, [body, path, said]] of Object.entries(wrong)) {
  test(`a manifest that ${title} is invalid, and the place is named`, async (t) => {
    const { site, sites } = await connect(t, answer(body))
    const error = await failure(t, sites.discover(site.origin, 'someone'), 'MANIFEST_INVALID')
    t.is(error.message, `The manifest of the site cannot be used${said}`)
    t.deepEqual(
      error.details?.map((detail) => detail.path),
      [path],
    )
  })
}
