import test from 'ava'
import { repairOf, type Standstill } from '../../../src/runs/ghosts.ts'
import type { OpenExecution } from '../../../src/temporal-inspection.ts'

const since = new Date('2026-11-21T09:00:00Z')
const after = (seconds: number) => new Date(since.getTime() + seconds * 1000)

const open = (facts: Partial<OpenExecution> = {}): OpenExecution => ({
  executionId: 'one',
  startedAt: after(-100),
  attempts: 0,
  isBusy: false,
  isIdle: false,
  children: [],
  foreign: null,
  waitsSince: null,
  ...facts,
})
const failing = open({ attempts: 3 })
const idle = open({ isIdle: true })
const busy = open({ isBusy: true })

const standstill = (facts: Partial<Standstill>): Standstill => ({
  now: after(60),
  since,
  patienceMs: 20_000,
  run: null,
  hasQueued: false,
  queue: null,
  workflow: null,
  child: null,
  polls: { isPolled: true, servedUntil: after(60) },
  ...facts,
})

/** An agent whose run is at work under a queue that waits for it, as long as nothing else is said. */
const running = (facts: Partial<Standstill> = {}): Standstill => {
  const workflow = facts.workflow === undefined ? busy : facts.workflow
  const child = { hasEnded: false, workflow }
  return standstill({ run: { isAtWork: true }, queue: open(), workflow, child, ...facts })
}

const unpolled = { isPolled: false, servedUntil: null }

const kindOf = (facts: Standstill) => repairOf(facts)?.kind ?? null

test('an agent that stands still rightly is left alone', (t) => {
  t.is(kindOf(running()), null, 'a long call')
  t.is(kindOf(running({ workflow: open({ attempts: 1 }) })), null, 'a workflow task that nobody has taken yet')
  t.is(kindOf(running({ workflow: open({ attempts: 9, isBusy: true }) })), null, 'a call goes on beside what fails')
  t.is(kindOf(running({ workflow: idle, run: { isAtWork: false } })), null, 'a run that waits sleeps on a timer')
  t.is(kindOf(running({ workflow: failing, polls: unpolled })), null, 'nobody is there to do better')
  t.is(kindOf(running({ queue: failing })), null, 'the run goes on although its queue could not')
  t.is(kindOf(standstill({ queue: open({ attempts: 1 }), hasQueued: true })), null, 'no worker has come by yet')
  t.is(kindOf(standstill({ queue: failing })), null, 'nothing is to be done')
  t.is(kindOf(standstill({})), null)
})

test('an agent that Temporal has lost is woken, whether it has a run under way or only queued ones', (t) => {
  t.is(kindOf(standstill({ run: { isAtWork: true } })), 'wake')
  t.is(kindOf(standstill({ run: { isAtWork: false }, workflow: idle })), 'wake')
  t.is(kindOf(standstill({ hasQueued: true, polls: unpolled })), 'wake')
  t.regex(repairOf(standstill({ run: { isAtWork: true } }))!.cause, /neither the run nor its queue/)
})

test('a queue that waits for what is gone is begun anew, and what it waits for in vain is ended', (t) => {
  t.is(kindOf(running({ workflow: null })), 'restart-queue')
  t.is(kindOf(standstill({ queue: open(), child: { hasEnded: true, workflow: null } })), 'restart-queue')
  t.is(kindOf(standstill({ queue: open(), child: { hasEnded: true, workflow: idle } })), 'end-child')
  t.is(
    kindOf(standstill({ queue: open(), child: { hasEnded: true, workflow: failing }, polls: unpolled })),
    'end-child',
  )
  t.is(kindOf(standstill({ queue: open(), child: { hasEnded: false, workflow: busy } })), null, 'the next run began')
})

test('an execution that cannot go on is ended: it fails again and again, or has nothing under way', (t) => {
  const wedged = repairOf(running({ workflow: failing }))
  t.deepEqual(wedged, {
    kind: 'restart-run',
    cause: "the run's workflow is open, but its workflow task was tried 2 times in vain",
  })
  t.is(kindOf(running({ workflow: idle })), 'restart-run')
  t.is(kindOf(running({ workflow: failing, run: { isAtWork: false } })), 'restart-run', 'also when it waits')
  t.is(kindOf(running({ workflow: failing, queue: open({ isIdle: true }), child: null })), 'restart-run', 'not a child')
  t.is(kindOf(running({ workflow: failing, queue: null, child: null })), 'restart-run')
  t.is(kindOf(standstill({ queue: failing, hasQueued: true })), 'restart-queue')
  t.is(kindOf(standstill({ queue: idle, hasQueued: true })), 'restart-queue')
  t.is(kindOf(standstill({ queue: failing, run: { isAtWork: true } })), 'restart-queue', 'its run is gone as well')
  t.is(kindOf(standstill({ queue: failing, run: { isAtWork: true }, workflow: busy })), null, 'its run goes on')
})

test('what is none of ours, although it has the id of one, is ended after a while', (t) => {
  for (const foreign of ['type', 'task queue'] as const) {
    const other = open({ attempts: 1, foreign })
    const cause = `open, but it is none of ours: it has another ${foreign}`
    const instead = standstill({ queue: open(), run: { isAtWork: true }, workflow: other })
    t.deepEqual(repairOf(instead), { kind: 'restart-run', cause: `the run's workflow is ${cause}` })
    t.is(kindOf({ ...instead, run: { isAtWork: false } }), 'restart-run', 'also when the run waits')
    const asQueue = standstill({ queue: other, hasQueued: true })
    t.deepEqual(repairOf(asQueue), { kind: 'restart-queue', cause: `the queue's workflow is ${cause}` })
    t.is(kindOf({ ...asQueue, run: { isAtWork: false }, workflow: open() }), 'restart-queue', 'its run waits')
    t.is(kindOf({ ...asQueue, run: { isAtWork: true }, workflow: busy }), null, 'its run goes on')
    t.is(kindOf({ ...asQueue, now: after(19) }), null, 'it may be gone soon')
    t.is(kindOf({ ...asQueue, polls: unpolled }), null, 'perhaps it is our task queue that is wrong')
    t.is(kindOf({ ...asQueue, hasQueued: false }), null, 'nothing is to be done')
  }
  const elsewhere = open({ isBusy: true, foreign: 'task queue' })
  t.is(kindOf(running({ queue: open({ foreign: 'task queue' }), workflow: elsewhere })), null, 'workers drain there')
  t.is(kindOf(running({ workflow: open({ isBusy: true, foreign: 'type' }) })), 'restart-run')
})

test('a workflow task that waits although workers take what came long after it has been forgotten', (t) => {
  const waits = open({ attempts: 1, waitsSince: after(10) })
  const served = (seconds: number) => ({ polls: { isPolled: true, servedUntil: after(seconds) } })
  t.is(kindOf(running({ workflow: waits, ...served(30) })), 'restart-run')
  t.is(kindOf(standstill({ queue: waits, hasQueued: true, ...served(30) })), 'restart-queue')
  t.is(kindOf(running({ workflow: waits, ...served(29) })), null, 'its turn may come')
  t.is(kindOf(running({ workflow: { ...waits, isBusy: true }, ...served(60) })), null, 'a call goes on beside it')
  t.is(kindOf(running({ workflow: waits, polls: unpolled })), null)
})

test('what never gets better is tried again at doubling intervals, up to ten minutes', (t) => {
  let startedAt = after(-100)
  const repairs: number[] = []
  for (let second = 0; second <= 3600; second += 1) {
    const facts = running({ now: after(second), workflow: open({ attempts: 3, startedAt }) })
    if (kindOf(facts) !== 'restart-run') continue
    repairs.push(second)
    startedAt = after(second)
  }
  t.deepEqual(repairs, [20, 40, 80, 160, 320, 640, 1240, 1840, 2440, 3040])
})
