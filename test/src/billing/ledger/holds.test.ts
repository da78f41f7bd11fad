import test from 'ava'
import { holdSeconds } from '../../../../src/billing/ledger/holds.ts'
import { newId } from '../../../../src/ids.ts'
import { billingForFile, openBilling } from '../open-billing.ts'

const open = billingForFile(test)

type Money = Awaited<ReturnType<typeof open>>

/** A step of a run that may begin if it holds credits. */
const begin = ({ billing, database, userId }: Money, subjectId: string, used = { credits: 0, steps: 0 }) =>
  database.transaction((trx) => {
    const all = { ...used, inputTokens: 0, outputTokens: 0 }
    return billing.credits.hold(trx, { ownerId: userId, subjectId, step: used.steps + 1, used: all })
  })

const heldBy = async ({ database, userId }: Money) =>
  (await database('credit_holds').where({ ownerId: userId }).select<{ credits: number }[]>('credits')).map(
    ({ credits }) => credits,
  )

/** An account that has so many credits left. */
async function withCredits(credits: number, opened = open()): Promise<Money> {
  const money = await opened
  await money.charge(money.userId, 200 - credits)
  return money
}

// @promise overdraft
test('of five steps that begin at once with one credit, one begins, and the next one when that was charged less', async (t) => {
  const money = await withCredits(1)
  const runs = Array.from({ length: 5 }, newId)
  const held = await Promise.all(runs.map((runId) => begin(money, runId)))
  t.deepEqual(
    held.filter((credits) => credits !== undefined),
    [1],
  )
  const winner = runs.find((_, index) => held[index] !== undefined) ?? ''
  t.is(await begin(money, winner), 1, 'its next attempt replaces its hold')
  await money.database.transaction((trx) => money.billing.credits.release(trx, winner))
  t.is(await begin(money, newId()), 1)
})

test('a step holds what those before it have used on average, and no more than is free', async (t) => {
  const money = await withCredits(10)
  // What another account holds is its own.
  t.is(await begin(await withCredits(5), newId(), { credits: 5, steps: 1 }), 5)
  t.is(await begin(money, newId(), { credits: 13, steps: 2 }), 7)
  t.is(await begin(money, newId(), { credits: 13, steps: 2 }), 3)
  t.is(await begin(money, newId()), undefined)
})

test('steps at the same time hold tokens of the month, too, and none begins without any', async (t) => {
  const money = await withCredits(10)
  const limits = '{"tokensPerMonth":16000}'
  await money.database('accounts').where({ ownerId: money.userId }).update({ limits })
  const held = [await begin(money, newId()), await begin(money, newId()), await begin(money, newId())]
  t.deepEqual(held, [1, 1, undefined], 'a first step takes 10,000')
})

test('a charge settles the hold of its step, its entry says what was held, and a repetition changes nothing', async (t) => {
  const money = await withCredits(10)
  const { billing, charge, userId } = money
  const runId = newId()
  await begin(money, runId, { credits: 4, steps: 1 })
  t.like(await charge(userId, 6, runId, 2), { balance: 4 })
  t.like(await charge(userId, 6, runId, 2), { balance: 4 })
  t.deepEqual(await heldBy(money), [])
  t.like((await billing.credits.ledger(userId, { limit: 1 })).items[0], { credits: -6, held: 4 })
  t.like(await billing.usage.of('accounts', userId), { used: 196 }, 'it counts once for a cap')
  const [left] = await money.database('credit_grants').where({ ownerId: userId }).sum({ sum: 'remaining' })
  t.is(Number(left?.['sum']), 4, 'and is taken once from what was granted')
})

test('a failed attempt that is charged late leaves the hold of the attempt after it', async (t) => {
  const money = await withCredits(10)
  const runId = newId()
  await begin(money, runId)
  const of = { ownerId: money.userId, runId, step: 1, failedAttempt: 1, keepsHold: true, credits: 2, tokens: 0 }
  await money.database.transaction((trx) => money.billing.credits.chargeStep(trx, of))
  t.deepEqual(await heldBy(money), [1])
})

test('a hold counts no more after the longest time that a step may take, and is deleted then', async (t) => {
  // Its clock is not that of the other tests' holds.
  const money = await withCredits(1, openBilling(t))
  const runId = newId()
  await begin(money, runId)
  money.clock.forward(60)
  t.is(await begin(money, runId), 1, 'that of another attempt counts from its own beginning')
  money.clock.forward(holdSeconds - 1)
  t.is(await begin(money, newId()), undefined)
  money.clock.forward(1)
  t.is(await begin(money, newId()), 1)
  await money.billing.credits.sweep()
  t.deepEqual(await heldBy(money), [1])
})

test('the cap of an account bounds what it may use in a month, and the next month it begins anew', async (t) => {
  const money = await open()
  const { billing, clock, charge, userId } = money
  await billing.credits.setCap(userId, { creditsPerMonth: 10 })
  await charge(userId, 9)
  t.like(await billing.account(userId), { balance: 1, cap: 'account', total: 191 })
  t.is(await begin(money, newId(), { credits: 5, steps: 1 }), 1)
  t.is(await begin(money, newId()), undefined)
  await charge(userId, 3)
  t.is((await billing.account(userId)).balance, -2)
  t.like(await billing.usage.of('accounts', userId), { month: '2026-11', used: 12, cap: 10 })
  clock.forward(10 * 86_400)
  t.like(await billing.account(userId), { balance: 10, cap: 'account' })
})
