import test, { type ExecutionContext } from 'ava'
import * as admin from '../../api/admin.ts'
import * as agents from '../../api/agents.ts'
import * as vault from '../../api/vault.ts'
import * as why from '../../api/why.ts'
import { causeOrder, type CauseCode } from '../../src/why/cause.ts'
import { openStage } from '../crash/stage.ts'
import { adminOf } from '../helpers/admins.ts'
import { asked, askingAgent, decide } from '../helpers/approvals.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, connectBadTools, customer, deliver, ended, webhookAgent, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { cancel, happened, openScripts, spendAllBut, start, waiting } from '../helpers/runs.ts'

const dayMs = 24 * 60 * 60 * 1000

const ofAgent = async (someone: Person, { id }: { id: string }) =>
  (await call(someone, why.whyAgent, { params: { agentId: id } })).body
const ofRun = async (someone: Person, runId: string) => (await call(someone, why.whyRun, { params: { runId } })).body

type Answer = Awaited<ReturnType<typeof ofRun>>
const codesOf = ({ causes }: Answer) => causes.map(({ code }) => code)
const causeIn = ({ causes }: Answer, code: CauseCode) => causes.find((cause) => cause.code === code)

/** What is seen while the answer is asked for again and again until it names the cause. */
const untilCause = (ask: () => Promise<Answer>, code: CauseCode, seconds = 20) =>
  eventually(seconds, `the answer names ${code}`, async () => {
    const answer = await ask()
    const cause = causeIn(answer, code)
    return cause && { answer, cause }
  })

const isRecent = (time: string | null) => time !== null && Math.abs(Date.now() - Date.parse(time)) < 60_000
const isTomorrow = (time: string | null) => time !== null && Math.abs(Date.parse(time) - Date.now() - dayMs) < 60_000

/** Which causes the tests of this file have provoked; the last test compares. */
const provoked = new Set<CauseCode>()
const note = (...answers: Answer[]) =>
  answers.forEach((answer) => codesOf(answer).forEach((code) => provoked.add(code)))

/** Somebody of their own on the platform, with the misbehaving site connected. */
async function another({ platform, sites }: Awaited<ReturnType<typeof openScripts>>) {
  const someone = await customer(platform)
  const entryId = await connectBadTools(someone, sites)
  const hooked = (systemPrompt: string) =>
    webhookAgent(someone, { systemPrompt, sites: [{ vaultEntryId: entryId }], allowActionOverride: true })
  return { someone, entryId, hooked }
}

const pause = (someone: Person, { id }: { id: string }) =>
  call(someone, agents.pauseAgent, { params: { agentId: id } }).then((answer) => answer.body)
const resume = (someone: Person, { id }: { id: string }) =>
  call(someone, agents.resumeAgent, { params: { agentId: id } }).then((answer) => answer.body)

// @promise why
test('an agent and its runs say what they do, what they wait for, and what can be done about it', async (t) => {
  const opened = await openScripts(t, { RECONCILE_SECONDS: '1' })
  // One after the other where a site that wants no calls would hold up the rest.
  await Promise.all([
    workAndOrder(t, opened),
    credential(t, opened),
    approval(t, opened),
    paused(t, opened),
    unpaid(t, opened),
    schedule(t, opened),
  ])
  await Promise.all([modelRetry(t, opened), credits(t, opened)])
  await rateLimit(t, opened)
  const operator = await adminOf(opened.platform)
  const { items } = (await call(operator, admin.listWorkers)).body
  t.like(items, {
    0: { present: true, polling: true, taskQueue: opened.platform.config.temporal.taskQueue },
    length: 1,
  })
  t.true(isRecent(items[0]!.seenAt))
})

type Opened = Awaited<ReturnType<typeof openScripts>>

async function workAndOrder(t: ExecutionContext, { platform, sites, someone, vaultEntryId }: Opened) {
  const agent = await webhookAgent(someone, { sites: [{ vaultEntryId }], allowActionOverride: true })
  const nothing = await ofAgent(someone, agent)
  t.deepEqual([nothing.state, ...codesOf(nothing)], ['idle', 'IDLE'])
  t.regex(nothing.causes[0]!.action, new RegExp(`POST /agents/${agent.id}/runs`))

  const action = '[[call slow_read {"seconds":4}]] [[then]] [[sleep 60]]'
  const { runId: first } = (await deliver(platform, agent, { action })).body
  const { runId: second } = (await deliver(platform, agent, { action: '[[say two]]' })).body
  const { runId: third } = (await deliver(platform, agent, { action: '[[say three]]' })).body
  await happened(someone, first, 'tool.started')
  const calling = await ofRun(someone, first)
  t.deepEqual([calling.state, ...codesOf(calling)], ['running', 'WORKING'])
  const working = calling.causes[0]!
  t.like(working, { runId: first, sequence: 1, step: 1, site: sites.badTools.origin })
  t.true(isRecent(working.since))
  t.true(working.message.includes('slow_read'))
  const behindCall = await ofRun(someone, second)
  t.like(causeIn(behindCall, 'RUN_AHEAD'), { runId: first, sequence: 1, step: 1, site: sites.badTools.origin })

  const asked = await happened(someone, first, 'step.finished')
  const behind = await eventually(20, 'the run ahead asks the model', async () => {
    const answer = await ofRun(someone, third)
    return causeIn(answer, 'RUN_AHEAD')?.step === 2 ? answer : undefined
  })
  t.deepEqual([behind.state, ...codesOf(behind)], ['queued', 'RUN_AHEAD', 'WORKING'])
  const ahead = behind.causes[0]!
  t.like(ahead, { runId: first, sequence: 1, step: 2, site: null, until: null })
  t.true(Date.parse(ahead.since ?? '') > Date.parse(asked.at))
  t.regex(ahead.action, new RegExp(`POST /runs/${first}/cancel`))
  const whole = await ofAgent(someone, agent)
  t.deepEqual([whole.state, ...codesOf(whole)], ['running', 'RUN_AHEAD', 'WORKING'])

  t.is((await cancel(someone, first)).status, 200)
  await ended(someone, third)
  const over = await ofRun(someone, first)
  t.deepEqual([over.state, ...codesOf(over)], ['ended', 'ENDED'])
  t.true(over.causes[0]!.message.includes('cancelled'))
  t.deepEqual(codesOf(await ofAgent(someone, agent)), ['IDLE'])
  note(nothing, calling, behind, over)
}

async function credential(t: ExecutionContext, opened: Opened) {
  const { platform, sites } = opened
  const { someone, entryId, hooked } = await another(opened)
  const replace = (token: string) => call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token } })
  await replace('bad-token')
  const agent = await hooked('[[call slow_once {"seconds":0}]]')
  const { runId } = (await deliver(platform, agent, {})).body
  const { runId: next } = (await deliver(platform, agent, { action: '[[say done]]' })).body
  const run = await waiting(someone, runId)
  const waits = await ofRun(someone, runId)
  t.deepEqual([waits.state, ...codesOf(waits)], ['waiting', 'CREDENTIAL'])
  const cause = waits.causes[0]!
  t.like(cause, { runId, sequence: 1, step: 1, site: sites.badTools.origin, until: run.waitingUntil })
  t.true(isRecent(cause.since) && isTomorrow(cause.until))
  t.regex(cause.action, new RegExp(`PATCH /vault/${entryId} \\(this loses nothing`))
  t.true(waits.summary.includes(cause.message.replace('Run 1 ', 'it ')))
  const behind = await ofRun(someone, next)
  t.deepEqual([behind.state, ...codesOf(behind)], ['queued', 'CREDENTIAL', 'RUN_AHEAD'])
  t.regex(causeIn(behind, 'RUN_AHEAD')!.action, new RegExp(`POST /runs/${runId}/skip`))
  const ofBoth = await ofAgent(someone, agent)
  t.deepEqual([ofBoth.state, ...codesOf(ofBoth)], ['waiting', 'CREDENTIAL', 'RUN_AHEAD'])
  t.is((await replace('good-token')).status, 200)
  await ended(someone, next)
  t.deepEqual(codesOf(await ofAgent(someone, agent)), ['IDLE'])
  note(waits, behind)
}

async function approval(t: ExecutionContext, opened: Opened) {
  const { sites } = opened
  const { someone, entryId } = await another(opened)
  const agent = await askingAgent({ someone, vaultEntryId: entryId }, '[[call slow_once {"seconds":0}]]')
  const { id: runId } = (await start(someone, agent)).body
  await waiting(someone, runId)
  const [pending] = await asked(someone)
  const waits = await ofRun(someone, runId)
  t.deepEqual([waits.state, ...codesOf(waits)], ['waiting', 'APPROVAL'])
  const cause = waits.causes[0]!
  t.like(cause, { runId, sequence: 1, step: 1, site: sites.badTools.origin })
  t.deepEqual([cause.since, cause.until], [pending?.requestedAt, pending?.expiresAt])
  t.true(isRecent(cause.since) && isTomorrow(cause.until))
  t.true(cause.message.includes('slow_once'))
  for (const method of ['GET', 'POST']) t.true(cause.action.includes(`${method} /approvals/${pending?.id}`))
  t.deepEqual(codesOf(await ofAgent(someone, agent)), ['APPROVAL'])
  t.is((await decide(someone, pending?.id ?? '', 'refuse')).status, 200)
  await ended(someone, runId)
  t.deepEqual(codesOf(await ofAgent(someone, agent)), ['IDLE'])
  note(waits)
}

async function paused(t: ExecutionContext, opened: Opened) {
  const { platform } = opened
  const { someone, hooked } = await another(opened)
  const agent = await hooked('[[call slow_read {"seconds":2}]] [[then]] [[say done]]')
  const { runId } = (await deliver(platform, agent, {})).body
  await happened(someone, runId, 'tool.started')
  const { pausedAt } = await pause(someone, agent)
  const going = await ofRun(someone, runId)
  t.deepEqual([going.state, ...codesOf(going)], ['running', 'PAUSED', 'WORKING'])
  await waiting(someone, runId)
  const waits = await ofRun(someone, runId)
  t.deepEqual([waits.state, ...codesOf(waits)], ['waiting', 'PAUSED'])
  t.like(waits.causes[0], { since: pausedAt, until: null, runId, sequence: 1 })
  t.regex(waits.causes[0]!.action, new RegExp(`POST /agents/${agent.id}/resume`))
  t.is((await cancel(someone, runId)).status, 200)
  const { runId: next } = (await deliver(platform, agent, {})).body
  const stays = await ofRun(someone, next)
  t.deepEqual([stays.state, ...codesOf(stays)], ['queued', 'PAUSED'])
  t.like(stays.causes[0], { since: pausedAt, until: null, runId: next, sequence: 2 })
  t.is((await ofAgent(someone, agent)).state, 'queued')
  await resume(someone, agent)
  await ended(someone, next)
  note(going, stays)
}

/** What only time can do to an account is done to its row. */
async function unpaid(t: ExecutionContext, opened: Opened) {
  const { database } = opened.platform.services
  const changes = [
    ['TIER', { tier: 'free', currentPeriodEnd: null }],
    ['PAST_DUE', { subscriptionStatus: 'past_due' }],
  ] as const
  for (const [code, change] of changes) {
    const { someone, hooked } = await another(opened)
    const agent = await hooked('[[say done]]')
    await pause(someone, agent)
    const { runId } = (await deliver(opened.platform, agent, {})).body
    await database('accounts')
      .update(change)
      .whereIn('ownerId', database('users').select('id').where({ email: someone.email }))
    await resume(someone, agent)
    const blocked = await eventually(20, 'the queue has met it', async () => {
      const answer = await ofRun(someone, runId)
      return causeIn(answer, code)?.since === null ? undefined : answer
    })
    t.deepEqual([blocked.state, ...codesOf(blocked)], ['queued', code])
    t.like(blocked.causes[0], { runId, sequence: 1 })
    t.true(isRecent(blocked.causes[0]!.since) && isTomorrow(blocked.causes[0]!.until))
    t.regex(blocked.causes[0]!.action, /POST \/billing\/subscription/)
    t.deepEqual(codesOf(await ofAgent(someone, agent)), [code])
    note(blocked)
  }
}

async function schedule(t: ExecutionContext, opened: Opened) {
  const { someone } = await another(opened)
  const agent = await agentOf(someone, { trigger: 'scheduled', cron: '0 9 1 1 *', timeZone: 'Europe/Berlin' })
  const { answer, cause } = await untilCause(() => ofAgent(someone, agent), 'SCHEDULE')
  t.is(answer.state, 'idle')
  t.regex(cause.until ?? '', /-01-01T08:00:00\.000Z$/)
  note(answer)
}

async function modelRetry(t: ExecutionContext, { someone }: Opened) {
  const agent = await agentOf(someone, { systemPrompt: '[[fail 500]]' })
  const { id } = (await start(someone, agent)).body
  const { answer, cause } = await untilCause(() => ofRun(someone, id), 'MODEL_RETRY')
  t.is(answer.state, 'running')
  t.like(cause, { runId: id, sequence: 1, step: 1 })
  t.true(isRecent(cause.since))
  t.true(cause.message.includes('status 500'))
  await waiting(someone, id)
  const waits = await untilCause(() => ofRun(someone, id), 'MODEL_UNAVAILABLE')
  t.is(waits.answer.state, 'waiting')
  t.true(waits.cause.message.includes('status 500'))
  await cancel(someone, id)
  await ended(someone, id)
  const over = await ofRun(someone, id)
  t.deepEqual(codesOf(over), ['ENDED'])
  note(answer, waits.answer, over)
}

async function credits(t: ExecutionContext, opened: Opened) {
  const { platform } = opened
  const { someone, hooked } = await another(opened)
  const agent = await hooked('[[call slow_read {"seconds":2}]] [[then]] [[say done]]')
  const { runId } = (await deliver(platform, agent, {})).body
  const { runId: next } = (await deliver(platform, agent, {})).body
  await happened(someone, runId, 'tool.started')
  await spendAllBut(platform, runId, 0)
  const run = await waiting(someone, runId)
  const waits = await ofRun(someone, runId)
  t.deepEqual([waits.state, ...codesOf(waits)], ['waiting', 'CREDITS'])
  t.like(waits.causes[0], { runId, sequence: 1, step: 2, since: waits.causes[0]!.since, until: run.waitingUntil })
  t.true(isRecent(waits.causes[0]!.since) && isTomorrow(waits.causes[0]!.until))
  t.is((await cancel(someone, runId)).status, 200)
  const stays = await eventually(20, 'the queue has met it', async () => {
    const answer = await ofRun(someone, next)
    return causeIn(answer, 'CREDITS')?.since ? answer : undefined
  })
  t.deepEqual([stays.state, ...codesOf(stays)], ['queued', 'CREDITS'])
  t.true(isTomorrow(stays.causes[0]!.until))
  note(waits, stays)
}

async function rateLimit(t: ExecutionContext, { sites, someone, scripted }: Opened) {
  const { id } = (await start(someone, await scripted('[[call limit {}]]'))).body
  const run = await waiting(someone, id)
  const waits = await ofRun(someone, id)
  t.deepEqual([waits.state, ...codesOf(waits)], ['waiting', 'RATE_LIMIT'])
  const [cause] = waits.causes
  t.like(cause, { runId: id, sequence: 1, step: 1, site: sites.badTools.origin })
  const left = Date.parse(cause!.until ?? '') - Date.now()
  t.true(left > 20_000 && left <= 30_000, `${left} ms of the 30 s that the site has asked for`)
  t.true(Math.abs(Date.parse(run.waitingUntil ?? '') - Date.parse(cause!.until ?? '')) < 2000)
  t.is((await cancel(someone, id)).status, 200)
  note(waits)
}

// @promise why
test('a worker that is not there yet, freezes, or was stopped is noticed, and so is what it leaves', async (t) => {
  const stage = await openStage(t, { env: { CANCEL_SECONDS: '60' } })
  const someone = await customer(stage.platform)
  const operator = await adminOf(stage.platform)
  const workers = async () => (await call(operator, admin.listWorkers)).body.items
  const agent = await agentOf(someone, { systemPrompt: '[[sleep 300]]' })
  const began = Date.now()
  const { id } = (await start(someone, agent)).body
  const pending = await ofRun(someone, id)
  t.deepEqual([pending.state, ...codesOf(pending)], ['queued', 'NO_WORKER', 'WAKE_PENDING'])
  t.is(causeIn(pending, 'NO_WORKER')!.since, null, 'there never was one')
  const wake = causeIn(pending, 'WAKE_PENDING')!
  t.like(wake, { runId: id, sequence: 1 })
  t.true(Date.parse(wake.since ?? '') >= began - 1000 && Date.parse(wake.until ?? '') > Date.parse(wake.since ?? ''))
  t.deepEqual(await workers(), [])

  const worker = await stage.startWorker()
  await happened(someone, id, 'step.started')
  await eventually(10, 'the worker is seen', async () => {
    const answer = await ofRun(someone, id)
    return codesOf(answer).join() === 'WORKING' || undefined
  })
  t.like(await workers(), { 0: { present: true, polling: true }, length: 1 })

  process.kill(worker.pid, 'SIGSTOP')
  const frozen = Date.now()
  // It is not asked why all the while: an answer costs ten times what this does.
  await eventually(60, 'the worker is missed', async () =>
    (await stage.platform.services.workers.presence()).present ? undefined : true,
  )
  const { answer: alone, cause } = await untilCause(() => ofRun(someone, id), 'NO_WORKER')
  t.log(`a frozen worker was noticed after ${(Date.now() - frozen) / 1000} s`)
  t.deepEqual([alone.state, ...codesOf(alone)], ['running', 'NO_WORKER', 'WORKING'])
  t.true(Math.abs(Date.parse(cause.since ?? '') - frozen) < 10_000)
  t.like(await workers(), { 0: { present: false, polling: true }, length: 1 })

  t.is((await cancel(someone, id)).status, 200)
  const cancelling = await ofRun(someone, id)
  t.deepEqual([cancelling.state, ...codesOf(cancelling)], ['running', 'NO_WORKER', 'CANCELLING', 'WORKING'])
  const asked = causeIn(cancelling, 'CANCELLING')!
  t.like(asked, { runId: id, sequence: 1, step: 1 })
  t.true(isRecent(asked.since) && Date.parse(asked.until ?? '') > Date.now() + 30_000)
  note(pending, alone, cancelling)

  process.kill(worker.pid, 'SIGCONT')
  await ended(someone, id)
  t.is(await worker.stop(), 0)
  t.deepEqual(await workers(), [], 'one that was stopped has signed off')
})

// @promise why
test('while Temporal is away the answer says so, and comes quickly all the same', async (t) => {
  const platform = await startPlatform(t, { env: { TEMPORAL_ADDRESS: '127.0.0.1:1' } })
  const someone = await customer(platform)
  const agent = await webhookAgent(someone)
  const idle = await ofAgent(someone, agent)
  t.deepEqual(codesOf(idle), ['IDLE'], 'there is nothing that it would be needed for')
  const { runId } = (await deliver(platform, agent, {})).body
  const began = Date.now()
  const away = await ofRun(someone, runId)
  const took = Date.now() - began
  t.true(took < 5000, `${took} ms`)
  t.deepEqual([away.state, ...codesOf(away)], ['queued', 'TEMPORAL_AWAY', 'NO_WORKER', 'WAKE_PENDING'])
  t.true(isRecent(causeIn(away, 'TEMPORAL_AWAY')!.since))

  const scheduled = await agentOf(someone, { trigger: 'scheduled', cron: '0 9 * * *', timeZone: 'UTC' })
  const late = await ofAgent(someone, scheduled)
  t.deepEqual(
    [late.state, ...codesOf(late)],
    ['idle', 'TEMPORAL_AWAY', 'NO_WORKER', 'SCHEDULE_NOT_IN_STEP', 'SCHEDULE'],
  )
  note(away, late)
})

test.after('every cause there is was provoked by the tests above', (t) => {
  t.deepEqual(
    causeOrder.filter((code) => !provoked.has(code)),
    // The tests of fair runs and of concurrent models provoke them, with few places, and the tests of holds.
    ['NO_PLACE', 'CREDITS_HELD', 'PROVIDER_BUSY'],
  )
})
