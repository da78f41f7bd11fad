import { createHash } from 'node:crypto'
import test from 'ava'
import * as approvals from '../../../api/approvals.ts'
import * as auth from '../../../api/auth.ts'
import * as notifications from '../../../api/notifications.ts'
import type { CallToApprove } from '../../../src/approvals/approvals.ts'
import { newId } from '../../../src/ids.ts'
import { ToolCall } from '../../../src/tools/tool-call.ts'
import { approvalsOf, askingAgent, decide, pendingApproval } from '../../helpers/approvals.ts'
import { call } from '../../helpers/client.ts'
import { hold, untilBlocked } from '../../helpers/hold.ts'
import { agentOf, connectBadTools, customer, person, timelineOf } from '../../helpers/people.ts'
import { cancel, dataOf, start } from '../../helpers/runs.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { never, openLate } from '../runs/open-late.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

/** Without a worker: tests act in its place. */
const platformOf = sharedPlatform(test, 'idle')
const house = forWholeFile(test, 'the noun', async (t) => openLate(t, await platformOf()))

/** A run whose step has planned a call that must be approved. Nobody carries it out. */
async function asking(args = '{ "seconds" : 0.50 }') {
  const late = await house()
  const { platform, services, sites } = late
  const someone = await customer(platform)
  const vaultEntryId = await connectBadTools(someone, sites)
  const agent = await askingAgent({ someone, vaultEntryId }, `[[call slow_once ${args}]]`)
  await start(someone, agent)
  const run = await services.runs.queue.claimNext(agent.id)
  if (!run) throw new Error('there was nothing to claim')
  const move = await services.runs.steps.advance(run, never)
  const [approval] = await approvalsOf(someone)
  if (!approval) throw new Error('nobody was asked')
  const readCall = () => ToolCall.query(services.database).findOne({ subjectId: run.runId }).throwIfNotFound()
  /** What a worker does with the call. */
  const perform = async () => services.runs.calls.perform(run, (await readCall()).id, never)
  const sent = () =>
    sites.badTools.requests().filter(({ idempotencyKey }) => idempotencyKey?.startsWith(run.runId)).length
  const isDue = async () =>
    (await services.database('dueAgents').where({ agentId: agent.id }).where('dueAt', '<=', new Date())).length > 0
  return { ...late, someone, agent, run, move, approval, readCall, perform, sent, isDue, args }
}

type Asking = Awaited<ReturnType<typeof asking>>

/** As if so long ago nobody had decided in time. */
const expireNow = ({ services, approval }: Asking) =>
  services
    .database('approvals')
    .where({ id: approval.id })
    .update({ expiresAt: new Date(Date.now() - 1) })

// @promise decisions
test('the record has the exact text of the arguments and its hash, and the owner is told once, without arguments', async (t) => {
  const { someone, run, move, approval, readCall, services, args } = await asking()
  const row = await services.approvals.ofCall(services.database, (await readCall()).id)
  t.is(row?.arguments, args)
  t.is(approval.argumentsHash, createHash('sha256').update(args).digest('hex'))
  t.deepEqual(approval.arguments, JSON.parse(args))
  t.like(await readCall(), { status: 'planned', waitCause: 'approval', arguments: args })
  t.is((await readCall()).notBefore?.toISOString(), approval.expiresAt)
  t.is(move.kind === 'wait' && move.cause, 'approval')
  const day = 86_400_000
  t.true(Math.abs(Date.parse(approval.expiresAt) - Date.parse(approval.requestedAt) - day) < 5000)
  const told = (await call(someone, notifications.listNotifications)).body.items
  const consolePage = `/console/approvals/${approval.id}`
  t.like(told, { 0: { kind: 'approval_requested', subjectId: approval.id, consolePage }, length: 1 })
  t.true(told[0]?.message.includes(`“slow_once” at ${approval.siteOrigin}`))
  t.true(told[0]?.message.startsWith('Run 1 of the agent “An agent” wants'))
  t.false(JSON.stringify(told).includes('seconds'))
  t.is((await services.runs.steps.advance(run, never)).kind, 'wait')
  t.is((await approvalsOf(someone)).length, 1, 'whoever looks again asks nobody again')
})

test('the answer frees the call and makes its agent due in one transaction', async (t) => {
  for (const decision of ['approve', 'refuse'] as const) {
    const asked = await asking()
    const { someone, approval, readCall, services, agent, isDue } = asked
    await services.database('dueAgents').where({ agentId: agent.id }).delete()
    await services.approvals.decide(await by(asked), approval.id, { decision })
    t.like(await readCall(), { status: 'planned', waitCause: null, notBefore: null })
    t.true(await isDue())
    const [decided] = await approvalsOf(someone)
    t.true(decided !== undefined && decided.decidedAt !== null)
  }
})

const by = async ({ someone }: Pick<Asking, 'someone'>) => {
  const { id } = (await call(someone, auth.me)).body
  return { ownerId: id, userId: id }
}

// @promise approvals decisions
test('an approval is decided once, by its owner, who has seen the arguments', async (t) => {
  const { someone, approval, run, platform } = await asking()
  const stranger = await person(platform)
  const params = { approvalId: approval.id }
  t.is((await decide(stranger, approval.id, 'approve')).failure.code, 'NOT_FOUND')
  t.is((await call(stranger, approvals.getApproval, { params })).failure.code, 'NOT_FOUND')
  t.deepEqual(await approvalsOf(stranger), [])
  t.deepEqual((await call(someone, approvals.getApproval, { params })).body, approval)

  const refusal = async (...how: [decision: 'approve' | 'refuse', seen?: { argumentsHash: string }]) => {
    const { code, details } = (await decide(someone, approval.id, ...how)).failure
    return `${code} ${details?.[0]?.path}`
  }
  const other = { argumentsHash: '0'.repeat(64) }
  for (const decision of ['approve', 'refuse'] as const)
    t.is(await refusal(decision, other), 'VALIDATION_ERROR argumentsHash')
  t.like(await approvalsOf(someone), { 0: { status: 'pending' } })
  const { argumentsHash } = approval
  const { body } = await decide(someone, approval.id, 'refuse', { note: 'first', argumentsHash })
  t.like(body, { status: 'refused', note: 'first' })
  t.deepEqual((await decide(someone, approval.id, 'refuse', { note: 'second' })).body, body)
  t.is(await refusal('approve'), 'VALIDATION_ERROR decision')
  t.is(await refusal('refuse', other), 'VALIDATION_ERROR argumentsHash')
  t.is(dataOf(await timelineOf(someone, run.runId), 'approval.decided').length, 1, 'the agent is told once')
})

// @promise decisions
test('an approval that expired is not decided any more: it is marked, and its call ends unsent', async (t) => {
  const asked = await asking()
  const { someone, approval, readCall, perform, sent, services } = asked
  await expireNow(asked)
  await services.chat.reconcile()
  const { failure } = await decide(someone, approval.id, 'approve')
  t.is(failure.code, 'VALIDATION_ERROR')
  t.regex(failure.error, /The approval has expired/)
  t.like(await approvalsOf(someone), { 0: { status: 'expired' } })
  t.like(await readCall(), { waitCause: null, notBefore: null })
  await perform()
  t.like(await readCall(), { status: 'failed', result: 'The call was not made because nobody approved it in time.' })
  t.is(sent(), 0)
})

test('a worker that gets a call which is not decided sends nothing, and the call waits on', async (t) => {
  const { perform, readCall, sent, services, run, approval } = await asking()
  await services.database('runToolCalls').where({ runId: run.runId }).update({ waitCause: null, notBefore: null })
  await perform()
  t.like(await readCall(), { status: 'planned', attempts: 0, waitCause: 'approval' })
  t.is((await readCall()).notBefore?.toISOString(), approval.expiresAt)
  t.is(sent(), 0)
})

// @promise approvals
test('a worker sends an approved call once, and only if it is the one that was shown', async (t) => {
  const good = await asking('{"seconds":0}')
  await decide(good.someone, good.approval.id, 'approve')
  await good.perform()
  await good.perform()
  t.like(await good.readCall(), { status: 'succeeded', attempts: 1 })
  t.is(good.sent(), 1)
  for (const change of [{ arguments: '{"seconds":0.1}' }, { tool: 'slow_read' }, { siteOrigin: 'https://a.example' }]) {
    const { someone, approval, perform, readCall, sent, services, run } = await asking('{"seconds":0}')
    await decide(someone, approval.id, 'approve')
    await services.database('runToolCalls').where({ runId: run.runId }).update(change)
    await perform()
    t.like(await readCall(), { status: 'failed', attempts: 0 })
    t.regex((await readCall()).result ?? '', /differs from the call that was approved/)
    t.is(sent(), 0)
  }
  // As if the call had been planned before its tool asked first.
  const { services, approval, perform, readCall, sent } = await asking('{"seconds":0}')
  await services.database('approvals').where({ id: approval.id }).delete()
  await perform()
  t.like(await readCall(), { status: 'failed', attempts: 0 })
  t.is(sent(), 0)
})

// @promise decisions
test('a run that is cancelled withdraws what it asked, also if its owner decides at the same instant', async (t) => {
  for (const _ of [1, 2]) {
    const { someone, run, approval } = await asking()
    const [ended, decided] = await Promise.all([cancel(someone, run.runId), decide(someone, approval.id, 'approve')])
    t.is(ended.status, 200)
    const [kept] = await approvalsOf(someone)
    t.is(kept?.status, decided.status === 200 ? 'approved' : 'withdrawn')
  }
  const { someone, run, approval, sent } = await asking()
  t.is((await cancel(someone, run.runId)).body.status, 'cancelled')
  t.like(await approvalsOf(someone), { 0: { status: 'withdrawn' }, length: 1 })
  t.regex((await decide(someone, approval.id, 'approve')).failure.error, /its run or chat answer has ended/)
  t.is(sent(), 0)
})

test('two who decide while a third has the row get one answer, whatever their order', async (t) => {
  const { services, platform } = await house()
  const { database } = services
  const someone = await person(platform)
  const { ownerId } = await by({ someone })
  const of = { sessionId: newId(), answerId: newId() }
  const expiresAt = new Date(Date.now() + 60_000)
  const [asked] = await database.transaction((trx) =>
    services.approvals.request(trx, { ownerId, of, asker: 'A chat', calls: named(1), expiresAt }),
  )
  const id = asked?.id ?? ''
  const release = await hold(database, (trx) => trx.raw('select from approvals where id = ? for share', [id]))
  const deciding = Promise.all((['approve', 'refuse'] as const).map((decision) => decide(someone, id, decision)))
  await untilBlocked(database, 2)
  await release()
  const answers = await deciding
  t.is(answers.filter(({ status }) => status === 200).length, 1)
  t.is(answers.filter(({ status }) => status === 400).length, 1)
})

// @promise chat-approvals
test('what an answer in a chat asks is decided, expires and is withdrawn in the same way', async (t) => {
  const late = await house()
  const { services, platform } = late
  const { database } = services
  const someone = await person(platform)
  const { ownerId } = await by({ someone })
  const of = { sessionId: newId(), answerId: newId() }
  const ask = (expiresAt: Date, calls = 1) =>
    database.transaction((trx) =>
      services.approvals.request(trx, { ownerId, of, asker: 'A chat', calls: named(calls), expiresAt }),
    )
  const [decided, withdrawn] = await ask(new Date(Date.now() + 60_000), 2)
  const [expired] = await ask(new Date())
  t.like((await decide(someone, decided?.id ?? '', 'approve')).body, { status: 'approved', ...of, runId: null })
  const expire = (callId = '') => database.transaction((trx) => services.approvals.expire(trx, callId))
  t.like(await expire(expired?.callId), { status: 'expired' })
  t.is(await expire(withdrawn?.callId), undefined, 'its time is not over')
  await database.transaction((trx) => services.approvals.withdraw(trx, { answerId: of.answerId }))
  t.like(await services.approvals.ofCall(database, withdrawn?.callId ?? ''), {
    status: 'withdrawn',
    arguments: oddArguments,
  })
  const listed = await approvalsOf(someone, { sessionId: of.sessionId })
  t.deepEqual(listed.map(({ status }) => status).toSorted(), ['approved', 'expired', 'withdrawn'])
})

test('approvals can be listed for one agent', async (t) => {
  const { platform } = await house()
  const someone = await person(platform)
  const { ownerId } = await by({ someone })
  const [one, other] = [await agentOf(someone), await agentOf(someone)]
  const ask = (agentId: string) => pendingApproval(platform, { ownerId, runId: newId(), agentId })
  const [asked] = [await ask(one.id), await ask(other.id)]
  const ids = (await approvalsOf(someone, { agentId: one.id })).map(({ id }) => id)
  t.deepEqual(ids, [asked.id])
})

const oddArguments = '{"text":"\ud800"}'

const named = (count: number): CallToApprove[] =>
  Array.from({ length: count }, () => ({
    callId: newId(),
    siteOrigin: 'https://site.example.com',
    tool: 'act',
    // A site's or model's text may hold what Postgres refuses.
    arguments: oddArguments,
  }))
