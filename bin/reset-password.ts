import { systemClock } from '../src/clock.ts'
import { readDatabaseConfig } from '../src/config/config.ts'
import { loadEnvFile } from '../src/config/environment.ts'
import { createDatabase } from '../src/database/database.ts'
import { createLogger } from '../src/logger.ts'
import { owaspCost } from '../src/users/passwords.ts'
import { resetPassword } from '../src/users/reset-password.ts'

/**
 * `npm run reset-password -- <address>`: gives an account a new password, prints it, and ends the account's logins and chat sessions. It
 * needs DATABASE_URL only.
 */
async function main([address, ...more]: string[]): Promise<void> {
  if (address === undefined || more.length > 0) throw new Error('Name one account: npm run reset-password -- <address>')
  loadEnvFile()
  const database = createDatabase(readDatabaseConfig(), createLogger('warn', 'reset-password'))
  try {
    const password = await resetPassword({ database, clock: systemClock, passwordCost: owaspCost }, address)
    if (password === undefined) throw new Error('There is no account with this address.')
    console.log(
      `The new password is ${password}. All logins and chat sessions of the account have ended; its API keys are still valid.`,
    )
  } finally {
    await database.destroy()
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error((error as Error).message)
  process.exitCode = 1
})
