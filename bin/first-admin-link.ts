import { databaseClock } from '../src/clock.ts'
import { firstAdminPage } from '../src/console-pages.ts'
import type { Database } from '../src/database/database.ts'
import { inviteFirstAdmin } from '../src/users/first-admin.ts'

/**
 * The admin that `npm start` makes. RFC 6761: names below `localhost` never leave the machine, so nobody else gets this
 * mail. Admins with another address are the operator's own.
 */
export const firstAdminEmail = 'admin@switchyard.localhost'

/**
 * A new link that makes an admin beside the local one, valid once and for an hour. Invalidates the earlier link.
 * undefined once there is such an admin. It contains a secret, so it is only ever printed.
 */
export async function firstAdminLink(database: Database, baseUrl: string): Promise<string | undefined> {
  const issued = await inviteFirstAdmin({ database, clock: databaseClock }, firstAdminEmail)
  return issued && `${baseUrl}${firstAdminPage(issued.token)}`
}
