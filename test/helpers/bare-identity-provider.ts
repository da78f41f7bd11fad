import type { RequestListener } from 'node:http'
import type { ExecutionContext } from 'ava'
import {
  exportJWK,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
} from 'jose'
import { listen } from '../../examples/sites/https-server.ts'
import { clientSecret } from './identity-provider.ts'
import { temporaryCertificates } from './https-server.ts'

export interface Deviation {
  /** Members of the discovery document; undefined removes one. */
  document?: Record<string, unknown>
  /** Claims of the ID token; undefined removes one. */
  claims?: Record<string, unknown>
  header?: Partial<JWTHeaderParameters>
  /** The signing key; by default the published one. */
  sign?: CryptoKey | Uint8Array
  /** Published instead of the provider's keys. */
  keys?: JWK[]
  tokens?: (answer: Record<string, unknown>) => unknown
  /** Responses that replace the usual ones at these paths. */
  answers?: Record<string, RequestListener>
}

/**
 * An OpenID Connect provider without pages, with an issuer for every folder. The test plays the sign-in pages and sets
 * the deviations. Every code is valid and contains its subject: `code-of-ada`.
 */
export async function startBareIdentityProvider(t: ExecutionContext) {
  const { server, origin, close } = await listen({ port: 0, tls: await temporaryCertificates() })
  t.teardown(close)
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const key = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const provider = {
    origin,
    host: new URL(origin).host,
    key,
    privateKey,
    deviation: {} as Deviation,
    /** The nonces of the browsers, by code. */
    nonces: new Map<string, string>(),
    requests: [] as string[],
  }
  const document = (issuer: string) => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    ...provider.deviation.document,
  })

  async function tokens(issuer: string, code: string) {
    const { claims = {}, header = {}, sign = privateKey } = provider.deviation
    const now = Math.floor(Date.now() / 1000)
    const subject = /^code-of-([\w-]+)/.exec(code)?.[1]
    const all = {
      iss: issuer,
      sub: subject,
      aud: 'switchyard',
      iat: now,
      exp: now + 300,
      nonce: provider.nonces.get(code),
    }
    const payload = { ...all, ...claims } as JWTPayload
    const protectedHeader = { alg: 'RS256', kid: 'one', ...header }
    const idToken =
      protectedHeader.alg === 'none'
        ? `${encode(protectedHeader)}.${encode(payload)}.`
        : await new SignJWT(payload).setProtectedHeader(protectedHeader).sign(sign)
    return { access_token: 'an-access-token', token_type: 'Bearer', expires_in: 60, id_token: idToken }
  }

  async function answerTo(path: string, form: URLSearchParams): Promise<unknown> {
    const { keys = [key], tokens: change = (given) => given } = provider.deviation
    const [, folder = '', last] = /^(.*)\/(\.well-known\/[\w-]+|keys|token)$/.exec(path) ?? []
    const issuer = `${origin}${folder}`
    if (last === 'keys') return { keys }
    if (last === 'token') return change(await tokens(issuer, form.get('code') ?? ''))
    return document(issuer)
  }

  server.on('request', (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    provider.requests.push(path)
    const own = provider.deviation.answers?.[path]
    if (own) return own(request, response)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      void answerTo(path, new URLSearchParams(Buffer.concat(chunks).toString())).then((body) =>
        response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
      )
    })
  })
  return provider
}

export type BareIdentityProvider = Awaited<ReturnType<typeof startBareIdentityProvider>>

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The address that the provider would send a browser back to after a user's sign-in. */
export function sentBack(provider: BareIdentityProvider, authorizeUrl: string, user: string): URL {
  const asked = new URL(authorizeUrl).searchParams
  const code = `code-of-${user}.${provider.nonces.size}`
  provider.nonces.set(code, asked.get('nonce') ?? '')
  const back = new URL(asked.get('redirect_uri') ?? '')
  back.search = new URLSearchParams({ code, state: asked.get('state') ?? '' }).toString()
  return back
}

/** The client secret as a key. */
export const sharedKey = (): Uint8Array => new TextEncoder().encode(clientSecret)
