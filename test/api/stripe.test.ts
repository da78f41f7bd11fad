// @promise payments
import test from 'ava'
import * as billing from '../../api/billing.ts'
import * as paymentSetup from '../../api/payment-setup.ts'
import * as payments from '../../api/payments.ts'
import { PaymentMethod } from '../../src/billing/payment-method.ts'
import { call } from '../helpers/client.ts'
import { deliver, webhookSecret } from '../helpers/stripe/deliveries.ts'
import { doubleKey } from '../helpers/stripe/double.ts'
import { assertValid } from '../helpers/stripe/stripe-mock.ts'
import {
  add,
  logInAgain,
  days,
  deliverEvents,
  eventsOf,
  payer,
  send,
  accountState,
  stripePlatform,
  subscribed,
  sweep,
} from '../helpers/stripe/payers.ts'
import { refund } from '../helpers/stripe/routes.ts'

const open = stripePlatform(test)

test.serial('a subscription and credits are paid by Stripe', async (t) => {
  const stage = await open()
  const someone = await subscribed(stage)
  await call(someone, payments.buyCredits, { body: { credits: 500 } }).then(({ body }) => body)
  t.is((await call(someone, billing.getBilling)).body.balance, 5700)
  t.deepEqual(stage.double.charged(someone.customer), [2000, 500])
  const { clientSecret } = (await call(someone, paymentSetup.setUpPaymentMethod)).body
  t.regex(clientSecret ?? '', /_secret_/)
})

test.serial('news in any order, again and again, lead to what Stripe says, and charge nothing', async (t) => {
  const stage = await open()
  const someone = await subscribed(stage)
  await add(someone, 'pm_card_chargeCustomerFail')
  const since = stage.double.world.events.length
  stage.clock.forward(days(30) + 3660)
  stage.double.settle()
  const failed = eventsOf(stage, someone, since)
  await add(await logInAgain(someone), 'pm_card_visa')
  stage.clock.forward(days(1))
  stage.double.settle()
  const all = eventsOf(stage, someone, since)
  t.true(all.length > failed.length && failed.length >= 3)
  const truth = { tier: 'pro', status: 'active' as const, until: '2027-01-21T12:00:00.000Z' }
  for (const event of [...all.toReversed(), ...failed, ...all]) {
    t.is((await send(stage, event)).status, 200)
    await sweep(stage)
    t.deepEqual(await accountState(stage, someone), truth, event.type)
  }
  t.deepEqual(stage.double.charged(someone.customer), [2000, 2000])
  const noted = await stage.services.database('stripe_events').where({ customer: someone.customer })
  t.is(noted.length, all.length, 'each is noted once')
})

test.serial('forged and old deliveries are refused and change nothing', async (t) => {
  const stage = await open()
  const someone = await subscribed(stage)
  const [event] = eventsOf(stage, someone)
  const now = stage.double.world.now()
  const bad = [
    { secret: 'whsec_of_a_stranger' },
    { timestamp: now - 301 },
    { body: JSON.stringify({ ...event, type: 'x' }) },
  ]
  for (const more of bad) {
    const { status, answer } = await send(stage, event!, more)
    t.deepEqual([status, answer.code], [401, 'UNAUTHORIZED'])
  }
  const unsigned = await fetch(`${stage.url}/billing/stripe-webhook`, { method: 'POST', body: JSON.stringify(event) })
  t.is(unsigned.status, 401)
  t.deepEqual(await stage.services.database('stripe_events').where({ id: event!.id }), [])
  t.is((await send(stage, event!, { timestamp: now - 290 })).status, 200, 'a little late is fine')
})

test.serial(
  'signed deliveries about nothing, or about customers of others, are acknowledged and ignored',
  async (t) => {
    const stage = await open()
    const { double } = stage
    const [event] = eventsOf(stage, await subscribed(stage))
    const object = { ...event!.data.object, customer: 'cus_of_somebody_else' }
    const odd: object[] = [
      { ...event, id: 'evt_of_others', data: { object } },
      { id: 'evt_1', object: 'v2.core.event', type: 'v1.billing.meter.no_meter_found', related_object: null },
      { id: 'evt_2', object: 'event', type: 'x', data: { object: null } },
      { object: 'event' },
      { id: 'evt_\0', type: 'x', data: { object: {} } },
      { id: 'evt_3', type: 'customer.updated', data: { object: { object: 'customer', id: { a: 1 }, customer: [1] } } },
    ]
    for (const one of odd) {
      const { status } = await deliver(stage.url, one, { timestamp: double.world.now() })
      t.is(status, 200, JSON.stringify(one))
    }
  },
)

test.serial('news that were never delivered are found by reconciling', async (t) => {
  const stage = await open()
  const someone = await subscribed(stage)
  await call(someone, payments.buyCredits, { body: { credits: 500 } }).then(({ body }) => body)
  await deliverEvents(stage)
  stage.clock.forward(7200)
  const { world } = stage.double
  const bought = [...world.intents.values()].find(
    (intent) => intent.customer === someone.customer && intent.metadata['payment'],
  )
  const since = world.events.length
  refund(world, bought!)
  // Stripe lists it late, after one that has happened five minutes later.
  for (const event of world.events.slice(since)) event.created -= 7200 + 361
  await sweep(stage)
  t.is((await stage.services.billing.account(someone.ownerId)).balance, 5700, 'nobody has told')
  await deliverEvents(stage)
  t.is((await stage.services.billing.account(someone.ownerId)).balance, 5200)
})

test.serial('a round of reconciling that was cut off is made again from where it began', async (t) => {
  const stage = await open()
  const { database, stripe } = stage.services
  const [told] = eventsOf(stage, await subscribed(stage))
  await deliverEvents(stage)
  stage.clock.forward(7200)
  const { world } = stage.double
  const [older, newer] = ['evt_older', 'evt_newer']
  world.events.push({ ...told!, id: older, created: world.now() - 1000 }, { ...told!, id: newer, created: world.now() })
  const cursor = () => database('stripe_cursors').where({ name: 'events' })
  const noted = async () =>
    (await database('stripe_events').whereIn('id', [older, newer])).map(({ id }) => id as string)
  const before = await cursor()
  let looks = 0
  const stopping = {
    get aborted() {
      return (looks += 1) > 1
    },
  } as AbortSignal
  await t.throwsAsync(stripe!.events.reconcile(stopping), { message: 'the process stops' })
  t.deepEqual([await noted(), await cursor()], [[newer], before])
  await stripe!.events.reconcile()
  t.deepEqual((await noted()).toSorted(), [newer, older])
})

test.serial('a card that is added again after a lost answer is listed once', async (t) => {
  const stage = await open()
  const someone = await payer(stage)
  const { items } = (await call(someone, billing.listPaymentMethods)).body
  const { reference } = (await PaymentMethod.query(stage.services.database).findById(items[0]!.id))!
  await add(someone, 'pm_card_mastercard')
  await add(someone, reference)
  const after = (await call(someone, billing.listPaymentMethods)).body.items
  t.deepEqual(
    after.map(({ brand }) => brand),
    ['visa', 'mastercard'],
    'and is the newest',
  )
})

test.serial('neither answers nor logs tell the key, the secret, or what Stripe said', async (t) => {
  const stage = await open()
  const someone = await payer(stage)
  stage.double.trouble('POST /v1/payment_intents', 'failed', 3)
  const { failure } = await call(someone, payments.buyCredits, { body: { credits: 500 } })
  t.is(failure.code, 'INTERNAL_ERROR')
  t.notRegex(failure.error, /stripe|went wrong\.$/i)
  const logged = stage.logs.join('')
  for (const secret of [doubleKey, webhookSecret, '_secret_']) t.false(logged.includes(secret), secret)
})

test.serial('what a month has taken of the credit is given back if it is never paid', async (t) => {
  const stage = await open()
  const someone = await payer(stage)
  const { services } = stage
  await services.billing.subscriptions.subscribe(someone.ownerId, { tier: 'team' })
  stage.clock.forward(days(20))
  const { creditCents } = await services.billing.subscriptions.subscribe(someone.ownerId, { tier: 'pro', when: 'now' })
  t.true(creditCents > 0 && creditCents < 2000)
  await add(await logInAgain(someone), 'pm_card_chargeCustomerFail')
  stage.clock.forward(days(31) + 3660)
  stage.double.settle()
  await sweep(stage)
  const now = await logInAgain(someone)
  const newest = async () => (await call(now, payments.listPayments)).body.items[0]
  const cents = 2000 - creditCents
  t.like((await call(now, billing.getBilling)).body, { creditCents: 0, subscription: { status: 'past_due' } })
  t.like(await newest(), { cents, fromCreditCents: creditCents, status: 'failed' })
  t.like((await call(now, billing.cancelSubscription)).body, { tier: 'free', creditCents })
  t.like(await newest(), { cents, fromCreditCents: 0, status: 'failed' })
})

test.serial('stripe-mock rejects none of the requests of these tests', async (t) => {
  const { double } = await open()
  await assertValid(t, double.requests, 12)
})
