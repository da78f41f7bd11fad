import { parseArgs } from 'node:util'
import { systemClock } from '../src/clock.ts'
import { owaspCost } from '../src/users/passwords.ts'
import { resetPassword } from '../src/users/reset-password.ts'
import { withDatabase } from './with-database.ts'

/**
 * `npm run reset-password -- <address>`: gives an account a new password, prints it, and ends the account's logins and chat sessions. With
 * `--without-totp`, logging in needs no code any more. Without `npm start`
 * beside it, it needs DATABASE_URL.
 */
await withDatabase('reset-password', async (database) => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'without-totp': { type: 'boolean' } },
  })
  const [address, ...more] = positionals
  if (address === undefined || more.length > 0) throw new Error('Name one account: npm run reset-password -- <address>')
  const withoutTotp = values['without-totp'] === true
  const context = { database, clock: systemClock, passwordCost: owaspCost }
  const password = await resetPassword(context, address, { withoutTotp })
  if (password === undefined) throw new Error('There is no account with this address.')
  return `The new password is ${password}. All logins and chat sessions of the account have ended; its API keys are still valid.${withoutTotp ? ' Logging in needs no code.' : ''}`
})
