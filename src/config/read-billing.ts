import * as v from 'valibot'
import { billingMode, billingProblems, costsMoney, type BillingMode } from './billing-mode.ts'
import { ConfigError, readEnvironment, settings, type Environment } from './environment.ts'
import type { ModelsConfig } from './models-config.ts'

const schema = v.pick(settings, [
  'BILLING',
  'BILLING_SANDBOX_WITH_PAID_MODELS',
  'STRIPE_SECRET_KEY',
  'REGISTRATION',
  'LIMIT_TOKENS_PER_MONTH',
])

/** The payment mode for these models. Throws a ConfigError that names every problem. */
export function readBilling(
  models: ModelsConfig,
  given?: Environment,
): { mode: BillingMode; modelsCostMoney: boolean } {
  const settings = readEnvironment(schema, given)
  const modelsCostMoney = costsMoney(models)
  const problems = billingProblems(settings, modelsCostMoney)
  if (problems.length > 0) throw new ConfigError(problems)
  return { mode: billingMode(settings, modelsCostMoney), modelsCostMoney }
}
