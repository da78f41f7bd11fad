import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { AccountToken } from './account-token.ts'
import { createAccountTokens, type IssuedToken } from './account-tokens.ts'
import { normalizeEmail } from './email.ts'

/**
 * Creates a token that allows registration with this address, for installations that require invitations. Replaces
 * earlier ones. undefined if it is not an address. For operators.
 */
export async function invite(
  context: { database: Database; clock: Clock },
  written: string,
): Promise<IssuedToken | undefined> {
  const email = normalizeEmail(written)
  if (email === undefined) return undefined
  const tokens = createAccountTokens(context)
  return context.database.transaction(async (trx) => {
    await AccountToken.query(trx).where({ email, purpose: 'invite' }).delete()
    return tokens.issue(trx, { purpose: 'invite', userId: null, email })
  })
}
