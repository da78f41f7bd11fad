import { systemClock } from '../../src/clock.ts'
import { readBaseUrl } from '../../src/config/config.ts'
import { invite } from '../../src/users/invite.ts'
import { addressIn, type AdminCommand } from './admin-command.ts'

/**
 * An invitation can be used once, for a week, and replaces those from before. The address at which it is used is that of
 * BASE_URL.
 */
export const inviteCommand: AdminCommand = {
  takes: '<address>',
  does: 'prints an invitation, to make an account with this address where REGISTRATION is invited',
  async work(database, { words, usage, settings }) {
    const invitation = await invite({ database, clock: systemClock }, addressIn(words, usage))
    if (!invitation) throw new Error('This is not an email address.')
    const { token, expiresAt } = invitation
    const body = '{ "email": …, "password": …, "invitation": … }'
    return `Invitation: ${token}\n\nIt is for this address alone, can be used once, and ends at ${expiresAt.toISOString()}.\nThe account is made with it by POST ${readBaseUrl(settings)}/auth/register ${body}.`
  },
}
