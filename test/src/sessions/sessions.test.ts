// @promise keys
import test from 'ava'
import * as apiKeys from '../../../api/api-keys.ts'
import * as auth from '../../../api/auth.ts'
import * as sessions from '../../../api/sessions.ts'
import { newId } from '../../../src/ids.ts'
import { resetPassword } from '../../../src/users/reset-password.ts'
import { newToken } from '../../../src/secrets/opaque-tokens.ts'
import { call } from '../../helpers/client.ts'
import { movableClock } from '../../helpers/clock.ts'
import { cheapCost } from '../../helpers/passwords.ts'
import { newcomer, person } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { current, sessionOf, withToken } from '../../helpers/sessions.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

const open = sharedPlatform(test, 'idle')

test('a session token is enough to see its session and to end it, and nothing else', async (t) => {
  const platform = await open()
  const ada = await person(platform)
  const made = await sessionOf(ada, { title: 'Bugs', onDisconnect: 'continue' })
  t.regex(made.token, /^sy_session_[\w-]{43}$/)
  const { token, ...shown } = made
  t.deepEqual((await current(platform, token)).body, shown)
  t.deepEqual([shown.title, shown.model, shown.onDisconnect, shown.active], ['Bugs', null, 'continue', true])
  t.deepEqual([shown.sites, shown.scopes], [[], []])
  t.is(Date.parse(shown.expiresAt) - Date.parse(shown.createdAt), 24 * 3_600_000)
  const elsewhere = await call({ url: platform.url, token }, sessions.listSessions)
  t.is(elsewhere.failure.code, 'INVALID_TOKEN')
  t.is((await call({ url: platform.url }, sessions.endCurrentSession, { headers: withToken(made) })).status, 204)
  t.is((await current(platform, token)).failure.code, 'INVALID_SESSION')
})

test('what is no session token is invalid, and one that nobody was given is not found', async (t) => {
  const platform = await open()
  const { token } = await sessionOf(await person(platform))
  const malformed = ['', 'sy_session_', `${token}x`, token.slice(0, -1), newToken('key'), token.toUpperCase(), ` `]
  for (const one of [undefined, ...malformed]) {
    const { failure, status } = await current(platform, one)
    t.deepEqual([status, failure.code], [400, 'INVALID_SESSION'], String(one))
    if (one !== undefined && one.trim() !== '') t.false(failure.error.includes(one))
  }
  const { failure, status } = await current(platform, newToken('session'))
  t.deepEqual([status, failure.code], [404, 'SESSION_NOT_FOUND'])
})

test('a session whose time is over is expired, whether its owner shortened it or nobody used it', async (t) => {
  const clock = movableClock()
  const platform = await startPlatform(t, { clock })
  const ada = await person(platform)
  const key = await call(ada, apiKeys.createApiKey, { body: { name: 'A key', scopes: ['read', 'write'] } })
  const program = { url: platform.url, token: key.body.key }
  const [short, used, unused] = [await sessionOf(ada, { ttlSeconds: 1 }), await sessionOf(ada), await sessionOf(ada)]
  const codeOf = async ({ token }: { token: string }) => {
    const answer = await current(platform, token)
    return answer.status < 400 ? 'open' : answer.failure.code
  }
  clock.forward(0.999)
  t.is(await codeOf(short), 'open')
  clock.forward(0.001)
  t.is(await codeOf(short), 'SESSION_EXPIRED')
  clock.forward(3600)
  t.is(await codeOf(used), 'open')
  clock.forward(3598)
  t.is(await codeOf(used), 'open')
  t.is((await current(platform, used.token)).body.lastUsedAt, clock.now().toISOString())
  clock.forward(1)
  t.is(await codeOf(unused), 'SESSION_EXPIRED')
  t.is(await codeOf(used), 'open')
  for (let hour = 3; hour <= 24; hour += 1) {
    t.is(await codeOf(used), 'open')
    clock.forward(3600)
  }
  t.is(await codeOf(used), 'SESSION_EXPIRED', 'a day is over')
  const { items } = (await call(program, sessions.listSessions)).body
  t.true(items.every(({ active, endedAt }) => !active && endedAt === null))
})

test('a use is written down once a minute', async (t) => {
  const clock = movableClock()
  const platform = await startPlatform(t, { clock })
  const { token, createdAt } = await sessionOf(await person(platform))
  clock.forward(59)
  t.is((await current(platform, token)).body.lastUsedAt, createdAt)
  clock.forward(1)
  t.is((await current(platform, token)).body.lastUsedAt, clock.now().toISOString())
})

test('a session may be shortened, not lengthened', async (t) => {
  const ada = await person(await open())
  const day = 24 * 3600
  for (const ttlSeconds of [0, -1, 1.5, day + 1]) {
    const { failure } = await call(ada, sessions.createSession, { body: { ttlSeconds } })
    t.deepEqual([failure.code, failure.details?.[0]?.path], ['VALIDATION_ERROR', 'ttlSeconds'], String(ttlSeconds))
  }
  const made = await sessionOf(ada, { ttlSeconds: day })
  t.is(Date.parse(made.expiresAt) - Date.parse(made.createdAt), day * 1000)
})

test('a session names a model that there is', async (t) => {
  const ada = await person(await open())
  t.is((await sessionOf(ada, { model: 'demo' })).model, 'demo')
  const { failure } = await call(ada, sessions.createSession, { body: { model: 'none-such' } })
  t.deepEqual([failure.code, failure.details?.map(({ path }) => path)], ['VALIDATION_ERROR', ['model']])
  t.false(failure.error.includes('none-such'))
})

test('sessions of others are not seen, and not ended', async (t) => {
  const platform = await open()
  const [ada, bob] = [await person(platform), await person(platform)]
  const made = await sessionOf(ada)
  t.deepEqual((await call(bob, sessions.listSessions)).body.items, [])
  for (const sessionId of [made.id, newId(), 'nonsense']) {
    const { failure } = await call(bob, sessions.endSession, { params: { sessionId } })
    t.is(failure.code, 'SESSION_NOT_FOUND')
  }
  t.is((await current(platform, made.token)).status, 200)
})

test('an owner ends a session without its token, as often as they like', async (t) => {
  const platform = await open()
  const ada = await person(platform)
  const [lost, kept] = [await sessionOf(ada), await sessionOf(ada)]
  const end = () => call(ada, sessions.endSession, { params: { sessionId: lost.id } })
  t.is((await end()).status, 204)
  const listed = async (active: string) =>
    (await call(ada, sessions.listSessions, { query: { active } })).body.items.map(({ id, endedAt }) => [id, endedAt])
  const ended = await listed('false')
  t.is(ended[0]?.[0], lost.id)
  t.is((await end()).status, 204)
  t.deepEqual(await listed('false'), ended, 'it ended once')
  t.deepEqual(await listed('true'), [[kept.id, null]])
  t.is((await current(platform, lost.token)).failure.code, 'INVALID_SESSION')
  t.is((await current(platform, kept.token)).status, 200)
})

test('a list shows no token, and not its hash', async (t) => {
  const platform = await open()
  const ada = await person(platform)
  const { id, token } = await sessionOf(ada)
  const { tokenHash } = (await platform.services.database('sessions').where({ id }).first('tokenHash')) as {
    tokenHash: string
  }
  const text = JSON.stringify((await call(ada, sessions.listSessions)).body)
  t.false(text.includes(token) || text.includes(tokenHash))
  t.false(platform.logs.some((line) => line.includes(token)))
})

test('requests in a session are logged as those of its owner, without the token', async (t) => {
  const platform = await open()
  const ada = await person(platform)
  const { id: userId } = (await call(ada, auth.me)).body
  const { token } = await sessionOf(ada)
  await current(platform, token)
  const lines = platform.logs.filter((line) => line.includes('"/sessions/current"') && line.includes(userId))
  t.is(lines.length, 1)
  await current(platform, `${token}x`)
  t.false(platform.logs.some((line) => line.includes(token)))
})

test('the owner has to have accepted the terms in force', async (t) => {
  const platform = await open()
  const made = await sessionOf(await person(platform))
  await platform.services
    .database('users')
    .whereIn('id', platform.services.database('sessions').select('ownerId').where({ id: made.id }))
    .update({ termsVersion: 'of old' })
  t.is((await current(platform, made.token)).failure.code, 'TERMS_NOT_ACCEPTED')
  const fresh = await newcomer(platform)
  t.is((await call(fresh, sessions.createSession, { body: {} })).failure.code, 'TERMS_NOT_ACCEPTED')
})

test('who logs out everywhere, or gets a new password, ends their sessions, also those of API keys', async (t) => {
  const platform = await open()
  const ends: ((who: Awaited<ReturnType<typeof person>>) => Promise<unknown>)[] = [
    (who) => call(who, auth.logoutEverywhere),
    (who) =>
      call(who, auth.changePassword, {
        body: { currentPassword: who.password, newPassword: 'quite another password' },
      }),
    (who) => resetPassword({ ...platform.services, passwordCost: cheapCost }, who.email),
  ]
  const bystander = await sessionOf(await person(platform))
  for (const end of ends) {
    const someone = await person(platform)
    const { body: key } = await call(someone, apiKeys.createApiKey, { body: { name: 'K', scopes: ['write'] } })
    const made = [await sessionOf(someone), await sessionOf({ url: platform.url, token: key.key })]
    await end(someone)
    for (const { token } of made) t.is((await current(platform, token)).failure.code, 'INVALID_SESSION')
    const again = await sessionOf({ url: platform.url, token: key.key })
    t.is((await current(platform, again.token)).status, 200, 'the key stays')
  }
  t.is((await current(platform, bystander.token)).status, 200)
})

test('a login that ends by itself leaves its sessions', async (t) => {
  const platform = await open()
  const ada = await person(platform)
  const made = await sessionOf(ada)
  await call(ada, auth.logout)
  t.is((await current(platform, made.token)).status, 200)
})

test('a session ends with the API key that it was made with, and does not outlive it', async (t) => {
  const platform = await open()
  const ada = await person(platform)
  const expiresAt = new Date(Date.now() + 600_000).toISOString()
  const keyOf = async () =>
    (await call(ada, apiKeys.createApiKey, { body: { name: 'A key', scopes: ['write'], expiresAt } })).body
  const [one, other] = [await keyOf(), await keyOf()]
  const ofKey = ({ key }: { key: string }) => sessionOf({ url: platform.url, token: key })
  const [ofOne, ofOther, own] = [await ofKey(one), await ofKey(other), await sessionOf(ada)]
  t.is(ofOne.expiresAt, expiresAt)
  await call(ada, apiKeys.deleteApiKey, { params: { apiKeyId: one.id } })
  t.is((await current(platform, ofOne.token)).failure.code, 'INVALID_SESSION')
  for (const { token } of [ofOther, own]) t.is((await current(platform, token)).status, 200)
})

test('an API key that may only read makes no session, and lists them', async (t) => {
  const platform = await open()
  const ada = await person(platform)
  const { body } = await call(ada, apiKeys.createApiKey, { body: { name: 'Reader', scopes: ['read'] } })
  const reader = { url: platform.url, token: body.key }
  t.is((await call(reader, sessions.createSession, { body: {} })).failure.code, 'PERMISSION_DENIED')
  t.is((await call(reader, sessions.listSessions)).status, 200)
})
