import { ofAccount, operator, recordDeeds } from '../audit/audit-entry.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { newId } from '../ids.ts'
import { normalizeEmail } from './email.ts'
import { createPasswords, type PasswordCost } from './passwords.ts'
import { User } from './user.ts'

/**
 * Makes a user an admin, or one who is none any more. Safe to repeat. False if there is no account with this address.
 * For operators: nobody becomes an admin through the API.
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
    await recordDeeds(trx, new Date(), { ...ofAccount(user.id, action, operator), ...sides })
    return true
  })
}

/** Makes an account that is an admin, with this password. Leaves an account that has the address already as it is. */
export async function makeAdmin(
  { database, clock, passwordCost }: { database: Database; clock: Clock; passwordCost: PasswordCost },
  { email, password }: { email: string; password: string },
): Promise<void> {
  const passwordHash = await createPasswords(passwordCost).hash(password)
  const row = { id: newId(), email, passwordHash, admin: true, createdAt: clock.now() }
  await User.query(database).insert(row).onConflict('email').ignore()
}
