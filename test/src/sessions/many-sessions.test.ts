import test from 'ava'
import * as apiKeys from '../../../api/api-keys.ts'
import * as sessions from '../../../api/sessions.ts'
import { newId } from '../../../src/ids.ts'
import { runRound } from '../../../src/loops.ts'
import { pendingApproval } from '../../helpers/approvals.ts'
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
  const keyBody = { name: 'K', scopes: ['read' as const, 'write' as const] }
  const program = { url: platform.url, token: (await call(ada, apiKeys.createApiKey, { body: keyBody })).body.key }
  const make = (someone = program) => call(someone, sessions.createSession, { body: {} })
  await fillSessions(platform, ada, 996)
  const refused = (await Promise.all(Array.from({ length: 8 }, () => make()))).filter(({ status }) => status !== 201)
  t.is(refused.length, 4)
  t.true(refused.every(({ failure }) => failure.code === 'FEATURE_LIMIT_REACHED'))
  t.is((await make(bob)).status, 201, 'others have room')
  const listed = async () => (await call(program, sessions.listSessions, { query: { active: 'true' } })).body.items
  await call(ada, sessions.endSession, { params: { sessionId: (await listed())[0]?.id ?? '' } })
  t.deepEqual([(await make()).status, (await make()).status], [201, 403], 'one has ended')
  clock.forward(4200)
  t.is((await make()).status, 201, 'those of an hour have expired')
  clock.forward(3600)
  t.is((await listed()).length, 1, 'nobody has used the others for two hours')
  await fillSessions(platform, program, 999)
  await platform.services
    .database('sessions')
    .where({ createdAt: clock.now() })
    .update({ expiresAt: new Date(clock.now().getTime() + day * 1000) })
  t.is((await make()).status, 403)
  clock.forward(7201)
  t.is((await make()).status, 201, 'idle ones take no room')
})

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
  const { services } = platform
  const { database } = services
  const ada = await person(platform)
  await fillSessions(platform, ada, 500)
  // Those with much in them are deleted in turns.
  await database('sessions').whereIn('id', database('sessions').select('id').limit(20)).update({ lastNumber: 10_000 })
  const [expired, ended, busy] = [
    await sessionOf(ada, { ttlSeconds: 3600 }),
    await sessionOf(ada),
    await sessionOf(ada),
  ]
  await call(ada, sessions.endSession, { params: { sessionId: ended.id } })
  const createdAt = clock.now()
  const { ownerId } = (await database('sessions').where({ id: busy.id }).first('ownerId')) as { ownerId: string }
  const message = { number: 1, text: 'Hello', createdAt }
  const said = [expired, ended, busy].map(({ id }) => ({ sessionId: id, id: newId(), ...message }))
  await database('chat_messages').insert(said)
  const answer = { id: newId(), number: 2, messageId: newId(), model: 'demo', onDisconnect: 'continue' }
  await database('chat_answers').insert({ sessionId: busy.id, ownerId, createdAt, status: 'waiting', ...answer })
  const over = { id: newId(), number: 2, messageId: newId(), model: 'demo', onDisconnect: 'continue' }
  const was = { sessionId: ended.id, ownerId, createdAt, status: 'stopped', endedAt: createdAt, ...over }
  await database('chat_answers').insert(was)
  await pendingApproval(platform, { ownerId, sessionId: ended.id, answerId: over.id })
  const kept = await pendingApproval(platform, { ownerId, sessionId: busy.id, answerId: answer.id })
  const mine = said.map(({ sessionId }) => sessionId)
  const left = async () => {
    await runRound(services, 'housekeeping')
    const messages = await database('chat_messages').orderBy('sessionId').pluck<string[]>('session_id')
    t.deepEqual(await database('sessions').whereIn('id', mine).orderBy('id').pluck<string[]>('id'), messages)
    return messages
  }
  clock.forward(2 * day)
  t.is((await left()).length, 3)
  clock.forward(1)
  await services.sessions.purge(AbortSignal.abort())
  t.is((await current(platform, ended.token)).failure.code, 'INVALID_SESSION', 'a round that is to stop begins nothing')
  t.deepEqual(await left(), [expired.id, busy.id].toSorted())
  t.is((await current(platform, ended.token)).failure.code, 'SESSION_NOT_FOUND')
  t.is((await current(platform, expired.token)).failure.code, 'SESSION_EXPIRED')

  clock.forward(day)
  t.deepEqual(await left(), [busy.id], 'an answer under way keeps its session')
  t.deepEqual(await database('approvals').where({ ownerId }).pluck('id'), [kept.id], 'and what it has asked for')
  const counts = platform.logs.flatMap((line) => (JSON.parse(line) as { sessions?: number }).sessions ?? [])
  t.deepEqual(counts, [1, 501])
})
