// @promise refunds
import test, { type ExecutionContext } from 'ava'
import * as billing from '../../api/billing.ts'
import * as payments from '../../api/payments.ts'
import { call } from '../helpers/client.ts'
import {
  logInAgain,
  days,
  deliverEvents,
  payer,
  stripePlatform,
  sweep,
  type Payer,
  type Stage,
} from '../helpers/stripe/payers.ts'
import { dispute, refund } from '../helpers/stripe/routes.ts'

/* What was paid back gives nothing, whether a month is left before or afterwards; what is paid after all gives everything. */

const open = stripePlatform(test)

const subscribe = async (someone: Payer, tier: 'pro' | 'team' | 'enterprise'): Promise<void> =>
  void (await call(await logInAgain(someone), billing.subscribe, { body: { tier } })).body

const leave = async (someone: Payer): Promise<void> =>
  void (await call(await logInAgain(someone), billing.cancelSubscription, { query: { when: 'now' } })).body

const intentsOf = ({ double: { world } }: Stage, { customer }: Payer) =>
  [...world.intents.values()].filter((intent) => intent.customer === customer)

/** Balance and credit, once it is sure that payments and the ledger add up. */
async function stateOf(t: ExecutionContext, stage: Stage, someone: Payer) {
  const now = await logInAgain(someone)
  const { balance, creditCents } = (await call(now, billing.getBilling)).body
  const { items } = (await call(now, payments.listPayments, { query: { limit: '100' } })).body
  const credited = items.reduce((sum, { cents, fromCreditCents }) => sum - Math.min(0, cents) - fromCreditCents, 0)
  t.is(creditCents, credited, 'payments add up')
  const ledger = (await call(now, billing.listLedger, { query: { limit: '100' } })).body.items
  t.is(
    balance,
    ledger.reduce((sum, { credits }) => sum + credits, 0),
  )
  const known = stage.double.world.customers.get(someone.customer)!
  t.is(creditCents, 0 - known.balance, 'as Stripe has it')
  return { balance, creditCents }
}

test.serial('a month whose dispute is lost takes its credits back, and leaving it credits nothing', async (t) => {
  const stage = await open()
  const someone = await payer(stage)
  await subscribe(someone, 'enterprise')
  dispute(stage.double.world, intentsOf(stage, someone)[0]!, 'lost')
  await deliverEvents(stage)
  t.deepEqual(await stateOf(t, stage, someone), { balance: 200, creditCents: 0 })
  t.is((await stage.services.billing.account(someone.ownerId)).tier, 'enterprise', 'it goes on until somebody ends it')
  await deliverEvents(stage)
  await leave(someone)
  await deliverEvents(stage)
  t.deepEqual(await stateOf(t, stage, someone), { balance: 200, creditCents: 0 })
  await subscribe(someone, 'pro')
  t.deepEqual(stage.double.charged(someone.customer), [100_000, 2000])
  t.deepEqual(await stateOf(t, stage, someone), { balance: 5200, creditCents: 0 })
})

test.serial(
  'a month that is left first loses what was credited once its dispute is lost, and a debt is collected',
  async (t) => {
    const stage = await open()
    const someone = await payer(stage)
    await subscribe(someone, 'team')
    stage.clock.forward(days(15))
    await leave(someone)
    t.deepEqual(await stateOf(t, stage, someone), { balance: 200 + 10_000 + 200, creditCents: 4000 })
    await subscribe(someone, 'pro')
    t.deepEqual(await stateOf(t, stage, someone), { balance: 15_400, creditCents: 2000 })
    dispute(stage.double.world, intentsOf(stage, someone)[0]!, 'lost')
    for (const round of ['the first', 'the second']) {
      await deliverEvents(stage)
      stage.double.forgetKeys()
      t.deepEqual(await stateOf(t, stage, someone), { balance: 400 + 5000, creditCents: -2000 }, round)
    }
    stage.clock.forward(days(31) + 3660)
    await sweep(stage)
    t.deepEqual(stage.double.charged(someone.customer), [8000, 4000])
    t.like(await stateOf(t, stage, someone), { creditCents: 0 })
    stage.clock.forward(days(50))
    await deliverEvents(stage)
    const late = await stateOf(t, stage, someone)
    t.is(late.creditCents, 0, 'also when the first payment is too old to be compared')
  },
)

test.serial('a month that was changed at once and is refunded then is owed by what was left of it', async (t) => {
  const stage = await open()
  const someone = await payer(stage)
  await subscribe(someone, 'pro')
  stage.clock.forward(days(15))
  await subscribe(someone, 'team')
  const left = 8000 - stage.double.charged(someone.customer)[1]!
  t.true(left > 900 && left < 1100, 'about half of the month')
  const before = await stateOf(t, stage, someone)
  const kept = 5000 - Math.floor((5000 * left) / 2000)
  refund(stage.double.world, intentsOf(stage, someone)[0]!)
  await deliverEvents(stage)
  t.deepEqual(await stateOf(t, stage, someone), { balance: before.balance - kept, creditCents: -left })
  refund(stage.double.world, intentsOf(stage, someone)[1]!)
  await deliverEvents(stage)
  t.deepEqual(await stateOf(t, stage, someone), { balance: before.balance - kept - 20_000, creditCents: -left })
})

test.serial('a month that is left early, lost and won ends as if it had never been lost', async (t) => {
  const stage = await open()
  const payers = [await payer(stage), await payer(stage), await payer(stage)] as const
  const [lostFirst, leftFirst, neverLost] = payers
  for (const someone of payers) await subscribe(someone, 'team')
  const decide = (someone: Payer, status: 'lost' | 'won') =>
    dispute(stage.double.world, intentsOf(stage, someone)[0]!, status)
  stage.clock.forward(days(15))
  decide(lostFirst, 'lost')
  await deliverEvents(stage)
  for (const someone of payers) await leave(someone)
  await deliverEvents(stage)
  decide(lostFirst, 'won')
  for (const status of ['lost', 'won', 'lost', 'won'] as const) {
    decide(leftFirst, status)
    await deliverEvents(stage)
    stage.double.forgetKeys()
    await deliverEvents(stage)
    if (status === 'lost') t.like(await stateOf(t, stage, leftFirst), { creditCents: 0 })
  }
  t.deepEqual(await stateOf(t, stage, leftFirst), await stateOf(t, stage, neverLost))
  const { balance, creditCents } = await stateOf(t, stage, lostFirst)
  t.is(creditCents, 0, 'nothing was credited when it was left, so none of its credits go back')
  t.true(balance >= 20_000)
})
