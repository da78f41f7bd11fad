// @promise refresh
import test from 'ava'
import * as vault from '../../../../api/vault.ts'
import { VaultEntry } from '../../../../src/vault/vault-entry.ts'
import { call } from '../../../helpers/client.ts'
import { connectContacts, startOAuthSites } from '../../../helpers/connect.ts'
import { hold, untilBlocked } from '../../../helpers/hold.ts'
import { customer } from '../../../helpers/people.ts'
import { startPlatform } from '../../../helpers/platform.ts'

test('new tokens are stored although Postgres gave up the statement that was to store them', async (t) => {
  const { contacts, sites, env } = await startOAuthSites(t)
  const platform = await startPlatform(t, { sites, env })
  const { database } = platform.services
  const someone = await customer(platform)
  const entryId = await connectContacts(someone, contacts)
  const locks: (() => Promise<void>)[] = []
  contacts.intercept(async ({ grantType }, _response, proceed) => {
    if (grantType === 'refresh_token')
      locks.push(await hold(database, async (trx) => VaultEntry.query(trx).findById(entryId).forUpdate()))
    await proceed()
  })
  contacts.expireAccessTokens()
  const params = { entryId, toolName: 'crm.searchContacts' }
  const using = call(someone, vault.callTool, { params, body: {} })
  await untilBlocked(database)
  // With the error of `statement_timeout`, 30 seconds earlier.
  await database.raw(
    `select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
  )
  await untilBlocked(database)
  for (const release of locks) await release()
  t.is((await using).status, 200)
  const refreshes = contacts.tokenRequests().filter(({ grantType }) => grantType === 'refresh_token')
  t.is(refreshes.length, 1, 'no token is burned')
})
