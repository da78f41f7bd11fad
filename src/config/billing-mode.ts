import type { ModelsConfig, ProviderConfig } from './models-config.ts'

/** The kind of payments: none, a sandbox that moves no money, or Stripe. */
export type BillingMode = 'off' | 'sandbox' | 'stripe'

interface BillingSettings {
  BILLING?: BillingMode | undefined
  BILLING_SANDBOX_WITH_PAID_MODELS: boolean
  STRIPE_SECRET_KEY?: string | undefined
  REGISTRATION: 'open' | 'invited' | 'closed'
  LIMIT_TOKENS_PER_MONTH?: number | undefined
}

/**
 * Whether any model costs its operator money: all except the demo model and those on this machine, whose cost is
 * unknown.
 */
export const costsMoney = ({ providers }: Pick<ModelsConfig, 'providers'>): boolean => providers.some(isPaid)

const isPaid = ({ kind, baseUrl }: ProviderConfig): boolean =>
  kind !== 'demo' && (baseUrl === undefined || !isLoopback(new URL(baseUrl).hostname))

/** As URLs write hosts: IPv4 in four decimals, IPv6 in brackets. */
const isLoopback = (host: string): boolean => /^(127(\.\d{1,3}){3}|\[::1\]|localhost)$/.test(host)

/** The explicit setting, or a default from the other settings. By default, nobody pays for strangers by accident. */
export function billingMode(
  { BILLING: chosen, STRIPE_SECRET_KEY: key }: BillingSettings,
  modelsCostMoney: boolean,
): BillingMode {
  if (chosen !== undefined) return chosen
  if (key !== undefined) return 'stripe'
  return modelsCostMoney ? 'off' : 'sandbox'
}

/** The reasons why a process must not start with these settings, one sentence each. */
export function billingProblems(settings: BillingSettings, modelsCostMoney: boolean): string[] {
  const mode = billingMode(settings, modelsCostMoney)
  const hasKey = settings.STRIPE_SECRET_KEY !== undefined
  const problems: string[] = []
  if (mode === 'stripe' && !hasKey) problems.push('BILLING=stripe requires STRIPE_SECRET_KEY')
  if (mode !== 'stripe' && hasKey) {
    problems.push(`BILLING is ${mode}, but STRIPE_SECRET_KEY is set. Remove the key, or set BILLING=stripe`)
  }
  if (mode === 'sandbox' && modelsCostMoney && !settings.BILLING_SANDBOX_WITH_PAID_MODELS) problems.push(unpaid)
  const isBounded = settings.LIMIT_TOKENS_PER_MONTH !== undefined
  if (mode === 'off' && modelsCostMoney && settings.REGISTRATION === 'open' && !isBounded) problems.push(unbounded)
  return problems
}

const unpaid =
  'BILLING is sandbox, but a model costs money. In the sandbox, anyone can take as many credits as they like, and you ' +
  'pay for the model. Set BILLING=off or BILLING=stripe. To allow this, set BILLING_SANDBOX_WITH_PAID_MODELS=true'

const unbounded =
  'LIMIT_TOKENS_PER_MONTH is required because a model costs money, BILLING is off, and REGISTRATION is open. Anyone ' +
  'can create an account and use tokens that you pay for. Set the limit, or set REGISTRATION=invited or closed'
