// @promise budgets waits
import test from 'ava'
import * as fc from 'fast-check'
import type { CallFacts, RunRecord } from '../../../../src/runs/record.ts'
import { holdBack, nextMove, waitOf } from '../../../../src/runs/step/next-move.ts'
import type { Run } from '../../../../src/runs/run.ts'
import { endReasons, runStatuses, type EndReason, type RunStatus } from '../../../../src/runs/states.ts'
import type { Move } from '../../../../workflows/messages.ts'

const budgets = {
  steps: 3,
  toolCalls: 4,
  tokens: 100,
  credits: 10,
  minutes: 2,
  waitSeconds: 86_400,
  longestWorkSeconds: 360,
}
const began = new Date('2026-11-21T09:00:00Z')
const minutesLater = (minutes: number) => new Date(began.getTime() + minutes * 60_000)

type StepOutcome = NonNullable<RunRecord['lastStep']>['outcome']

const fresh: Partial<Run> = {
  status: 'running',
  steps: 0,
  inputTokens: 0,
  outputTokens: 0,
  credits: 0,
  toolCalls: 0,
  waitedMs: 0,
  outageMs: 0,
  waitingCause: null,
  waitingSince: null,
  progressedAt: began,
  attempt: 0,
  failedAttempt: null,
  failedAt: null,
  retryAt: null,
  noPlaceSince: null,
  startedAt: began,
  cancelRequestedAt: null,
  cancelReason: null,
  reason: null,
  corrections: null,
  fallbackSince: null,
}

const callOf = (id: string, facts: Partial<CallFacts> = {}): CallFacts => ({
  id,
  step: 1,
  name: `tool_${id}`,
  tool: `site.tool${id}`,
  siteOrigin: 'https://site.example',
  waitCause: null,
  notBefore: null,
  arguments: '{}',
  status: 'succeeded',
  ...facts,
})

function recordOf(run: Partial<Run> = {}, calls: CallFacts[] = [], outcome: StepOutcome = null): RunRecord {
  const whole = { ...fresh, toolCalls: calls.length, ...run } as Run
  const lastStep = whole.steps === 0 ? undefined : { step: whole.steps, outcome }
  return { run: whole, lastStep, calls }
}

const failed = (reason: EndReason): Move => ({ kind: 'end', status: 'failed', reason })
const model = (step: number): Move => ({ kind: 'model', step })
const cancelled: Move = { kind: 'end', status: 'cancelled', reason: 'AGENT_DELETED' }
const completed: Move = { kind: 'end', status: 'completed', reason: null }
type Wait = Extract<Move, { kind: 'wait' }>
const wait = (cause: Wait['cause'], ms: number): Move => ({ kind: 'wait', cause, ms })
const labels = (...ids: string[]) => ids.map((callId) => ({ callId, label: `site.tool${callId}` }))
/** Of the first step. */
const tools = (...ids: string[]) => ({ kind: 'tools', step: 1, calls: labels(...ids) }) satisfies Move
/** A run whose first step has made these calls. */
const asked = (calls: CallFacts[]) => recordOf({ steps: 1 }, calls)
const answered = callOf('a')
const planned = callOf('b', { status: 'planned' })
const started = callOf('c', { status: 'started' })
const dayMs = budgets.waitSeconds * 1000
const parked = callOf('p', { status: 'planned', waitCause: 'credential' })
const unapproved = (seconds: number) =>
  callOf(`until${seconds}`, { status: 'planned', waitCause: 'approval', notBefore: minutesLater(seconds / 60) })
const limited = (seconds: number) =>
  callOf(`at${seconds}`, { status: 'planned', waitCause: 'rate_limit', notBefore: minutesLater(seconds / 60) })
const same = (count: number) => Array.from({ length: count }, (_, index) => callOf(String(index), { name: 'one' }))
const requested = { cancelRequestedAt: began, cancelReason: 'AGENT_DELETED' } as const

/** The same for a run that has used something up, or waited. */
const after = (run: Partial<Run>, calls: CallFacts[]) => recordOf({ steps: 1, ...run }, calls)
const dayLater = new Date(began.getTime() + dayMs)
const open = (id: string, step = 1) => callOf(id, { step, status: 'planned' })

const rows: [title: string, record: RunRecord, move: Move, now?: Date][] = [
  ['a run begins with its first step', recordOf(), model(1)],
  [
    'open calls come before the next step',
    asked([answered, planned, started, callOf('d', { status: 'planned', tool: null })]),
    { ...tools('b', 'c'), calls: [...labels('b', 'c'), { callId: 'd', label: '' }] },
  ],
  ['answers are followed by the next step', asked([answered]), model(2)],
  ['failures are answers', asked([callOf('x', { status: 'unknown' }), callOf('y', { status: 'failed' })]), model(2)],
  ['a step without calls completes the run', recordOf({ steps: 2 }, [answered]), completed],
  ...(['empty', 'truncated', 'off_schema'] as const).flatMap((outcome): [string, RunRecord, Move][] => {
    const reason = outcome === 'off_schema' ? 'OUTPUT_INVALID' : 'MODEL_ERROR'
    return [
      [`an ${outcome} answer is asked for again`, recordOf({ steps: 1, corrections: 1 }, [], outcome), model(2)],
      [`a second ${outcome} answer fails`, recordOf({ steps: 2, corrections: 2 }, [], outcome), failed(reason)],
    ]
  }),
  ['a refusal is final', recordOf({ steps: 1, corrections: 1 }, [], 'refused'), failed('MODEL_ERROR')],
  ['unless there is a fallback', recordOf({ steps: 1, corrections: 1, fallbackSince: 2 }, [], 'refused'), model(2)],
  ['a summary is no end', recordOf({ steps: 2, corrections: 2 }, [], 'summary'), model(3)],
  ['corrections need a budget', recordOf({ steps: 3, corrections: 1 }, [], 'empty'), failed('BUDGET_STEPS')],
  ['a cancel goes before open calls', after(requested, [planned]), cancelled],
  ['a cancel goes before the end', after(requested, []), cancelled],
  ['a cancel goes before a budget', after({ credits: 11, ...requested }, [answered]), cancelled],
  ['a cancel ends a wait', after({ status: 'waiting', waitingSince: began, ...requested }, [parked]), cancelled],
  ...(['completed', 'failed', 'cancelled', 'skipped'] as const).map((status): [string, RunRecord, Move] => [
    `what is ${status} stays so`,
    after({ status, reason: 'NO_CREDITS', ...requested }, [planned]),
    { kind: 'end', status: status as 'completed', reason: 'NO_CREDITS' },
  ]),
  ['the last step may be made', recordOf({ steps: 2 }, [answered, callOf('z', { step: 2 })]), model(3)],
  ['and its calls', recordOf({ steps: 3 }, [open('z', 3)]), { ...tools('z'), step: 3 }],
  ['no step follows it', recordOf({ steps: 3 }, [callOf('z', { step: 3 })]), failed('BUDGET_STEPS')],
  ['the last call may be made', asked([answered, callOf('e'), callOf('f'), open('g')]), tools('g')],
  [
    'with one too many no call is made',
    asked([answered, callOf('e'), callOf('f'), planned, started]),
    failed('BUDGET_TOOL_CALLS'),
  ],
  ['earlier calls count', recordOf({ steps: 2, toolCalls: 5 }, [open('z', 2)]), failed('BUDGET_TOOL_CALLS')],
  ['the last token and credit', after({ inputTokens: 60, outputTokens: 40, credits: 10 }, [answered]), model(2)],
  ['too many tokens', after({ inputTokens: 60, outputTokens: 41 }, [answered]), failed('BUDGET_TOKENS')],
  ['too many credits', after({ credits: 11 }, [answered]), failed('BUDGET_CREDITS')],
  ['although calls are open', after({ credits: 11 }, [planned]), failed('BUDGET_CREDITS')],
  ['although calls wait', after({ credits: 11 }, [parked]), failed('BUDGET_CREDITS')],
  ['not if the model has finished', after({ credits: 11 }, []), completed],
  ['the last minute', asked([answered]), model(2), minutesLater(2)],
  ['no minute more', asked([answered]), failed('BUDGET_TIME'), minutesLater(2.01)],
  ['a wait takes no time', after({ waitedMs: 60_000 }, [answered]), model(2), minutesLater(3)],
  [
    'nor does the wait under way',
    after({ waitedMs: 60_000, waitingSince: minutesLater(3) }, [answered]),
    model(2),
    minutesLater(100),
  ],
  [
    'time between waits counts',
    after({ waitedMs: 60_000, waitingSince: minutesLater(3.01) }, [answered]),
    failed('BUDGET_TIME'),
    minutesLater(100),
  ],
  ['calls that can be made are made', asked([parked, unapproved(40), started, planned]), tools('c', 'b')],
  ['a call whose time has come', asked([limited(5), parked]), tools('at5'), minutesLater(5 / 60)],
  ['the first turn is waited for', asked([limited(30), limited(5), limited(60), answered]), wait('rate_limit', 5000)],
  ['a dead credential', asked([parked, answered]), wait('credential', dayMs)],
  ['a turn before a credential', asked([parked, limited(30)]), wait('rate_limit', 30_000)],
  ['an approval before a credential', asked([parked, unapproved(40)]), wait('approval', 40_000)],
  ['the first approval to expire', asked([unapproved(60), unapproved(40), answered]), wait('approval', 40_000)],
  ['a turn before an approval', asked([unapproved(40), limited(30)]), wait('rate_limit', 30_000)],
  ['an approval before a turn', asked([unapproved(20), limited(30)]), wait('approval', 20_000)],
  ['an expired approval', asked([unapproved(40), unapproved(90)]), tools('until40'), minutesLater(1)],
  [
    'all waits together are bounded',
    after({ waitedMs: 1000, waitingSince: began }, [parked]),
    wait('credential', dayMs - 1000 - 60_000),
    minutesLater(1),
  ],
  ['also those for a turn', after({ waitedMs: dayMs - 2000 }, [limited(30)]), wait('rate_limit', 2000)],
  ['no more waiting for the owner', after({ waitingSince: began }, [parked]), failed('SITE_NOT_RECONNECTED'), dayLater],
  ['no more waiting for a turn', after({ waitedMs: dayMs }, [limited(30)]), failed('WAITED_TOO_LONG')],
  ['nor for both', after({ waitedMs: dayMs }, [parked, limited(30)]), failed('WAITED_TOO_LONG')],
  ['calls are made all the same', after({ waitedMs: dayMs }, [parked, planned]), tools('b')],
  ['an answered call waits for nothing', asked([callOf('w', { waitCause: 'credential' })]), model(2)],
  ['four identical calls', asked(same(4)), model(2)],
  ['five identical calls', asked(same(5)), failed('REPEATED_TOOL_CALL')],
  ['another one between them', asked([...same(2), answered, ...same(1)]), model(2)],
]

for (const [title, record, move, now = began] of rows) {
  test(`next move: ${title}`, (t) => t.deepEqual(nextMove(record, budgets, now), move))
}

test('a run waits for credits for as long as it may, and then fails; a pause may last', (t) => {
  const held = (waitedMs: number, cause: 'paused' | 'credits') =>
    holdBack({ ...fresh, waitedMs } as Run, { cause }, budgets, began)
  t.deepEqual(held(1000, 'paused'), wait('paused', dayMs))
  t.deepEqual(held(dayMs - 1, 'credits'), wait('credits', 1))
  t.like(held(9 * dayMs, 'paused'), { kind: 'wait' })
  t.deepEqual(held(dayMs, 'credits'), failed('NO_CREDITS'))
})

test('a run waits at the site of the call whose time comes first, or of the first one without a time', (t) => {
  const at = (siteOrigin: string, call: CallFacts): CallFacts => ({ ...call, siteOrigin })
  t.deepEqual(waitOf([at('a', limited(90)), at('b', unapproved(60)), at('c', parked)]), {
    cause: 'approval',
    until: minutesLater(1),
    site: 'b',
  })
  t.deepEqual(waitOf([at('c', parked), at('d', parked)]), { cause: 'credential', until: null, site: 'c' })
  const dead = { ...limited(60), waitCause: 'credential' as const }
  t.deepEqual(waitOf([dead]), { cause: 'credential', until: null, site: 'https://site.example' })
  t.like(waitOf([{ ...limited(60), notBefore: null }]), { cause: 'credential' }, 'no time is known')
  t.like(waitOf([{ ...limited(60), waitCause: null }]), { cause: 'credential' }, 'nor what for')
  t.like(waitOf([{ ...limited(60), siteOrigin: null }]), { cause: 'rate_limit', site: '' })
  t.like(waitOf([{ ...parked, siteOrigin: null }]), { site: '' })
})

const call = fc.record({
  step: fc.integer({ min: 1, max: 4 }),
  name: fc.constantFrom('a', 'b'),
  tool: fc.constantFrom('site.a', null),
  arguments: fc.constantFrom('{}', '{"x":1}'),
  status: fc.constantFrom('planned', 'started', 'succeeded', 'failed', 'unknown'),
  wait: fc.constantFrom(
    { waitCause: null, notBefore: null },
    { waitCause: null, notBefore: null },
    { waitCause: 'credential', notBefore: null },
    { waitCause: 'rate_limit', notBefore: minutesLater(2) },
  ),
})
const facts = fc.record({
  status: fc.constantFrom(...runStatuses),
  steps: fc.integer({ min: 0, max: 4 }),
  inputTokens: fc.integer({ min: 0, max: 80 }),
  outputTokens: fc.integer({ min: 0, max: 80 }),
  credits: fc.integer({ min: 0, max: 14 }),
  waitedMs: fc.integer({ min: 0, max: 200_000 }),
  waitingSince: fc.constantFrom(null, null, began),
  startedAt: fc.constantFrom(began, null),
  cancelRequestedAt: fc.constantFrom(null, null, began),
  cancelReason: fc.constantFrom('CANCELLED_BY_OWNER' as const, 'AGENT_DELETED' as const),
  reason: fc.constantFrom(null, 'NO_CREDITS' as const),
})
const anyRecord = fc.tuple(facts, fc.array(call, { maxLength: 7 })).map(([run, calls]) =>
  recordOf(
    run,
    calls
      .filter(({ step }) => step <= run.steps)
      .map(({ wait, ...each }, index) => callOf(String(index), { ...each, ...wait })),
  ),
)
const anyMoment = fc.integer({ min: 0, max: 300 }).map((seconds) => minutesLater(seconds / 60))

const mustWait = ({ waitCause, notBefore }: CallFacts, now: Date) =>
  waitCause === 'credential' || (notBefore !== null && notBefore > now)
const isOpen = ({ status }: CallFacts) => status === 'planned' || status === 'started'
const hasEnded = (status: RunStatus) => ['completed', 'failed', 'cancelled', 'skipped'].includes(status)

/** So that what a run may wait comes to its end, too. */
const hasty = { ...budgets, waitSeconds: 120 }

test('next move: whatever the record, the rules that everything else relies on hold', (t) => {
  const rules = fc.property(anyRecord, anyMoment, (record, now) => {
    const { run, calls } = record
    const before = JSON.stringify(record)
    const move = nextMove(record, hasty, now)
    const open = calls.filter(isOpen).map(({ id }) => id)
    const ready = calls.filter((each) => isOpen(each) && !mustWait(each, now)).map(({ id }) => id)
    const mustEnd = hasEnded(run.status) || run.cancelRequestedAt !== null

    t.deepEqual(nextMove(record, hasty, now), move, 'asked twice it answers the same')
    t.is(JSON.stringify(record), before, 'it changes nothing')
    if (mustEnd) t.is(move.kind, 'end')
    if (move.kind === 'model') {
      t.deepEqual(open, [], 'the model is never asked while a call is open')
      t.is(move.step, run.steps + 1)
      t.true(move.step <= budgets.steps)
    }
    if (move.kind === 'tools') {
      t.deepEqual(
        move.calls.map(({ callId }) => callId),
        ready,
        'every open call that need not wait is made, and no other',
      )
      t.true(ready.length > 0 && calls.length <= budgets.toolCalls)
    }
    if (move.kind === 'wait') {
      t.deepEqual(ready, [], 'nobody waits while there is something to do')
      t.true(open.length > 0 && move.ms >= 1)
      t.true(move.ms <= hasty.waitSeconds * 1000)
    }
    if (move.kind === 'end' && !mustEnd) {
      t.is(move.status === 'completed', move.reason === null, 'only a completed run has no reason')
      if (move.reason) t.true(Object.hasOwn(endReasons, move.reason))
    }
  })
  fc.assert(rules, { numRuns: 50 })
})

test('next move: more of every budget ends no run sooner, and more time changes no end', (t) => {
  const generous = { ...budgets, steps: 6, toolCalls: 8, tokens: 200, credits: 20, minutes: 10 }
  const rule = fc.property(anyRecord, anyMoment, (record, now) => {
    const move = nextMove(record, budgets, now)
    const later = nextMove(record, budgets, new Date(now.getTime() + 60_000))
    if (move.kind !== 'end') t.not(nextMove(record, generous, now).kind, 'end')
    // Of several budgets that are used up the first in the list is named, so that the reason may be another one.
    else t.like(later, { kind: 'end', status: move.status })
  })
  fc.assert(rule, { numRuns: 50 })
})
