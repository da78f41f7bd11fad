import test from 'ava'
import { Run } from '../../../src/runs/run.ts'
import { abandonedMs, askingTimeLeft, heldUpMs, waitingTimeLeft, workingTimeLeft } from '../../../src/runs/time-left.ts'
import { readConfig } from '../../../src/config/config.ts'

const now = new Date('2026-11-23T12:00:00Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
const ahead = (seconds: number) => ago(-seconds)

const { budgets } = readConfig({
  DATABASE_URL: 'postgres://nobody@127.0.0.1/none',
  VAULT_KEYS: `a:${Buffer.alloc(32).toString('base64')}`,
  JWT_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----',
  RUN_MINUTES: '10',
  RUN_WAIT_SECONDS: '3600',
})

const base = { startedAt: ago(900), progressedAt: ago(900), waitedMs: 0, outageMs: 0, attempt: 1 }
const none = { waitingSince: null, failedAt: null, retryAt: null, failedAttempt: null, noPlaceSince: null }
const runWith = (fields: object): Run => Object.assign(new Run(), { ...base, ...none, ...fields })
const workLeft = (fields: object) => workingTimeLeft(runWith(fields), budgets, now) / 1000
const heldUp = (fields: object) => heldUpMs(runWith(fields), budgets, now) / 1000

test('a run that has worked for longer than its minutes has no time left', (t) => {
  t.is(workLeft({ progressedAt: now }), -300)
  t.is(workLeft({ progressedAt: now, waitedMs: 600_000 }), 300)
})

test('what lasts longer than any work is no work, and takes nothing off the waiting', (t) => {
  const { longestWorkSeconds } = budgets
  const abandoned = (fields: object) => abandonedMs(runWith(fields), budgets, now) / 1000
  t.is(abandoned({ progressedAt: ago(longestWorkSeconds) }), 0)
  const days = { startedAt: ago(200_500), progressedAt: ago(200_000) }
  t.is(abandoned(days), 200_000)
  t.is(workLeft(days), 100)
  t.is(waitingTimeLeft(runWith(days), budgets, now), 3_600_000)
  t.is(abandoned({ ...days, waitingSince: ago(200_000) }), 0, 'it waits')
  t.is(abandoned({ ...days, startedAt: null }), 0)
  const named = { failedAttempt: 1, failedAt: ago(200_000), retryAt: ago(100) }
  t.is(abandoned({ ...days, ...named }), 0, 'its provider wanted it to wait')
})

test('the time that a provider has named does not count as work, and what follows it does', (t) => {
  const failed = { failedAttempt: 1, failedAt: ago(600), progressedAt: ago(600) }
  t.is(heldUp({ ...failed, retryAt: ahead(60) }), 600)
  t.is(heldUp({ ...failed, retryAt: ago(100) }), 500)
  t.is(workLeft({ ...failed, retryAt: ago(100) }), 200)
  t.is(heldUp(failed), 0, 'it named no time')
  t.is(heldUp({ ...failed, retryAt: ago(100), attempt: 2 }), 0, 'another attempt has begun, which has counted it')
})

test('the time without a place does not count as work, unless the run has made progress since', (t) => {
  t.is(heldUp({ noPlaceSince: ago(800) }), 800)
  t.is(heldUp({ noPlaceSince: ago(800), progressedAt: ago(700) }), 0)
  const both = { failedAttempt: 1, failedAt: ago(600), retryAt: ago(100), noPlaceSince: ago(90) }
  t.is(heldUp(both), 590)
  t.is(heldUp({ ...both, noPlaceSince: ago(300) }), 600, 'no time counts twice')
})

test('what holds a run up counts as waiting for no longer than the run may wait', (t) => {
  const old = { startedAt: ago(8000), progressedAt: ago(7300), noPlaceSince: ago(7000) }
  t.is(heldUp(old), 3600)
  t.is(workLeft(old), 600 - (8000 - 3600))
  t.is(waitingTimeLeft(runWith(old), budgets, now), 3_600_000)
})

test('what a run has waited, and waits now, is taken off its waiting, and is no work', (t) => {
  const waiting = { waitedMs: 600_000, waitingSince: ago(60) }
  t.is(waitingTimeLeft(runWith(waiting), budgets, now), 3_600_000 - 660_000)
  t.is(workLeft(waiting), 600 - (900 - 660))
  t.is(waitingTimeLeft(runWith({ waitingSince: ahead(5) }), budgets, now), 3_600_000, 'clocks differ a little')
  const pause = { waitedMs: 600_000, outageMs: 600_000, waitingSince: ago(60), waitingCause: 'paused' }
  t.is(waitingTimeLeft(runWith(pause), budgets, now), 3_600_000, 'a pause takes nothing off')
  t.is(workLeft(pause), 600 - (900 - 660))
  t.is(workLeft({ startedAt: null }), 600, 'it has not begun')
})

test('a run without a place since its last progress is held up', (t) => {
  t.is(heldUp({ noPlaceSince: ago(900) }), 900, 'at the same moment')
  t.is(heldUp({ progressedAt: new Date(0) }), 0)
})

test('an approval is requested only if a person has time to decide: a minute, or half of a short limit', (t) => {
  const asking = (waitedMs: number, waitSeconds: number) =>
    askingTimeLeft(runWith({ waitedMs }), { ...budgets, waitSeconds }, now)
  t.is(asking(3_540_000, 3600), 60_000)
  t.is(asking(3_540_001, 3600), 0)
  t.is(asking(2000, 4), 2000)
  t.is(asking(2001, 4), 0)
})
