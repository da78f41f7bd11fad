// @promise why
import { readdirSync, readFileSync } from 'node:fs'
import test from 'ava'
import { actions, request } from '../../../src/why/actions.ts'
import { causeOrder, type Cause, type CauseCode } from '../../../src/why/cause.ts'
import { explain } from '../../../src/why/causes.ts'
import type { Charge } from '../../../src/runs/queue/blocked.ts'
import type { Facts, HeadRun, NamedRun, OpenCall } from '../../../src/why/facts.ts'

const now = new Date('2026-11-21T12:00:00Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
const ahead = (seconds: number) => ago(-seconds)

const origin = 'https://crm.example.com'
const queuedRun: NamedRun = {
  id: 'r4',
  sequence: 4,
  trigger: 'webhook',
  status: 'queued',
  acceptedAt: ago(60),
  endedAt: null,
  error: null,
}

/** An idle agent of somebody in good standing, on a platform that is whole. */
const idle: Facts = {
  now,
  agent: {
    id: 'a1',
    ownerId: 'o1',
    name: 'Sorter',
    trigger: 'webhook',
    pausedAt: null,
    pausedReason: null,
    exceedingSince: null,
    deletedAt: null,
  },
  charges: [],
  hasCredits: true,
  cap: null,
  isSuspended: false,
  queue: {
    unfinished: 0,
    awake: false,
    signalledAt: ago(90),
    progressedAt: ago(90),
    blockedCause: null,
    blockedSince: null,
  },
  head: null,
  next: null,
  queued: 0,
  asked: null,
  action: { kind: 'rest' },
  schedule: null,
  temporal: { reachable: true, since: null },
  workers: { present: true, since: null },
  settings: { callsPerMinute: 10, cancelSeconds: 6, queueBlockedSeconds: 86_400, reconcileSeconds: 2, stallSeconds: 5 },
}
const queued: Facts = { ...idle, next: queuedRun, queued: 2 }

const run: HeadRun['run'] = {
  id: 'r3',
  sequence: 3,
  status: 'running',
  steps: 1,
  progressedAt: ago(1),
  waitingCause: null,
  waitingFor: null,
  waitingSince: null,
  waitingUntil: null,
  modelRetryAt: null,
  cancelRequestedAt: null,
  noPlaceSince: null,
  noPlaceAt: null,
  fallbackSince: null,
}
const asking: HeadRun = {
  run,
  attempt: { number: 1, at: ago(20), failed: false },
  failure: null,
  outage: null,
  calls: [],
  mayWaitUntil: ahead(3600),
  mayWaitForModelUntil: null,
}

const call: OpenCall = {
  name: 'createContact',
  tool: 'createContact',
  step: 1,
  siteOrigin: origin,
  status: 'started',
  attempts: 1,
  plannedAt: ago(31),
  startedAt: ago(30),
  waitCause: null,
  notBefore: null,
  entry: { id: 'v1', name: 'CRM', authType: 'bearer', status: 'connected', statusReason: null },
  approval: null,
  heldUntil: null,
}
const dead = { ...call.entry!, status: 'needs_reauth' as const, statusReason: 'The site refuses the token.' }
const parked: OpenCall = { ...call, status: 'planned', startedAt: null, waitCause: 'credential', entry: dead }
const limited: OpenCall = { ...parked, waitCause: 'rate_limit', notBefore: ahead(40), entry: call.entry }

const unapproved: OpenCall = {
  ...parked,
  waitCause: 'approval',
  notBefore: ahead(50),
  entry: call.entry,
  approval: { id: 'p1', requestedAt: ago(30), expiresAt: ahead(50) },
}

/** A run that waits as a whole. */
const waits = (waitingCause: HeadRun['run']['waitingCause'], calls: OpenCall[] = []): HeadRun => ({
  run: {
    ...run,
    status: 'waiting',
    waitingCause,
    waitingFor: calls[0]?.siteOrigin ?? null,
    waitingSince: ago(3600),
    waitingUntil: ahead(40),
  },
  attempt: null,
  failure: null,
  outage: null,
  calls,
  mayWaitUntil: ahead(3600),
  mayWaitForModelUntil: null,
})

const withHead = (head: HeadRun, more: Partial<Facts> = {}): Facts => ({ ...idle, head, ...more })
const codesOf = (facts: Facts): CauseCode[] => explain(facts).causes.map(({ code }) => code)
const only = (facts: Facts, code: CauseCode): Omit<Cause, 'action'> & { action: string } => {
  const found = explain(facts).causes.filter((cause) => cause.code === code)
  if (found.length !== 1) throw new Error(`${found.length} causes are ${code}: ${codesOf(facts).join()}`)
  return found[0]!
}

test('an idle scheduled agent waits for its next fire, and needs somebody who carries it out', (t) => {
  const scheduled: Facts = {
    ...idle,
    agent: { ...idle.agent, trigger: 'scheduled' },
    schedule: { inSync: true, nextFire: ahead(600) },
  }
  t.deepEqual(codesOf(scheduled), ['SCHEDULE'])
  t.deepEqual(only(scheduled, 'SCHEDULE').until, ahead(600))
  const nobody = { ...scheduled, workers: { present: false, since: ago(100) } }
  t.deepEqual(codesOf(nobody), ['NO_WORKER', 'SCHEDULE'])
  t.deepEqual(only(nobody, 'NO_WORKER').since, ago(100))
  t.deepEqual(codesOf({ ...scheduled, schedule: { inSync: false, nextFire: ahead(600) } }), [
    'SCHEDULE_NOT_IN_STEP',
    'SCHEDULE',
  ])
  const paused = { ...scheduled, agent: { ...scheduled.agent, pausedAt: ago(5) } }
  t.deepEqual(codesOf(paused), ['PAUSED', 'IDLE'], 'a paused schedule does not fire')
})

test('a run that waits for its model says when the model is asked again, and nothing once the outage has ended', (t) => {
  const head = { ...waits('model'), run: { ...waits('model').run, waitingFor: 'large', waitingUntil: ahead(86_400) } }
  const outage = { message: 'It is overloaded.', beganAt: ago(600), nextProbeAt: ahead(90) }
  t.deepEqual(only(withHead({ ...head, outage }), 'MODEL_UNAVAILABLE').until, ahead(90))
  const own = { ...head, run: { ...head.run, modelRetryAt: ahead(70) } }
  t.deepEqual(only(withHead(own), 'MODEL_UNAVAILABLE').until, ahead(70))
  t.false(codesOf(withHead(head)).includes('MODEL_UNAVAILABLE'))
})

test('a queue that its owner has to pay for says until when its first run stays queued', (t) => {
  const blocks = [
    ['tier', 'TIER'],
    ['past_due', 'PAST_DUE'],
    ['credits', 'CREDITS'],
  ] as const
  for (const [charge, code] of blocks) {
    const queue = { ...idle.queue, blockedCause: charge, blockedSince: ago(3600) }
    const facts: Facts = { ...queued, charges: [charge], queue }
    t.deepEqual(codesOf(facts), [code])
    // It was accepted after the queue was blocked, and its own day began then.
    t.like(only(facts, code), { since: ago(3600), until: ahead(86_340), runId: 'r4', sequence: 4 })
    t.deepEqual(only({ ...facts, queue: idle.queue }, code).until, null, 'nobody has met it yet')
    const isCapped = charge === 'credits'
    t.deepEqual(only({ ...facts, cap: 'tokens' }, code).until, isCapped ? null : ahead(86_340), 'a month has an end')
    t.deepEqual(codesOf({ ...idle, charges: [charge] }), [code, 'IDLE'])
  }
})

test('everything that has to be paid is told at once, also of a paused agent, and nothing is advised that would be refused', (t) => {
  const facts: Facts = {
    ...queued,
    agent: { ...idle.agent, pausedAt: ago(7) },
    charges: ['tier', 'past_due', 'credits'],
  }
  t.deepEqual(codesOf(facts), ['CREDITS', 'TIER', 'PAST_DUE', 'PAUSED'])
  const queue = { ...idle.queue, blockedCause: 'paused' as const, blockedSince: ago(7) }
  t.deepEqual(codesOf({ ...facts, queue }), codesOf(facts))
  t.like(only({ ...facts, queue }, 'CREDITS'), { since: null, until: null }, 'it does not fail while it is paused')
  const unused = (charges: Charge[]) => ({ ...idle, charges })
  t.regex(only(unused(['tier']), 'TIER').message, /^No delivery is accepted for “Sorter”/)
  t.is(
    only(unused(['tier']), 'IDLE').action,
    'Run it with POST /agents/a1/runs (this uses credits or tokens of the account).',
  )
  t.regex(only(unused([]), 'IDLE').action, /runs \(this uses credits or tokens of the account\), or deliver to POST/)
  t.regex(only(unused(['credits']), 'CREDITS').message, /^Nothing can be started for “Sorter”/)
  t.notRegex(only(unused(['credits']), 'IDLE').action, /POST/)
  const over = { ...queuedRun, status: 'completed' as const, endedAt: ago(5) }
  t.notRegex(only({ ...unused(['credits']), asked: { run: over, ahead: 0 } }, 'ENDED').action, /replay/)
})

test('a turn that comes after a run has waited as long as it may is none', (t) => {
  const late = { ...waits('rate_limit', [limited]), mayWaitUntil: ahead(15) }
  const cause = only(withHead(late), 'RATE_LIMIT')
  t.deepEqual(cause.until, ahead(15))
  t.regex(cause.message, /waits until 2026-11-21T12:00:15Z, and fails then/)
  t.notRegex(cause.action, /continues by itself/)
})

test('that a run goes on by itself when its turn comes is said only where nothing else keeps it', (t) => {
  const cause = (head: HeadRun, more: Partial<Facts> = {}) => only(withHead(head, more), 'RATE_LIMIT')
  const alone = cause(waits('rate_limit', [limited]))
  t.is(
    alone.action,
    'There is nothing to do: the run continues by itself. To let the next run start instead: POST /runs/r3/skip (this gives that run up for good: what it has not done stays undone unless you replay it).',
  )
  const paused = { agent: { ...idle.agent, pausedAt: ago(7) } }
  const nobody: Partial<Facts> = { workers: { present: false, since: null } }
  const beside = [
    [
      cause(waits('rate_limit', [limited]), paused),
      /before the agent is resumed\. To end it instead: POST \/runs\/r3\/skip \(this gives/,
    ],
    [
      cause(waits('rate_limit', [limited, parked])),
      /before a site is reconnected\. To let the next run start instead: /,
    ],
    [cause(waits('rate_limit', [limited, parked]), paused), /before a site is reconnected and the agent is resumed\./],
    [cause(waits('rate_limit', [limited]), nobody), /before the platform is fully up again\./],
  ] as const
  for (const [{ message, action }, expected] of beside) {
    t.regex(message, /waits until at least 2026-11-21T12:00:40Z, because/)
    t.regex(action, expected)
    t.notRegex(action, /by itself/)
  }
  const atWork = { ...asking, calls: [call, limited] }
  t.regex(
    cause(atWork).action,
    /continues by itself\. To end it instead: POST \/runs\/r3\/cancel \(/,
    'it cannot be skipped',
  )
  const ending = { ...atWork, run: { ...run, cancelRequestedAt: ago(1) } }
  t.is(cause(ending).action, 'There is nothing to do: the run is about to end.')
})

test('a paused agent says what that does to its run, its queue, or nothing', (t) => {
  const agent = { ...idle.agent, pausedAt: ago(7) }
  const message = (facts: Facts) => only({ ...facts, agent }, 'PAUSED').message
  t.regex(message(withHead(asking)), /run 3 stops before its next step/)
  t.regex(message(withHead(waits('paused'))), /so run 3 is waiting\.$/)
  t.regex(message(queued), /2 runs stay queued/)
  t.regex(message(idle), /it starts nothing/)
  t.deepEqual(codesOf({ ...withHead(waits('paused')), agent }), ['PAUSED'])
})

test('several causes hold at once, and what somebody has to do comes first', (t) => {
  const facts = withHead(waits('credential', [parked]), {
    agent: { ...idle.agent, pausedAt: ago(7) },
    next: queuedRun,
    queued: 2,
    temporal: { reachable: false, since: ago(9) },
    workers: { present: false, since: ago(100) },
  })
  t.deepEqual(codesOf(facts), ['CREDENTIAL', 'PAUSED', 'TEMPORAL_AWAY', 'NO_WORKER', 'RUN_AHEAD'])
  const credential = only(facts, 'CREDENTIAL')
  t.like(credential, { runId: 'r3', sequence: 3, step: 1, site: origin, since: ago(3600), until: ahead(40) })
  t.is(
    credential.message,
    'Run 3 needs “CRM” (https://crm.example.com) to be reconnected and has been waiting since 2026-11-21T11:00:00Z: The site refuses the token.',
  )
  t.regex(credential.action, /PATCH \/vault\/v1 \(this loses nothing: .*\); the run then continues/)
  t.is(explain(facts).summary, `Run 3 of “Sorter” is waiting: ${credential.message.replace('Run 3', 'it')}`)
})

test('every connection and every site that calls of one step wait for is named once', (t) => {
  const oauth = {
    ...parked,
    siteOrigin: 'https://two.example',
    entry: { ...dead, id: 'v2', authType: 'oauth2' as const },
  }
  const sooner = { ...limited, siteOrigin: 'https://three.example', notBefore: ahead(10), heldUntil: ahead(10) }
  const facts = withHead(
    waits('rate_limit', [limited, parked, parked, oauth, sooner, { ...limited, notBefore: ahead(20) }]),
  )
  const { causes } = explain(facts)
  t.deepEqual(
    causes.map(({ code, site }) => [code, site]),
    [
      ['CREDENTIAL', origin],
      ['CREDENTIAL', 'https://two.example'],
      ['RATE_LIMIT', 'https://three.example'],
      ['RATE_LIMIT', origin],
    ],
  )
  t.regex(causes[1]!.action, /POST \/vault\/oauth\/start \(this loses nothing: .*\) and "entryId": "v2"/)
  t.regex(causes[2]!.message, /has asked for a pause/)
  t.regex(causes[3]!.message, /takes 10 calls a minute/)
  t.deepEqual(causes[3]!.until, ahead(20), 'the first of its calls that may be made')
})

test('each call that must be approved is named, the one that expires first in front, with how to decide', (t) => {
  const sooner = { ...unapproved, approval: { id: 'p2', requestedAt: ago(30), expiresAt: ahead(40) } }
  const { causes } = explain(withHead(waits('approval', [unapproved, sooner])))
  t.deepEqual(
    causes.map(({ code, until }) => [code, until]),
    [
      ['APPROVAL', ahead(40)],
      ['APPROVAL', ahead(50)],
    ],
  )
  t.like(causes[1], { runId: 'r3', sequence: 3, step: 1, site: origin, since: ago(30) })
  t.is(
    causes[1]!.message,
    'Run 3 has been waiting since 2026-11-21T11:59:30Z for the call of createContact of “CRM” (https://crm.example.com) to be approved; at 2026-11-21T12:00:50Z it goes on without it.',
  )
  t.regex(
    causes[1]!.action,
    /GET \/approvals\/p1, and approve or refuse it with POST \/approvals\/p1 \(this is decided once/,
  )
  const decided = { ...unapproved, approval: null }
  t.deepEqual(codesOf(withHead(waits('approval', [decided]))), ['WAKE_PENDING'], 'it is about to go on')
  const behind = only(withHead(waits('approval', [unapproved]), { next: queuedRun, queued: 1 }), 'RUN_AHEAD')
  t.regex(behind.message, /waiting for the approval of a call to “CRM” \(https:\/\/crm\.example\.com\) since/)
})

test('a run at work says what it does, since when, and which attempt that is', (t) => {
  t.like(only(withHead(asking), 'WORKING'), { since: ago(20), step: 2, site: null, runId: 'r3' })
  const calling = withHead({ ...asking, calls: [{ ...call, startedAt: ago(3) }, { ...call, attempts: 2 }, parked] })
  t.deepEqual(codesOf(calling), ['CREDENTIAL', 'WORKING'])
  const working = only(calling, 'WORKING')
  t.like(working, { since: ago(30), step: 1, site: origin })
  t.regex(
    working.message,
    /has been calling createContact of “CRM” .*attempt 2\) since .* and is making 1 more tool call\.$/,
  )
})

test('a model that failed is asked again, and what it failed with is told', (t) => {
  const failure = { message: 'The AI provider is failing.', at: ago(4), retryAt: null }
  const between = withHead({ ...asking, attempt: { number: 1, at: ago(4), failed: true }, failure })
  t.deepEqual(codesOf(between), ['MODEL_RETRY'])
  t.regex(only(between, 'MODEL_RETRY').message, /step 2 of run 3 .* in a moment: The AI provider is failing\.$/)
  const again = withHead({ ...asking, attempt: { number: 2, at: ago(1), failed: false }, failure })
  t.deepEqual(codesOf(again), ['MODEL_RETRY', 'WORKING'])
  t.like(only(again, 'MODEL_RETRY'), { since: ago(4), step: 2 })
})

test('a model whose provider has named a time is not missed before', (t) => {
  const failing = (retryAt: Date | null, more: Partial<HeadRun> = {}) => {
    const failure = { message: 'The AI provider is busy.', at: ago(300), retryAt }
    const attempt = { number: 1, at: ago(300), failed: true }
    return only(withHead({ ...asking, attempt, failure, ...more }), 'MODEL_RETRY')
  }
  const pause = failing(ahead(120))
  t.deepEqual(pause.until, ahead(120))
  t.regex(pause.message, / and is retried at 2026-11-21T12:02:00Z, as its provider asked: The AI provider is/)
  t.regex(pause.action, /^There is nothing to do/)
  t.regex(failing(ago(30)).message, /is retried in a moment/, 'it counts from the time that was named')
  for (const late of [ago(61), null]) {
    t.regex(failing(late).message, /has not been retried since/)
    t.regex(failing(late).action, /look at the workflow run\/r3 in Temporal/)
  }
  const again = failing(ago(1), { attempt: { number: 2, at: ago(1), failed: false } })
  t.like(again, { until: null })
})

test('a run without a place in a worker says so until it makes progress', (t) => {
  const wanting = (noPlaceSince: Date | null, more: Partial<HeadRun> = {}): HeadRun => ({
    ...asking,
    attempt: null,
    run: { ...run, progressedAt: ago(30), noPlaceSince },
    ...more,
  })
  const inspected: Partial<Facts> = { action: { kind: 'inspect' } }
  t.deepEqual(codesOf(withHead(wanting(ago(20)), inspected)), ['NO_PLACE'])
  t.like(only(withHead(wanting(ago(20))), 'NO_PLACE'), { since: ago(20), step: 2, runId: 'r3' })
  t.regex(only(withHead(wanting(ago(20))), 'NO_PLACE').action, /^There is nothing to do/)
  const calls = [{ ...call, status: 'planned' as const, startedAt: null }]
  t.like(only(withHead(wanting(ago(20), { calls })), 'NO_PLACE'), { step: 1, site: origin })
  t.deepEqual(codesOf(withHead(wanting(ago(31)))), ['WORKING'], 'that was before its last progress')
  t.deepEqual(codesOf(withHead(wanting(null))), ['WORKING'])
})

test('a run without a place at its AI provider says so, also if it is to be asked again there', (t) => {
  const failed: Partial<HeadRun> = {
    attempt: { number: 1, at: ago(200), failed: true },
    failure: { message: 'The AI provider is busy.', at: ago(190), retryAt: null },
  }
  const busy = (more: Partial<HeadRun> = {}) =>
    withHead({
      ...asking,
      attempt: null,
      run: { ...run, progressedAt: ago(190), noPlaceSince: ago(180), noPlaceAt: 'local' },
      ...more,
    })
  t.deepEqual(codesOf(busy()), ['PROVIDER_BUSY'])
  t.like(only(busy(), 'PROVIDER_BUSY'), { since: ago(180), step: 2, runId: 'r3' })
  t.regex(only(busy(), 'PROVIDER_BUSY').message, /^Run 3 has been waiting for its turn at the AI provider local since /)
  t.deepEqual(codesOf(busy(failed)), ['MODEL_RETRY', 'PROVIDER_BUSY'])
  t.regex(only(busy(failed), 'MODEL_RETRY').message, /is retried in a moment/, 'nobody has to look at Temporal')
})

test('a run whose model has failed for good says that the fallback model is asked in its place', (t) => {
  const failure = { message: 'The AI provider is busy.', at: ago(9), retryAt: null }
  const said = (attempt: HeadRun['attempt'], fallbackSince: number | null) =>
    only(withHead({ ...asking, attempt, failure, run: { ...run, fallbackSince } }), 'MODEL_RETRY').message
  const [over, next] = [
    { number: 4, at: ago(10), failed: true },
    { number: 5, at: ago(8), failed: false },
  ]
  t.regex(said(over, 2), /failed at .* and is made with the fallback model in a moment: The AI provider is busy/)
  t.regex(said(next, 2), /and was made with the fallback model at 2026-11-21T11:59:52Z: /)
  t.regex(said(next, 1), /and was retried at /, 'the fallback model itself has failed')
})

test('a run that was asked to end says by when it will have', (t) => {
  const facts = withHead({ ...asking, run: { ...run, cancelRequestedAt: ago(2) } })
  t.deepEqual(codesOf(facts), ['CANCELLING', 'WORKING'])
  t.like(only(facts, 'CANCELLING'), { since: ago(2), until: ahead(6), runId: 'r3' })
  const late = withHead({ ...asking, run: { ...run, cancelRequestedAt: ago(60) } })
  t.like(only(late, 'CANCELLING'), { until: ahead(2) })
})

test('a run whose wait is over is about to be told so', (t) => {
  const over: HeadRun[] = [
    waits('paused'),
    waits('credits'),
    waits('credential', [{ ...parked, entry: call.entry }]),
    waits('credential', [{ ...parked, entry: null }]),
    waits('rate_limit', [{ ...limited, notBefore: ago(1) }]),
  ]
  for (const head of over) t.deepEqual(codesOf(withHead(head)), ['WAKE_PENDING'], String(head.run.waitingCause))
  t.deepEqual(codesOf(withHead(waits('credits'), { hasCredits: false })), ['CREDITS'])
})

test('a run that nothing happens to any more is about to be taken up again', (t) => {
  const begun = { ...asking, attempt: null }
  t.deepEqual(codesOf(withHead(begun)), ['WORKING'])
  const head = { ...begun, run: { ...run, progressedAt: ago(8) } }
  t.deepEqual(codesOf(withHead(head)), ['WORKING'], 'not as long as the reconciler leaves it alone')
  const still = withHead(head, { action: { kind: 'inspect' } })
  t.deepEqual(codesOf(still), ['WAKE_PENDING'])
  t.like(only(still, 'WAKE_PENDING'), { since: ago(8), step: 2, runId: 'r3' })
})

test('a queued run that nothing keeps says when its agent is looked at again', (t) => {
  const left: Facts = { ...queued, action: { kind: 'leave', until: ahead(9) } }
  t.deepEqual(codesOf(left), ['WAKE_PENDING'])
  t.like(only(left, 'WAKE_PENDING'), { since: ago(60), until: ahead(9), runId: 'r4' })
  t.like(only({ ...left, action: { kind: 'inspect' } }, 'WAKE_PENDING'), { until: ahead(2) })
  for (const past of [ago(1), now]) {
    const cause = only({ ...queued, action: { kind: 'leave', until: past } }, 'WAKE_PENDING')
    t.deepEqual(cause.until, ahead(2), 'what is due is looked at in the next round')
    t.regex(cause.message, /checked again at about 2026-11-21T12:00:02Z/)
  }
})

test('what is queued names the run ahead of it, and what that does', (t) => {
  const asked = { run: { ...queuedRun, id: 'r6', sequence: 6 }, ahead: 3 }
  const behind = withHead({ ...asking, calls: [call] }, { next: queuedRun, queued: 3, asked })
  t.deepEqual(codesOf(behind), ['RUN_AHEAD', 'WORKING'])
  t.is(explain(behind).state, 'queued')
  const cause = only(behind, 'RUN_AHEAD')
  t.like(cause, { runId: 'r3', sequence: 3, step: 1, site: origin, since: ago(30) })
  t.regex(cause.message, /^3 runs are ahead of run 6: run 3 has been calling createContact/)
  t.regex(cause.action, /POST \/runs\/r3\/cancel/)
  const skippable = withHead(waits('credential', [parked]), { next: queuedRun, queued: 1 })
  t.regex(only(skippable, 'RUN_AHEAD').message, /^1 run is ahead of the queued run: run 3 has been waiting for “CRM”/)
  t.regex(only(skippable, 'RUN_AHEAD').action, /POST \/runs\/r3\/skip/)
  const blocked = { ...queued, asked: { ...asked, ahead: 1 }, charges: ['tier' as const] }
  t.deepEqual(codesOf(blocked), ['TIER', 'RUN_AHEAD'])
  t.like(only(blocked, 'RUN_AHEAD'), { runId: 'r4', sequence: 4 })
})

test('the run at the head does not stand behind itself, and an ended run has ended', (t) => {
  const head = { ...queuedRun, id: 'r3', sequence: 3, status: 'running' as const }
  const facts = withHead(asking, { next: queuedRun, queued: 2, asked: { run: head, ahead: 0 } })
  t.deepEqual(codesOf(facts), ['WORKING'])
  const failed = { ...head, status: 'failed' as const, endedAt: ago(50), error: 'The model failed.' }
  const over = withHead(asking, { asked: { run: failed, ahead: 0 }, workers: { present: false, since: null } })
  t.deepEqual(codesOf(over), ['ENDED'])
  t.like(explain(over), { state: 'ended' })
  t.is(explain(over).summary, 'Run 3 of “Sorter” has ended: it failed at 2026-11-21T11:59:10Z: The model failed.')
  t.is(only(over, 'ENDED').message, 'Run 3 of “Sorter” failed at 2026-11-21T11:59:10Z: The model failed.')
  t.regex(only(over, 'ENDED').action, /replay/)
  const gone = { ...over, agent: { ...over.agent, deletedAt: ago(1) } }
  t.notRegex(only(gone, 'ENDED').action, /replay/, 'a deleted agent has nothing replayed')
  const byHand = { run: { ...failed, trigger: 'manual' as const }, ahead: 0 }
  const busy = { ...over, asked: byHand, queue: { ...over.queue, unfinished: 1 } }
  t.notRegex(only(busy, 'ENDED').action, /replay/, 'its agent is busy')
})

/** The requests in advice that change something, and do not say what is lost by them. */
const unsaid = (action: string): string[] =>
  [...action.matchAll(/(?:POST|PUT|PATCH|DELETE) \S+/g)]
    .filter(({ index }) => !said.some((text) => new RegExp(text).test(action.slice(index))))
    .map(([text]) => text)

/** How each action that changes something is named, with any identifier. */
const said = Object.keys(actions).flatMap((name) => {
  const text = request(name as keyof typeof actions, 'ID')
  return text.startsWith('GET ') ? [] : [`^${RegExp.escape(text).replace('ID', '[\\w-]+')}`]
})

test('an action that changes something says what is lost by it, and one that changes nothing has nothing to say', (t) => {
  for (const [name, { request: text, loses }] of Object.entries(actions)) {
    const named = request(name as keyof typeof actions, 'r1')
    t.true(named.startsWith(text.replace('{id}', 'r1')), name)
    t.is(loses === null, text.startsWith('GET '), name)
    if (loses !== null) t.true(named.endsWith(` (this ${loses})`), name)
  }
  for (const name of ['skip', 'cancel'] as const) t.regex(actions[name].loses, /^gives that run up for good: /)
  t.deepEqual(unsaid('Skip it with POST /runs/r3/skip now.'), ['POST /runs/r3/skip'])
})

test('no answer names a request but through the table of actions', (t) => {
  const folder = new URL('../../../src/why/', import.meta.url)
  for (const name of readdirSync(folder).filter((one) => one !== 'actions.ts'))
    t.notRegex(readFileSync(new URL(name, folder), 'utf8'), /\b(GET|POST|PUT|PATCH|DELETE) \//, name)
})

const chargesIn = (block: Charge | 'paused' | 'all' | null): Charge[] =>
  block === 'all' ? ['tier', 'past_due', 'credits'] : block === null || block === 'paused' ? [] : [block]

test('whatever the facts, there is a cause, the causes are in order, and each is told in whole sentences', (t) => {
  const heads: (HeadRun | null)[] = [
    null,
    asking,
    { ...asking, attempt: null },
    { ...asking, calls: [call, parked, limited] },
    { ...asking, run: { ...run, cancelRequestedAt: ago(1) }, attempt: null, calls: [limited] },
    waits('credential', [parked]),
    waits('rate_limit', [limited]),
    waits('paused'),
    waits('credits'),
  ]
  let count = 0
  for (const head of heads)
    for (const next of [null, queuedRun])
      for (const block of [null, 'paused', 'tier', 'past_due', 'credits', 'all'] as const)
        for (const trigger of ['manual', 'scheduled', 'webhook'] as const)
          for (const whole of [true, false])
            for (const asked of [null, queuedRun, { ...queuedRun, status: 'skipped' as const }]) {
              if (asked?.status === 'queued' && !next) continue
              const facts: Facts = {
                ...idle,
                head,
                next,
                charges: chargesIn(block),
                queued: next ? 1 : 0,
                agent: { ...idle.agent, trigger, pausedAt: block === 'paused' || block === 'all' ? ago(9) : null },
                asked: asked && { run: asked, ahead: head ? 1 : 0 },
                schedule: trigger === 'scheduled' ? { inSync: whole, nextFire: whole ? ahead(9) : null } : null,
                temporal: { reachable: whole, since: null },
                workers: { present: whole, since: null },
              }
              const { causes, summary, state } = explain(facts)
              for (const { action } of causes) t.deepEqual(unsaid(action), [], action)
              for (const { until } of causes) t.true(until === null || until > now)
              t.notRegex(summary, /(Run \d|The agent) .*: \1 /)
              const order = causes.map(({ code }) => causeOrder.indexOf(code))
              t.true(causes.length > 0, state)
              t.deepEqual(
                order,
                order.toSorted((one, other) => one - other),
              )
              for (const text of [summary, ...causes.flatMap(({ message, action }) => [message, action])]) {
                t.regex(text, /^\S.*[.]$/)
                t.notRegex(text, /null|undefined|NaN|Invalid|\{|  |\.\./, text)
              }
              count += 1
            }
  t.log(`${count} cases`)
})
