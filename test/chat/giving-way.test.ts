// @promise chat-approvals
import test, { type ExecutionContext } from 'ava'
import * as apiKeys from '../../api/api-keys.ts'
import { approvalsOf, decide } from '../helpers/approvals.ts'
import * as sessions from '../../api/sessions.ts'
import { newId } from '../../src/ids.ts'
import { suspend } from '../helpers/admins.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { connectBadTools, customer, type Person } from '../helpers/people.ts'
import type { Platform } from '../helpers/platform.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'
import {
  endsAs,
  historyOf,
  openSession,
  partsOf,
  send,
  stop,
  textOf,
  typesOf,
  underWay,
  type TestSession,
} from './stage.ts'

/* Calls that wait for approval are not made any more once what asked for them is over. */

const platformOf = sharedPlatform(test, 'idle')
const stage = forWholeFile(test, 'answers that give way', async (t) => ({
  platform: await platformOf(),
  sites: await startSites(t),
}))

const ask = '[[call slow_once {"seconds":0}]] [[then]] [[say All done.]]'

/** A session in which `slow_once` asks first. */
async function open(maker: 'login' | 'key' = 'login') {
  const { platform, sites } = await stage()
  const someone = await customer(platform)
  const vaultEntryId = await connectBadTools(someone, sites)
  const key =
    maker === 'key'
      ? (await call(someone, apiKeys.createApiKey, { body: { name: 'A key', scopes: ['write'] } })).body
      : undefined
  const session = await openSession(key ? { ...someone, token: key.key } : someone, {
    sites: [{ vaultEntryId, tools: ['slow_once', 'slow_read'], askFirst: ['slow_once'] }],
  })
  return { someone, session, key, badTools: sites.badTools, platform }
}

const statusesOf = async (someone: Person) => (await approvalsOf(someone)).map(({ status }) => status)

/** Sends the message after which an answer waits; returns the approval. */
async function waiting(t: ExecutionContext, session: TestSession): Promise<string> {
  const parts = await partsOf(t, await send(session, { text: ask, stream: true }))
  return String(parts.find((part) => part.type === 'data-approval')?.id)
}

const end = ({ url, token }: TestSession) =>
  fetch(`${url}/sessions/current`, { method: 'DELETE', headers: { 'x-session-token': token } })

/** Approves, and what would follow at once does not: returns whose answer it is. */
async function approved({ platform }: Awaited<ReturnType<typeof open>>, id: string) {
  const approval = await platform.services.database('approvals').where({ id }).first()
  const { ownerId, answerId } = approval as Record<'ownerId' | 'answerId', string>
  await platform.services.approvals.decide({ ownerId, userId: ownerId }, id, { decision: 'approve' })
  return { ownerId, answerId }
}

const endings: Record<string, (given: Awaited<ReturnType<typeof open>>) => Promise<unknown>> = {
  'its session is ended': ({ session }) => end(session),
  'the API key of its session is deleted': ({ someone, key }) =>
    call(someone, apiKeys.deleteApiKey, { params: { apiKeyId: key?.id ?? '' } }).then((answer) => answer.status),
}

for (const [what, end] of Object.entries(endings)) {
  test(`a call that waits for approval cannot be approved once ${what}, and the model is asked no more`, async (t) => {
    const given = await open('key')
    const { someone, session, platform } = given
    const approvalId = await waiting(t, session)
    await end(given)
    t.deepEqual(await statusesOf(someone), ['withdrawn'])
    t.like((await decide(someone, approvalId, 'approve')).failure, { code: 'VALIDATION_ERROR' })
    await platform.services.chat.reconcile()
    const answers = await platform.services.database('chat_answers').where({ sessionId: session.id })
    t.like(answers, [{ status: 'stopped', steps: 1 }])
    const calls = await platform.services.database('tool_calls').where({ subjectId: (answers[0] as { id: string }).id })
    t.like(calls, [{ status: 'failed', attempts: 0 }])
  })
}

test('an approval that was given just before its session was ended has no effect afterwards', async (t) => {
  const given = await open()
  const { someone, session, platform } = given
  const { database, chat, clock, sessions } = platform.services
  const approvalId = await waiting(t, session)
  const keepOut = (suspendedAt: Date | null) =>
    database('users')
      .where({ id: database('chat_answers').where({ sessionId: session.id }).select('ownerId') })
      .update({ suspendedAt })
  // Nothing takes the answer up between the approval and the end of the session.
  await keepOut(clock.now())
  const { answerId } = await approved(given, approvalId)
  await sessions.end(session)
  await keepOut(null)
  await chat.goOn(answerId)
  await chat.reconcile()
  t.deepEqual(await statusesOf(someone), ['approved'])
  t.like(await database('chat_answers').where({ sessionId: session.id }), [{ status: 'stopped', steps: 1 }])
})

test('an answer that waits for approval does not go on while its user is suspended, whoever approves', async (t) => {
  const given = await open()
  const { someone, session, platform } = given
  const { database, chat, clock } = platform.services
  const { ownerId, answerId } = await approved(given, await waiting(t, session))
  const keepOut = (suspendedAt: Date | null) => database('users').where({ id: ownerId }).update({ suspendedAt })
  await keepOut(clock.now())
  await chat.goOn(answerId)
  await chat.reconcile()
  t.like(await database('chat_answers').where({ sessionId: session.id }), [{ status: 'waiting', steps: 1 }])
  t.like(await database('tool_calls').where({ subjectId: answerId }), [{ status: 'planned', attempts: 0 }])
  await keepOut(null)
  t.is((await approvalsOf(someone))[0]?.status, 'approved')
  await chat.reconcile()
  await endsAs(session, 'completed')
})

test('an answer in a workspace does not go on while whoever pays for that is suspended, though it was approved', async (t) => {
  const { platform, sites } = await stage()
  const payer = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(payer)
  const member = await memberOf(platform, workspaceId, 'member')
  const vaultEntryId = await connectBadTools(member, sites, { workspaceId })
  const asking = { vaultEntryId, tools: ['slow_once'], askFirst: ['slow_once'] }
  const session = await openSession(member, { workspaceId, sites: [asking] })
  const approvalId = await waiting(t, session)
  const { approvals, chat, clock, database } = platform.services
  const by = { ownerId: workspaceId, userId: await userIdOf(member) }
  const id = await userIdOf(payer)
  const keepOut = (suspendedAt: Date | null) => database('users').where({ id }).update({ suspendedAt })
  await keepOut(clock.now())
  await approvals.decide(by, approvalId, { decision: 'approve' })
  await chat.reconcile()
  t.like(await database('chat_answers').where({ sessionId: session.id }), [{ status: 'waiting', steps: 1 }])
  await keepOut(null)
  await chat.reconcile()
  await endsAs(session, 'completed')
})

test('the time for which an answer waits for approval does not count, however often it waits', async (t) => {
  const { someone, session, platform } = await open()
  const { database } = platform.services
  const once = '[[call slow_once {"seconds":0}]]'
  await partsOf(t, await send(session, { text: `${once} [[then]] ${once} [[then]] [[say All done.]]`, stream: true }))
  const [first] = await approvalsOf(someone)
  const earlier = (column: string) => database.raw(`${column} - interval '10 minutes'`)
  const answer = () => database('chat_answers').where({ sessionId: session.id })
  await answer().update({ startedAt: earlier('started_at'), waitingSince: earlier('waiting_since') })
  await decide(someone, first?.id ?? '', 'approve')
  const second = await eventually(20, 'another approval', async () =>
    (await approvalsOf(someone)).find(({ id, status }) => id !== first?.id && status === 'pending'),
  )
  await eventually(20, 'it waits', async () => (await answer().where({ status: 'waiting' })).length > 0 || undefined)
  const { url, token } = session
  const rest = () => fetch(`${url}/chat/messages/x/stream`, { headers: { 'x-session-token': token } })
  const told = (await partsOf(t, await rest())).flatMap((part) => (part.type === 'data-approval' ? [part.id] : []))
  t.deepEqual(told, [second.id], 'what was decided is asked for no more')
  await decide(someone, second.id, 'approve')
  await endsAs(session, 'completed')
  t.is((await rest()).status, 200)
  await answer().update({ endedAt: database.raw(`ended_at - interval '1 minute'`) })
  t.is((await rest()).status, 204, 'its stream can be had for a minute')
})

test('an approved call of a chat is made only as it was shown, and the model is told why another was refused', async (t) => {
  for (const change of [{ arguments: '{"seconds":0.1}' }, { tool: 'slow_read' }, { siteOrigin: 'https://a.example' }]) {
    const given = await open()
    const { database, chat } = given.platform.services
    const { answerId } = await approved(given, await waiting(t, given.session))
    const calls = database('tool_calls').where({ subjectId: answerId })
    await calls.clone().update(change)
    await chat.goOn(answerId)
    await endsAs(given.session, 'completed')
    const [made] = await calls
    t.like(made, { status: 'failed', attempts: 0 })
    t.regex(made.result, /differs from the call that was approved/)
  }
  const { session, someone, platform } = await open()
  await decide(someone, await waiting(t, session), 'refuse', { note: 'Not today' })
  await endsAs(session, 'completed')
  const answers = platform.services.database('chat_answers').where({ sessionId: session.id }).select('id')
  const [refused] = await platform.services.database('tool_calls').whereIn('subjectId', answers)
  t.regex(refused.result, /its approval was refused.* The note on the refusal: "Not today"/)
})

test('an answer goes on without a call that nobody has approved in time, and the other owner’s waits on', async (t) => {
  const [one, other] = [await open(), await open()]
  const [approvalId] = [await waiting(t, one.session), await waiting(t, other.session)]
  const { database, chat } = one.platform.services
  await database('approvals')
    .where({ id: approvalId })
    .update({ expiresAt: new Date(Date.now() - 1) })
  await chat.reconcile()
  await endsAs(one.session, 'completed')
  t.deepEqual([await statusesOf(one.someone), await statusesOf(other.someone)], [['expired'], ['pending']])
  const answers = database('chat_answers').where({ sessionId: one.session.id }).select('id')
  t.like(await database('tool_calls').whereIn('subjectId', answers), [{ status: 'failed', attempts: 0 }])
})

/** As the processes do that look for lost answers. */
const untilOver = ({ services: { chat, database } }: Platform, { id: sessionId }: TestSession) =>
  eventually(10, 'the answer is over', async () => {
    await chat.takeUpLost()
    return (await database('chat_answers').where({ sessionId }).whereNull('endedAt')).length === 0 || undefined
  })

test('what an answer has held and asked for is given back once its process was killed', async (t) => {
  const { someone, session, platform } = await open()
  await waiting(t, session)
  const { database } = platform.services
  const answers = database('chat_answers').where({ sessionId: session.id })
  const { id: subjectId, ownerId } = await answers.clone().first()
  const [createdAt, expiresAt] = [new Date(Date.now() - 60_000), new Date(Date.now() + 3_600_000)]
  await database('credit_holds').insert({ subjectId, ownerId, createdAt, expiresAt, tokens: 1, credits: 1, step: 2 })
  // As if the site had refused the token just before.
  const calls = database('tool_calls').where({ subjectId })
  await calls.clone().update({ status: 'started', attempts: 1, refusedAttempts: 1, startedAt: createdAt })
  const killed = { status: 'running', waitingSince: null, writer: newId(), writerUntil: createdAt }
  await answers.clone().update(killed)
  await untilOver(platform, session)
  t.like(await answers, [{ status: 'failed', errorCode: 'STREAM_ABORTED' }])
  t.like(await calls, [{ status: 'failed', attempts: 1 }])
  t.deepEqual(await database('credit_holds').where({ subjectId }), [])
  t.deepEqual(await statusesOf(someone), ['withdrawn'])
})

test('an answer whose process was killed before its turn fails, and the next message is answered', async (t) => {
  const { session, platform } = await open()
  const { database } = platform.services
  await partsOf(t, await send(session, { text: '[[say I am the first.]]', stream: true }))
  const answers = database('chat_answers').where({ sessionId: session.id })
  const killed = { status: 'queued', startedAt: null, endedAt: null, writer: newId() }
  await answers.clone().update({ ...killed, writerUntil: new Date(Date.now() - 60_000) })
  await untilOver(platform, session)
  t.like(await answers, [{ status: 'failed', errorCode: 'STREAM_ABORTED' }])
  const next = await partsOf(t, await send(session, { text: '[[say I am the second.]]', stream: true }))
  t.regex(textOf(next), /I am the second\./)
})

test('an answer under way makes no more calls once its user is suspended, and ends', async (t) => {
  const { someone, session, platform } = await open()
  const { database } = platform.services
  const text = '[[sleep 3]] [[call slow_read {"seconds":0}]] [[then]] [[call slow_read {"seconds":0}]]'
  const sent = send(session, { text, stream: true })
  await underWay(session)
  await suspend(platform, someone)
  await sent.then((response) => response.text())
  const [answer] = await database('chat_answers').where({ sessionId: session.id })
  // Whether its writer learns of it first, or its reader is sent away.
  t.true(answer.status === 'stopped' || answer.errorCode === 'STREAM_ABORTED')
  for (const { attempts } of await database('tool_calls').where({ subjectId: answer.id })) t.is(attempts, 0)
})

test('an answer that is stopped while it waits, or while another call is made, withdraws what it has asked for', async (t) => {
  const { someone, session } = await open()
  const approvalId = await waiting(t, session)
  const { items: before } = await historyOf(session)
  t.is((await stop(session, before[1]!.id)).status, 204)
  t.like((await historyOf(session)).items[1], { status: 'stopped' })
  t.deepEqual(await statusesOf(someone), ['withdrawn'])
  t.like((await decide(someone, approvalId, 'approve')).failure, { code: 'VALIDATION_ERROR' })

  const text = '[[call slow_once {"seconds":0}]] [[call slow_read {"seconds":60}]]'
  const sent = send(session, { text, stream: true })
  await eventually(20, 'it asks', async () => (await statusesOf(someone)).includes('pending') || undefined)
  const { items } = await historyOf(session)
  await stop(session, items[3]!.id)
  t.is(typesOf(await partsOf(t, await sent)).at(-1), 'abort')
  t.deepEqual(await statusesOf(someone), ['withdrawn', 'withdrawn'])
})

test('a message that was sent before an answer came to wait takes its place', async (t) => {
  const { someone, session } = await open()
  const first = send(session, { text: `[[sleep 1]] [[then]] ${ask}`, stream: true })
  await underWay(session)
  const second = send(session, { text: '[[say I am the second.]]', stream: true })
  t.is(typesOf(await partsOf(t, await first)).at(-1), 'finish')
  t.regex(textOf(await partsOf(t, await second)), /I am the second\./)
  t.deepEqual(await statusesOf(someone), ['withdrawn'])
  const { items } = await historyOf(session)
  t.deepEqual(
    items.map(({ status }) => status),
    [undefined, 'completed', undefined, 'completed'],
  )
})

test('an approval expires with the session at the latest: nobody could read what comes of it', async (t) => {
  const { platform, sites } = await stage()
  const someone = await customer(platform)
  const vaultEntryId = await connectBadTools(someone, sites)
  const chosen = [{ vaultEntryId, tools: ['slow_once'], askFirst: ['slow_once'] }]
  const session = await openSession(someone, { ttlSeconds: 60, sites: chosen })
  const approvalId = await waiting(t, session)
  const { expiresAt } = (await call(someone, sessions.listSessions, {})).body.items[0] ?? {}
  const approval = (await approvalsOf(someone)).find(({ id }) => id === approvalId)
  t.is(approval?.expiresAt, expiresAt)
})

test('of two answers of one session, one is written at a time, also if both begin at the same instant', async (t) => {
  const { someone, session, platform } = await open()
  const approvalId = await waiting(t, session)
  const { database, chat } = platform.services
  const [waits] = await database('chat_answers').where({ sessionId: session.id })
  // As if another answer of the session began just before this one is taken up.
  const other = { ...waits, id: newId(), number: 99, status: 'running', waitingSince: null, writer: newId() }
  await database('chat_answers').insert({ ...other, writerUntil: new Date(Date.now() + 60_000) })
  t.is((await decide(someone, approvalId, 'approve')).status, 200)
  t.like(await database('chat_answers').where({ id: waits.id }).first(), { status: 'waiting' })
  await database('chat_answers').where({ id: other.id }).delete()
  await chat.reconcile()
  await endsAs(session, 'completed')
})
