import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import * as auth from '../../api/auth.ts'
import { call } from '../helpers/client.ts'
import { person } from '../helpers/people.ts'
import { startPlatform, testKeys } from '../helpers/platform.ts'
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

const open = forWholeFile(test, 'forged tokens', async (t) => {
  const platform = await startPlatform(t)
  const [ada, bob] = [await person(platform), await person(platform)]
  return { platform, ada, claims: decodeJwt(ada.token), others: decodeJwt(bob.token) }
})

test('the forgery of these tests is good enough: what it signs properly is accepted', async (t) => {
  const { platform, ada, claims } = await open()
  const { body } = await call({ url: platform.url, token: forge(header, claims) }, auth.me)
  t.is(body.email, ada.email)
})

test('no forged token is taken for anybody', async (t) => {
  const { platform, ada, claims, others } = await open()
  const [head = '', body = '', signature = ''] = ada.token.split('.')
  const publicPem = createPublicKey(ours).export({ type: 'spki', format: 'pem' })
  const publicRaw = createPublicKey(ours).export({ format: 'jwk' }).x ?? ''
  const confused = (secret: string | Buffer) => {
    const signed = `${encode({ ...header, alg: 'HS256' })}.${body}`
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
  }
  const jwk = strange.publicKey.export({ format: 'jwk' })
  const byStranger = (more: object) => forge({ ...header, ...more }, claims, strange.privateKey)
  const now = Math.floor(Date.now() / 1000)
  const forged: Record<string, string> = {
    'alg none': `${encode({ ...header, alg: 'none' })}.${body}.`,
    'alg None': `${encode({ ...header, alg: 'None' })}.${body}.`,
    'alg none with a signature': `${encode({ ...header, alg: 'none' })}.${body}.${signature}`,
    'the public key in PEM as a secret': confused(publicPem),
    'the public key in bytes as a secret': confused(Buffer.from(publicRaw, 'base64url')),
    'another algorithm in name': forge({ ...header, alg: 'ES256' }, claims),
    "a stranger's key": byStranger({}),
    'a key in the header': byStranger({ jwk }),
    'a key at an address': byStranger({ jku: 'https://127.0.0.1:1/jwks', x5u: 'https://127.0.0.1:1/x' }),
    'a key id that is a path': byStranger({ kid: '../../../../dev/null' }),
    'a key id that is SQL': byStranger({ kid: "x' union select 'key' --" }),
    'a critical extension': forge({ ...header, crit: ['b64'], b64: false }, claims),
    'an unknown critical extension': forge({ ...header, crit: ['admin'], admin: true }, claims),
    'another audience': forge(header, { ...claims, aud: 'elsewhere' }),
    'another issuer': forge(header, { ...claims, iss: 'https://evil.example' }),
    'another type': forge({ ...header, typ: 'JWT' }, claims),
    'no type': forge({ alg: 'EdDSA' }, claims),
    'not valid yet': forge(header, { ...claims, nbf: now + 600 }),
    'no expiry': forge(header, { ...claims, exp: undefined }),
    'an expiry that is text': forge(header, { ...claims, exp: '9999999999' }),
    'no login': forge(header, { ...claims, sid: undefined }),
    "another person's login": forge(header, { ...claims, sid: others['sid'] }),
    'another person': forge(header, { ...claims, sub: others.sub }),
    'a person who is an object': forge(header, { ...claims, sub: { like: '%' } }),
    'a list of people': forge(header, { ...claims, sub: [claims.sub] }),
    'two people, the last another one': forge(
      header,
      `{"sub":"${claims.sub}",${inner({ ...claims, sub: others.sub })}}`,
    ),
    'claims that are a list': forge(header, [claims]),
    'claims that are no JSON': forge(header, 'nonsense'),
    'no signature': `${head}.${body}.`,
    'no third part': `${head}.${body}`,
    'a part too many': `${ada.token}.x`,
    'five parts': `${ada.token}.x.y`,
    'dots before': `..${ada.token}`,
    'a signature of zeros': `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`,
    'a signature cut short': ada.token.slice(0, -4),
    'other claims under the signature': `${head}.${encode({ ...claims, sub: others.sub, sid: others['sid'] })}.${signature}`,
    'a signature with padding': `${ada.token}==`,
    'a signature in padded base64': `${head}.${body}.${Buffer.from(signature, 'base64url').toString('base64')}`,
    'a token of 7 KB': 'a'.repeat(7000),
    'a token of 12 KB': `${ada.token}${'a'.repeat(12_000)}`,
    'an API key never made': `sy_key_${'a'.repeat(43)}`,
    'an API key of odd form': "sy_key_' or 1=1 --",
    'a refresh token': `sy_refresh_${'a'.repeat(43)}`,
  }
  for (const [what, token] of Object.entries(forged)) {
    const { code, status } = await send(platform.url, {
      path: '/auth/me',
      headers: { authorization: `Bearer ${token}` },
    })
    t.deepEqual([status, code], [401, 'INVALID_TOKEN'], what)
  }
})

/** The members of an object's JSON, to be written beside others. */
const inner = (value: object): string => JSON.stringify(value).slice(1, -1)

test('a token counts in the Authorization header only, and only once', async (t) => {
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

test('a token of a megabyte is refused before anybody reads it', async (t) => {
  const { platform } = await open()
  const head = 'GET /auth/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer '
  const answer = await exchange(platform.url, `${head}${'a'.repeat(1_000_000)}\r\n\r\n`)
  t.true([0, 400].includes(statusIn(answer)), answer.slice(0, 100))
  t.is((await send(platform.url, { path: '/healthz' })).status, 200)
})
