// @promise why
import { readdirSync, readFileSync } from 'node:fs'
import test from 'ava'
import { someJob } from '../../helpers/tasks.ts'
import { actions, request } from '../../../src/why/actions.ts'
import { causeOrder, type Cause, type CauseCode } from '../../../src/why/cause.ts'
import { explain } from '../../../src/why/explain.ts'
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
  silentSince: null,
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
  job: null,
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
  approval: { id: 'p1', formNumber: 0, requestedAt: ago(30), expiresAt: ahead(50) },
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

const paused: Facts['agent'] = { ...idle.agent, pausedAt: ago(7) }
const nobody: Facts['workers'] = { present: false, since: ago(100) }
const scheduled: Facts = {
  ...idle,
  agent: { ...idle.agent, trigger: 'scheduled' },
  schedule: { inSync: true, nextFire: ahead(600) },
}
const noModel = { ...waits('model'), run: { ...waits('model').run, waitingUntil: ahead(86_400) } }
const outage = { message: 'It is overloaded.', beganAt: ago(600), nextProbeAt: ahead(90) }
const failure = { message: 'The AI provider is failing.', at: ago(4), retryAt: null }
const failing: HeadRun = { ...asking, attempt: { number: 1, at: ago(4), failed: true }, failure }
/** A run that nothing happens to any more. */
const silent: HeadRun = { ...asking, attempt: null, run: { ...run, progressedAt: ago(8) } }
const inspected: Partial<Facts> = { action: { kind: 'inspect' } }
/** A run without a place, in a worker or at its provider. */
const wanting = (noPlaceSince: Date | null, noPlaceAt: string | null = null): HeadRun => ({
  ...silent,
  run: { ...run, progressedAt: ago(30), noPlaceSince, noPlaceAt },
})
const unsent: OpenCall = { ...call, status: 'planned', startedAt: null }
const cancelled = (seconds: number): HeadRun => ({ ...asking, run: { ...run, cancelRequestedAt: ago(seconds) } })
const left = (until: Date): Facts => ({ ...queued, action: { kind: 'leave', until } })
const calling = { ...asking, calls: [{ ...call, startedAt: ago(3) }, { ...call, attempts: 2 }, parked] }
const sooner = { ...unapproved, approval: { id: 'p2', formNumber: 0, requestedAt: ago(30), expiresAt: ahead(40) } }

/** What there is to tell of the facts, the most important first, and what is told of the first cause. */
const rows: [what: string, facts: Facts, codes: string, first?: Partial<Cause>][] = [
  ['nothing comes', { ...idle, silentSince: ago(9000) }, 'SILENT IDLE', { since: ago(9000) }],
  ['an idle schedule fires next', scheduled, 'SCHEDULE', { until: ahead(600) }],
  ['it needs a worker', { ...scheduled, workers: nobody }, 'NO_WORKER SCHEDULE', { since: ago(100) }],
  [
    'it may be late',
    { ...scheduled, schedule: { inSync: false, nextFire: ahead(600) } },
    'SCHEDULE_NOT_IN_STEP SCHEDULE',
  ],
  ['a paused one does not fire', { ...scheduled, agent: { ...scheduled.agent, pausedAt: ago(5) } }, 'PAUSED IDLE'],
  ['a model that is out', withHead({ ...noModel, outage }), 'MODEL_UNAVAILABLE', { until: ahead(90) }],
  [
    'the next try of the run itself',
    withHead({ ...noModel, run: { ...noModel.run, modelRetryAt: ahead(70) } }),
    'MODEL_UNAVAILABLE',
    { until: ahead(70) },
  ],
  ['an outage that has ended', withHead(noModel), 'WAKE_PENDING'],
  ['a run that asks its model', withHead(asking), 'WORKING', { since: ago(20), step: 2, site: null, runId: 'r3' }],
  ['a run that calls and waits', withHead(calling), 'CREDENTIAL WORKING', { site: origin }],
  ['a model that failed', withHead(failing), 'MODEL_RETRY', { since: ago(4), step: 2, until: null }],
  [
    'a model that is asked again',
    withHead({ ...failing, attempt: { number: 2, at: ago(1), failed: false } }),
    'MODEL_RETRY WORKING',
    { since: ago(4), step: 2 },
  ],
  ['no place in a worker', withHead(wanting(ago(20)), inspected), 'NO_PLACE', { since: ago(20), step: 2, runId: 'r3' }],
  ['nor for a call', withHead({ ...wanting(ago(20)), calls: [unsent] }), 'NO_PLACE', { step: 1, site: origin }],
  ['before the last progress', withHead(wanting(ago(31))), 'WORKING'],
  ['always a place', withHead(wanting(null)), 'WORKING'],
  ['no place at the provider', withHead(wanting(ago(20), 'local')), 'PROVIDER_BUSY', { since: ago(20), step: 2 }],
  [
    'a failure before it',
    withHead({ ...wanting(ago(20), 'local'), attempt: failing.attempt, failure }),
    'MODEL_RETRY PROVIDER_BUSY',
  ],
  ['a run that is asked to end', withHead(cancelled(2)), 'CANCELLING WORKING', { since: ago(2), until: ahead(6) }],
  ['for long', withHead(cancelled(60)), 'CANCELLING WORKING', { until: ahead(2) }],
  ['a pause that is over', withHead(waits('paused')), 'WAKE_PENDING'],
  ['a pause', withHead(waits('paused'), { agent: paused }), 'PAUSED', { since: ago(7), runId: 'r3' }],
  ['credits that have come', withHead(waits('credits')), 'WAKE_PENDING'],
  ['credits that have not', withHead(waits('credits'), { hasCredits: false }), 'CREDITS'],
  ['a site connected again', withHead(waits('credential', [{ ...parked, entry: call.entry }])), 'WAKE_PENDING'],
  ['a site that was removed', withHead(waits('credential', [{ ...parked, entry: null }])), 'WAKE_PENDING'],
  ['a turn that has come', withHead(waits('rate_limit', [{ ...limited, notBefore: ago(1) }])), 'WAKE_PENDING'],
  ['a decided approval', withHead(waits('approval', [{ ...unapproved, approval: null }])), 'WAKE_PENDING'],
  [
    'the first approval to expire',
    withHead(waits('approval', [unapproved, sooner])),
    'APPROVAL APPROVAL',
    { until: ahead(40) },
  ],
  ['a silent run', withHead(silent), 'WORKING'],
  [
    'one that the reconciler looks at',
    withHead(silent, inspected),
    'WAKE_PENDING',
    { since: ago(8), step: 2, runId: 'r3' },
  ],
  ['a queue that nothing keeps', left(ahead(9)), 'WAKE_PENDING', { since: ago(60), until: ahead(9), runId: 'r4' }],
  ['it is looked at now', { ...queued, ...inspected }, 'WAKE_PENDING', { until: ahead(2) }],
  ['it was due', left(now), 'WAKE_PENDING', { until: ahead(2) }],
  [
    'a run behind nothing',
    withHead(asking, { asked: { run: { ...queuedRun, id: 'r3', status: 'running' }, ahead: 0 } }),
    'WORKING',
  ],
]

for (const [what, facts, codes, first] of rows)
  test(`causes: ${what}`, (t) => {
    const { causes } = explain(facts)
    t.is(causes.map(({ code }) => code).join(' '), codes)
    if (first) t.like(causes[0], first)
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
  const queue = { ...idle.queue, blockedCause: 'paused' as const, blockedSince: ago(7) }
  const facts: Facts = { ...queued, agent: paused, charges: ['tier', 'past_due', 'credits'], queue }
  t.deepEqual(codesOf(facts), ['CREDITS', 'TIER', 'PAST_DUE', 'PAUSED'])
  t.like(only(facts, 'CREDITS'), { since: null, until: null }, 'it does not fail while it is paused')
  const unused = (charges: Charge[]) => ({ ...idle, charges })
  t.regex(
    only(unused(['tier']), 'IDLE').action,
    /^Run the agent with POST \/agents\/a1\/runs \([^)]+\)\.$/,
    'no delivery',
  )
  t.regex(only(unused([]), 'IDLE').action, /runs \([^)]+\), or send it a delivery with POST/)
  t.notRegex(only(unused(['credits']), 'IDLE').action, /POST/)
  const over = { ...queuedRun, status: 'completed' as const, endedAt: ago(5) }
  t.notRegex(only({ ...unused(['credits']), asked: { run: over, ahead: 0 } }, 'ENDED').action, /replay/)
})

test('what a run does when its turn comes is said with what else keeps it', (t) => {
  const cause = (head: HeadRun, more: Partial<Facts> = {}) => only(withHead(head, more), 'RATE_LIMIT')
  const turn = waits('rate_limit', [limited])
  t.regex(cause(turn).action, /continues automatically\. .* next run start instead, use POST \/runs\/r3\/skip/)
  const late = cause({ ...turn, mayWaitUntil: ahead(15) })
  t.deepEqual(late.until, ahead(15), 'a turn that comes after its time is none')
  t.regex(late.message, /will wait until 2026-11-21T12:00:15Z and then fail /)
  const both = waits('rate_limit', [limited, parked])
  const beside: [ReturnType<typeof cause>, RegExp][] = [
    [cause(turn, { agent: paused }), /until the agent is resumed\. To end it instead, use POST \/runs\/r3\/skip/],
    [cause(both), /until a site is reconnected\. To let the next run start instead, use /],
    [cause(both, { agent: paused }), /until a site is reconnected and the agent is resumed\./],
    [cause(turn, { workers: nobody }), /until a worker is running\./],
  ]
  for (const [{ message, action }, expected] of beside) {
    t.regex(message, /will wait until at least 2026-11-21T12:00:40Z\. “CRM”/)
    t.regex(action, expected)
    t.notRegex(action, /automatically/)
  }
  t.notRegex(late.action, /automatically/)
  const atWork = { ...asking, calls: [call, limited] }
  t.regex(cause(atWork).action, /continues automatically\. To end it instead, use POST \/runs\/r3\/cancel/, 'it works')
  const ending = { ...atWork, run: { ...run, cancelRequestedAt: ago(1) } }
  t.regex(cause(ending).action, /about to end/)
})

test('a paused agent says what that does to its run, its queue, or nothing', (t) => {
  const message = (facts: Facts) => only({ ...facts, agent: paused }, 'PAUSED').message
  t.regex(message(withHead(asking)), /run 3 will stop before its next step/)
  t.regex(message(withHead(waits('paused'))), /so run 3 is waiting\.$/)
  t.regex(message(queued), /2 runs stay queued/)
  t.regex(message(idle), /it is not starting any runs/)
  const action = (more: Partial<Facts>) => only({ ...idle, agent: paused, ...more }, 'PAUSED').action
  t.regex(action({}), /^Resume the agent with POST \/agents\/a1\/resume/)
  t.regex(action({ agent: { ...paused, exceedingSince: ago(7) } }), /Delete other agents/)
  t.regex(action({ isSuspended: true }), /^The platform operator has suspended the paying account/)
})

test('who has used up a cap is told how to raise that one, for a queue and for a run that has begun', (t) => {
  const advice: [cap: NonNullable<Facts['cap']>, action: RegExp][] = [
    ['agent', /PATCH \/agents\/a1 /],
    ['workspace', /PATCH \/workspaces\/o1 /],
    ['account', /PATCH \/billing /],
    ['tokens', /^Ask the platform operator/],
    ['address', /POST \/auth\/verify-email /],
    ['mailbox', /^Use the other account/],
  ]
  for (const [cap, expected] of advice)
    for (const facts of [
      withHead(waits('credits'), { hasCredits: false }),
      { ...queued, charges: ['credits' as const] },
    ]) {
      const { message, action } = only({ ...facts, cap }, 'CREDITS')
      t.regex(action, expected)
      t.notRegex(message, /you have no credits left/)
    }
})

test('several causes hold at once, and what somebody has to do comes first', (t) => {
  const facts = withHead(waits('credential', [parked]), {
    agent: paused,
    next: queuedRun,
    queued: 2,
    temporal: { reachable: false, since: ago(9) },
    workers: nobody,
  })
  t.deepEqual(codesOf(facts), ['CREDENTIAL', 'PAUSED', 'TEMPORAL_AWAY', 'NO_WORKER', 'RUN_AHEAD'])
  const credential = only(facts, 'CREDENTIAL')
  t.like(credential, { runId: 'r3', sequence: 3, step: 1, site: origin, since: ago(3600), until: ahead(40) })
  t.regex(credential.message, /^Run 3 needs “CRM” .* since 2026-11-21T11:00:00Z\. The site refuses the token\.$/)
  t.regex(credential.action, /PATCH \/vault\/v1 \(this loses nothing, .*\)\. The run will then continue/)
  t.is(explain(facts).summary, `Run 3 of “Sorter” is waiting. ${credential.message.replace('Run 3', 'It')}`)
})

test('every connection and every site that calls of one step wait for is named once', (t) => {
  const entry = { ...dead, id: 'v2', authType: 'oauth2' as const }
  const oauth = { ...parked, siteOrigin: 'https://two.example', entry }
  const held = { ...limited, siteOrigin: 'https://three.example', notBefore: ahead(10), heldUntil: ahead(10) }
  const calls = [limited, parked, parked, oauth, held, { ...limited, notBefore: ahead(20) }]
  const { causes } = explain(withHead(waits('rate_limit', calls)))
  t.deepEqual(
    causes.map(({ code, site }) => `${code} ${site}`),
    [
      `CREDENTIAL ${origin}`,
      'CREDENTIAL https://two.example',
      'RATE_LIMIT https://three.example',
      `RATE_LIMIT ${origin}`,
    ],
  )
  t.regex(causes[1]!.action, /POST \/vault\/oauth\/start \(this loses nothing, .*\) and "entryId": "v2"/)
  t.regex(causes[2]!.message, /has requested a pause/)
  t.regex(causes[3]!.message, /rate limit of 10 calls a minute/)
  t.deepEqual(causes[3]!.until, ahead(20), 'the first of its calls that may be made')
})

test('a call that must be approved is named, with how to decide, and to whoever is behind it', (t) => {
  const facts = withHead(waits('approval', [unapproved]), { next: queuedRun, queued: 1 })
  const approval = only(facts, 'APPROVAL')
  t.like(approval, { runId: 'r3', sequence: 3, step: 1, site: origin, since: ago(30), until: ahead(50) })
  t.regex(
    approval.message,
    /approval of its call to createContact at “CRM” .*\. At 2026-11-21T12:00:50Z, it will continue /,
  )
  t.regex(approval.action, /GET \/approvals\/p1\. To approve or refuse the call, use POST \/approvals\/p1 \(/)
  t.regex(only(facts, 'RUN_AHEAD').message, /waiting for approval of a call to “CRM”/)
  const asking = { ...unapproved, approval: { id: 'p1', formNumber: 1, requestedAt: ago(30), expiresAt: ahead(50) } }
  const form = only(withHead(waits('approval', [asking])), 'APPROVAL')
  t.regex(form.message, /a person to answer the form of its call to createContact at “CRM” /)
  t.regex(form.action, /^To read the form, use GET \/approvals\/p1\. To answer or refuse, use POST \/approvals\/p1 \(/)
})

test('a call that its site works on is named, with what the site says about it', (t) => {
  const working: OpenCall = {
    ...call,
    waitCause: 'job',
    notBefore: ahead(5),
    job: { ...someJob, words: 'Half “done”.' },
  }
  const facts = withHead(waits('job', [working]), { next: queuedRun, queued: 1 })
  t.deepEqual(codesOf(facts), ['RUN_AHEAD', 'JOB'])
  const cause = only(facts, 'JOB')
  t.like(cause, { site: origin, since: new Date(someJob.acceptedAt), until: new Date(someJob.until) })
  t.regex(cause.message, /for “CRM” .* to finish its call to createContact\. The site says: “Half 'done'\.”\. At 2999-/)
  t.regex(only(facts, 'RUN_AHEAD').message, /waiting for “CRM” .* to finish a tool call that it works on/)
})

test('a run that calls says what, since when, which attempt that is, and how many calls there are', (t) => {
  const working = only(withHead(calling), 'WORKING')
  t.like(working, { since: ago(30), step: 1, site: origin })
  t.regex(working.message, /calling createContact at “CRM” .*attempt 2\) since .* and is making 1 more tool call\.$/)
})

test('a model is asked again at the time that its provider has named, and is missed only after that', (t) => {
  const retry = (more: Partial<HeadRun>) => only(withHead({ ...failing, ...more }), 'MODEL_RETRY')
  const after = (retryAt: Date | null) =>
    retry({ attempt: { number: 1, at: ago(300), failed: true }, failure: { ...failure, at: ago(300), retryAt } })
  t.regex(retry({}).message, /step 2 of run 3 .* is about to be retried\. The AI provider is failing\.$/)
  t.deepEqual(after(ahead(120)).until, ahead(120))
  t.regex(
    after(ahead(120)).message,
    /will be retried at 2026-11-21T12:02:00Z, as the AI provider requested\. The AI provider is/,
  )
  t.regex(after(ahead(120)).action, /^You do not need to do anything/)
  t.regex(after(ago(30)).message, /is about to be retried/, 'it counts from the time that was named')
  for (const late of [ago(61), null]) {
    t.regex(after(late).message, /has not been retried since/)
    t.regex(after(late).action, /check the workflow run\/r3 in Temporal/)
  }
  const noPlace = { ...run, progressedAt: ago(190), noPlaceSince: ago(180), noPlaceAt: 'local' }
  const busy = { attempt: { number: 1, at: ago(200), failed: true }, failure: { ...failure, at: ago(190) } }
  t.regex(retry({ ...busy, run: noPlace }).message, /is about to be retried/, 'nobody has to look at Temporal')
})

test('a run whose model has failed for good says that the fallback model is asked in its place', (t) => {
  const said = (attempt: HeadRun['attempt'], fallbackSince: number) =>
    only(withHead({ ...failing, attempt, run: { ...run, fallbackSince } }), 'MODEL_RETRY').message
  const next = { number: 5, at: ago(3), failed: false }
  t.regex(said({ number: 4, at: ago(5), failed: true }, 2), /is about to be retried with the fallback model\. The AI/)
  t.regex(said(next, 2), /and was retried with the fallback model at 2026-11-21T11:59:57Z\. /)
  t.regex(said(next, 1), /and was retried at /, 'the fallback model itself has failed')
})

test('what is queued names the run ahead of it, and what that does', (t) => {
  const asked = { run: { ...queuedRun, id: 'r6', sequence: 6 }, ahead: 3 }
  const behind = withHead({ ...asking, calls: [call] }, { next: queuedRun, queued: 3, asked })
  t.deepEqual(codesOf(behind), ['RUN_AHEAD', 'WORKING'])
  t.is(explain(behind).state, 'queued')
  const cause = only(behind, 'RUN_AHEAD')
  t.like(cause, { runId: 'r3', sequence: 3, step: 1, site: origin, since: ago(30) })
  t.regex(cause.message, /^3 runs are ahead of run 6\. Run 3 has been calling createContact/)
  t.regex(cause.action, /POST \/runs\/r3\/cancel/)
  const skippable = only(withHead(waits('credential', [parked]), { next: queuedRun, queued: 1 }), 'RUN_AHEAD')
  t.regex(skippable.message, /^1 run is ahead of the queued run\. Run 3 has been waiting for “CRM”/)
  t.regex(skippable.action, /POST \/runs\/r3\/skip/)
  const blocked = { ...queued, asked: { ...asked, ahead: 1 }, charges: ['tier' as const] }
  t.deepEqual(codesOf(blocked), ['TIER', 'RUN_AHEAD'])
  t.like(only(blocked, 'RUN_AHEAD'), { runId: 'r4', sequence: 4 })
})

test('an ended run says how, and how to replay it where that is possible', (t) => {
  const failed = { ...queuedRun, sequence: 3, status: 'failed' as const, endedAt: ago(50), error: 'The model failed.' }
  const over = withHead(asking, { asked: { run: failed, ahead: 0 }, workers: nobody })
  t.deepEqual(codesOf(over), ['ENDED'])
  t.like(explain(over), { state: 'ended' })
  t.is(explain(over).summary, 'Run 3 of “Sorter” has ended. It failed at 2026-11-21T11:59:10Z. The model failed.')
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
  for (const name of ['skip', 'cancel'] as const) t.regex(actions[name].loses, /^abandons the run permanently/)
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
              t.notRegex(summary, /^(Run \d|The agent) [^.]*\. \1 /)
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
