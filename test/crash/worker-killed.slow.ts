// @promise crashes
import test, { type ExecutionContext } from 'ava'
import * as notifications from '../../api/notifications.ts'
import { call } from '../helpers/client.ts'
import { ended, timelineOf, type Person } from '../helpers/people.ts'
import { dataOf } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { openAftermath, tools, type Aftermath } from './killed-worker.ts'
import { askedFor, courseOf, epochOf, isGapless, measured } from './record.ts'

/** One kill for all tests; each looks at runs of its own. */
const aftermath = forWholeFile(test, 'worker-killed', openAftermath)

interface Case {
  someone: Person
  runId: string
}

/** The run is completed by the next worker. */
async function completed(t: ExecutionContext, { stage, killedAt, repairsOf }: Aftermath, { someone, runId }: Case) {
  t.is((await ended(someone, runId, 60)).status, 'completed')
  const timeline = await timelineOf(someone, runId)
  measured(t, `${Date.now() - killedAt} ms from the kill: ${courseOf(timeline).join(', ')}`)
  t.true(isGapless(timeline.map(({ number }) => number)))
  t.deepEqual(repairsOf(runId), [], 'it stood still rightly')
  t.is(await epochOf(stage.platform, runId), 1)
  return timeline
}

/** What is to be seen of one call in the end. */
interface Seen {
  /** How often it has reached the site. */
  times: number
  status: 'succeeded' | 'unknown'
  attempts: number
}

/** Compares what the site saw of the three calls, what is on record and what the model was told. */
async function seen(t: ExecutionContext, all: Aftermath, run: Case, expected: Record<(typeof tools)[number], Seen>) {
  const timeline = await completed(t, all, run)
  const outcomes = dataOf(timeline, 'tool.finished')
  const told = String(dataOf(timeline, 'step.finished').at(-1)?.['text'])
  for (const [position, tool] of tools.entries()) {
    const { times, status, attempts } = expected[tool]
    const keys = times > 0 ? [`${run.runId}:1:${position}`] : []
    t.deepEqual(askedFor(all.requestsOf(run.runId), tool), { times, keys }, tool)
    const outcome = outcomes.filter((one) => one['tool'] === tool)
    t.like(outcome, { 0: { status, attempts }, length: 1 }, tool)
    const words = status === 'unknown' ? 'and it is unknown whether the call took effect' : 'which returned'
    t.true(told.includes(`${tool}, ${words}`), `${tool}: ${told}`)
  }
  return timeline
}

const sent = { times: 1, status: 'succeeded', attempts: 1 } as const
const again = { times: 2, status: 'succeeded', attempts: 2 } as const
const inDoubt = { times: 1, status: 'unknown', attempts: 1 } as const

test('a run whose worker is killed during a model call repeats that call at another worker and ends', async (t) => {
  const all = await aftermath()
  const timeline = await completed(t, all, all.thinking)
  t.deepEqual(courseOf(timeline).slice(0, 4), ['accepted', 'started', 'step.started 1 1', 'step.started 1 2'])
  const [, second] = dataOf(timeline, 'step.started')
  t.regex(String(second?.['note']), /its worker failed or was stopped/)
  t.is(dataOf(timeline, 'step.finished').length, 1)
})

test('killed after the calls were planned, and before their rows say that they are sent: each is sent once', async (t) => {
  const all = await aftermath()
  await seen(t, all, all.planned, { slow_once: sent, slow_idempotent: sent, slow_read: sent })
})

test('killed after the rows say that the calls are sent, and before a byte has left: the one that must not be repeated is in doubt', async (t) => {
  const all = await aftermath()
  t.false(all.requestsAtKill.some(({ idempotencyKey }) => idempotencyKey?.startsWith(all.unsent.runId)))
  const late = { ...again, times: 1 }
  // On a busy machine it takes so long until the kill that a connection is given up, and another one opened.
  const before = (await timelineOf(all.unsent.someone, all.unsent.runId)).filter(
    ({ at }) => Date.parse(at) < all.killedAt,
  )
  const givenUp = (tool: string) => dataOf(before, 'tool.failed').filter((event) => event['tool'] === tool).length
  await seen(t, all, all.unsent, {
    slow_once: { ...inDoubt, times: 0, attempts: 1 + givenUp('slow_once') },
    slow_idempotent: { ...late, attempts: 2 + givenUp('slow_idempotent') },
    slow_read: { ...late, attempts: 2 + givenUp('slow_read') },
  })
})

test('killed while the site works: only the harmless calls are repeated, and the model is told which is in doubt', async (t) => {
  const all = await aftermath()
  const timeline = await seen(t, all, all.calling, { slow_once: inDoubt, slow_idempotent: again, slow_read: again })
  const notes = dataOf(timeline, 'tool.started').flatMap(({ attempt, note }) => (attempt === 2 ? [String(note)] : []))
  t.is(notes.length, 2)
  for (const note of notes) t.regex(note, /its worker failed or was stopped/)
  const doubted = dataOf(timeline, 'tool.finished').find(({ tool }) => tool === 'slow_once')
  t.regex(String(doubted?.['note']), /not retried/)
})

// @promise once
test('killed after the site has answered, and before that is on record: only harmless calls are sent again, with their keys', async (t) => {
  const all = await aftermath()
  await seen(t, all, all.answered, { slow_once: inDoubt, slow_idempotent: again, slow_read: again })
})

// @promise accepted
test('a delivery whose API and worker are killed right after the 202 is carried out, once, by those who come after', async (t) => {
  const all = await aftermath()
  const { someone, receipts } = all.receipts
  for (const { status, body } of receipts) {
    t.is(status, 202)
    const timeline = await completed(t, all, { someone, runId: body.runId })
    t.is(dataOf(timeline, 'started').length, 1)
    // One of them may have been under way already, and its call be in doubt.
    t.true(askedFor(all.requestsOf(body.runId), 'slow_once').times <= 1)
  }
  t.deepEqual(
    receipts.map(({ body }) => body.sequence),
    [1, 2, 3],
  )
})

/** Both runs end as if nothing had happened, each call with one key, and each once with a good token. */
async function goesOn(t: ExecutionContext, all: Aftermath, { someone, runId, next }: Case & { next: string }) {
  for (const id of [runId, next]) {
    await completed(t, all, { someone, runId: id })
    t.is((await ended(someone, id, 1)).steps, 2)
  }
  t.deepEqual(
    [runId, next].map((id) => all.requestsOf(id).map(({ idempotencyKey, status }) => [idempotencyKey, status])),
    [
      [
        [`${runId}:1:0`, 401],
        [`${runId}:1:0`, 200],
      ],
      [[`${next}:1:0`, 200]],
    ],
  )
  t.is(dataOf(await timelineOf(someone, runId), 'wait.started').length, 1)
  t.is((await call(someone, notifications.listNotifications)).body.items.length, 1)
}

test('a run whose worker is killed while it waits still waits with the next worker, and is resumed by it', async (t) => {
  const all = await aftermath()
  t.like(all.stillParked.run, { status: 'waiting', waitingCause: 'credential' })
  t.is(all.stillParked.next.status, 'queued')
  t.deepEqual(all.stillParked.timeline, all.waits.before)
  await goesOn(t, all, all.waits)
})

test('a run whose site is connected again while there is no worker goes on with the next one', async (t) => {
  const all = await aftermath()
  t.is(all.withoutWorker.parked.status, 'waiting')
  await goesOn(t, all, all.reconnected)
})

test('a run whose worker is killed while it waits for its turn is sent again when that has come, by the next worker', async (t) => {
  const all = await aftermath()
  const { someone, runId, run } = all.limited
  t.is(run.waitingCause, 'rate_limit')
  const timeline = await completed(t, all, { someone, runId })
  const requests = all.requestsOf(runId)
  t.deepEqual(
    requests.map(({ idempotencyKey, status }) => [idempotencyKey, status]),
    [
      [`${runId}:1:0`, 429],
      [`${runId}:1:0`, 200],
    ],
  )
  const [refusedAt = 0, sentAt = 0] = requests.map(({ at }) => Date.parse(at))
  t.true(sentAt - refusedAt >= 10_000, 'no worker was too early')
  t.true(refusedAt < all.killedAt && sentAt > all.killedAt, 'one worker was refused, the next one was not')
  t.is(dataOf(timeline, 'wait.started').length, 1)
})

test('a run that is cancelled while there is no worker is ended in the record, and the next one goes on with the next worker', async (t) => {
  const all = await aftermath()
  const { someone, runId, next } = all.unwanted
  const { accepted, run } = all.withoutWorker.cancelled
  t.is(accepted.status, 'running')
  t.like(run, { status: 'cancelled', reason: 'CANCELLED_BY_OWNER' })
  t.deepEqual(all.repairsOf(runId), ['cancel-forced'])
  t.is(await epochOf(all.stage.platform, runId), 2, 'nothing of the killed worker could write for it')
  await completed(t, all, { someone, runId: next })
})
