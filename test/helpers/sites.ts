import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import type { ExecutionContext } from 'ava'
import { startBadTools } from '../../examples/sites/bad-tools/server.ts'
import { startBrokenManifest } from '../../examples/sites/broken-manifest/server.ts'
import type { ContactsOptions } from '../../examples/sites/contacts/server.ts'
import { startIssueTracker, type IssueTrackerOptions } from '../../examples/sites/issue-tracker/server.ts'
import { temporaryCertificates } from './https-server.ts'

export type Sites = Awaited<ReturnType<typeof startSites>>

/** Nothing listens here, because the port is above those that systems assign. */
const deadOrigin = 'https://127.0.0.1:64999'
const unlimited = { perToken: 1_000_000_000, perAddress: 1_000_000_000 }

/**
 * Starts the example sites on free ports, for one test. The tracker has no limits unless the test sets its own.
 * `allow` is the value for SITE_ALLOW, `caFile` that for SITE_CA_FILE.
 */
export async function startSites(t: ExecutionContext, options: Partial<IssueTrackerOptions> = {}) {
  const tls = await temporaryCertificates()
  const tracker = await startIssueTracker({ port: 0, tls, limits: unlimited, ...options })
  t.teardown(tracker.close)
  const badTools = await startBadTools({ port: 0, tls })
  t.teardown(badTools.close)
  const brokenManifest = await startBrokenManifest({ port: 0, tls })
  t.teardown(brokenManifest.close)
  const origins = [tracker.origin, badTools.origin, brokenManifest.origin, deadOrigin]
  const allow = origins.map((origin) => new URL(origin).host)
  return { caFile: tls.caFile, allow, tracker, badTools, brokenManifest, deadOrigin }
}

/** Starts more good sites on free ports, for one test. Returns their origins. `SITE_ALLOW` must contain their hosts. */
export async function startMoreSites(t: ExecutionContext, count: number): Promise<string[]> {
  const tls = await temporaryCertificates()
  const started = await Promise.all(Array.from({ length: count }, () => startBadTools({ port: 0, tls })))
  for (const { close } of started) t.teardown(close)
  return started.map(({ origin }) => origin)
}

/**
 * Starts the OAuth site on a free port, for one test. `caFile` is that of `startSites`. SITE_ALLOW must also contain
 * `allow`: `const allow = [...sites.allow, ...contacts.allow]`. `redirectUris` must include the platform under test.
 */
export async function startContactsSite(t: ExecutionContext, options: Partial<ContactsOptions> = {}) {
  const tls = await temporaryCertificates()
  // Loaded only if needed, because its OAuth server is a tenth of all the code that a test loads.
  const { startContacts } = await import('../../examples/sites/contacts/server.ts')
  const site = await startContacts({ port: 0, tls, ...options })
  t.teardown(site.close)
  return { site, caFile: tls.caFile, allow: [new URL(site.origin).host] }
}

export interface SiteAnswer {
  status: number
  headers: NodeJS.Dict<string | string[]>
  text: string
  /** The body as JSON; throws if it is not JSON. */
  json(): Record<string, unknown>
}

export interface SiteRequest {
  method?: string
  headers?: Record<string, string>
  token?: string
  /** A string is sent unchanged, anything else as JSON. */
  body?: unknown
}

/** Sends one request to a site on loopback. Trusts only the test authority. */
export async function askSite(url: string, { method, headers, token, body }: SiteRequest = {}): Promise<SiteAnswer> {
  const ca = await readFile((await temporaryCertificates()).caFile)
  const sent = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
  const { promise, resolve, reject } = Promise.withResolvers<SiteAnswer>()
  const outgoing = request(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    ca,
    agent: false,
    headers: {
      'Content-Type': 'application/json',
      // Node does not set it for a DELETE.
      ...(sent !== undefined && { 'Content-Length': String(Buffer.byteLength(sent)) }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
  })
  outgoing.once('error', reject).once('response', (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.once('error', reject).once('end', () => {
      const text = Buffer.concat(chunks).toString()
      const { statusCode: status = 0, headers } = response
      resolve({ status, headers, text, json: () => JSON.parse(text) as Record<string, unknown> })
    })
  })
  outgoing.end(sent)
  return promise
}
