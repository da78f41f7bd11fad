import { setAdmin } from '../../src/users/admins.ts'
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
