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

/** A platform whose payments are made by Stripe. All tests share its clock, so they run one after another. */
export const stripePlatform = (test: TestFn) =>
  forWholeFile(test, 'payments by Stripe', async (t) => {
    const clock = movableClock()
    const double = await startStripeDouble(t, clock)
    const env = { STRIPE_SECRET_KEY: doubleKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_URL: double.url }
    const platform = await startPlatform(t, { clock, env })
    return { ...platform, clock, double }
  })
export type Stage = Awaited<ReturnType<ReturnType<typeof stripePlatform>>>

/** Somebody with a card, and the names of the account here and at Stripe. */
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

/** Access tokens are over after some minutes. */
export async function again(someone: Payer): Promise<Payer> {
  const { email, password } = someone
  const { body } = await call({ url: someone.url }, auth.login, { body: { email, password } })
  return { ...someone, token: body.accessToken }
}

/** What the platform says that the account has. */
export async function standing({ services }: Stage, { ownerId }: Payer) {
  const { tier, subscription } = await services.billing.account(ownerId)
  return { tier, status: subscription?.status, until: subscription?.currentPeriodEnd?.toISOString() }
}

/** What is delivered about an account, and not yet. */
export const newsOf = ({ double }: Stage, { customer }: Payer, since = 0): StripeEvent[] =>
  double.world.events.slice(since).filter(({ data }) => (data.object as { customer?: string }).customer === customer)

export const send = async (stage: Stage, event: StripeEvent, more: object = {}) =>
  deliver(stage.url, event, { timestamp: stage.double.world.now(), ...more })

export const sweep = ({ services }: Stage): Promise<void> => runRound(services, 'billing')

/** Lets the platform hear of what has happened at Stripe. */
export async function hear(stage: Stage): Promise<void> {
  stage.clock.forward(61)
  await runRound(stage.services, 'stripe events')
  await sweep(stage)
}

export async function subscribed(stage: Stage): Promise<Payer> {
  const someone = await payer(stage)
  await call(someone, billing.subscribe, { body: { tier: 'pro' } }).then(({ body }) => body)
  return someone
}
