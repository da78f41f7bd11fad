import test from 'ava'
import type { AgentFacts } from '../../../../src/runs/reconcile/facts.ts'
import { nextAction, settingsOf } from '../../../../src/runs/reconcile/next-action.ts'
import { after, agentFacts, headRun, open, paid, queuedRun, settings, since, waitingRun } from './facts.ts'

const pausedAgent = { id: 'agent', ownerId: 'owner', name: 'An agent', pausedAt: since, deletedAt: null }

const kindOf = (facts: AgentFacts) => nextAction(facts, settings).kind
const actionOn = (facts: AgentFacts) => nextAction(facts, settings)

test('an agent with nothing to do rests, one that makes progress is left until it would be stalled', (t) => {
  t.deepEqual(actionOn(agentFacts()), { kind: 'rest' })
  const now = after(19)
  for (const runs of [{ head: headRun() }, { next: queuedRun() }]) {
    t.deepEqual(actionOn(agentFacts({ ...runs, now })), { kind: 'leave', until: after(20) })
    t.is(kindOf(agentFacts({ ...runs, now: after(20) })), 'inspect')
  }
  const later = headRun({ progressedAt: after(50) })
  t.deepEqual(actionOn(agentFacts({ head: later })), { kind: 'leave', until: after(70) }, 'the run goes on')
  const claimed = agentFacts({ head: headRun() }, { progressedAt: after(50) })
  t.deepEqual(actionOn(claimed), { kind: 'leave', until: after(70) }, 'the queue goes on')
})

test('a run that waits is at rest until its wait is over, and looked at every five minutes all the same', (t) => {
  const head = waitingRun('rate_limit', { waitingUntil: after(100) })
  t.deepEqual(actionOn(agentFacts({ head })), { kind: 'leave', until: after(120) })
  t.is(kindOf(agentFacts({ head, now: after(120) })), 'inspect')
  const long = waitingRun('rate_limit')
  t.deepEqual(actionOn(agentFacts({ head: long })), { kind: 'leave', until: after(300) })
  t.is(kindOf(agentFacts({ head: long, now: after(300) })), 'inspect')
})

test('a run goes on when what it waits for has come', (t) => {
  const resume = { kind: 'resume', runId: 'head' } as const
  const credential = { head: waitingRun('credential') }
  t.deepEqual(actionOn(agentFacts(credential)), resume)
  t.is(kindOf(agentFacts({ ...credential, hasParkedCalls: true })), 'leave')
  for (const cause of ['approval', 'rate_limit'] as const) {
    const waits = { head: waitingRun(cause) }
    t.deepEqual(actionOn(agentFacts({ ...waits, hasFreedCalls: true })), resume, 'one of its calls can be made')
    t.is(kindOf(agentFacts(waits)), 'leave', 'a matter of time')
  }
  const paused = { head: waitingRun('paused') }
  t.deepEqual(actionOn(agentFacts(paused)), resume)
  const agent = pausedAgent
  t.is(kindOf(agentFacts({ ...paused, agent })), 'leave')
  const credits = { head: waitingRun('credits') }
  t.deepEqual(actionOn(agentFacts(credits)), resume)
  const account = { ...paid, balance: 0 }
  t.is(kindOf(agentFacts({ ...credits, account })), 'leave')
  const over = { head: waitingRun('credential', { waitingUntil: after(59) }) }
  t.is(kindOf(agentFacts(over)), 'leave', 'it was told so already')
})

test('a cancelled run that does not end is ended by force', (t) => {
  const head = headRun({ cancelRequestedAt: after(50), cancelReason: 'SKIPPED_BY_OWNER', progressedAt: after(50) })
  t.deepEqual(actionOn(agentFacts({ head, now: after(55) })), { kind: 'leave', until: after(56) })
  t.like(actionOn(agentFacts({ head, now: after(56) })), {
    kind: 'end',
    runId: 'head',
    status: 'skipped',
    reason: 'SKIPPED_BY_OWNER',
    repair: 'cancel-forced',
  })
})

test('runs of a deleted agent that nobody has asked to end are cancelled', (t) => {
  const agent = { id: 'agent', ownerId: 'owner', name: 'An agent', pausedAt: null, deletedAt: since }
  t.is(kindOf(agentFacts({ agent, next: queuedRun() })), 'cancel')
  t.is(kindOf(agentFacts({ agent, head: headRun(), uncancelled: 0 })), 'inspect')
})

const blocked = { awake: false, blockedCause: 'credits', blockedSince: after(10) } as const
const broke = { ...paid, balance: 0 }

test('a blocked queue is started when nothing blocks it, or something else does', (t) => {
  const next = queuedRun()
  t.is(kindOf(agentFacts({ next }, blocked)), 'start')
  t.is(kindOf(agentFacts({ next, account: broke }, blocked)), 'leave')
  const agent = pausedAgent
  t.is(kindOf(agentFacts({ next, agent, account: broke }, blocked)), 'start', 'a claim writes down the pause')
  const paused = { awake: false, blockedCause: 'paused', blockedSince: since } as const
  t.is(kindOf(agentFacts({ next, agent }, paused)), 'leave')
  t.is(kindOf(agentFacts({ next, account: broke }, paused)), 'start', 'from its resuming on it has its time anew')
})

test('a run that waits for its owner to pay fails in time, counted from the block and from its own arrival', (t) => {
  const fails = { kind: 'end', runId: 'next', status: 'failed', reason: 'NO_CREDITS' }
  const at = (now: Date, acceptedAt = since) =>
    actionOn(agentFacts({ next: queuedRun({ acceptedAt }), account: broke, now }, blocked))
  t.deepEqual(at(after(86_409)), { kind: 'leave', until: after(86_410) })
  t.like(at(after(86_410)), fails)
  t.like(at(after(86_410), after(20)), { kind: 'leave' })
  t.like(at(after(86_420), after(20)), fails)
  const capped = { ...broke, cap: 'tokens' as const }
  t.like(
    actionOn(agentFacts({ next: queuedRun(), account: capped, now: after(99_999) }, blocked)),
    { kind: 'leave' },
    'a cap of the month is no debt',
  )
})

test('a queue row that contradicts its runs is corrected before anything else', (t) => {
  const contradiction = 'the queue counted 7 unfinished runs, there are 0'
  const corrected = { kind: 'correct', cause: contradiction }
  t.like(actionOn(agentFacts({ contradiction })), corrected)
  t.like(actionOn(agentFacts({ contradiction, next: queuedRun() }, blocked)), corrected)
  t.is(actionOn(agentFacts({ next: queuedRun() }, blocked)).kind, 'start')
})

test('what waits for credits is looked at when the month of new credits begins', (t) => {
  const now = new Date('2026-11-30T23:59:00Z')
  const month = new Date('2026-12-01T00:00:00Z')
  const since = new Date(now.getTime() - 10_000)
  const times = { progressedAt: since, acceptedAt: since, waitingSince: since }
  t.deepEqual(
    actionOn(
      agentFacts(
        {
          head: waitingRun('credits', { ...times, waitingUntil: new Date(now.getTime() + 86_400_000) }),
          account: broke,
          now,
        },
        { progressedAt: since },
      ),
    ),
    { kind: 'leave', until: month },
  )
  const row = { ...blocked, progressedAt: since, blockedSince: since }
  t.deepEqual(actionOn(agentFacts({ next: queuedRun(times), account: broke, now }, row)), {
    kind: 'leave',
    until: month,
  })
})

test('a cancelled run that seems to go on is looked at when it has to be ended', (t) => {
  const head = headRun({ cancelRequestedAt: after(57) })
  const busy = { queue: open({ children: ['head'] }), workflow: open({ isBusy: true }) }
  const seen = { ...busy, endedBy: null, polls: { isPolled: true, servedUntil: after(60) } }
  t.deepEqual(nextAction(agentFacts({ head }), settings, seen), { kind: 'leave', until: after(63) })
})

test('a cancelled run is ended in time, whatever its queue row says', (t) => {
  const head = headRun({ cancelRequestedAt: since })
  t.like(actionOn(agentFacts({ head, contradiction: 'the queue was asleep although it has runs' })), { kind: 'end' })
})

test('the durations are those of the configuration', (t) => {
  const config = { reconcile: { stallSeconds: 1 }, cancelSeconds: 2, queueBlockedSeconds: 3 }
  const wanted = { stallSeconds: 1, cancelSeconds: 2, queueBlockedSeconds: 3 }
  t.deepEqual(settingsOf(config as Parameters<typeof settingsOf>[0]), wanted)
})

test('a queue is started from its block only if it sleeps, and no run has begun', (t) => {
  const next = queuedRun()
  const now = after(10)
  const leave = { kind: 'leave', until: after(20) }
  t.deepEqual(actionOn(agentFacts({ next, now }, { awake: false })), leave, 'nothing blocks it')
  t.deepEqual(actionOn(agentFacts({ next, now }, { ...blocked, awake: true })), leave)
  t.deepEqual(actionOn(agentFacts({ head: headRun(), next, now }, blocked)), leave)
  t.is(kindOf(agentFacts({ next, account: null }, blocked)), 'start', 'its owner is not known any more')
})

test('a run that waits is looked at five minutes after its wait began', (t) => {
  const head = waitingRun('paused', { waitingSince: after(50) })
  const agent = pausedAgent
  t.deepEqual(actionOn(agentFacts({ head, agent })), { kind: 'leave', until: after(350) })
})

test('what waits for something else than credits is not looked at when a month begins', (t) => {
  const now = new Date('2026-11-30T23:59:00Z')
  const [since, until] = [new Date(now.getTime() - 10_000), new Date(now.getTime() + 86_400_000)]
  const agent = pausedAgent
  const times = { progressedAt: since, acceptedAt: since, waitingSince: since, waitingUntil: until }
  t.deepEqual(actionOn(agentFacts({ head: waitingRun('paused', times), agent, now }, { progressedAt: since })), {
    kind: 'leave',
    until: new Date(since.getTime() + 300_000),
  })
  const row = { awake: false, blockedCause: 'paused', blockedSince: since, progressedAt: since } as const
  t.deepEqual(actionOn(agentFacts({ next: queuedRun(times), agent, now }, row)), {
    kind: 'leave',
    until: new Date(now.getTime() + 300_000),
  })
})

test('the runs of a paused agent wait as long as it is paused', (t) => {
  const agent = pausedAgent
  const row = { awake: false, blockedCause: 'paused', blockedSince: since } as const
  const now = after(2 * 86_400)
  t.deepEqual(actionOn(agentFacts({ next: queuedRun(), agent, now }, row)), {
    kind: 'leave',
    until: after(2 * 86_400 + 300),
  })
})

test('a cancelled run of which no reason is known was cancelled by its owner', (t) => {
  const head = headRun({ cancelRequestedAt: since })
  t.like(actionOn(agentFacts({ head })), { kind: 'end', status: 'cancelled', reason: 'CANCELLED_BY_OWNER' })
})

test('a run goes on before the end of its wait only, and only for what it waits for', (t) => {
  t.is(kindOf(agentFacts({ head: waitingRun('credential', { waitingUntil: after(60) }) })), 'leave')
  t.is(kindOf(agentFacts({ head: headRun({ status: 'waiting', waitingUntil: after(86_400) }) })), 'leave')
  const credits = { head: waitingRun('credits') }
  t.is(kindOf(agentFacts({ ...credits, account: null })), 'leave')
  t.is(kindOf(agentFacts({ ...credits, account: { ...paid, balance: 1 } })), 'resume')
  t.is(kindOf(agentFacts({ ...credits, account: { ...paid, balance: 0.9 } })), 'leave')
})
