import type { ExecutionContext } from 'ava'
import { createDatabase } from '../../../../src/database/database.ts'
import { createLogger } from '../../../../src/logger.ts'
import type { Gateway, GatewayPayment, When } from '../../../../src/billing/gateways/gateway.ts'
import { createSandbox } from '../../../../src/billing/gateways/sandbox/sandbox.ts'
import { createStripeGateway } from '../../../../src/billing/gateways/stripe/stripe-gateway.ts'
import type { PaidTierName } from '../../../../src/billing/tiers.ts'
import { newId } from '../../../../src/ids.ts'
import { movableClock } from '../../../helpers/clock.ts'
import { testConfig } from '../../../helpers/config.ts'
import { createTestDatabase } from '../../../helpers/database.ts'
import { doubleKey, startStripeDouble } from '../../../helpers/stripe/double.ts'

/** A gateway, and the clock that it lives by, which begins on 21 November 2026 at noon. */
export type Stage = ReturnType<typeof stageOf>

function stageOf(gateway: Gateway, clock: ReturnType<typeof movableClock>) {
  /** A new customer with these cards, in the order in which they are added. */
  async function customer(...cards: string[]): Promise<string> {
    const name = await gateway.customer(newId())
    for (const card of cards) await gateway.attach(name, card)
    return name
  }

  /** A customer with a subscription, and what is done with it; each change has a key of its own unless one is given. */
  async function subscriber(tier: PaidTierName) {
    const name = await customer('pm_card_visa')
    await gateway.subscribe({ customer: name, tier, key: newId() })
    const subscription = (await gateway.readState(name)).subscription!.reference
    return {
      customer: name,
      subscription,
      look: () => gateway.readState(name),
      brief: () => brief(name),
      attach: (card: string) => gateway.attach(name, card),
      change: (to: PaidTierName, when: When = 'now', key = newId()) =>
        gateway.change({ subscription, tier: to, when, key }),
      cancel: (when: When) => gateway.cancel(subscription, when),
      payOverdue: (key = newId()) => gateway.payOverdue(subscription, key),
    }
  }

  /** What is so, in brief: the subscription, and the payments with the tier that each is for, the oldest first. */
  async function brief(name: string) {
    const { subscription, payments, creditCents } = await gateway.readState(name)
    const { tier, status, currentPeriodEnd, nextTier } = subscription ?? {}
    const next = nextTier ? `, then ${nextTier}` : ''
    const until = currentPeriodEnd?.toISOString().slice(0, 10)
    const told = subscription && `${tier} ${status} until ${until}${next}`
    return { told, paid: payments.toReversed().map(amountOf), creditCents }
  }

  return { gateway, clock, customer, subscriber, brief }
}

const amountOf = ({ cents, tier, status, fromCreditCents }: GatewayPayment): string =>
  `${cents} ${tier ?? 'credits'} ${status}${fromCreditCents === 0 ? '' : `, ${fromCreditCents} credited`}`

export async function openSandbox(t: ExecutionContext): Promise<() => Stage> {
  const { url } = await createTestDatabase(t)
  const database = createDatabase(testConfig(url), createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  return () => {
    const clock = movableClock()
    return stageOf(createSandbox({ database, clock }), clock)
  }
}

export async function stripeStage(t: Pick<ExecutionContext, 'teardown'>) {
  const clock = movableClock()
  const double = await startStripeDouble(t, clock)
  const settings = { secretKey: doubleKey, apiUrl: double.url }
  const { gateway } = createStripeGateway({ settings, clock })
  return { ...stageOf(gateway, clock), double }
}

export type StripeStage = Awaited<ReturnType<typeof stripeStage>>

export type Cases<S> = Record<string, (t: ExecutionContext, stage: S) => Promise<void>>

export const days = (count: number): number => count * 86_400

/** Until the invoice of a renewal, which is a draft for an hour at Stripe, is charged. */
export const month = days(30) + 3600
