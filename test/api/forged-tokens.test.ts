// @promise logins
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import * as auth from '../../api/auth.ts'
import { call } from '../helpers/client.ts'
import { person } from '../helpers/people.ts'
import { testKeys } from '../helpers/platform.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { exchange, send, statusIn } from './raw-http.ts'

const ours = createPrivateKey(testKeys.JWT_PRIVATE_KEY)
const strange = generateKeyPairSync('ed25519')
const header = { alg: 'EdDSA', typ: 'at+jwt' }

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** A token over any header and claims, also such as no library would sign. */
function forge(head: unknown, claims: unknown, key = ours): string {
  const signed = `${encode(head)}.${encode(claims)}`
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
}

const platformOf = sharedPlatform(test, 'idle')
const open = forWholeFile(test, 'forged tokens', async () => {
  const platform = await platformOf()
  const [ada, bob] = [await person(platform), await person(platform)]
  return { platform, ada, claims: decodeJwt(ada.token), others: decodeJwt(bob.token) }
})

test('the forgery of these tests is good enough: what it signs properly is accepted', async (t) => {
  const { platform, ada, claims } = await open()
  const { body } = await call({ url: platform.url, token: forge(header, claims) }, auth.me)
  t.is(body.email, ada.email)
})

type Stage = Awaited<ReturnType<typeof open>>

/** What forgeries are made of: a good token in parts, its claims, those of another person, and the time in seconds. */
function partsOf({ ada, claims, others }: Stage) {
  const [head = '', body = '', signature = ''] = ada.token.split('.')
  return { ada, claims, others, head, body, signature, now: Math.floor(Date.now() / 1000) }
}

type Forge = (parts: ReturnType<typeof partsOf>) => string

/** Signed with the public key as if it were a secret, which a verifier accepts that lets the token choose. */
const confused =
  (secret: () => string | Buffer): Forge =>
  ({ body }) => {
    const signed = `${encode({ ...header, alg: 'HS256' })}.${body}`
    return `${signed}.${createHmac('sha256', secret()).update(signed).digest('base64url')}`
  }
const byStranger =
  (more: object): Forge =>
  ({ claims }) =>
    forge({ ...header, ...more }, claims, strange.privateKey)
const unsigned =
  (alg: string, signatureOf: Forge = () => ''): Forge =>
  (parts) =>
    `${encode({ ...header, alg })}.${parts.body}.${signatureOf(parts)}`
const saying =
  (more: object | ((now: number) => object), head: object = header): Forge =>
  ({ claims, now }) =>
    forge(head, { ...claims, ...(typeof more === 'function' ? more(now) : more) })

const publicPem = () => createPublicKey(ours).export({ type: 'spki', format: 'pem' })
const jwk = strange.publicKey.export({ format: 'jwk' })
const zeros = Buffer.alloc(64).toString('base64url')
/** The neutral element and 0: verifies under a public key of small order, whatever was signed. */
const neutral = Buffer.from([1, ...Array.from({ length: 63 }, () => 0)]).toString('base64url')

const forged: Record<string, Forge> = {
  'of the algorithm none': unsigned('none'),
  'of no algorithm': ({ body }) => `${encode({ typ: 'at+jwt' })}.${body}.`,
  'of the algorithm none with a signature': unsigned('none', ({ signature }) => signature),
  'by HS256 with the public key in PEM as its secret': confused(publicPem),
  'of another algorithm in name': saying({}, { ...header, alg: 'ES256' }),
  'by ES256 with r and s of zero': unsigned('ES256', () => zeros),
  'by EdDSA with the neutral element as its signature': unsigned('EdDSA', () => neutral),
  "by a stranger's key": byStranger({}),
  'with a key in the header': byStranger({ jwk }),
  'with a key id that is a path': byStranger({ kid: '../../../../dev/null' }),
  'with a key id that is an object': byStranger({ kid: { $ne: null } }),
  'with a critical extension': saying({}, { ...header, crit: ['b64'], b64: false }),
  'for another audience': saying({ aud: 'elsewhere' }),
  'of another issuer': saying({ iss: 'https://evil.example' }),
  'of another type': saying({}, { ...header, typ: 'JWT' }),
  'that is not valid yet': saying((now) => ({ nbf: now + 600 })),
  'that was issued in the far future': saying((now) => ({ iat: now + 86_400, exp: now + 87_000 })),
  'without an expiry': saying({ exp: undefined }),
  'with an expiry beyond numbers': ({ claims }) =>
    forge(header, `{${inner({ ...claims, exp: undefined })},"exp":1e999}`),
  'without a login': saying({ sid: undefined }),
  "with another person's login": ({ claims, others }) => forge(header, { ...claims, sid: others['sid'] }),
  'of another person': ({ claims, others }) => forge(header, { ...claims, sub: others.sub }),
  'of a list of people': ({ claims }) => forge(header, { ...claims, sub: [claims.sub] }),
  'of two people, the last another one': ({ claims, others }) =>
    forge(header, `{"sub":"${claims.sub}",${inner({ ...claims, sub: others.sub })}}`),
  'whose claims are no JSON': () => forge(header, 'nonsense'),
  'without a signature': ({ head, body }) => `${head}.${body}.`,
  'with a part too many': ({ ada }) => `${ada.token}.x`,
  'with other claims under the signature': ({ claims, others, head, signature }) =>
    `${head}.${encode({ ...claims, sub: others.sub, sid: others['sid'] })}.${signature}`,
  'with padding after the signature': ({ ada }) => `${ada.token}==`,
  'with a signature in padded base64': ({ head, body, signature }) =>
    `${head}.${body}.${Buffer.from(signature, 'base64url').toString('base64')}`,
  'that is an API key never made': () => `sy_key_${'a'.repeat(43)}`,
  'that is a refresh token': () => `sy_refresh_${'a'.repeat(43)}`,
}

for (const [what, make] of Object.entries(forged))
  test(`a token ${what} is refused in the header and in the cookie`, async (t) => {
    const stage = await open()
    const token = make(partsOf(stage))
    const { url } = stage.platform
    const inHeader = await send(url, { path: '/auth/me', headers: { authorization: `Bearer ${token}` } })
    t.deepEqual([inHeader.status, inHeader.code], [401, 'INVALID_TOKEN'])
    const inCookie = await send(url, { path: '/auth/me', headers: { cookie: `switchyard_access=${token}` } })
    // What does not even look like a token is none.
    t.true(inCookie.status === 401 && ['INVALID_TOKEN', 'UNAUTHORIZED'].includes(inCookie.code ?? ''), inCookie.text)
  })

test('a token whose time is over is refused as expired, in the header and in the cookie', async (t) => {
  const stage = await open()
  const token = saying((now) => ({ iat: now - 900, exp: now - 1 }))(partsOf(stage))
  for (const headers of [{ authorization: `Bearer ${token}` }, { cookie: `switchyard_access=${token}` }])
    t.is((await send(stage.platform.url, { path: '/auth/me', headers })).code, 'TOKEN_EXPIRED')
})

/** The members of an object's JSON, to be written beside others. */
const inner = (value: object): string => JSON.stringify(value).slice(1, -1)

test('a token counts in the Authorization header and in one cookie only, and only once', async (t) => {
  const { platform, ada } = await open()
  const elsewhere: [string, Record<string, string>][] = [
    [`/auth/me?access_token=${ada.token}`, {}],
    [`/auth/me?token=${ada.token}`, {}],
    ['/auth/me', { cookie: `access_token=${ada.token}; token=${ada.token}` }],
    ['/auth/me', { 'x-access-token': ada.token, 'x-api-key': ada.token, 'proxy-authorization': `Bearer ${ada.token}` }],
    ['/auth/me', { authorization: ada.token }],
    ['/auth/me', { authorization: `Basic ${Buffer.from(`${ada.email}:${ada.password}`).toString('base64')}` }],
    ['/auth/me', { authorization: '' }],
    ['/auth/me', { authorization: 'Bearer' }],
    ['/auth/me', { authorization: `Token ${ada.token}` }],
  ]
  for (const [path, headers] of elsewhere)
    t.is((await send(platform.url, { path, headers })).code, 'UNAUTHORIZED', JSON.stringify(headers).slice(0, 60))
  const list = { authorization: `Bearer ${ada.token}, Bearer ${ada.token}` }
  t.is((await send(platform.url, { path: '/auth/me', headers: list })).code, 'INVALID_TOKEN')
})

test('a token of a megabyte is refused before anybody reads it, in the header and in the cookie', async (t) => {
  const { platform } = await open()
  for (const name of ['Authorization: Bearer ', 'Cookie: switchyard_access=']) {
    const head = `GET /auth/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${name}`
    const answer = await exchange(platform.url, `${head}${'a'.repeat(1_000_000)}\r\n\r\n`)
    t.true([0, 400, 431].includes(statusIn(answer)), answer.slice(0, 100))
  }
  t.is((await send(platform.url, { path: '/healthz' })).status, 200)
})
