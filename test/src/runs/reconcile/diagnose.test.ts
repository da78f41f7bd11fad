// @promise repairs
import test from 'ava'
import { diagnose, type TemporalState } from '../../../../src/runs/reconcile/diagnose.ts'
import type { AgentFacts } from '../../../../src/runs/reconcile/facts.ts'
import { after, agentFacts, headRun, open, queuedRun, waitingRun } from './facts.ts'

const failing = open({ attempts: 3 })
const idle = open({ isIdle: true })
const busy = open({ isBusy: true })

const polled = { isPolled: true, servedUntil: after(60) }
const unpolled = { isPolled: false, servedUntil: null }
const nothing: TemporalState = { queue: null, workflow: null, endedBy: null, polls: polled }

const actionOn = (facts: Partial<AgentFacts>, seen: Partial<TemporalState>) =>
  diagnose(agentFacts(facts), { ...nothing, ...seen }, 20)

/** Of an agent whose run is at work, under a queue that waits for it. */
const running = (seen: Partial<TemporalState>, facts: Partial<AgentFacts> = {}) =>
  actionOn({ head: headRun(), ...facts }, { queue: open({ children: ['head'] }), workflow: busy, ...seen }).kind
/** Of an agent that has queued runs only. */
const queued = (seen: Partial<TemporalState>, facts: Partial<AgentFacts> = {}) =>
  actionOn({ next: queuedRun(), ...facts }, seen).kind
const waits = { head: waitingRun('paused') }

test('a stalled agent is left alone while it may go on by itself', (t) => {
  t.is(running({}), 'leave', 'a long call')
  t.is(running({ workflow: open({ attempts: 1 }) }), 'leave', 'a workflow task that nobody has taken yet')
  t.is(running({ workflow: open({ attempts: 9, isBusy: true }) }), 'leave', 'a call goes on beside what fails')
  t.is(running({ workflow: idle }, waits), 'leave', 'a run that waits sleeps on a timer')
  for (const waitingUntil of [null, after(60)])
    t.is(running({ workflow: idle }, { head: waitingRun('paused', { waitingUntil }) }), 'leave', 'its time is not over')
  t.is(running({ workflow: failing, polls: unpolled }), 'leave', 'nobody is there to do better')
  t.is(running({ queue: failing }), 'leave', 'the run goes on although its queue could not')
  t.is(running({ queue: null }), 'leave', 'and although its queue is gone')
  t.is(running({ queue: open({ attempts: 1 }), workflow: null }), 'leave', 'the queue is about to start it')
  t.is(queued({ queue: open({ attempts: 1 }) }), 'leave', 'no worker has come by yet')
})

test('it is looked at again at growing intervals, and more rarely while it waits', (t) => {
  const again = (facts: Partial<AgentFacts>) => {
    const action = actionOn(facts, { queue: open(), workflow: busy })
    return action.kind === 'leave' ? action.until.getTime() - (facts.now ?? after(60)).getTime() : undefined
  }
  const head = headRun()
  t.deepEqual(
    [20, 25, 60].map((seconds) => again({ head, now: after(seconds) })),
    [20_000, 25_000, 30_000],
  )
  t.is(again({ ...waits }), 300_000)
  t.is(again({ head: waitingRun('paused', { waitingUntil: after(70) }) }), 30_000, 'when the wait is over')
})

test('what Temporal has lost is started: a run under another epoch, or a queue', (t) => {
  t.like(actionOn({ head: headRun() }, {}), {
    kind: 'restart',
    cause: 'neither the run nor its queue has an open workflow',
  })
  t.is(actionOn(waits, {}).kind, 'restart')
  t.is(queued({ polls: unpolled }), 'start')
})

test('a run whose workflow an operator has ended ends as that says', (t) => {
  const ended = (endedBy: TemporalState['endedBy'], head = headRun()) => actionOn({ head }, { endedBy })
  t.like(ended('terminated'), { kind: 'end', status: 'failed', reason: 'TERMINATED', repair: 'end-run' })
  t.like(ended('cancelled'), { kind: 'end', status: 'cancelled', reason: 'CANCELLED_BY_OPERATOR' })
  t.like(ended('cancelled', headRun({ cancelReason: 'SKIPPED_BY_OWNER' })), {
    status: 'skipped',
    reason: 'SKIPPED_BY_OWNER',
  })
  t.like(ended('cancelled'), { repair: 'end-run', cause: 'it was cancelled in Temporal' })
  t.is(running({ endedBy: 'terminated' }), 'leave', 'another one is open')
  t.is(queued({ endedBy: 'terminated' }), 'start', 'no run has begun')
})

test('a queue that waits for what is gone, or that has not claimed the run, is started again', (t) => {
  t.is(running({ workflow: null }), 'restart')
  t.is(queued({ queue: open({ children: ['other'] }) }), 'restart', 'a run that has ended in the record')
  t.is(running({ workflow: null, queue: open({ executionId: 'another' }) }), 'restart')
})

test('an execution that cannot go on is restarted: it fails again and again, or has nothing under way', (t) => {
  t.deepEqual(actionOn({ head: headRun() }, { queue: open(), workflow: failing }), {
    kind: 'restart',
    cause: "the run's workflow is open, but its workflow task has failed 2 times",
  })
  t.is(running({ workflow: idle }), 'restart')
  t.is(running({ workflow: failing }, waits), 'restart', 'also when it waits')
  t.is(
    running({ workflow: idle }, { head: waitingRun('paused', { waitingUntil: after(10) }) }),
    'restart',
    'its wait is over',
  )
  t.is(running({ workflow: failing, queue: null }), 'restart')
  t.is(queued({ queue: failing }), 'restart')
  t.is(queued({ queue: idle }), 'restart')
  t.is(running({ queue: failing, workflow: null }), 'restart', 'its run is gone as well')
})

test('what is none of ours, although it has the id of one, is ended after a while', (t) => {
  for (const foreign of ['type', 'task queue'] as const) {
    const other = open({ attempts: 1, foreign })
    const cause = `open, but it has a different ${foreign}`
    t.deepEqual(actionOn({ head: headRun() }, { queue: open(), workflow: other }), {
      kind: 'restart',
      cause: `the run's workflow is ${cause}`,
    })
    t.is(running({ workflow: other }, waits), 'restart', 'also when the run waits')
    t.deepEqual(actionOn({ next: queuedRun() }, { queue: other }), {
      kind: 'restart',
      cause: `the queue's workflow is ${cause}`,
    })
    t.is(running({ queue: other }), 'leave', 'its run goes on')
    t.is(queued({ queue: other }, { now: after(19) }), 'leave', 'it may be gone soon')
    t.is(queued({ queue: other, polls: unpolled }), 'leave', 'perhaps it is our task queue that is wrong')
    t.is(queued({ queue: { ...other, children: ['other'] }, polls: unpolled }), 'leave', 'whatever it waits for')
  }
  const elsewhere = open({ isBusy: true, foreign: 'task queue' })
  t.is(running({ queue: open({ foreign: 'task queue' }), workflow: elsewhere }), 'leave', 'workers drain there')
  t.is(running({ workflow: open({ isBusy: true, foreign: 'type' }) }), 'restart')
})

test('a workflow task that waits although workers take what came long after it has been forgotten', (t) => {
  const forgotten = open({ attempts: 1, waitsSince: after(10) })
  const served = (seconds: number) => ({ polls: { isPolled: true, servedUntil: after(seconds) } })
  t.is(running({ workflow: forgotten, ...served(30) }), 'restart')
  t.is(queued({ queue: forgotten, ...served(30) }), 'restart')
  t.is(running({ workflow: forgotten, ...served(29) }), 'leave', 'its turn may come')
  t.is(running({ workflow: { ...forgotten, isBusy: true }, ...served(60) }), 'leave', 'a call goes on beside it')
  t.is(running({ workflow: forgotten, polls: unpolled }), 'leave')
})

test('what never gets better is tried again at doubling intervals, up to ten minutes', (t) => {
  let startedAt = after(-100)
  const repairs: number[] = []
  for (let second = 0; second <= 3600; second += 1) {
    if (running({ workflow: open({ attempts: 3, startedAt }) }, { now: after(second) }) !== 'restart') continue
    repairs.push(second)
    startedAt = after(second)
  }
  t.deepEqual(repairs, [20, 40, 80, 160, 320, 640, 1240, 1840, 2440, 3040])
})
