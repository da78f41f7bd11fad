import type { ExecutionContext } from 'ava'
import { createDatabase } from '../../../../src/database/database.ts'
import { createLogger } from '../../../../src/logger.ts'
import type { Gateway } from '../../../../src/billing/gateways/gateway.ts'
import { createSandbox } from '../../../../src/billing/gateways/sandbox/sandbox.ts'
import { createStripeGateway } from '../../../../src/billing/gateways/stripe/stripe-gateway.ts'
import { newId } from '../../../../src/ids.ts'
import { movableClock } from '../../../helpers/clock.ts'
import { testConfig } from '../../../helpers/config.ts'
import { createTestDatabase } from '../../../helpers/database.ts'
import { doubleKey, startStripeDouble } from '../../../helpers/stripe/double.ts'

/** A gateway, and the clock that it lives by. */
export interface Stage {
  gateway: Gateway
  clock: ReturnType<typeof movableClock>
  /** A new customer with these cards, in the order in which they are added. */
  customer(...cards: string[]): Promise<string>
}

const stageOf = (gateway: Gateway, clock: Stage['clock']): Stage => ({
  gateway,
  clock,
  async customer(...cards) {
    const customer = await gateway.customer(newId())
    for (const card of cards) await gateway.attach(customer, card)
    return customer
  },
})

export async function sandboxStage(t: ExecutionContext): Promise<Stage> {
  const { url } = await createTestDatabase(t)
  const database = createDatabase(testConfig(url), createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  const clock = movableClock()
  return stageOf(createSandbox({ database, clock }), clock)
}

export async function stripeStage(t: Pick<ExecutionContext, 'teardown'>) {
  const clock = movableClock()
  const double = await startStripeDouble(t, clock)
  const settings = { secretKey: doubleKey, apiUrl: double.url }
  const { gateway } = createStripeGateway({ settings, clock })
  return { ...stageOf(gateway, clock), double }
}

export const days = (count: number): number => count * 86_400
