import { setAdmin } from '../src/users/admins.ts'
import { withDatabase } from './with-database.ts'

/**
 * `npm run admin -- <address>`: makes a user an admin; `npm run admin -- --remove <address>` takes it back. It holds from
 * the next request on, and is safe to repeat. Without `npm start` beside
 * it, it needs DATABASE_URL.
 */
await withDatabase('admin', async (database) => {
  const given = process.argv.slice(2)
  const remove = given.includes('--remove')
  const [address, ...more] = given.filter((word) => word !== '--remove')
  if (address === undefined || address.startsWith('-') || more.length > 0)
    throw new Error('Name one account: npm run admin -- [--remove] <address>')
  if (!(await setAdmin(database, address, !remove))) throw new Error('There is no account with this address.')
  return remove ? 'This account is no admin.' : 'This account is an admin.'
})
