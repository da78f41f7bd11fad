import test from 'ava'
import { deleteAgent } from '../../../api/agents.ts'
import { Callback } from '../../../src/callbacks/callback.ts'
import { createCallbacks } from '../../../src/callbacks/callbacks.ts'
import { beforeAll, createClaim, type Claimed } from '../../../src/callbacks/claim-callbacks.ts'
import type { Attempted } from '../../../src/callbacks/post.ts'
import { createRecordOutcome } from '../../../src/callbacks/record-outcome.ts'
import { newId } from '../../../src/ids.ts'
import { call } from '../../helpers/client.ts'
import { agentOf, customer } from '../../helpers/people.ts'
import { cancel, start } from '../../helpers/runs.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

/**
 * An attempt that took so long that another one was begun: its word counts for itself only. Nobody delivers on this
 * platform; the tests claim, one after the other, and record outcomes in whatever order they like.
 */
const house = sharedPlatform(test, 'idle')

/** A callback that was claimed so many times. */
async function claimedTimes(count: number) {
  const platform = await house()
  const { database, clock, config, metrics, notifications } = platform.services
  const someone = await customer(platform)
  const agent = await agentOf(someone, { callbackUrl: `https://${newId()}.example.com/` })
  const { id: runId } = (await start(someone, agent)).body
  await cancel(someone, runId)
  const read = () => Callback.query(database).findOne({ runId }).throwIfNotFound()
  const { ownerId } = await read()
  // Those of tests before are left alone: each has an owner of its own.
  const others = async () =>
    (await Callback.query(database).distinct('ownerId').whereNot({ ownerId })).map((row) => row.ownerId)
  const claimAt = async (now: Date) => {
    const { next, claim } = createClaim({ database, clock: { now: () => now }, config })
    const due = await next(beforeAll, { owners: await others(), hosts: [] })
    return due && claim(due)
  }
  const attempts: Claimed[] = []
  for (let made = 0; made < count; made += 1) {
    await Callback.query(database)
      .where({ runId })
      .patch({ nextAt: new Date(0) })
    const claimed = await claimAt(clock.now())
    if (claimed?.runId !== runId) throw new Error('another callback was claimed')
    attempts.push(claimed)
  }
  const recordOutcome = createRecordOutcome({ database, clock, metrics, notifications })
  const told = () => database('notifications').where({ kind: 'callback_failed', subjectId: agent.id })
  const log = async () => {
    const { id: callbackId } = await read()
    const rows = await database('callbackAttempts').where({ callbackId }).orderBy('attempt')
    return rows.map(({ attempt, outcome }: { attempt: number; outcome: string }) => `${attempt} ${outcome}`)
  }
  /** Has it posted again at that time. */
  const retryAt = (now: Date) => createCallbacks({ database, clock: { now: () => now }, config }).retry(runId)
  const removeAgent = () => call(someone, deleteAgent, { params: { agentId: agent.id } })
  const [earlier, later] = attempts as [Claimed, Claimed]
  return { attempts, earlier, later, recordOutcome, read, told, log, claimAt, retryAt, removeAgent }
}

const attempted = (kind: Attempted['kind'], outcome: string = kind): Attempted => ({
  kind,
  outcome,
  at: new Date(),
  latencyMs: 1,
  httpStatus: null,
})

/** What an earlier attempt may come to that does not end the callback, or would. */
const failures: Attempted['kind'][] = ['failed', 'gone']

for (const kind of failures)
  test.serial(`an earlier attempt does not decide while a later one is under way: ${kind}`, async (t) => {
    const { earlier, later, recordOutcome, read, told, log } = await claimedTimes(2)
    const before = await read()
    t.like(before, { status: 'pending', attempts: 2 })
    await recordOutcome(earlier, attempted(kind))
    t.deepEqual(await read(), before)
    t.deepEqual(await told(), [])
    t.deepEqual(await log(), [`1 ${kind}`], 'but it is on record')
    await recordOutcome(later, attempted('gone', 'first'))
    await recordOutcome(later, attempted('gone', 'second'))
    t.like(await read(), { status: 'failed', nextAt: null })
    t.is((await told()).length, 1, 'once')
    t.deepEqual(await log(), [`1 ${kind}`, '2 first'], 'what is recorded twice is recorded as it was first')
  })

for (const first of ['earlier', 'later'] as const)
  test.serial(`that it was delivered is true whichever attempt says so, and stays so: the ${first} one`, async (t) => {
    const { attempts, recordOutcome, read, told, [first]: delivering } = await claimedTimes(2)
    await recordOutcome(delivering, attempted('delivered'))
    const before = await read()
    t.like(before, { status: 'delivered', nextAt: null })
    for (const attempt of attempts)
      for (const kind of [...failures, 'delivered' as const]) await recordOutcome(attempt, attempted(kind))
    t.deepEqual(await read(), before)
    t.deepEqual(await told(), [])
  })

test.serial('while an attempt may be under way, nobody claims the callback again', async (t) => {
  const { config } = (await house()).services
  const before = Date.now()
  const { earlier, read, claimAt } = await claimedTimes(1)
  // What comes before and after the request itself may take twenty seconds.
  t.is(await claimAt(new Date(before + config.callbacks.timeoutSeconds * 1000 + 20_000)), undefined)
  const { attempts, nextAt } = await read()
  t.is(attempts, 1)
  t.like(await claimAt(nextAt ?? new Date(0)), { id: earlier.id, attempt: 2 })
})

/** When a callback is long given up. */
const twoDaysLater = () => new Date(Date.now() + 2 * 86_400_000)

test.serial(
  'a callback that its owner has posted again is tried as often and for as long as a new one, until the agent is deleted',
  async (t) => {
    const { config } = (await house()).services
    const { attempts, recordOutcome, read, retryAt, claimAt, removeAgent } = await claimedTimes(3)
    await recordOutcome(attempts[2]!, attempted('gone'))
    const now = twoDaysLater()
    await retryAt(now)
    const giveUpAt = new Date(now.getTime() + config.callbacks.hours * 3_600_000)
    t.like(await read(), { status: 'pending', attempts: 3, tries: 0, nextAt: now, giveUpAt, endedAt: null })
    const again = (await claimAt(now))!
    t.like(again, { attempt: 4, tries: 1, giveUpAt })
    await recordOutcome(again, attempted('gone'))
    const before = await read()
    t.is((await removeAgent()).status, 204)
    t.like(await t.throwsAsync(retryAt(twoDaysLater())), { code: 'NOT_FOUND' })
    t.deepEqual(await read(), before)
  },
)
