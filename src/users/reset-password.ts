import { randomBytes } from 'node:crypto'
import { ofAccount, operator, recordDeeds } from '../audit/audit-entry.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { endSessionsOf } from '../sessions/session.ts'
import { endFlowsOf } from '../vault/oauth/oauth-flow.ts'
import { AccountToken } from './account-token.ts'
import { normalizeEmail } from './email.ts'
import { Login } from './login.ts'
import { createPasswords, type PasswordCost } from './passwords.ts'
import { passwordWasReset, SecondFactor } from './second-factor.ts'
import { User } from './user.ts'

/**
 * Gives an account a random password, ends its logins, sessions and attempts to connect sites, and invalidates mailed
 * tokens. `withoutTotp` also removes the authenticator app. API keys stay valid. Returns the password; undefined if no
 * account has this address. For operators, who must first verify that the account is the requester's.
 */
export async function resetPassword(
  { database, clock, passwordCost }: { database: Database; clock: Clock; passwordCost: PasswordCost },
  written: string,
  { withoutTotp = false }: { withoutTotp?: boolean } = {},
): Promise<string | undefined> {
  const email = normalizeEmail(written)
  const password = randomBytes(18).toString('base64url')
  const passwordHash = await createPasswords(passwordCost).hash(password)
  return database.transaction(async (trx) => {
    const user = email === undefined ? undefined : await User.query(trx).findOne({ email }).forUpdate()
    if (!user) return undefined
    await User.query(trx).findById(user.id).patch({ passwordHash })
    await Login.query(trx).where({ userId: user.id }).whereNull('revokedAt').patch({ revokedAt: clock.now() })
    await AccountToken.query(trx).where({ userId: user.id }).whereIn('purpose', ['change', 'reset']).delete()
    await passwordWasReset(trx, user.id)
    if (withoutTotp) await SecondFactor.query(trx).where({ userId: user.id }).delete()
    await endSessionsOf(trx, user.id, clock.now())
    await endFlowsOf(trx, user.id, clock.now())
    await recordDeeds(trx, clock.now(), ofAccount(user.id, 'npm run admin -- reset-password', operator))
    return password
  })
}
