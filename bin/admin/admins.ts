import { readBaseUrl } from '../../src/config/command-config.ts'
import { setAdmin } from '../../src/users/admins.ts'
import { firstAdminLink } from '../first-admin-link.ts'
import { addressIn, type AdminCommand } from './admin-command.ts'

/** Both take effect with the next request and are safe to repeat. */
const setting = (does: string, admin: boolean): AdminCommand => ({
  takes: '<address>',
  does,
  async work(database, { words, usage }) {
    if (!(await setAdmin(database, addressIn(words, usage), admin))) throw new Error('No account has this address.')
    return admin ? 'This account is an admin.' : 'This account is no longer an admin.'
  },
})

export const makeAdmin = setting('makes an account an admin', true)
export const removeAdmin = setting('removes the admin role from an account', false)

export const firstAdmin: AdminCommand = {
  takes: '',
  does: 'prints a link that creates the first admin',
  async work(database, { settings }) {
    const link = await firstAdminLink(database, readBaseUrl(settings))
    if (link === undefined) throw new Error('There is an admin already. To add another, use make-admin.')
    return `${link}\n\nIt works once, within an hour, and replaces earlier links.`
  },
}
