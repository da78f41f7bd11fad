import { systemClock } from '../src/clock.ts'
import { readBaseUrl } from '../src/config/config.ts'
import { invite } from '../src/users/invite.ts'
import { withDatabase } from './with-database.ts'

/**
 * `npm run invite -- <address>`: prints an invitation, with which an account with this address can be made where
 * REGISTRATION is `invited`. It can be used once, for a week, and replaces those from before. Without
 * `npm start` beside it, it needs DATABASE_URL, and BASE_URL for the address that it prints.
 */
await withDatabase('invite', async (database, settings) => {
  const [address, ...more] = process.argv.slice(2)
  if (address === undefined || more.length > 0) throw new Error('Name one address: npm run invite -- <address>')
  const invitation = await invite({ database, clock: systemClock }, address)
  if (!invitation) throw new Error('This is not an email address.')
  const { token, expiresAt } = invitation
  const body = '{ "email": …, "password": …, "invitation": … }'
  return `Invitation: ${token}\n\nIt is for this address alone, can be used once, and ends at ${expiresAt.toISOString()}.\nThe account is made with it by POST ${readBaseUrl(settings)}/auth/register ${body}.`
})
