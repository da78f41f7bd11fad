import type { ExecutionContext } from 'ava'
import * as oauth from '../../api/oauth.ts'
import type { ContactsOptions } from '../../examples/sites/contacts/server.ts'
import { call, type Client } from './client.ts'
import type { Person } from './people.ts'
import { signIn } from './sign-in.ts'
import { startContactsSite, startSites } from './sites.ts'

/** The default base of the contacts site's redirect URI, where nothing has to listen. */
const oauthBaseUrl = 'http://127.0.0.1:3000'

/**
 * The example sites and the contacts site, with the settings for a platform that may use them:
 * `startPlatform(t, { sites, env })`.
 */
export async function startOAuthSites(t: ExecutionContext, options: Partial<ContactsOptions> = {}) {
  const sites = await startSites(t)
  const { site: contacts, allow } = await startContactsSite(t, options)
  return { contacts, sites: { ...sites, allow: [...sites.allow, ...allow] }, env: { BASE_URL: oauthBaseUrl } }
}

export interface ConnectOptions {
  /** A user of the contacts site: ada may do everything, bob may read and write. */
  user?: 'ada' | 'bob'
  tools?: string[]
  /** The entry to reconnect, instead of a new one. */
  entryId?: string
  decide?: 'allow' | 'deny'
}

/** A browser after a redirect to the site: its address and its cookie. */
export interface Visit {
  flowId: string
  location: string
  cookie: string
}

/** Starts to connect the contacts site, and opens the address in a new browser. */
export async function beginConnect(
  someone: Person,
  contacts: { origin: string },
  { tools, entryId }: ConnectOptions = {},
): Promise<Visit> {
  const chosen = tools ? { tools } : {}
  const body = entryId ? { entryId, ...chosen } : { url: contacts.origin, ...chosen }
  const started = (await call(someone, oauth.startOAuth, { body })).body
  return { flowId: started.id, ...(await openConnectUrl(someone, started.connectUrl)) }
}

/**
 * Opens a flow's first address with the given cookies, as a client that asks for JSON and is therefore redirected
 * immediately.
 */
export async function openConnectUrl(client: Client, connectUrl: string, cookie = '') {
  const response = await comeBack(client, connectUrl, cookie)
  if (response.status !== 303) throw new Error(`The browser was not redirected: ${await response.text()}`)
  const given = response.headers.getSetCookie().map((line) => line.split(';', 1)[0] ?? '')
  return { location: response.headers.get('location') ?? '', cookie: given.join('; ') || cookie }
}

/** Signs in at the site in the visit's browser. Returns the address that the site redirects to. */
export const authorize = (visit: Visit, { user = 'ada', decide = 'allow' }: ConnectOptions = {}): Promise<string> =>
  signIn(visit.location, { user, password: `${user}-password`, decide })

/** Opens an address of the platform, such as the site's redirect, by default as a client that asks for JSON. */
export function comeBack({ url }: Client, address: string, cookie: string, headers: Record<string, string> = {}) {
  const { pathname, search } = new URL(address)
  return fetch(`${url}${pathname}${search}`, {
    redirect: 'manual',
    headers: { accept: 'application/json', cookie, ...headers },
  })
}

/** Connects the contacts site through login and consent, and returns the vault entry's id. */
export async function connectContacts(
  someone: Person,
  contacts: { origin: string },
  options: ConnectOptions = {},
): Promise<string> {
  const visit = await beginConnect(someone, contacts, options)
  const response = await comeBack(someone, await authorize(visit, options), visit.cookie)
  const body = (await response.json()) as { entryId?: string; error?: string }
  if (!response.ok || !body.entryId) throw new Error(`The site was not connected: ${JSON.stringify(body)}`)
  return body.entryId
}
