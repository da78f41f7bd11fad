import { ofAccount, operator, recordDeeds } from '../audit/audit-entry.ts'
import { databaseClock, type Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { newId } from '../ids.ts'
import { normalizeEmail } from './email.ts'
import { createPasswords, type PasswordCost } from './passwords.ts'
import { User } from './user.ts'

/**
 * Gives or removes the admin role. Safe to repeat. False if no account has this address. For operators: the API makes
 * only the first admin, from a link that a command prints.
 */
export async function setAdmin(database: Database, written: string, admin: boolean): Promise<boolean> {
  const email = normalizeEmail(written)
  if (email === undefined) return false
  return database.transaction(async (trx) => {
    const user = await User.query(trx).findOne({ email }).forNoKeyUpdate()
    if (!user) return false
    await User.query(trx).findById(user.id).patch({ admin })
    const action = `npm run admin -- ${admin ? 'make' : 'remove'}-admin`
    const sides = { before: { admin: user.admin }, after: { admin } }
    await recordDeeds(trx, databaseClock.now(), { ...ofAccount(user.id, action, operator), ...sides })
    return true
  })
}

/** Creates an admin account with this password. Leaves an existing account with the address unchanged. */
export async function makeAdmin(
  { database, clock, passwordCost }: { database: Database; clock: Clock; passwordCost: PasswordCost },
  { email, password }: { email: string; password: string },
): Promise<void> {
  const passwordHash = await createPasswords(passwordCost).hash(password)
  const row = { id: newId(), email, passwordHash, admin: true, createdAt: clock.now() }
  await User.query(database).insert(row).onConflict('email').ignore()
}
