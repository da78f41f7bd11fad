import type { TestFn } from 'ava'
import * as auth from '../../../api/auth.ts'
import * as billing from '../../../api/billing.ts'
import { Account } from '../../../src/billing/account.ts'
import { runRound } from '../../../src/loops.ts'
import { call } from '../client.ts'
import { movableClock } from '../clock.ts'
import { person, type Person } from '../people.ts'
import { startPlatform } from '../platform.ts'
import { forWholeFile } from '../whole-file.ts'
import { deliver, webhookSecret } from './deliveries.ts'
import { doubleKey, startStripeDouble } from './double.ts'
import type { StripeEvent } from './shapes.ts'

export const days = (count: number): number => count * 86_400

/** A platform that uses Stripe for payments. All tests share its clock, so they run in sequence. */
export const stripePlatform = (test: TestFn) =>
  forWholeFile(test, 'payments by Stripe', async (t) => {
    const clock = movableClock()
    const double = await startStripeDouble(t, clock)
    const env = { STRIPE_SECRET_KEY: doubleKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_URL: double.url }
    const platform = await startPlatform(t, { clock, env })
    return { ...platform, clock, double }
  })
export type Stage = Awaited<ReturnType<ReturnType<typeof stripePlatform>>>

/** An account with a card, and its ids here and at Stripe. */
export async function payer({ url, services }: Stage, card = 'pm_card_visa') {
  const someone = await person({ url })
  await add(someone, card)
  const { id: ownerId } = (await call(someone, auth.me)).body
  const { customer } = await Account.query(services.database).findById(ownerId).throwIfNotFound()
  return { ...someone, ownerId, customer: customer! }
}
export type Payer = Awaited<ReturnType<typeof payer>>

export const add = async (someone: Person, card: string): Promise<void> =>
  void (await call(someone, billing.addPaymentMethod, { body: { paymentMethod: card } })).body

/** Logs in again, because access tokens expire after some minutes. */
export async function logInAgain(someone: Payer): Promise<Payer> {
  const { email, password } = someone
  const { body } = await call({ url: someone.url }, auth.login, { body: { email, password } })
  return { ...someone, token: body.accessToken }
}

/** The platform's view of the account. */
export async function accountState({ services }: Stage, { ownerId }: Payer) {
  const { tier, subscription } = await services.billing.account(ownerId)
  return { tier, status: subscription?.status, until: subscription?.currentPeriodEnd?.toISOString() }
}

/** Stripe's events about an account, without the first `since` events of all accounts. */
export const eventsOf = ({ double }: Stage, { customer }: Payer, since = 0): StripeEvent[] =>
  double.world.events.slice(since).filter(({ data }) => (data.object as { customer?: string }).customer === customer)

export const send = async (stage: Stage, event: StripeEvent, more: object = {}) =>
  deliver(stage.url, event, { timestamp: stage.double.world.now(), ...more })

export const sweep = ({ services }: Stage): Promise<void> => runRound(services, 'billing')

/** Delivers everything that has happened at Stripe to the platform. */
export async function deliverEvents(stage: Stage): Promise<void> {
  stage.clock.forward(61)
  await runRound(stage.services, 'stripe events')
  await sweep(stage)
}

export async function subscribed(stage: Stage): Promise<Payer> {
  const someone = await payer(stage)
  await call(someone, billing.subscribe, { body: { tier: 'pro' } }).then(({ body }) => body)
  return someone
}
