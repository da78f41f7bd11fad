import { databaseClock } from '../../src/clock.ts'
import { readBaseUrl } from '../../src/config/command-config.ts'
import { invite } from '../../src/users/invite.ts'
import { addressIn, type AdminCommand } from './admin-command.ts'

/**
 * An invitation works once, expires after a week, and replaces earlier ones. BASE_URL is the address to register at.
 */
export const inviteCommand: AdminCommand = {
  takes: '<address>',
  does: 'prints an invitation for this address, for REGISTRATION=invited',
  async work(database, { words, usage, settings }) {
    const invitation = await invite({ database, clock: databaseClock }, addressIn(words, usage))
    if (!invitation) throw new Error('This is not an email address.')
    const { token, expiresAt } = invitation
    const body = '{ "email": …, "password": …, "invitation": … }'
    return `Invitation: ${token}\n\nIt works once, for this address only, until ${expiresAt.toISOString()}.\nTo create the account, send POST ${readBaseUrl(settings)}/auth/register ${body}.`
  },
}
