// @promise keys
import test from 'ava'
import * as apiKeys from '../../../api/api-keys.ts'
import * as auth from '../../../api/auth.ts'
import * as sessions from '../../../api/sessions.ts'
import { newId } from '../../../src/ids.ts'
import { newToken } from '../../../src/secrets/opaque-tokens.ts'
import { resetPassword } from '../../../src/users/reset-password.ts'
import { pendingApproval } from '../../helpers/approvals.ts'
import { call, type Client } from '../../helpers/client.ts'
import { movableClock } from '../../helpers/clock.ts'
import { cheapCost } from '../../helpers/passwords.ts'
import { customer, newcomer, person } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { current, sessionOf, withToken } from '../../helpers/sessions.ts'
import { sharedPlatform } from '../../helpers/shared.ts'
import { join, workspaceOf } from '../../helpers/workspaces.ts'

const open = sharedPlatform(test, 'idle')
const day = 24 * 3600

/** An API key of somebody, as a client. */
async function keyOf(someone: Client, fields: { scopes?: ('read' | 'write')[]; expiresAt?: string } = {}) {
  const body = { name: 'A key', scopes: ['read', 'write'] as ('read' | 'write')[], ...fields }
  const { id, key: token } = (await call(someone, apiKeys.createApiKey, { body })).body
  return { id, url: someone.url, token }
}

/** What whoever has a session's token gets. */
const stateOf = async (client: Client, token?: string) => {
  const answer = await current(client, token)
  return answer.status < 400 ? 'open' : answer.failure.code
}

test('a session token is enough to see its session and to end it, and nothing else; nobody else is told it', async (t) => {
  const platform = await open()
  const ada = await person(platform)
  const { id: userId } = (await call(ada, auth.me)).body
  const { token, ...shown } = await sessionOf(ada, {
    title: 'Bugs',
    onDisconnect: 'continue',
    model: 'demo',
    summarizes: true,
  })
  t.regex(token, /^sy_session_[\w-]{43}$/)
  t.deepEqual((await current(platform, token)).body, shown)
  t.like(shown, { title: 'Bugs', model: 'demo', onDisconnect: 'continue', active: true, sites: [], scopes: [] })
  t.like(shown, { fallbackModel: null, summarizes: true })
  t.is(Date.parse(shown.expiresAt) - Date.parse(shown.createdAt), day * 1000)
  for (const wrong of [{ model: 'none-such' }, { fallbackModel: 'none-such' }, { fallbackModel: 'demo' }]) {
    const { failure } = await call(ada, sessions.createSession, { body: wrong })
    t.deepEqual(
      failure.details?.map(({ path }) => path),
      Object.keys(wrong),
    )
  }

  const listed = JSON.stringify((await call(ada, sessions.listSessions)).body)
  const { tokenHash } = (await platform.services.database('sessions').where({ id: shown.id }).first('tokenHash')) as {
    tokenHash: string
  }
  t.false(listed.includes(token) || listed.includes(tokenHash))
  t.is((await call({ url: platform.url, token }, sessions.listSessions)).failure.code, 'INVALID_TOKEN')
  for (const malformed of ['', `${token}x`, token.slice(0, -1), newToken('key'), token.toUpperCase()]) {
    const { failure } = await current(platform, malformed)
    t.is(failure.code, 'INVALID_SESSION', malformed)
    t.false(malformed !== '' && failure.error.includes(malformed))
  }
  const lines = platform.logs.filter((line) => line.includes('"/sessions/current"') && line.includes(userId))
  t.is(lines.length, 1, 'requests in a session are those of its owner')
  t.false(platform.logs.some((line) => line.includes(token)))

  t.is((await call({ url: platform.url }, sessions.endCurrentSession, { headers: withToken({ token }) })).status, 204)
  t.is(await stateOf(platform, token), 'INVALID_SESSION')
})

test('a session whose time is over is expired, whether its owner shortened it or nobody used it', async (t) => {
  const clock = movableClock()
  const platform = await startPlatform(t, { clock })
  const ada = await person(platform)
  const program = await keyOf(ada)
  const [short, used, unused] = [await sessionOf(ada, { ttlSeconds: 1 }), await sessionOf(ada), await sessionOf(ada)]
  const isOpen = async ({ token }: { token: string }) => (await stateOf(platform, token)) === 'open'
  clock.forward(0.999)
  t.true(await isOpen(short))
  clock.forward(0.001)
  t.is(await stateOf(platform, short.token), 'SESSION_EXPIRED')
  clock.forward(58)
  t.is((await current(platform, used.token)).body.lastUsedAt, used.createdAt, 'a use is written down once a minute')
  clock.forward(7141)
  t.false(await isOpen(used), 'nobody has used it for two hours, but for once')
  t.false(await isOpen(unused))
  const other = await sessionOf(program)
  for (let hour = 0; hour < 24; hour += 1) {
    t.true(await isOpen(other), `hour ${hour}`)
    clock.forward(3600)
  }
  t.is(await stateOf(platform, other.token), 'SESSION_EXPIRED', 'a day is over')
  const { items } = (await call(program, sessions.listSessions)).body
  t.true(items.every(({ active, endedAt }) => !active && endedAt === null))
})

test('an owner ends a session without its token, as often as they like, and nobody else does', async (t) => {
  const platform = await open()
  const [ada, bob] = [await person(platform), await person(platform)]
  const [lost, kept] = [await sessionOf(ada), await sessionOf(ada)]
  const end = (someone: Client, sessionId: string) => call(someone, sessions.endSession, { params: { sessionId } })
  t.deepEqual((await call(bob, sessions.listSessions)).body.items, [])
  for (const id of [lost.id, newId(), 'nonsense']) t.is((await end(bob, id)).failure.code, 'SESSION_NOT_FOUND')
  t.is(await stateOf(platform, lost.token), 'open')

  t.is((await end(ada, lost.id)).status, 204)
  const listed = async (active: string) =>
    (await call(ada, sessions.listSessions, { query: { active } })).body.items.map(({ id, endedAt }) => [id, endedAt])
  const ended = await listed('false')
  t.is(ended[0]?.[0], lost.id)
  t.is((await end(ada, lost.id)).status, 204)
  t.deepEqual(await listed('false'), ended, 'it ended once')
  t.deepEqual(await listed('true'), [[kept.id, null]])
  t.deepEqual([await stateOf(platform, lost.token), await stateOf(platform, kept.token)], ['INVALID_SESSION', 'open'])
})

test('the owner has to have accepted the terms in force', async (t) => {
  const platform = await open()
  const { database } = platform.services
  const made = await sessionOf(await person(platform))
  const owner = database('sessions').select('ownerId').where({ id: made.id })
  await database('users').whereIn('id', owner).update({ termsVersion: 'of old' })
  t.is(await stateOf(platform, made.token), 'TERMS_NOT_ACCEPTED')
  const refused = await call(await newcomer(platform), sessions.createSession, { body: {} })
  t.is(refused.failure.code, 'TERMS_NOT_ACCEPTED')
})

test('who logs out everywhere, or gets a new password, ends their sessions, also those of API keys', async (t) => {
  const platform = await open()
  const newPassword = 'quite another password'
  const ends: ((who: Awaited<ReturnType<typeof person>>) => Promise<unknown>)[] = [
    (who) => call(who, auth.logoutEverywhere),
    (who) => call(who, auth.changePassword, { body: { currentPassword: who.password, newPassword } }),
    (who) => resetPassword({ ...platform.services, passwordCost: cheapCost }, who.email),
  ]
  const other = await person(platform)
  const bystander = await sessionOf(other)
  for (const end of ends) {
    const someone = await person(platform)
    const key = await keyOf(someone)
    const made = [await sessionOf(someone), await sessionOf(key)]
    await end(someone)
    for (const { token } of made) t.is(await stateOf(platform, token), 'INVALID_SESSION')
    t.is(await stateOf(platform, (await sessionOf(key)).token), 'open', 'the key stays')
  }
  await call(other, auth.logout)
  t.is(await stateOf(platform, bystander.token), 'open', 'a login that ends by itself leaves its sessions')
})

test('who logs out everywhere takes back what their chats have asked for in each workspace, and others keep theirs', async (t) => {
  const platform = await open()
  const { database } = platform.services
  const [boss, someone] = [await customer(platform, 'team'), await person(platform)]
  const asked: string[] = []
  for (const maker of [someone, someone, boss]) {
    const { id: ownerId } = await workspaceOf(boss)
    await join(platform, ownerId, someone, 'member')
    const { id: sessionId } = await sessionOf(maker, { workspaceId: ownerId })
    const { id } = await pendingApproval(platform, { ownerId, sessionId, answerId: newId() })
    asked.push(id)
  }
  await call(someone, auth.logoutEverywhere)
  const rows = (await database('approvals').whereIn('id', asked).orderBy('id')) as { status: string }[]
  t.deepEqual(
    rows.map(({ status }) => status),
    ['withdrawn', 'withdrawn', 'pending'],
  )
})

test('a session ends with the API key that it was made with, and a key that only reads makes none', async (t) => {
  const platform = await open()
  const ada = await person(platform)
  const expiresAt = new Date(Date.now() + 600_000).toISOString()
  const [one, another] = [await keyOf(ada, { expiresAt }), await keyOf(ada)]
  const [ofOne, ofAnother, own] = [await sessionOf(one), await sessionOf(another), await sessionOf(ada)]
  t.is(ofOne.expiresAt, expiresAt, 'it does not outlive its key')
  await call(ada, apiKeys.deleteApiKey, { params: { apiKeyId: one.id } })
  t.is(await stateOf(platform, ofOne.token), 'INVALID_SESSION')
  for (const { token } of [ofAnother, own]) t.is(await stateOf(platform, token), 'open')
  const reader = await keyOf(ada, { scopes: ['read'] })
  t.is((await call(reader, sessions.createSession, { body: {} })).failure.code, 'PERMISSION_DENIED')
  t.is((await call(reader, sessions.listSessions)).status, 200)
})
