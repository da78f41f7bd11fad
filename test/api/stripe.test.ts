import test, { type ExecutionContext } from 'ava'
import * as auth from '../../api/auth.ts'
import * as billing from '../../api/billing.ts'
import * as paymentSetup from '../../api/payment-setup.ts'
import * as payments from '../../api/payments.ts'
import { Account } from '../../src/billing/account.ts'
import { PaymentMethod } from '../../src/billing/payment-method.ts'
import { runRound } from '../../src/loops.ts'
import { call } from '../helpers/client.ts'
import { movableClock } from '../helpers/clock.ts'
import { person, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { deliver, webhookSecret } from '../helpers/stripe/deliveries.ts'
import { doubleKey, startStripeDouble, type Trouble } from '../helpers/stripe/double.ts'
import { assertValid } from '../helpers/stripe/judge.ts'
import { refund } from '../helpers/stripe/routes.ts'
import type { StripeEvent } from '../helpers/stripe/shapes.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const days = (count: number): number => count * 86_400

/** A platform whose payments are made by Stripe. All tests share its clock, so they run one after another. */
const open = forWholeFile(test, 'payments by Stripe', async (t) => {
  const clock = movableClock()
  const double = await startStripeDouble(t, clock)
  const env = { STRIPE_SECRET_KEY: doubleKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_URL: double.url }
  const platform = await startPlatform(t, { clock, env })
  return { ...platform, clock, double }
})
type Stage = Awaited<ReturnType<typeof open>>

/** Somebody with a card, and the names of the account here and at Stripe. */
async function payer({ url, services }: Stage, card = 'pm_card_visa') {
  const someone = await person({ url })
  await add(someone, card)
  const { id: ownerId } = (await call(someone, auth.me)).body
  const { customer } = await Account.query(services.database).findById(ownerId).throwIfNotFound()
  return { ...someone, ownerId, customer: customer! }
}
type Payer = Awaited<ReturnType<typeof payer>>

const add = async (someone: Person, card: string): Promise<void> =>
  void (await call(someone, billing.addPaymentMethod, { body: { paymentMethod: card } })).body

/** Access tokens are over after some minutes. */
async function again(someone: Payer): Promise<Payer> {
  const { email, password } = someone
  const { body } = await call({ url: someone.url }, auth.login, { body: { email, password } })
  return { ...someone, token: body.accessToken }
}

/** What the platform says that the account has. */
async function standing({ services }: Stage, { ownerId }: Payer) {
  const { tier, subscription } = await services.billing.account(ownerId)
  return { tier, status: subscription?.status, until: subscription?.currentPeriodEnd?.toISOString() }
}

/** What is delivered about an account, and not yet. */
const newsOf = ({ double }: Stage, { customer }: Payer, since = 0): StripeEvent[] =>
  double.world.events.slice(since).filter(({ data }) => (data.object as { customer?: string }).customer === customer)

const send = async (stage: Stage, event: StripeEvent, more: object = {}) =>
  deliver(stage.url, event, { timestamp: stage.double.world.now(), ...more })

const sweep = ({ services }: Stage): Promise<void> => runRound(services, 'billing')

async function subscribed(stage: Stage): Promise<Payer> {
  const someone = await payer(stage)
  await call(someone, billing.subscribe, { body: { tier: 'pro' } }).then(({ body }) => body)
  return someone
}

test.serial('a subscription and credits are paid by Stripe', async (t) => {
  const stage = await open()
  const someone = await subscribed(stage)
  await call(someone, payments.buyCredits, { body: { credits: 500 } }).then(({ body }) => body)
  t.is((await call(someone, billing.getBilling)).body.balance, 5500)
  t.deepEqual(stage.double.charged(someone.customer), [2000, 500])
  const { clientSecret } = (await call(someone, paymentSetup.setUpPaymentMethod)).body
  t.regex(clientSecret ?? '', /_secret_/)
})

test.serial('news in any order, again and again, lead to what Stripe says, and charge nothing', async (t) => {
  const stage = await open()
  const someone = await subscribed(stage)
  await add(someone, 'pm_card_chargeCustomerFail')
  const since = stage.double.world.events.length
  stage.clock.forward(days(30) + 60)
  stage.double.settle()
  const failed = newsOf(stage, someone, since)
  await add(await again(someone), 'pm_card_visa')
  stage.clock.forward(days(1))
  stage.double.settle()
  const all = newsOf(stage, someone, since)
  t.true(all.length > failed.length && failed.length >= 3)
  const truth = { tier: 'pro', status: 'active' as const, until: '2027-01-21T12:00:00.000Z' }
  for (const event of [...all.toReversed(), ...failed, ...all]) {
    t.is((await send(stage, event)).status, 200)
    await sweep(stage)
    t.deepEqual(await standing(stage, someone), truth, event.type)
  }
  t.deepEqual(stage.double.charged(someone.customer), [2000, 2000])
  const noted = await stage.services.database('stripe_events').where({ customer: someone.customer })
  t.is(noted.length, all.length, 'each is noted once')
})

test.serial('an event that comes again asks Stripe for nothing', async (t) => {
  const stage = await open()
  const someone = await subscribed(stage)
  const [event] = newsOf(stage, someone)
  await send(stage, event!)
  await sweep(stage)
  const before = stage.double.requests.length
  await send(stage, event!)
  await sweep(stage)
  t.is(stage.double.requests.length, before)
})

test.serial('forged and old deliveries are refused and change nothing', async (t) => {
  const stage = await open()
  const someone = await subscribed(stage)
  const [event] = newsOf(stage, someone)
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

test.serial('events of customers of others are acknowledged and ignored', async (t) => {
  const stage = await open()
  const event = newsOf(stage, await subscribed(stage))[0]!
  const object = { ...event.data.object, customer: 'cus_of_somebody_else' }
  t.is((await send(stage, { ...event, id: 'evt_of_others', data: { object } })).status, 200)
  t.is((await send(stage, { ...event, id: 'evt_of_nobody', data: { object: { object: 'balance' } } })).status, 200)
})

test.serial('news that were never delivered are found by reconciling', async (t) => {
  const stage = await open()
  const someone = await subscribed(stage)
  await call(someone, payments.buyCredits, { body: { credits: 500 } }).then(({ body }) => body)
  await runRound(stage.services, 'stripe events')
  await sweep(stage)
  stage.clock.forward(7200)
  const { world } = stage.double
  const bought = [...world.intents.values()].find(
    (intent) => intent.customer === someone.customer && intent.metadata['payment'],
  )
  refund(world, bought!)
  await sweep(stage)
  t.is((await stage.services.billing.account(someone.ownerId)).balance, 5500, 'nobody has told')
  await runRound(stage.services, 'stripe events')
  await sweep(stage)
  t.is((await stage.services.billing.account(someone.ownerId)).balance, 5000)
})

/** Every way of losing an answer: once, so that the package asks again; each time; and for good. */
const losses: [string, Trouble['what'], number][] = [
  ['once', 'lost', 1],
  ['three times', 'lost', 3],
  ['for good', 'broken', 1],
  ['before anything is done', 'failed', 3],
]

/** Does what may fail with a lost answer, and lets the sweep find out what became of it. */
async function despite(t: ExecutionContext, stage: Stage, work: () => Promise<{ status: number }>): Promise<void> {
  const { status } = await work()
  t.true(status < 300 || status === 500, String(status))
  stage.clock.forward(61)
  await sweep(stage)
  stage.clock.forward(61)
  await sweep(stage)
}

for (const [how, what, times] of losses) {
  test.serial(`a payment whose answer is lost ${how} is charged once`, async (t) => {
    const stage = await open()
    const someone = await payer(stage)
    stage.double.trouble('POST /v1/payment_intents', what, times)
    await despite(t, stage, () => call(someone, payments.buyCredits, { body: { credits: 500 } }))
    t.deepEqual(stage.double.charged(someone.customer), [500])
    t.is((await stage.services.billing.account(someone.ownerId)).balance, 700)
  })

  test.serial(`a subscription whose answer is lost ${how} begins once, and so does a change of it`, async (t) => {
    const stage = await open()
    const someone = await payer(stage)
    stage.double.trouble('POST /v1/subscriptions', what, times)
    await despite(t, stage, () => call(someone, billing.subscribe, { body: { tier: 'pro' } }))
    t.deepEqual(stage.double.charged(someone.customer), [2000])
    t.like(await standing(stage, someone), { tier: 'pro', status: 'active' })
    stage.double.trouble('POST /v1/subscriptions/', what, times)
    await despite(t, stage, () => call(someone, billing.subscribe, { body: { tier: 'team' } }))
    t.is(stage.double.charged(someone.customer).length, 2)
    t.like(await standing(stage, someone), { tier: 'team', status: 'active' })
  })
}

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

test.serial('stripe-mock rejects none of the requests of these tests', async (t) => {
  const { double } = await open()
  await assertValid(t, double.requests, 15)
})
