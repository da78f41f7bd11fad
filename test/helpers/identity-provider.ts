import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import { Provider } from 'oidc-provider'
import { createStorage } from '../../examples/sites/contacts/storage.ts'
import { listen } from '../../examples/sites/https-server.ts'
import { temporaryCertificates } from './https-server.ts'
import { createBrowser } from './sign-in.ts'

/** A provider's facts about a user. */
interface Account {
  email?: string
  email_verified?: boolean
}

export const clientSecret = 'a client secret of at least 32 bytes'

/**
 * A real OpenID Connect provider with a form for a user's name. It gets its address before the platform starts, and
 * the platform's redirect URIs by `open`.
 */
export async function startIdentityProvider(t: ExecutionContext) {
  const { server, origin, close } = await listen({ port: 0, tls: await temporaryCertificates() })
  t.teardown(close)
  const accounts = new Map<string, Account>()
  return {
    origin,
    host: new URL(origin).host,
    accounts,
    /** Serves the provider to one client with these redirect URIs. */
    open(redirectUris: string[]): void {
      const provider = createProvider(origin, redirectUris, accounts)
      const handle = provider.callback()
      server.on('request', (request, response) => {
        if (request.url?.startsWith('/form/')) void serveForm(provider, request, response)
        else void handle(request, response)
      })
    },
  }
}

export type IdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>

function createProvider(issuer: string, redirectUris: string[], accounts: Map<string, Account>): Provider {
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
  return new Provider(issuer, {
    adapter: createStorage().adapter,
    clients: [{ client_id: 'switchyard', client_secret: clientSecret, redirect_uris: redirectUris }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    pkce: { required: () => true },
    interactions: { url: (_ctx, { uid }) => `/form/${uid}` },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, ...accounts.get(sub) }) }),
    // Every signed-in user has consented.
    async loadExistingGrant({ oidc }) {
      const { clientId } = oidc.client ?? {}
      const { accountId } = oidc.session ?? {}
      const grant = new oidc.provider.Grant({ clientId: clientId ?? '', accountId: accountId ?? '' })
      grant.addOIDCScope('openid email')
      await grant.save()
      return grant
    },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    jwks: { keys: [{ ...key, use: 'sig', alg: 'RS256', kid: 'one' }] },
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Interaction: 600, Session: 600, Grant: 600 },
  })
}

const form = `<!doctype html><title>Provider</title><form method="post">
  <label>User <input name="user"></label><button>Sign in</button><button name="deny" value="yes">Deny</button></form>`

async function serveForm(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.setHeader('content-type', 'text/html').end(form)
  const sent = new URLSearchParams(await text(request))
  const result = sent.has('deny')
    ? { error: 'access_denied', error_description: 'They said no.' }
    : { login: { accountId: sent.get('user') ?? '' } }
  response.writeHead(303, { location: await provider.interactionResult(request, response, result) }).end()
}

/** Plays a user's browser at the provider. Returns the platform address that the provider redirects to. */
export async function signInAt(authorizeUrl: string, { user, deny = false }: { user: string; deny?: boolean }) {
  const browser = createBrowser()
  const { origin } = new URL(authorizeUrl)
  let url = authorizeUrl
  let answer = await browser.open(url)
  for (let step = 0; step < 10; step += 1) {
    const { location } = answer.headers
    if (typeof location !== 'string') {
      if (!answer.text.includes('name="user"')) throw new Error(`The provider answered ${answer.text.slice(0, 500)}`)
      answer = await browser.send(url, { user, ...(deny && { deny: 'yes' }) })
      continue
    }
    url = new URL(location, url).href
    if (new URL(url).origin !== origin) return url
    answer = await browser.open(url)
  }
  throw new Error('The sign-in does not end')
}
