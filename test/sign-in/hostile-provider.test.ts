// @promise sign-in
import type { ServerResponse } from 'node:http'
import test from 'ava'
import { generateKeyPair, exportJWK } from 'jose'
import * as workspaceSignIn from '../../api/workspace-sign-in.ts'
import { embeddedHosts, encodedHosts, loopbackHosts, metadataHosts, rangeHosts } from '../helpers/hostile-addresses.ts'
import { sentBack, sharedKey, startBareIdentityProvider, type Deviation } from '../helpers/bare-identity-provider.ts'
import { call, type Client } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { clientSecret } from '../helpers/identity-provider.ts'
import { customer } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { beginSignIn, visit, visitor } from '../helpers/sign-ins.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { workspaceOf } from '../helpers/workspaces.ts'

const minute = 60
const now = () => Math.floor(Date.now() / 1000)

/** A platform with two providers, of which one is hostile, and an admin of a workspace. */
const open = forWholeFile(test, 'hostile providers', async (t) => {
  const [hostile, honest] = [await startBareIdentityProvider(t), await startBareIdentityProvider(t)]
  const { caFile } = await temporaryCertificates()
  const env = {
    OIDC_ISSUER: hostile.origin,
    OIDC_CLIENT_ID: 'switchyard',
    OIDC_CLIENT_SECRET: clientSecret,
    SITE_CA_FILE: caFile,
    SITE_ALLOW: honest.host,
    TOKEN_TIMEOUT_SECONDS: '1',
  }
  const platform = await startPlatform(t, { env })
  const boss = await customer(platform, 'team')
  // For tests that must not depend on how fast the machine is.
  const patient = { ...env, TOKEN_TIMEOUT_SECONDS: '30', DATABASE_URL: platform.config.database.url }
  return { hostile, honest, platform, boss, patient: await startPlatform(t, { env: patient }) }
})

let count = 0

/**
 * Signs somebody in whom nobody knows yet, as the provider deviates; the answer of the platform. But for that, it would make an
 * account.
 */
async function attempt(deviation: Deviation, query: Record<string, string> = {}) {
  const { hostile, platform } = await open()
  const by = visitor()
  const user = `mallory-${(count += 1)}`
  hostile.deviation = {}
  const back = sentBack(hostile, await beginSignIn(platform, by, 'oidc'), user)
  for (const [name, value] of Object.entries(query)) back.searchParams.append(name, value)
  const claims = { email: `${user}@example.com`, email_verified: true, ...deviation.claims }
  hostile.deviation = { ...deviation, claims }
  const page = await visit(platform, by, back.href)
  return { ...page, by }
}

/** The other key is the provider's, too. */
const other = generateKeyPair('RS256')

const badTokens: Record<string, () => Promise<Deviation> | Deviation> = {
  'for another client': () => ({ claims: { aud: 'another' } }),
  'for several clients, of which another one asked': () => ({
    claims: { aud: ['switchyard', 'another'], azp: 'another' },
  }),
  'of another issuer': () => ({ claims: { iss: 'https://accounts.example.com' } }),
  'without a nonce': () => ({ claims: { nonce: undefined } }),
  'with the nonce of another attempt': () => ({ claims: { nonce: 'another' } }),
  'that has expired': () => ({ claims: { iat: now() - 10 * minute, exp: now() - 5 * minute } }),
  'without a subject': () => ({ claims: { sub: undefined } }),
  'with a subject that is too long': () => ({ claims: { sub: 'a'.repeat(256) } }),
  'without a signature': () => ({ header: { alg: 'none' } }),
  'that is signed with the secret of the client': () => ({ header: { alg: 'HS256' }, sign: sharedKey() }),
  'that is signed with another key': async () => ({ sign: (await other).privateKey }),
  'that names no key, of several': async () => {
    const { hostile } = await open()
    const key = { ...(await exportJWK((await other).publicKey)), alg: 'RS256', kid: 'two' }
    return { header: { kid: undefined as never }, keys: [hostile.key, key] }
  },
  'that is not there': () => ({ tokens: (answer) => ({ ...answer, id_token: undefined }) }),
  'that is encrypted': () => ({ tokens: (answer) => ({ ...answer, id_token: 'a.b.c.d.e' }) }),
  'beside keys that are none': () => ({
    answers: { '/keys': (_request, response) => response.end('{"keys":[null]}') },
  }),
}

for (const [title, deviationOf] of Object.entries(badTokens)) {
  test.serial(`an ID token ${title} signs nobody in`, async (t) => {
    const deviation = await deviationOf()
    const { hostile, platform } = await open()
    // Each has a document and keys of its own, which the platform would remember.
    platform.services.signIn.forget()
    const { status, text, by } = await attempt(deviation)
    t.is(status, 403, text)
    t.regex(text, /is not valid|is not supported/)
    t.false(by.cookies.has('switchyard_access'))
    t.true(hostile.requests.includes('/token'))
  })
}

test.serial(
  'what a provider sends twice, or as another issuer, is named, and a refusal is told whatever issuer it names',
  async (t) => {
    const { platform } = await open()
    platform.services.signIn.forget()
    const other = 'https://accounts.example.com'
    t.regex(
      (await attempt({}, { iss: other })).text,
      /sent `iss` as “https:\/\/ accounts\[\.\]example\[\.\]com”, and what it says of itself/,
    )
    t.regex((await attempt({}, { code: 'another' })).text, /sent `code` twice/)
    const denied = await attempt({}, { iss: other, error: 'access_denied' })
    t.is(denied.status, 403)
    t.regex(denied.text, /Access was denied/)
  },
)

/** What the userinfo of somebody says beside an ID token with these claims, and whether that makes an account. */
const addresses: [what: string, claims: object, userinfo: object | number, status: number, words?: RegExp][] = [
  ['verified at the userinfo alone', { email_verified: undefined }, { email_verified: true }, 200],
  ['told at the userinfo alone', { email: undefined, email_verified: undefined }, { email_verified: true }, 200],
  ['empty in the ID token', { email: '', email_verified: true }, { email_verified: true }, 200],
  ['verified in a text', { email_verified: 'true' }, 500, 200],
  [
    'in a text that says something else',
    { email_verified: 'yes' },
    { email_verified: 'yes' },
    403,
    /is a text, and not true/,
  ],
  [
    'told in the one and verified in the other',
    { email_verified: undefined },
    { email: undefined, email_verified: true },
    403,
    /tells no address/,
  ],
  ['verified in the one and told in the other', { email: undefined }, {}, 403, /does not say/],
  [
    'another one at the userinfo',
    { email_verified: undefined },
    { email: 'b@example.com', email_verified: true },
    403,
    /two addresses/,
  ],
  ['of another subject', { email_verified: undefined }, { sub: 'another', email_verified: true }, 403, /not valid/],
  ['at a userinfo that fails', { email_verified: undefined }, 500, 503, /failure of its own/],
]

for (const [what, claims, said, status, words] of addresses) {
  test.serial(`an address that is ${what} ${status === 200 ? 'makes an account' : 'makes none'}`, async (t) => {
    const { hostile, platform } = await open()
    platform.services.signIn.forget()
    const by = visitor()
    const user = `grace-${(count += 1)}`
    const email = `${user}@example.com`
    const userinfo_endpoint = `${hostile.origin}/me`
    hostile.deviation = { document: { userinfo_endpoint } }
    const back = sentBack(hostile, await beginSignIn(platform, by, 'oidc'), user)
    const answer: NonNullable<Deviation['answers']>[string] = (_request, response) =>
      typeof said === 'number'
        ? void response.writeHead(said).end()
        : void response.setHeader('content-type', 'text/plain').end(JSON.stringify({ sub: user, email, ...said }))
    hostile.deviation = {
      document: { userinfo_endpoint },
      claims: { email, email_verified: true, ...claims },
      answers: { '/me': answer },
    }
    const page = await visit(platform, by, back.href)
    t.is(page.status, status, page.text)
    if (words) t.regex(page.text, words)
  })
}

test.serial(
  'a page that is loaded again tells the same, opens no second login and asks the provider once',
  async (t) => {
    const { hostile, platform } = await open()
    platform.services.signIn.forget()
    hostile.deviation = {}
    const by = visitor()
    const user = `again-${(count += 1)}`
    const back = sentBack(hostile, await beginSignIn(platform, by, 'oidc', '?returnTo=/docs'), user)
    hostile.deviation = { claims: { email: `${user}@example.com`, email_verified: true } }
    const before = hostile.requests.filter((path) => path === '/token').length
    const pages = await Promise.all([visit(platform, by, back.href), visit(platform, by, back.href)])
    pages.push(await visit(platform, by, back.href))
    t.deepEqual(
      pages.map(({ status, location }) => [status, location]),
      Array.from({ length: 3 }, () => [303, '/docs']),
    )
    t.is(pages.filter(({ set }) => set.some((line) => line.includes('_access='))).length, 1)
    t.is(hostile.requests.filter((path) => path === '/token').length, before + 1)
  },
)

test.serial(
  'a provider that breaks off is named in the log, with its cause, and named again if the page is',
  async (t) => {
    const { hostile, platform } = await open()
    platform.services.signIn.forget()
    hostile.deviation = {}
    const by = visitor()
    const back = sentBack(hostile, await beginSignIn(platform, by, 'oidc'), 'eve')
    hostile.deviation = { answers: { '/token': (request) => request.socket.destroy() } }
    const before = platform.logs.length
    for (let times = 0; times < 2; times += 1) t.is((await visit(platform, by, back.href)).status, 503)
    const lines = platform.logs.slice(before).map((line) => JSON.parse(line) as Record<string, unknown>)
    const issuer = hostile.origin
    const unusable = lines.filter(({ msg }) => msg === 'a sign-in provider could not be used')
    t.is(unusable.length, 1)
    t.like(unusable[0], { provider: 'oidc', issuer, privateDetail: 'reset', cause: 'UND_ERR_SOCKET' })
    const failed = lines.filter(({ msg }) => msg === 'request failed')
    t.like(failed, [{ provider: 'oidc', issuer }, { provider: 'oidc' }])
    t.regex(JSON.stringify(failed[1]), /this sign-in failed at \d.*the log has the cause there/)
    platform.services.signIn.forget()
  },
)

test.serial('a provider that promises to name itself has to', async (t) => {
  const { hostile, platform } = await open()
  platform.services.signIn.forget()
  hostile.deviation = { document: { authorization_response_iss_parameter_supported: true } }
  const by = visitor()
  const back = sentBack(hostile, await beginSignIn(platform, by, 'oidc'), 'eve')
  t.is((await visit(platform, by, back.href)).status, 400)
  platform.services.signIn.forget()
})

test.serial('a document that is wrong, too large, a redirect, or never comes is told as that, in time', async (t) => {
  const { hostile, platform } = await open()
  const at = (listener: NonNullable<Deviation['answers']>[string]): Deviation => {
    return { answers: { '/.well-known/openid-configuration': listener } }
  }
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
    const began = Date.now()
    const page = await visit(platform, visitor(), '/auth/oidc/oidc/start')
    t.is(page.status, status, `${JSON.stringify(deviation)} ${page.text}`)
    t.true(Date.now() - began < 5000)
    t.notRegex(page.text, /javascript|passwd|127\.0\.0\.1/)
  }
  platform.services.signIn.forget()
})

test.serial('a provider that never answers holds up nobody who signs in elsewhere', async (t) => {
  const { hostile, honest, platform, patient, boss } = await open()
  const { id } = await workspaceOf(boss)
  t.is((await name(boss, id, honest.origin)).status, 200)
  const held: ServerResponse[] = []
  const path = '/.well-known/openid-configuration'
  hostile.deviation = { answers: { [path]: (_request, response) => void held.push(response) } }
  patient.services.signIn.forget()
  const before = hostile.requests.length
  let answered = 0
  const waiting = Array.from({ length: 8 }, async () => {
    const { status } = await visit(patient, visitor(), '/auth/oidc/oidc/start')
    answered += 1
    return status
  })
  await eventually(20, 'the provider is asked', () => held.length > 0 || undefined)
  t.true((await beginSignIn(patient, visitor(), id)).startsWith(honest.origin))
  t.is(answered, 0, 'the others wait still')
  for (const response of held) response.destroy()
  t.true((await Promise.all(waiting)).every((status) => status === 503))
  t.is(hostile.requests.length, before + 1, 'they wait for one request')
  platform.services.signIn.forget()
  t.is((await visit(platform, visitor(), '/auth/oidc/oidc/start')).status, 503, 'nobody waits for ever')
  platform.services.signIn.forget()
})

const name = (admin: Client, workspaceId: string, issuer: string) =>
  call(admin, workspaceSignIn.setWorkspaceSignIn, {
    params: { workspaceId },
    body: { issuer, clientId: 'switchyard', clientSecret },
  })

test.serial('no address of a private network can be the provider of a workspace', async (t) => {
  const { boss, hostile } = await open()
  const { id } = await workspaceOf(boss)
  // What the operator has named is not open to workspaces for that.
  const before = hostile.requests.length
  t.is((await name(boss, id, hostile.origin)).failure.code, 'SITE_UNAVAILABLE')
  t.is(hostile.requests.length, before)
  const hosts = [loopbackHosts, encodedHosts, embeddedHosts, rangeHosts, metadataHosts].flatMap((all) =>
    all.slice(0, 2),
  )
  for (const host of hosts) {
    const { code, error } = (await name(boss, id, `https://${host}/`)).failure
    t.regex(code, /^(INVALID_URL|SITE_UNAVAILABLE)$/, host)
    t.false(error.includes(host))
  }
  for (const url of [
    'http://idp.example.com',
    'javascript:alert(1)',
    'https://a:b@idp.example.com',
    'https://idp.example.com?x',
  ])
    t.is((await name(boss, id, url)).failure.code, 'INVALID_URL', url)
})

test.serial("a workspace's provider cannot send the platform on to a private address", async (t) => {
  const { boss, honest, hostile } = await open()
  const { id } = await workspaceOf(boss)
  honest.deviation = { document: { token_endpoint: `${hostile.origin}/token`, jwks_uri: `${hostile.origin}/keys` } }
  const { platform } = await open()
  platform.services.signIn.forget()
  t.is((await name(boss, id, honest.origin)).status, 200)
  const by = visitor()
  const before = hostile.requests.length
  const back = sentBack(honest, await beginSignIn(platform, by, id), 'ada')
  t.is((await visit(platform, by, back.href)).status, 503)
  t.is(hostile.requests.length, before)
})
