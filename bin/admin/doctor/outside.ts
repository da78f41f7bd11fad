import type { Check } from '../../../src/health/finding.ts'
import { browserAddress, cookies, redirect } from './browser.ts'
import { certificate } from './certificate.ts'
import { mail } from './mail.ts'
import { providers } from './providers.ts'
import { proxies } from './proxies.ts'
import { temporalClock } from './temporal-clock.ts'
import type { Outside } from './context.ts'

/** Checks of what is around the installation, as its users and its neighbours see it. */
export const outsideChecks: readonly Check<Outside>[] = [
  certificate,
  browserAddress,
  redirect,
  cookies,
  proxies,
  temporalClock,
  mail,
]

/** The check that costs a little money: one short prompt for each provider. */
export const payingChecks: readonly Check<Outside>[] = [providers]
