import { systemClock } from '../src/clock.ts'
import { owaspCost } from '../src/users/passwords.ts'
import { resetPassword } from '../src/users/reset-password.ts'
import { withDatabase } from './with-database.ts'

/**
 * `npm run reset-password -- <address>`: gives an account a new password, prints it, and ends the account's logins and chat sessions. It
 * needs DATABASE_URL only.
 */
await withDatabase('reset-password', async (database) => {
  const [address, ...more] = process.argv.slice(2)
  if (address === undefined || more.length > 0) throw new Error('Name one account: npm run reset-password -- <address>')
  const password = await resetPassword({ database, clock: systemClock, passwordCost: owaspCost }, address)
  if (password === undefined) throw new Error('There is no account with this address.')
  return `The new password is ${password}. All logins and chat sessions of the account have ended; its API keys are still valid.`
})
