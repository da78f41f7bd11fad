import test from 'ava'
import {
  cancelledAs,
  hasEnded,
  mayTransition,
  runStatuses,
  unfinishedStatuses,
  type RunStatus,
} from '../../../src/runs/states.ts'

/** What may follow each status of a run. */
const following: Record<RunStatus, RunStatus[]> = {
  queued: ['running', 'failed', 'cancelled', 'skipped'],
  running: ['waiting', 'completed', 'failed', 'cancelled', 'skipped'],
  waiting: ['running', 'failed', 'cancelled', 'skipped'],
  completed: [],
  failed: [],
  cancelled: [],
  skipped: [],
}

test('a run goes from each status to those that may follow, and to no other', (t) => {
  t.deepEqual(runStatuses, Object.keys(following))
  for (const from of runStatuses)
    for (const to of runStatuses) t.is(mayTransition(from, to), following[from].includes(to), `${from} → ${to}`)
})

test('a run has ended where nothing may follow', (t) => {
  t.deepEqual(unfinishedStatuses, ['queued', 'running', 'waiting'])
  for (const status of runStatuses) t.is(hasEnded(status), !unfinishedStatuses.includes(status), status)
})

test('a run that was asked to end is cancelled, unless its owner has skipped it', (t) => {
  t.is(cancelledAs('SKIPPED_BY_OWNER'), 'skipped')
  for (const reason of ['CANCELLED_BY_OWNER', 'WITHDRAWN', null] as const) t.is(cancelledAs(reason), 'cancelled')
})
