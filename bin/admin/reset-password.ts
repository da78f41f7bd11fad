import { parseArgs } from 'node:util'
import { databaseClock } from '../../src/clock.ts'
import { owaspCost } from '../../src/users/passwords.ts'
import { resetPassword } from '../../src/users/reset-password.ts'
import { addressIn, type AdminCommand } from './admin-command.ts'

export const resetPasswordCommand: AdminCommand = {
  takes: '[--without-totp] <address>',
  does: "replaces an account's password and prints the new one; --without-totp also removes the authenticator app",
  async work(database, { words, usage }) {
    const options = { 'without-totp': { type: 'boolean', default: false } } as const
    const { values, positionals } = parseArgs({ args: words, allowPositionals: true, options })
    const withoutTotp = values['without-totp']
    const context = { database, clock: databaseClock, passwordCost: owaspCost }
    const password = await resetPassword(context, addressIn(positionals, usage), { withoutTotp })
    if (password === undefined) throw new Error('No account has this address.')
    return `The new password is ${password}. All of the account's sign-in sessions and chat sessions have ended. Its API keys are still valid.${withoutTotp ? ' Signing in no longer requires a code.' : ''}`
  },
}
