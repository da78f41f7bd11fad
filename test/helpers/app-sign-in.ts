import type { ExecutionContext } from 'ava'
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client'
import { ConnectedApp } from '../../src/apps/connected-app.ts'
import { later } from '../../src/clock.ts'
import { newId } from '../../src/ids.ts'
import { logInByCookie, openJar, type CookieJar } from './cookie-jar.ts'
import type { Person } from './people.ts'
import type { Platform } from './platform.ts'

/** Where the browser goes back to: a program that listens on the loopback. No test follows it there. */
export const redirectUrl = 'http://127.0.0.1:39123/callback'

/** An app of a user, by default at their own things, without its sign-in. */
export async function connectedApp(
  { services }: Pick<Platform, 'services'>,
  userId: string,
  workspaceId: string | null = null,
): Promise<ConnectedApp> {
  const now = services.clock.now()
  return ConnectedApp.query(services.database).insert({
    id: newId(),
    userId,
    workspaceId,
    createdAt: now,
    expiresAt: later(now, 3600),
    name: 'An app',
    clientId: 'a client',
    redirectHost: 'localhost:1',
    scopes: ['read'],
  })
}

type Stored = Record<'client' | 'tokens' | 'verifier' | 'discovery', unknown>

interface AppOptions {
  url: string
  scope?: string
  name?: string
}

/** An app as the official client signs it in: it keeps what it was told, and shows the address to open in a browser. */
export function newApp({ url, scope, name = 'A test app' }: AppOptions) {
  const stored: Partial<Stored> = {}
  let opened: URL | undefined
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: name, redirect_uris: [redirectUrl], ...(scope !== undefined && { scope }) },
    state: () => 'a state',
    clientInformation: () => stored.client as never,
    discoveryState: () => stored.discovery as never,
    saveDiscoveryState: (found) => void (stored.discovery = found),
    saveClientInformation: (client) => void (stored.client = client),
    tokens: () => stored.tokens as never,
    saveTokens: (tokens) => void (stored.tokens = tokens),
    redirectToAuthorization: (address) => void (opened = address),
    saveCodeVerifier: (verifier) => void (stored.verifier = verifier),
    codeVerifier: () => stored.verifier as string,
  }
  const transport = () => new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider: provider })
  const client = () =>
    new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })

  return {
    stored,
    provider,
    tokens: () => stored.tokens as { access_token: string; refresh_token: string; scope?: string },

    /** Asks for access. Returns the path to open in the browser. */
    async ask(): Promise<string> {
      try {
        await client().connect(transport())
      } catch (error) {
        if (!(error instanceof UnauthorizedError) || !opened) throw error
      }
      return `${opened?.pathname}${opened?.search}`
    },

    /** Gets the tokens for what the browser came back with. */
    finish: (back: URL) => transport().finishAuth(back.searchParams),

    /** The client with its tokens. */
    async connect(t: ExecutionContext): Promise<Client> {
      const connected = client()
      await connected.connect(transport())
      t.teardown(() => connected.close())
      return connected
    },
  }
}

export type App = ReturnType<typeof newApp>

export interface Browser {
  jar: CookieJar
  csrf: Record<string, string>
}

/** Somebody's browser, signed in to the console. */
export async function browserOf(someone: Person): Promise<Browser> {
  const jar = openJar(someone.url)
  const { csrf } = await logInByCookie(jar, someone)
  return { jar, csrf }
}

const locationOf = ({ headers }: { headers: { location?: string | undefined } }): string => headers.location ?? ''

/** Opens the address in the browser. Returns the path of the request, as the console asks for it. */
export async function openRequest({ jar }: Browser, path: string): Promise<string> {
  const answer = await jar.ask('GET', path)
  if (answer.status !== 303) throw new Error(`The request was answered with ${answer.status}: ${answer.text}`)
  return new URL(locationOf(answer), jar.url).pathname
}

interface Decision {
  workspaceId?: string
  scopes?: string[]
}

/** Agrees, as the console does. Returns the answer of the API. */
export const allow = (
  { jar, csrf }: Browser,
  request: string,
  { workspaceId, scopes = ['read', 'run'] }: Decision = {},
) => jar.ask('POST', `${request}/allow`, { body: { scopes, ...(workspaceId && { workspaceId }) }, headers: csrf })

/** Follows the address that the API answered with, back to the app. */
export async function goBack({ jar }: Browser, text: string): Promise<URL> {
  const { location } = JSON.parse(text) as { location?: string }
  if (location === undefined) throw new Error(`There is no address in ${text}`)
  const { pathname } = new URL(location)
  return new URL(locationOf(await jar.ask('GET', pathname)))
}

/** Signs the app in for somebody. */
export async function signIn(app: App, browser: Browser, decision: Decision = {}): Promise<void> {
  const request = await openRequest(browser, await app.ask())
  const answer = await allow(browser, request, decision)
  if (answer.status !== 201) throw new Error(`The decision was answered with ${answer.status}: ${answer.text}`)
  await app.finish(await goBack(browser, answer.text))
}

/** A request to an endpoint of the authorization server, as clients send it. */
export async function post(url: string, path: string, parameters: Record<string, string>) {
  const answer = await fetch(`${url}${path}`, { method: 'POST', body: new URLSearchParams(parameters) })
  const text = await answer.text()
  return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> }
}

/** Registers a client. */
export async function register(url: string, metadata: Record<string, unknown>) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/mcp/register`, { method: 'POST', headers, body: JSON.stringify(metadata) })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

/** The challenge of PKCE, for requests whose code nobody exchanges. */
const someChallenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

/** The path with which a client asks for access. */
export const authorizePath = (clientId: string, parameters: Record<string, string> = {}): string =>
  `/mcp/authorize?${new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUrl,
    code_challenge: someChallenge,
    code_challenge_method: 'S256',
    scope: 'read run',
    state: 'a state',
    ...parameters,
  }).toString()}`
