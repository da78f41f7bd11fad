import type { Config } from '../../config/config.ts'
import { fine, warning, worst, type Check, type Finding } from '../finding.ts'

/** Whether strangers can spend the operator's money at AI providers. */
export const spending: Check<{ config: Pick<Config, 'billing' | 'auth'> }> = {
  name: 'spending',
  async look({ config: { billing, auth } }) {
    const findings: Finding[] = []
    if (billing.modelsCostMoney && billing.mode === 'sandbox')
      findings.push(
        warning(
          'BILLING is sandbox, so users give themselves credits for models that cost you money.',
          'Set BILLING to stripe or off.',
        ),
      )
    if (billing.modelsCostMoney && auth.registration === 'open' && billing.mode !== 'stripe')
      findings.push(
        warning(
          'REGISTRATION is open, so everyone can use models that cost you money.',
          'Set REGISTRATION to invited, or have users pay (BILLING=stripe).',
        ),
      )
    return worst(findings, fine('Nobody unknown can spend your money at AI providers.'))
  },
}
