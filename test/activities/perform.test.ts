// @promise secrecy
import { ApplicationFailure, CancelledFailure, ActivityCancellationDetails } from '@temporalio/common'
import test from 'ava'
import { perform } from '../../activities/perform.ts'
import { runActivities } from '../../activities/runs.ts'
import { CodedError } from '../../src/errors.ts'
import { createLogger } from '../../src/logger.ts'
import { StaleEpochError } from '../../src/runs/record.ts'
import { KeysNotProvedError } from '../../src/secrets/sealing.ts'
import type { Services } from '../../src/services.ts'
import { sightings, textsIn } from '../helpers/canaries.ts'
import { activityEnvironment } from './environment.ts'

const canary = 'canary-4711'

/** Says the canary wherever an error can. */
const telling = (fields: object): Error =>
  Object.assign(new Error(canary, { cause: new Error(canary) }), { detail: canary, ...fields })

/** What comes of an activity that throws, and what was logged of it. */
async function failureOf(thrown: unknown, environment = activityEnvironment()) {
  const logs: string[] = []
  const logger = createLogger('debug', 'test', { write: (line: string) => void logs.push(line) })
  const activity = perform<object, void>(logger, () => Promise.reject(thrown))
  const failure = await environment.run(activity, {}).then(
    () => undefined,
    (error: unknown) => error,
  )
  return { failure, logs }
}

const coded = new CodedError('MODEL_ERROR', {
  message: 'The provider is busy.',
  privateDetail: canary,
  cause: telling({}),
  retryAfter: 1.5,
})

/** As Temporal's client throws it: gRPC's error, which has details and metadata, inside one of the client's own. */
const temporalAway = telling({ cause: telling({ code: 14, details: canary, metadata: {} }) })

const unavailable = 'The activity cannot run right now.'
const final = (code: 'NOT_FOUND' | 'MODEL_ERROR', retryable?: false) =>
  new CodedError(code, {
    message: 'It is not there.',
    privateDetail: canary,
    ...(retryable === false && { retryable }),
  })

/** What an activity may throw, what of it may stand in a history, and whether that is final. */
const cases: [what: string, thrown: Error, type: string, message: string, nonRetryable: boolean, delay?: number][] = [
  [
    'nobody foresaw it',
    telling({ code: 'P0001' }),
    'INTERNAL_ERROR',
    'The activity failed. The log has the reason.',
    false,
  ],
  [
    'an older epoch',
    new StaleEpochError('the run has a later epoch'),
    'STALE_EPOCH',
    'the run has a later epoch',
    true,
  ],
  ['a code that may pass', coded, 'MODEL_ERROR', 'The provider is busy.', false, 1500],
  ['a code for good', final('NOT_FOUND'), 'NOT_FOUND', 'It is not there.', true],
  ['its thrower knows it to be final', final('MODEL_ERROR', false), 'MODEL_ERROR', 'It is not there.', true],
  [
    'nobody reaches the database',
    telling({ code: 'ECONNREFUSED' }),
    'DATABASE_AWAY',
    'The database is unavailable.',
    false,
  ],
  ['the database shuts down', telling({ code: '57P01' }), 'DATABASE_AWAY', 'The database is unavailable.', false],
  ['a transaction given up for another', telling({ code: '40P01' }), 'TRY_AGAIN', unavailable, false],
  ['vault keys not proved yet', new KeysNotProvedError(canary), 'TRY_AGAIN', unavailable, false],
  ['Temporal does not answer', temporalAway, 'TEMPORAL_AWAY', 'Temporal is unavailable.', false],
]

for (const [what, thrown, type, message, nonRetryable, delay] of cases)
  test(`of a failure a history gets a code and its public sentence only: ${what}`, async (t) => {
    const { failure, logs } = await failureOf(thrown)
    if (!(failure instanceof ApplicationFailure)) throw new Error('the activity failed in another way')
    t.like(failure, { type, message, nonRetryable })
    t.is(failure.nextRetryDelay, delay ?? (nonRetryable ? undefined : 1000))
    t.is(failure.cause, undefined)
    t.deepEqual(sightings({ canary }, textsIn([failure.message, failure.stack, failure.details])), [])
    const isLogged = logs.some((line) => line.includes(canary))
    t.is(isLogged, !(thrown instanceof StaleEpochError), 'the log has it')
  })

test('what nobody foresaw is tried ten times by one activity, and not for ever', async (t) => {
  const logger = createLogger('silent', 'test')
  const activity = perform<object, void>(logger, () => Promise.reject(telling({})))
  const final: Record<string, unknown[]> = { one: [], another: [] }
  for (let attempt = 0; attempt < 10; attempt += 1)
    for (const [activityId, said] of Object.entries(final))
      await activityEnvironment({ activityId })
        .run(activity, {})
        .catch(({ nonRetryable }: ApplicationFailure) => said.push(nonRetryable))
  const course = [...Array.from({ length: 9 }, () => false), true]
  t.deepEqual(final, { one: course, another: course }, 'each activity is counted for itself')
})

test('what is away is waited for however often it is asked, and is no surprise', async (t) => {
  const logger = createLogger('silent', 'test')
  for (const thrown of [telling({ code: 'ECONNREFUSED' }), temporalAway]) {
    const activity = perform<object, void>(logger, () => Promise.reject(thrown))
    for (let attempt = 1; attempt <= 11; attempt += 1) {
      const error = await t.throwsAsync<ApplicationFailure>(activityEnvironment().run(activity, {}))
      t.is(error?.nonRetryable, false, `${error?.type}, attempt ${attempt}`)
    }
  }
})

test('an activity that fails is tried again after a pause that grows; the options of one inside a workflow task name its pause', async (t) => {
  const pauseAt = async (attempt: number, isLocal = false, thrown: Error = telling({})) => {
    const { failure } = await failureOf(thrown, activityEnvironment({ attempt, isLocal }))
    return (failure as ApplicationFailure).nextRetryDelay
  }
  t.deepEqual(
    await Promise.all([1, 2, 4, 5, 2000].map((attempt) => pauseAt(attempt))),
    [1000, 2000, 8000, 15_000, 15_000],
  )
  t.is(await pauseAt(3, true), undefined)
  const atOnce = new CodedError('MODEL_ERROR', { message: 'The provider is busy.', retryAfter: 0 })
  t.is(await pauseAt(4, false, atOnce), 8000, 'a provider that names no pause is not asked every second')
})

test('an activity that is cancelled says so, and one whose worker stops is to be tried elsewhere', async (t) => {
  const cancelled = activityEnvironment()
  cancelled.cancel('CANCELLED', new ActivityCancellationDetails({ cancelRequested: true }))
  t.true((await failureOf(telling({}), cancelled)).failure instanceof CancelledFailure)
  const stopped = activityEnvironment()
  stopped.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }))
  const { failure } = await failureOf(telling({}), stopped)
  t.like(failure, { type: 'WORKER_SHUTDOWN', nonRetryable: false })
})

test('an ending of an older epoch fails nobody, another failure to record it does', async (t) => {
  const input = { runId: 'r', agentId: 'a', epoch: 1, status: 'completed', reason: null } as const
  const logger = createLogger('silent', 'test')
  const endWith = (thrown: Error) => {
    const runs = { ending: { end: () => Promise.reject(thrown) } } as unknown as Services['runs']
    return activityEnvironment().run(
      runActivities({ runs, logger, config: { workerActivities: 1 } as Services['config'] }).endRun,
      input,
    )
  }
  await t.notThrowsAsync(endWith(new StaleEpochError('later')))
  await t.throwsAsync(endWith(new Error('unforeseen')))
})
