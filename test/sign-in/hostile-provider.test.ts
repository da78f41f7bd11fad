// @promise sign-in
import type { RequestListener, ServerResponse } from 'node:http'
import test from 'ava'
import { generateKeyPair, exportJWK } from 'jose'
import { embeddedHosts, encodedHosts, loopbackHosts, metadataHosts, rangeHosts } from '../helpers/hostile-addresses.ts'
import { sentBack, sharedKey, startBareIdentityProvider, type Deviation } from '../helpers/bare-identity-provider.ts'
import { eventually } from '../helpers/eventually.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { customer } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { beginSignIn, environmentOf, nameProvider, visit, visitor } from '../helpers/sign-ins.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { workspaceOf } from '../helpers/workspaces.ts'

const minute = 60
const now = () => Math.floor(Date.now() / 1000)

/** A platform with a hostile provider, and a workspace, whose provider may be at the host of an honest one. */
const open = forWholeFile(test, 'hostile providers', async (t) => {
  const [hostile, honest] = [await startBareIdentityProvider(t), await startBareIdentityProvider(t)]
  const { caFile } = await temporaryCertificates()
  const allowed = { SITE_CA_FILE: caFile, SITE_ALLOW: honest.host }
  const env = { ...environmentOf(hostile), ...allowed, TOKEN_TIMEOUT_SECONDS: '6' }
  const platform = await startPlatform(t, { env })
  const boss = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(boss)
  return { hostile, honest, platform, boss, workspaceId }
})

let count = 0

/**
 * Somebody whom nobody knows yet comes back from the provider, which deviates from then on, and in its document from the
 * beginning. But for that, there would be an account.
 */
async function cameBack(
  deviationOf: Deviation | ((user: string) => Deviation),
  { query = {}, begin = '' }: { query?: Record<string, string>; begin?: string } = {},
) {
  const { hostile, platform } = await open()
  // Each deviation has a document and keys of its own, which the platform would remember.
  platform.services.signIn.forget()
  const user = `mallory-${(count += 1)}`
  const deviation = typeof deviationOf === 'function' ? deviationOf(user) : deviationOf
  hostile.deviation = { document: deviation.document ?? {} }
  const by = visitor()
  const back = sentBack(hostile, await beginSignIn(platform, by, 'oidc', begin), user)
  for (const [name, value] of Object.entries(query)) back.searchParams.append(name, value)
  hostile.deviation = {
    ...deviation,
    claims: { email: `${user}@example.com`, email_verified: true, ...deviation.claims },
  }
  return { by, platform, hostile, load: () => visit(platform, by, back.href) }
}

/** The other key is the provider's, too. */
const other = generateKeyPair('RS256')

const badTokens: Record<string, Deviation | (() => Promise<Deviation>)> = {
  'for another client': { claims: { aud: 'another' } },
  'for several clients, of which another one asked': { claims: { aud: ['switchyard', 'another'], azp: 'another' } },
  'of another issuer': { claims: { iss: 'https://accounts.example.com' } },
  'without a nonce': { claims: { nonce: undefined } },
  'with the nonce of another attempt': { claims: { nonce: 'another' } },
  'that has expired': { claims: { iat: now() - 10 * minute, exp: now() - 5 * minute } },
  'without a subject': { claims: { sub: undefined } },
  'with a subject that is too long': { claims: { sub: 'a'.repeat(256) } },
  'without a signature': { header: { alg: 'none' } },
  'that is signed with the secret of the client': { header: { alg: 'HS256' }, sign: sharedKey() },
  'that is signed with another key': async () => ({ sign: (await other).privateKey }),
  'that names no key, of several': async () => {
    const key = { ...(await exportJWK((await other).publicKey)), alg: 'RS256', kid: 'two' }
    return { header: { kid: undefined as never }, keys: [(await open()).hostile.key, key] }
  },
  'that is not there': { tokens: (answer) => ({ ...answer, id_token: undefined }) },
  'that is encrypted': { tokens: (answer) => ({ ...answer, id_token: 'a.b.c.d.e' }) },
  'beside keys that are none': { answers: { '/keys': (_request, response) => response.end('{"keys":[null]}') } },
}

for (const [title, made] of Object.entries(badTokens)) {
  test.serial(`an ID token ${title} signs nobody in`, async (t) => {
    const { by, hostile, load } = await cameBack(typeof made === 'function' ? await made() : made)
    const { status, text } = await load()
    t.is(status, 403, text)
    t.regex(text, /is invalid|is not supported/)
    t.false(by.cookies.has('switchyard_access'))
    t.true(hostile.requests.includes('/token'))
  })
}

test.serial('what a provider sends twice, or as another issuer, is named; a refusal is told in any case', async (t) => {
  const iss = 'https://accounts.example.com'
  const named = /sent the `iss` “https:\/\/ accounts\[\.\]example\[\.\]com”\. Its discovery document/
  for (const [query, status, words] of [
    [{ iss }, 400, named],
    [{ code: 'another' }, 400, /sent `code` more than once/],
    [{ iss, error: 'access_denied' }, 403, /Access was denied/],
  ] as const) {
    const page = await (await cameBack({}, { query })).load()
    t.is(page.status, status)
    t.regex(page.text, words)
  }
  const promising = { document: { authorization_response_iss_parameter_supported: true } }
  t.is((await (await cameBack(promising)).load()).status, 400, 'who promises to name itself has to')
})

const [verified, unknown] = [{ email_verified: true }, { email_verified: undefined }]

/** The address: claims of the ID token, what the userinfo says beside it, and whether that makes an account. */
const addresses: [
  what: string,
  claims: Record<string, unknown>,
  userinfo: object | number,
  status: number,
  words: RegExp,
][] = [
  ['verified at the userinfo alone', unknown, verified, 200, /./],
  ['told at the userinfo alone', { ...unknown, email: undefined }, verified, 200, /./],
  ['empty in the ID token', { ...verified, email: '' }, verified, 200, /./],
  ['verified in a text', { email_verified: 'true' }, 500, 200, /./],
  ['in another text', { email_verified: 'yes' }, { email_verified: 'yes' }, 403, /is a string instead of true/],
  ['told here, and verified there', unknown, { ...verified, email: undefined }, 403, /did not send your email address/],
  ['verified here, and told there', { email: undefined }, {}, 403, /did not confirm your email address/],
  [
    'another one at the userinfo',
    unknown,
    { ...verified, email: 'b@example.com' },
    403,
    /two different email addresses/,
  ],
  ['of another subject', unknown, { ...verified, sub: 'another' }, 403, /is invalid/],
  ['at a userinfo that fails', unknown, 500, 503, /returned an error/],
]

for (const [what, claims, said, status, words] of addresses) {
  test.serial(`an address that is ${what} ${status === 200 ? 'makes an account' : 'makes none'}`, async (t) => {
    const { hostile } = await open()
    const { load } = await cameBack((user) => {
      const body = { sub: user, email: `${user}@example.com`, ...(typeof said === 'object' && said) }
      const answer: RequestListener = (_request, response) =>
        void response
          .writeHead(typeof said === 'number' ? said : 200, { 'content-type': 'text/plain' })
          .end(JSON.stringify(body))
      return { document: { userinfo_endpoint: `${hostile.origin}/me` }, claims, answers: { '/me': answer } }
    })
    const page = await load()
    t.is(page.status, status, page.text)
    t.regex(page.text, words)
  })
}

test.serial('a page that is loaded again opens no second login, and asks the provider once', async (t) => {
  const { hostile, load } = await cameBack({}, { begin: '?returnTo=/docs' })
  const asked = () => hostile.requests.filter((path) => path === '/token').length
  const before = asked()
  const pages = [...(await Promise.all([load(), load()])), await load()]
  for (const { status, location } of pages) t.deepEqual([status, location], [303, '/docs'])
  t.is(pages.filter(({ set }) => set.some((line) => line.includes('_access='))).length, 1)
  t.is(asked(), before + 1)
})

test.serial('a provider that breaks off is named in the log, with its cause, and again if the page is', async (t) => {
  const { platform, hostile, load } = await cameBack({ answers: { '/token': (request) => request.socket.destroy() } })
  const before = platform.logs.length
  for (let times = 0; times < 2; times += 1) t.is((await load()).status, 503)
  const lines = platform.logs.slice(before).map((line) => JSON.parse(line) as Record<string, unknown>)
  const told = (what: string) => lines.filter(({ msg }) => msg === what)
  const named = { provider: 'oidc', issuer: hostile.origin }
  const [unusable, ...more] = told('sign-in provider failed')
  t.like(unusable, { ...named, privateDetail: 'reset', cause: 'UND_ERR_SOCKET' })
  t.deepEqual(more, [])
  const failed = told('request failed')
  t.like(failed, [named, { provider: 'oidc' }])
  t.regex(JSON.stringify(failed[1]), /this sign-in failed at \d.*see the log at that time for the cause/)
})

const discovery = '/.well-known/openid-configuration'

test.serial('a document that is wrong, too large, a redirect, or never comes is told as that', async (t) => {
  const { hostile, platform } = await open()
  const at = (listener: RequestListener): Deviation => ({ answers: { [discovery]: listener } })
  const bad: [number, Deviation][] = [
    [403, { document: { issuer: 'https://another.example' } }],
    [503, { document: { authorization_endpoint: 'javascript:alert(1)' } }],
    [403, at((_request, response) => response.end('nonsense'))],
    [503, at((_request, response) => response.writeHead(302, { location: 'https://127.0.0.1/' }).end())],
    [503, at((_request, response) => response.end(`"${'a'.repeat(100_000)}"`))],
    [503, at(() => undefined)],
  ]
  for (const [status, deviation] of bad) {
    platform.services.signIn.forget()
    hostile.deviation = deviation
    const page = await visit(platform, visitor(), '/auth/oidc/oidc/start')
    t.is(page.status, status, `${JSON.stringify(deviation)} ${page.text}`)
    t.notRegex(page.text, /javascript|127\.0\.0\.1/)
  }
})

test.serial('a provider that never answers holds up nobody who signs in elsewhere', async (t) => {
  const { hostile, honest, platform, boss, workspaceId } = await open()
  t.is((await nameProvider(boss, workspaceId, honest.origin)).status, 200)
  const held: ServerResponse[] = []
  hostile.deviation = { answers: { [discovery]: (_request, response) => void held.push(response) } }
  platform.services.signIn.forget()
  const before = hostile.requests.length
  const waiting = Array.from({ length: 8 }, async () => visit(platform, visitor(), '/auth/oidc/oidc/start'))
  await eventually(20, 'the provider is asked', () => held.length > 0 || undefined)
  const elsewhere = beginSignIn(platform, visitor(), workspaceId).then(() => 'elsewhere')
  t.is(await Promise.race([elsewhere, ...waiting]), 'elsewhere')
  for (const response of held) response.destroy()
  t.true((await Promise.all(waiting)).every(({ status }) => status === 503))
  t.is(hostile.requests.length, before + 1, 'they wait for one request')
})

test.serial('the provider of a workspace is at no private address, nor sends the platform on to one', async (t) => {
  const { boss, workspaceId, honest, hostile, platform } = await open()
  // What the operator has named is not open to workspaces for that.
  const before = hostile.requests.length
  t.is((await nameProvider(boss, workspaceId, hostile.origin)).failure.code, 'SITE_UNAVAILABLE')
  for (const [host = ''] of [loopbackHosts, encodedHosts, embeddedHosts, rangeHosts, metadataHosts]) {
    const { code, error } = (await nameProvider(boss, workspaceId, `https://${host}/`)).failure
    t.regex(code, /^(INVALID_URL|SITE_UNAVAILABLE)$/, host)
    t.false(error.includes(host))
  }
  const urls = ['http://idp.example.com', 'javascript:alert(1)', 'https://a:b@idp.example.com', 'https://a.example?x']
  for (const url of urls) t.is((await nameProvider(boss, workspaceId, url)).failure.code, 'INVALID_URL', url)

  honest.deviation = { document: { token_endpoint: `${hostile.origin}/token`, jwks_uri: `${hostile.origin}/keys` } }
  platform.services.signIn.forget()
  t.is((await nameProvider(boss, workspaceId, honest.origin)).status, 200)
  const by = visitor()
  const back = sentBack(honest, await beginSignIn(platform, by, workspaceId), 'ada')
  t.is((await visit(platform, by, back.href)).status, 503)
  t.is(hostile.requests.length, before)
})
