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

/** What an activity may throw, and what of it may stand in a history. */
const cases: Record<string, { thrown: unknown; type: string; message: string; nonRetryable: boolean; delay?: number }> =
  {
    'what nobody foresaw': {
      thrown: telling({ code: 'P0001' }),
      type: 'INTERNAL_ERROR',
      message: 'The activity failed; the reason is in the log.',
      nonRetryable: false,
    },
    'an older epoch': {
      thrown: new StaleEpochError('the run has a later epoch'),
      type: 'STALE_EPOCH',
      message: 'the run has a later epoch',
      nonRetryable: true,
    },
    'a code that may pass': {
      thrown: coded,
      type: 'MODEL_ERROR',
      message: 'The provider is busy.',
      nonRetryable: false,
      delay: 1500,
    },
    'a code for good': {
      thrown: new CodedError('NOT_FOUND', { message: 'It is not there.', privateDetail: canary }),
      type: 'NOT_FOUND',
      message: 'It is not there.',
      nonRetryable: true,
    },
    'a failure that its thrower knows to be final': {
      thrown: new CodedError('MODEL_ERROR', {
        message: 'The provider refuses.',
        privateDetail: canary,
        retryable: false,
      }),
      type: 'MODEL_ERROR',
      message: 'The provider refuses.',
      nonRetryable: true,
    },
    'a database that nobody reaches': {
      thrown: telling({ code: 'ECONNREFUSED' }),
      type: 'DATABASE_AWAY',
      message: 'The database is away.',
      nonRetryable: false,
    },
    'a database that shuts down': {
      thrown: telling({ code: '57P01' }),
      type: 'DATABASE_AWAY',
      message: 'The database is away.',
      nonRetryable: false,
    },
    'a transaction that was given up for another': {
      thrown: telling({ code: '40P01' }),
      type: 'TRY_AGAIN',
      message: 'The activity could not be carried out just now.',
      nonRetryable: false,
    },
    'vault keys that are not proved yet': {
      thrown: new KeysNotProvedError(canary),
      type: 'TRY_AGAIN',
      message: 'The activity could not be carried out just now.',
      nonRetryable: false,
    },
    'a Temporal that does not answer': {
      thrown: temporalAway,
      type: 'TEMPORAL_AWAY',
      message: 'Temporal could not be asked.',
      nonRetryable: false,
    },
  }

for (const [what, { thrown, delay, ...expected }] of Object.entries(cases))
  test(`of a failure a history gets a code and its public sentence only: ${what}`, async (t) => {
    const { failure, logs } = await failureOf(thrown)
    if (!(failure instanceof ApplicationFailure)) throw new Error('the activity failed in another way')
    t.like(failure, expected)
    t.is(failure.nextRetryDelay, delay)
    t.is(failure.cause, undefined)
    const { message, stack, details } = failure
    t.deepEqual(sightings({ canary }, textsIn([message, stack, details])), [])
    t.is(
      logs.some((line) => line.includes(canary)),
      !(thrown instanceof StaleEpochError),
      'the log has it',
    )
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
