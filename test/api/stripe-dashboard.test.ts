import test from 'ava'
import * as billing from '../../api/billing.ts'
import * as payments from '../../api/payments.ts'
import { Account } from '../../src/billing/account.ts'
import { runRound } from '../../src/loops.ts'
import { call } from '../helpers/client.ts'
import {
  add,
  logInAgain,
  deliverEvents,
  payer,
  accountState,
  stripePlatform,
  subscribed,
} from '../helpers/stripe/payers.ts'
import { deleteCustomer } from '../helpers/stripe/routes.ts'
import type { Person } from '../helpers/people.ts'

/* What somebody does in Stripe's dashboard reaches the account here. */

const open = stripePlatform(test)

const brands = async (someone: Person): Promise<string[]> =>
  (await call(someone, billing.listPaymentMethods)).body.items.map(({ brand }) => brand)

test.serial('a customer that was deleted is replaced, and its cards are added anew', async (t) => {
  const stage = await open()
  const someone = await subscribed(stage)
  deleteCustomer(stage.double.world, someone.customer)
  await deliverEvents(stage)
  t.like(await accountState(stage, someone), { tier: 'free' })
  t.deepEqual(await brands(someone), [])
  const { customer } = (await Account.query(stage.services.database).findById(someone.ownerId))!
  t.not(customer, someone.customer)
  await add(someone, 'pm_card_mastercard')
  await call(someone, payments.buyCredits, { body: { credits: 500 } }).then(({ body }) => body)
  t.deepEqual(stage.double.charged(customer!), [500])
})

test.serial('of cards that were detached, the newest that is left is charged', async (t) => {
  const stage = await open()
  const someone = await payer(stage)
  await add(someone, 'pm_card_mastercard')
  const { world } = stage.double
  const { invoice_settings: settings } = world.customer(someone.customer)
  world.methods.get(settings.default_payment_method!)!.customer = null
  settings.default_payment_method = null
  world.emit('customer.updated', world.customer(someone.customer))
  await deliverEvents(stage)
  t.deepEqual(await brands(someone), ['visa'])
  await call(someone, payments.buyCredits, { body: { credits: 500 } }).then(({ body }) => body)
  t.deepEqual(stage.double.charged(someone.customer), [500])
})

test.serial('a dispute of a payment that Stripe does not know does not keep older news back', async (t) => {
  const stage = await open()
  const someone = await subscribed(stage)
  const { world } = stage.double
  const found = [...world.subscriptions.values()].find(({ customer }) => customer === someone.customer)!
  found.cancel_at_period_end = true
  world.emit('customer.subscription.updated', found)
  world.emit('charge.dispute.closed', { object: 'dispute', id: 'du_1', payment_intent: 'pi_of_nobody' })
  stage.clock.forward(61)
  stage.double.trouble('GET /v1/payment_intents/', 'failed', 3)
  await t.throwsAsync(runRound(stage.services, 'stripe events'), { code: 'INTERNAL_ERROR' }, 'Stripe is away')
  await deliverEvents(stage)
  t.is((await stage.services.billing.account(someone.ownerId)).subscription?.nextTier, 'free')
})

test.serial('what is overdue at a subscription that Stripe has suspended is said to be unpayable', async (t) => {
  const stage = await open()
  const someone = await subscribed(stage)
  const { world } = stage.double
  const found = [...world.subscriptions.values()].find(({ customer }) => customer === someone.customer)!
  found.status = 'unpaid'
  world.emit('customer.subscription.updated', found)
  await deliverEvents(stage)
  t.like(await accountState(stage, someone), { status: 'past_due' })
  const { failure } = await call(await logInAgain(someone), billing.subscribe, { body: { tier: 'pro' } })
  t.is(failure.code, 'PAYMENT_FAILED')
  t.regex(failure.error, /DELETE \/billing\/subscription/)
})
