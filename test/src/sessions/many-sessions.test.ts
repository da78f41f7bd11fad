import test from 'ava'
import * as auth from '../../../api/auth.ts'
import * as apiKeys from '../../../api/api-keys.ts'
import * as sessions from '../../../api/sessions.ts'
import { newId } from '../../../src/ids.ts'
import { runRound } from '../../../src/loops.ts'
import { call } from '../../helpers/client.ts'
import { movableClock } from '../../helpers/clock.ts'
import { untilBlocked } from '../../helpers/hold.ts'
import { person } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { sharedPlatform } from '../../helpers/shared.ts'
import { current, fillSessions, sessionOf } from '../../helpers/sessions.ts'

const day = 24 * 3600
const platformOf = sharedPlatform(test, 'idle')

// @promise limits
test('of eight sessions asked for at once, as many are made as there is room for, and time makes room', async (t) => {
  const clock = movableClock()
  const platform = await startPlatform(t, { clock })
  const [ada, bob] = [await person(platform), await person(platform)]
  await fillSessions(platform, ada, 996)
  const asked = await Promise.all(Array.from({ length: 8 }, () => call(ada, sessions.createSession, { body: {} })))
  const refused = asked.filter(({ status }) => status !== 201)
  t.is(refused.length, 4)
  t.true(refused.every(({ failure }) => failure.code === 'FEATURE_LIMIT_REACHED'))
  t.is((await call(bob, sessions.createSession, { body: {} })).status, 201, 'others have room')
  const { items } = (await call(ada, sessions.listSessions, { query: { active: 'true', limit: '1' } })).body
  await call(ada, sessions.endSession, { params: { sessionId: items[0]?.id ?? '' } })
  t.is((await call(ada, sessions.createSession, { body: {} })).status, 201, 'one has ended')
  t.is((await call(ada, sessions.createSession, { body: {} })).status, 403)
  clock.forward(600)
  const { key } = (
    await call(await again(platform, ada), apiKeys.createApiKey, { body: { name: 'K', scopes: ['read', 'write'] } })
  ).body
  const program = { url: platform.url, token: key }
  clock.forward(3600)
  t.is((await call(program, sessions.createSession, { body: {} })).status, 201, 'those of an hour have expired')
  clock.forward(3600)
  const { items: left } = (await call(program, sessions.listSessions, { query: { active: 'true' } })).body
  t.is(left.length, 1, 'nobody has used the others for two hours')
})

/** Another login of somebody, whose token the clock has made stale. */
async function again({ url }: { url: string }, { email, password }: { email: string; password: string }) {
  return { url, token: (await call({ url }, auth.login, { body: { email, password } })).body.accessToken }
}

test('a session that is being made while its maker logs out everywhere is not made', async (t) => {
  const platform = await platformOf()
  const { database } = platform.services
  const ada = await person(platform)
  const trx = await database.transaction()
  await trx('users').where({ email: ada.email }).forNoKeyUpdate()
  const mine = trx('users').select('id').where({ email: ada.email })
  await trx('logins').whereIn('userId', mine).update({ revokedAt: new Date() })
  const asked = call(ada, sessions.createSession, { body: {} })
  await untilBlocked(database)
  await trx.commit()
  t.is((await asked).failure.code, 'TOKEN_REVOKED')
})

// @promise retention
test('a session is deleted with all that was said in it, as long after it is over as runs are kept', async (t) => {
  const clock = movableClock()
  const platform = await startPlatform(t, { clock, env: { RUN_RETENTION_DAYS: '2' } })
  const { database } = platform.services
  const ada = await person(platform)
  const [expired, ended] = [await sessionOf(ada, { ttlSeconds: 3600 }), await sessionOf(ada)]
  await call(ada, sessions.endSession, { params: { sessionId: ended.id } })
  await database('chat_messages').insert(
    [expired, ended].map(({ id }) => ({
      sessionId: id,
      number: 1,
      id: newId(),
      createdAt: clock.now(),
      text: 'Hello',
    })),
  )
  const left = async () => {
    await runRound(platform.services, 'housekeeping')
    const inSession = await database('sessions').orderBy('id').pluck('id')
    const messages = await database('chat_messages').orderBy('sessionId').pluck('session_id')
    t.deepEqual(messages, inSession)
    return inSession.length
  }
  clock.forward(2 * day)
  t.is(await left(), 2)
  clock.forward(1)
  t.is(await left(), 1)
  t.is((await current(platform, ended.token)).failure.code, 'SESSION_NOT_FOUND')
  t.is((await current(platform, expired.token)).failure.code, 'SESSION_EXPIRED')
  clock.forward(3600)
  t.is(await left(), 0)
  t.is((await current(platform, expired.token)).failure.code, 'SESSION_NOT_FOUND')
})

test('very many old sessions are deleted in one round, those with much in them in turns', async (t) => {
  const clock = movableClock()
  const platform = await startPlatform(t, { clock, env: { RUN_RETENTION_DAYS: '1' } })
  const { database } = platform.services
  const ada = await person(platform)
  await fillSessions(platform, ada, 500)
  await database('sessions').whereIn('id', database('sessions').select('id').limit(20)).update({ lastNumber: 10_000 })
  clock.forward(3 * day)
  await platform.services.sessions.purge(new AbortController().signal)
  t.deepEqual(await database('sessions').pluck('id'), [])
  const lines = platform.logs.map((line) => JSON.parse(line) as { sessions?: number })
  t.deepEqual(
    lines.flatMap(({ sessions: count }) => count ?? []),
    [500],
  )
})

// @promise retention
test('a round of deleting that is to stop begins no batch, and an answer under way keeps its session', async (t) => {
  const clock = movableClock()
  const platform = await startPlatform(t, { clock, env: { RUN_RETENTION_DAYS: '1' } })
  const { services } = platform
  const [busy, idle] = [await sessionOf(await person(platform)), await sessionOf(await person(platform))]
  const { ownerId } = (await services.database('sessions').where({ id: busy.id }).first('ownerId')) as {
    ownerId: string
  }
  const answer = {
    id: newId(),
    number: 2,
    messageId: newId(),
    status: 'waiting',
    onDisconnect: 'continue',
    model: 'demo',
  }
  await services.database('chat_answers').insert({ sessionId: busy.id, ownerId, createdAt: clock.now(), ...answer })
  clock.forward(3 * day)
  await services.sessions.purge(AbortSignal.abort())
  t.is((await services.database('sessions').pluck('id')).length, 2)
  await services.sessions.purge(new AbortController().signal)
  t.deepEqual(await services.database('sessions').pluck('id'), [busy.id])
  t.not(busy.id, idle.id)
})
