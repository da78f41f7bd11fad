import { ApplicationFailure } from '@temporalio/activity'
import test from 'ava'
import { perform } from '../../activities/perform.ts'
import { runActivities } from '../../activities/runs.ts'
import { CodedError } from '../../src/errors.ts'
import { createLogger } from '../../src/logger.ts'
import { StaleEpochError } from '../../src/runs/record.ts'
import type { Services } from '../../src/services.ts'
import { activityEnvironment } from './environment.ts'

const logger = createLogger('silent', 'test')

/** What Temporal learns of an activity whose work throws. */
async function failureOf(thrown: unknown): Promise<ApplicationFailure> {
  const activity = perform(logger, async () => {
    throw thrown
  })
  return failing(activity)
}

async function failing(activity: (input: object) => Promise<unknown>): Promise<ApplicationFailure> {
  const failure = await activityEnvironment()
    .run(activity, {})
    .then(
      () => undefined,
      (error: unknown) => error,
    )
  if (failure instanceof ApplicationFailure) return failure
  throw new Error('the activity did not fail, or not in a form that may stand in a history')
}

test('what acts under an older epoch is not tried again', async (t) => {
  t.like(await failureOf(new StaleEpochError('later')), { type: 'STALE_EPOCH', nonRetryable: true })
})

test('a coded failure is tried again if its code says so, and not before the time that it names', async (t) => {
  const named = await failureOf(new CodedError('MODEL_ERROR', { retryAfter: 61.5 }))
  t.like(named, { type: 'MODEL_ERROR', nonRetryable: false, nextRetryDelay: 61_500 })
  const final = await failureOf(new CodedError('MODEL_ERROR', { retryable: false }))
  t.like(final, { type: 'MODEL_ERROR', nonRetryable: true, nextRetryDelay: undefined })
})

test('a failure for which nobody is to blame but a store that is away is always tried again', async (t) => {
  const away = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  t.like(await failureOf(away), { type: 'DATABASE_AWAY', nonRetryable: false })
})

test('what nobody foresaw is tried ten times by one process, and then given up', async (t) => {
  const activity = perform(logger, async () => {
    throw new TypeError('unforeseen')
  })
  const failures: ApplicationFailure[] = []
  for (let attempt = 1; attempt <= 10; attempt += 1) failures.push(await failing(activity))
  t.deepEqual([...new Set(failures.map(({ type }) => type))], ['INTERNAL_ERROR'])
  t.deepEqual(
    failures.map(({ nonRetryable }) => nonRetryable),
    [...Array.from({ length: 9 }, () => false), true],
  )
})

test('an ending of an older epoch fails nobody, another failure to record it does', async (t) => {
  const input = { runId: 'r', agentId: 'a', epoch: 1, status: 'completed', reason: null } as const
  const endWith = (thrown: Error) => {
    const runs = { endRun: () => Promise.reject(thrown) } as unknown as Services['runs']
    return activityEnvironment().run(runActivities({ runs, logger }).endRun, input)
  }
  await t.notThrowsAsync(endWith(new StaleEpochError('later')))
  await t.throwsAsync(endWith(new Error('unforeseen')))
})
