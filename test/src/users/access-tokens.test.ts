// @promise logins
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import test from 'ava'
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  jwtVerify,
  SignJWT,
  type JWTPayload,
} from 'jose'
import { createAccessTokens } from '../../../src/users/access-tokens.ts'
import { CodedError } from '../../../src/errors.ts'
import { newId } from '../../../src/ids.ts'
import { movableClock } from '../../helpers/clock.ts'
import { readConfig } from '../../../src/config/config.ts'
import { newKeys, testConfig } from '../../helpers/config.ts'

const config = testConfig('postgres://127.0.0.1:1/none')
const clock = movableClock()
const tokens = createAccessTokens({ clock, config })
const subject = { userId: newId(), loginId: newId() }
const key = createPrivateKey(config.auth.privateKeys[0]!)
const now = clock.now().getTime() / 1000
const claims: JWTPayload = {
  iss: config.http.baseUrl,
  aud: 'switchyard',
  sub: subject.userId,
  sid: subject.loginId,
  jti: newId(),
  iat: now,
  exp: now + 60,
}
const header = { alg: 'EdDSA', typ: 'at+jwt' }
const forge = (payload: JWTPayload, protectedHeader: object = header, by = key) =>
  new SignJWT(payload).setProtectedHeader({ ...header, ...protectedHeader }).sign(by)

test('a token stands for the user and the login it was made for', async (t) => {
  t.deepEqual(await tokens.verify(await tokens.sign(subject, 60)), subject)
  t.deepEqual(await tokens.verify(await forge(claims)), subject)
})

test('a token lives for as long as was asked for, at most as long as configured, and never longer', async (t) => {
  t.deepEqual([undefined, 1, 60, 5000].map(tokens.lifetime), [900, 1, 60, 900])
  for (const ttl of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
    t.like(
      t.throws(() => tokens.lifetime(ttl)),
      { code: 'VALIDATION_ERROR' },
    )
  const own = movableClock('2026-11-21T12:00:00.900Z')
  const short = createAccessTokens({ clock: own, config })
  const token = await short.sign(subject, 2)
  const { iat, exp } = decodeJwt(token)
  t.is(exp! - iat!, 2)
  own.forward(1.09)
  t.deepEqual(await short.verify(token), subject)
  own.forward(0.01)
  t.like(await t.throwsAsync(short.verify(token)), { code: 'TOKEN_EXPIRED' })
})

test('a signature has one spelling: another last character that means the same bytes is refused', async (t) => {
  const token = await tokens.sign(subject, 60)
  const bytesOf = (text: string) => Buffer.from(text.split('.')[2]!, 'base64url')
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const others = Array.from(alphabet, (last) => token.slice(0, -1) + last).filter((other) => other !== token)
  const same = others.filter((other) => bytesOf(other).equals(bytesOf(token)))
  t.is(same.length, 15)
  for (const other of same) t.like(await t.throwsAsync(tokens.verify(other)), { code: 'INVALID_TOKEN' })
  t.deepEqual(await tokens.verify(token), subject)
})

const pair = () => generateKeyPairSync('ed25519')
const pemOf = (key: KeyObject): string =>
  key.export({ type: key.type === 'private' ? 'pkcs8' : 'spki', format: 'pem' }).toString()
const tokensWith = (...keys: KeyObject[]) =>
  createAccessTokens({
    clock,
    config: readConfig({
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
      ...newKeys(),
      BASE_URL: config.http.baseUrl,
      JWT_PRIVATE_KEY: keys.map((one) => pemOf(one).replaceAll('\n', '\\n')).join(''),
    }),
  })

test('while two keys are listed, tokens of both are valid, and the first signs', async (t) => {
  const [first, second] = [pair(), pair()]
  const before = tokensWith(first.privateKey)
  const prepared = tokensWith(first.privateKey, second.privateKey)
  const changed = tokensWith(second.privateKey, first.publicKey)
  const after = tokensWith(second.privateKey)
  const [old, young] = [await before.sign(subject, 60), await changed.sign(subject, 60)]
  for (const token of [old, young])
    for (const process of [prepared, changed]) t.deepEqual(await process.verify(token), subject)
  t.deepEqual(await before.verify(await prepared.sign(subject, 60)), subject)
  t.like(await t.throwsAsync(before.verify(young)), { code: 'INVALID_TOKEN' })
  t.like(await t.throwsAsync(after.verify(old)), { code: 'INVALID_TOKEN' })
})

test('a token is verified with the key that it names, or with every key if it names none', async (t) => {
  const [first, second, stranger] = [pair(), pair(), pair()]
  const changed = tokensWith(second.privateKey, first.privateKey)
  const refusal = async (token: string) =>
    (await t.throwsAsync(changed.verify(token), { instanceOf: CodedError }))?.code
  for (const { privateKey } of [first, second])
    t.deepEqual(await changed.verify(await forge(claims, {}, privateKey)), subject)
  t.is(await refusal(await forge(claims, {}, stranger.privateKey)), 'INVALID_TOKEN')
  t.is(await refusal(await forge({ ...claims, exp: now - 1 }, {}, first.privateKey)), 'TOKEN_EXPIRED')
  const { kid } = decodeProtectedHeader(await changed.sign(subject, 60))
  t.is(await refusal(await forge(claims, { kid }, first.privateKey)), 'INVALID_TOKEN', 'signed with another one')
})

test('the published keys verify tokens, and hold nothing private', async (t) => {
  const [first, second] = [pair(), pair()]
  const published = tokensWith(second.privateKey, first.privateKey).publicKeys()
  t.is(published.keys.length, 2)
  const ids = await Promise.all(published.keys.map(({ kty, crv, x }) => calculateJwkThumbprint({ kty, crv, x })))
  t.deepEqual(
    published.keys.map(({ kid }) => kid),
    ids,
  )
  t.false(published.keys.some((key) => 'd' in key))
  for (const tokensOf of [tokensWith(first.privateKey), tokensWith(second.privateKey)]) {
    const verified = await jwtVerify(await tokensOf.sign(subject, 60), createLocalJWKSet(published), {
      currentDate: clock.now(),
    })
    t.is(verified.payload.sub, subject.userId)
  }
})

test('keys of another kind, keys that are listed twice and a public key to sign with are refused at start', (t) => {
  const { privateKey, publicKey } = pair()
  t.throws(() => tokensWith(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey), { message: /Ed25519/ })
  t.throws(() => tokensWith(privateKey, publicKey), { message: /twice/ })
  t.throws(() => tokensWith(publicKey, privateKey), { message: /JWT_PRIVATE_KEY must be a PKCS #8 PEM private key/ })
})
