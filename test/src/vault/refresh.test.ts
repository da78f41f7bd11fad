import test from 'ava'
import * as vault from '../../../api/vault.ts'
import { fingerprint } from '../../../examples/sites/contacts/token-endpoint.ts'
import { VaultRefresh } from '../../../src/vault/vault-refresh.ts'
import { call } from '../../helpers/client.ts'
import { connectContacts, startOAuthSites } from '../../helpers/connect.ts'
import { eventually } from '../../helpers/eventually.ts'
import { customer } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'

test('a refresh that takes long keeps its lease against those who want it, and gives way to a reconnection', async (t) => {
  const { contacts, sites, env } = await startOAuthSites(t)
  const platform = await startPlatform(t, { sites, env })
  const { database } = platform.services
  const someone = await customer(platform)
  const entryId = await connectContacts(someone, contacts)
  const search = () => call(someone, vault.callTool, { params: { entryId, toolName: 'crm.searchContacts' }, body: {} })
  const history = async () => (await call(someone, vault.listRefreshes, { params: { entryId } })).body.items
  const open = async () => VaultRefresh.query(database).findOne({ entryId, endedAt: null })
  const refreshes = () => contacts.tokenRequests().filter(({ grantType }) => grantType === 'refresh_token')

  // As if its process had been cut off from Postgres for a while, and somebody else had noticed.
  contacts.intercept(async (_facts, _response, proceed) => {
    await proceed()
    const { id, leaseUntil } = await eventually(5, 'the intent is on record', open)
    const past = new Date(Date.now() - 1)
    await VaultRefresh.query(database).findById(id).patch({ leaseUntil: past, contestedAt: past })
    const renewed = await eventually(5, 'the lease is extended', async () => {
      const attempt = await open()
      return attempt && attempt.leaseUntil > leaseUntil ? attempt : undefined
    })
    t.is(renewed.contestedAt, null, 'should it end once more, its holder has time once more')
  })
  contacts.expireAccessTokens()
  t.is((await search()).status, 200)
  t.is(refreshes().length, 1)
  t.deepEqual(
    (await history()).map(({ outcome, rotated }) => ({ outcome, rotated })),
    [{ outcome: 'refreshed', rotated: true }],
  )

  const given: string[] = []
  contacts.transformToken = (body) => {
    given.push(fingerprint(String(body['refresh_token'])))
    return body
  }
  // The owner is quicker: what was refreshed meanwhile belongs to a grant that is not in use any more.
  contacts.intercept(async ({ grantType }, _response, proceed) => {
    await proceed()
    if (grantType !== 'refresh_token') return
    contacts.intercept(undefined)
    await connectContacts(someone, contacts, { entryId })
  })
  contacts.expireAccessTokens()
  t.is((await search()).status, 200)
  t.is(refreshes().length, 2)
  const calls = contacts.requests().length
  t.is((await search()).status, 200)
  t.is(contacts.requests().length, calls + 1, 'without a refusal in between')
  contacts.expireAccessTokens()
  t.is((await search()).status, 200)
  t.is(refreshes().length, 3)
  t.is(given.length, 3)
  t.is(refreshes().at(-1)?.refreshToken, given[1], 'the grant in use is the one that the owner made')
  t.false(refreshes().some(({ consumedBefore }) => consumedBefore))
})
