import test from 'ava'
import type { AgentFacts } from '../../../../src/runs/reconcile/facts.ts'
import { nextAction, settingsOf } from '../../../../src/runs/reconcile/next-action.ts'
import { after, agentFacts, headRun, open, paid, queuedRun, settings, since, waitingRun } from './facts.ts'

type Action = ReturnType<typeof nextAction>

const agent = { id: 'agent', ownerId: 'owner', name: 'An agent', pausedAt: null, deletedAt: null }
const pausedAgent = { ...agent, pausedAt: since }
const deletedAgent = { ...agent, deletedAt: since }
const broke = { ...paid, balance: 0 }
const next = queuedRun()
const blocked = { awake: false, blockedCause: 'credits', blockedSince: after(10) } as const
const paused = { awake: false, blockedCause: 'paused', blockedSince: since } as const

/** A kind of action, or until when the agent is left alone, or more of the action. */
type Expected = Action['kind'] | Date | object
const resume = { kind: 'resume', runId: 'head' } as const
const waits = (cause: Parameters<typeof waitingRun>[0], fields: Parameters<typeof waitingRun>[1] = {}) => ({
  head: waitingRun(cause, fields),
})
const cancelled = (seconds: number, cancelReason: 'SKIPPED_BY_OWNER' | null = null) =>
  headRun({ cancelRequestedAt: after(seconds), progressedAt: after(50), cancelReason })
const forced = { kind: 'end', runId: 'head', repair: 'cancel-forced' } as const
/** A queue that is blocked for want of credits, whose first run was accepted so many seconds after the beginning. */
const unpaid = (now: Date, acceptedAt = since, account: AgentFacts['account'] = broke) =>
  agentFacts({ next: queuedRun({ acceptedAt }), account, now }, blocked)
const fails = { kind: 'end', runId: 'next', status: 'failed', reason: 'NO_CREDITS' } as const

const rows: [what: string, facts: AgentFacts, expected: Expected][] = [
  ['an agent with nothing to do rests', agentFacts(), 'rest'],
  ['a run that goes on', agentFacts({ head: headRun({ progressedAt: after(50) }) }), after(70)],
  ['a queue that goes on', agentFacts({ head: headRun() }, { progressedAt: after(50) }), after(70)],
  ['a run before it is stalled', agentFacts({ head: headRun(), now: after(19) }), after(20)],
  ['a stalled run', agentFacts({ head: headRun(), now: after(20) }), 'inspect'],
  ['a queue before it is stalled', agentFacts({ next, now: after(19) }), after(20)],
  ['a stalled queue', agentFacts({ next, now: after(20) }), 'inspect'],
  ['a wait until its end', agentFacts(waits('rate_limit', { waitingUntil: after(100) })), after(120)],
  [
    'a wait that is over',
    agentFacts({ ...waits('rate_limit', { waitingUntil: after(100) }), now: after(120) }),
    'inspect',
  ],
  ['a long wait', agentFacts(waits('rate_limit')), after(300)],
  ['a long wait after five minutes', agentFacts({ ...waits('rate_limit'), now: after(300) }), 'inspect'],
  [
    'five minutes count from the beginning of the wait',
    agentFacts({ ...waits('paused', { waitingSince: after(50) }), agent: pausedAgent }),
    after(350),
  ],
  ['a credential that is good', agentFacts(waits('credential')), resume],
  ['another one that is not', agentFacts({ ...waits('credential'), hasParkedCalls: true }), 'leave'],
  ['it was told so already', agentFacts(waits('credential', { waitingUntil: after(59) })), 'leave'],
  ['also at the very end of its wait', agentFacts(waits('credential', { waitingUntil: after(60) })), 'leave'],
  ['a decided call', agentFacts({ ...waits('approval'), hasFreedCalls: true }), resume],
  ['a call that is not decided', agentFacts(waits('approval')), 'leave'],
  ['a call whose turn has come', agentFacts({ ...waits('rate_limit'), hasFreedCalls: true }), resume],
  ['a pause that is over', agentFacts(waits('paused')), resume],
  ['a pause', agentFacts({ ...waits('paused'), agent: pausedAgent }), 'leave'],
  ['one credit', agentFacts({ ...waits('credits'), account: { ...paid, balance: 1 } }), resume],
  ['less than one', agentFacts({ ...waits('credits'), account: { ...paid, balance: 0.9 } }), 'leave'],
  ['an unknown account', agentFacts({ ...waits('credits'), account: null }), 'leave'],
  ['a model that answers again', agentFacts({ ...waits('model'), modelAnswers: true }), resume],
  ['a model that does not', agentFacts({ ...waits('model'), modelAnswers: false }), 'leave'],
  ['a wait for nothing', agentFacts({ head: headRun({ status: 'waiting', waitingUntil: after(86_400) }) }), 'leave'],
  ['a cancel that has time', agentFacts({ head: cancelled(50), now: after(55) }), after(56)],
  [
    'a cancel that is late',
    agentFacts({ head: cancelled(50), now: after(56) }),
    { ...forced, status: 'cancelled', reason: 'CANCELLED_BY_OWNER' },
  ],
  [
    'a skip that is late',
    agentFacts({ head: cancelled(50, 'SKIPPED_BY_OWNER') }),
    { ...forced, status: 'skipped', reason: 'SKIPPED_BY_OWNER' },
  ],
  [
    'a late cancel whatever the queue says',
    agentFacts({ head: cancelled(0), contradiction: 'the queue was asleep although it has runs' }),
    'end',
  ],
  ['a deleted agent', agentFacts({ agent: deletedAgent, next }), 'cancel'],
  ['its runs are asked to end', agentFacts({ agent: deletedAgent, head: headRun(), uncancelled: 0 }), 'inspect'],
  ['a queue that nothing blocks any more', agentFacts({ next }, blocked), 'start'],
  ['a queue that is blocked', agentFacts({ next, account: broke }, blocked), 'leave'],
  ['a claim writes down the pause', agentFacts({ next, agent: pausedAgent, account: broke }, blocked), 'start'],
  ['a paused queue', agentFacts({ next, agent: pausedAgent }, paused), 'leave'],
  ['it has its time from its resuming on', agentFacts({ next, account: broke }, paused), 'start'],
  ['the owner is not known any more', agentFacts({ next, account: null }, blocked), 'start'],
  ['a queue that sleeps unblocked', agentFacts({ next, now: after(10) }, { awake: false }), after(20)],
  ['a queue that is awake', agentFacts({ next, now: after(10) }, { ...blocked, awake: true }), after(20)],
  ['a queue whose run has begun', agentFacts({ head: headRun(), next, now: after(10) }, blocked), after(20)],
  [
    'a pause of days',
    agentFacts({ next, agent: pausedAgent, now: after(2 * 86_400) }, paused),
    after(2 * 86_400 + 300),
  ],
  ['a day after the block is not over', unpaid(after(86_409)), after(86_410)],
  ['a day after the block', unpaid(after(86_410)), fails],
  ['a day after a later arrival is not over', unpaid(after(86_410), after(20)), 'leave'],
  ['a day after a later arrival', unpaid(after(86_420), after(20)), fails],
  ['a cap of the month is no debt', unpaid(after(99_999), since, { ...broke, cap: 'tokens' }), 'leave'],
  [
    'a contradiction comes first',
    agentFacts({ contradiction: 'it counts 7', next }, blocked),
    { kind: 'correct', cause: 'it counts 7' },
  ],
]

for (const [what, facts, expected] of rows)
  test(`next action: ${what}`, (t) => {
    const action = nextAction(facts, settings)
    if (expected instanceof Date) t.deepEqual(action, { kind: 'leave', until: expected })
    else if (typeof expected === 'string') t.is(action.kind, expected)
    else t.like(action, expected)
  })

test('what waits for credits, and nothing else, is looked at when the month of new credits begins', (t) => {
  const now = new Date('2026-11-30T23:59:00Z')
  const [began, ahead] = [-10, 86_400].map((seconds) => new Date(now.getTime() + seconds * 1000)) as [Date, Date]
  const times = { progressedAt: began, acceptedAt: began, waitingSince: began, waitingUntil: ahead }
  const until = (facts: Partial<AgentFacts>, row: object) => {
    const action = nextAction(agentFacts({ ...facts, now }, { progressedAt: began, ...row }), settings)
    return action.kind === 'leave' ? action.until.toISOString() : action.kind
  }
  const month = '2026-12-01T00:00:00.000Z'
  const sleeping = { ...blocked, blockedSince: began }
  t.is(until({ ...waits('credits', times), account: broke }, {}), month)
  t.is(until({ next: queuedRun(times), account: broke }, sleeping), month)
  t.is(until({ ...waits('paused', times), agent: pausedAgent }, {}), '2026-12-01T00:03:50.000Z')
  t.is(
    until({ next: queuedRun(times), agent: pausedAgent }, { ...sleeping, blockedCause: 'paused' }),
    '2026-12-01T00:04:00.000Z',
  )
})

test('a cancelled run that seems to go on is looked at when it has to be ended', (t) => {
  const busy = { queue: open({ children: ['head'] }), workflow: open({ isBusy: true }) }
  const seen = { ...busy, endedBy: null, polls: { isPolled: true, servedUntil: after(60) } }
  const head = headRun({ cancelRequestedAt: after(57) })
  t.deepEqual(nextAction(agentFacts({ head }), settings, seen), { kind: 'leave', until: after(63) })
})

test('the durations are those of the configuration', (t) => {
  const config = { reconcile: { stallSeconds: 1 }, cancelSeconds: 2, queueBlockedSeconds: 3 }
  const wanted = { stallSeconds: 1, cancelSeconds: 2, queueBlockedSeconds: 3 }
  t.deepEqual(settingsOf(config as Parameters<typeof settingsOf>[0]), wanted)
})
