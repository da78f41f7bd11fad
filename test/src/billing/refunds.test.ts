// @promise refunds
import test from 'ava'
import { newId } from '../../../src/ids.ts'
import { openBilling } from './open-billing.ts'

type Money = Awaited<ReturnType<typeof openBilling>>

const buy = ({ billing, userId }: Money) => billing.purchases.buy(userId, { credits: 1000 })
const subscribe = ({ billing, userId }: Money) => billing.subscriptions.subscribe(userId, { tier: 'pro' })
async function topUp({ billing, charge, userId }: Money) {
  await charge(userId, 150)
  await billing.topUps.set(userId, { enabled: true, below: 100, credits: 500, centsPerMonth: 5000 })
}

/** Lets the gateway tell twice what has become of the newest payment, and what follows from that happen. */
async function tell({ billing, database, sweep, userId }: Money, status: string): Promise<void> {
  const newest = database('sandbox_payments').where({ ownerId: userId }).max('reference')
  await database('sandbox_payments').where({ reference: newest }).update({ status })
  for (const _ of ['once', 'again']) await billing.polling.poll(userId)
  await sweep.attend(userId)
}

for (const { what, pay, before, credits } of [
  { what: 'a purchase', pay: buy, before: 200, credits: 1000 },
  { what: 'an automatic purchase', pay: topUp, before: 50, credits: 500 },
  { what: 'a month', pay: subscribe, before: 200, credits: 5000 },
])
  test(`${what} has given its credits once while it is paid, and none while it is paid back, whatever is told`, async (t) => {
    const money = await openBilling(t)
    await money.withUser()
    await pay(money)
    for (const [status, given] of [
      ['paid', credits],
      ['refunded', 0],
      ['failed', 0],
      ['paid', credits],
      ['refunded', 0],
      ['paid', credits],
      ['failed', credits],
      ['pending', credits],
    ] as const) {
      await tell(money, status)
      t.is((await money.billing.account(money.userId)).balance, before + given, status)
      t.is(await money.ledgerSum(), before + given, status)
      const { spentCents } = await money.billing.topUps.read(money.userId)
      t.is(spentCents, pay === topUp ? 500 : 0, 'what was paid back counts for the ceiling of the month')
    }
  })

test('a month that is paid back before anybody has looked gives no credits', async (t) => {
  const money = await openBilling(t)
  const other = { ...money, userId: newId() }
  await money.billing.paymentMethods.add(other.userId, { paymentMethod: 'pm_card_visa' })
  await subscribe(other)
  money.clock.forward(86_400)
  await money.withCard()
  await subscribe(money)
  money.clock.forward(31 * 86_400)
  await money.sandbox.readState(`sandbox_${money.userId}`)
  await tell(money, 'refunded')
  t.is(await money.ledgerSum(), 5200)
  await money.sweep.attend(other.userId)
  t.is((await money.billing.account(other.userId)).balance, 10_200, 'a month of another account gives its own')
})

test('an answer to a charge that comes late changes nothing that a look has found out since', async (t) => {
  const money = await openBilling(t)
  const { billing, database, sandbox, userId } = money
  await money.withCard()
  const payment = await buy(money)
  const told = (await sandbox.readState(await billing.polling.customerOf(userId))).payments[0]!
  await tell(money, 'refunded')
  await database.transaction(async (trx) => {
    const account = await billing.credits.locked(userId, trx)
    await billing.payments.charged(trx, account, payment, told)
    await billing.payments.refuse(trx, payment, 'Declined')
    // What somebody has charged the customer for otherwise is no payment of the platform.
    await billing.payments.settle(trx, account, { ...told, reference: 'another', key: null })
  })
  t.is((await billing.payments.list(userId, { limit: 2 })).items.length, 1)
  t.like((await billing.payments.list(userId, { limit: 1 })).items[0], { status: 'refunded', failure: null })
  t.is(await money.ledgerSum(), 200)
})

test('who has used what was bought is in debt once it is paid back, and out of it once it is paid after all', async (t) => {
  const money = await openBilling(t)
  const { charge, database, ledgerSum, userId, withCard } = money
  await withCard()
  await buy(money)
  await charge(userId, 1100)
  for (const [status, balance] of [
    ['refunded', -900],
    ['paid', 100],
  ] as const) {
    await tell(money, status)
    t.is((await money.billing.account(userId)).balance, balance)
    t.is(await ledgerSum(), balance)
    const [left] = await database('credit_grants').where({ ownerId: userId }).sum({ sum: 'remaining' })
    t.is(Number(left?.['sum']), Math.max(0, balance), 'grants add up to the balance')
  }
})
