import test from 'ava'
import { runRound } from '../../../../src/loops.ts'
import * as vault from '../../../../api/vault.ts'
import { listRefreshes } from '../../../../api/refreshes.ts'
import { fingerprint } from '../../../../examples/sites/contacts/token-endpoint.ts'
import { newId } from '../../../../src/ids.ts'
import { fieldsOf } from '../../../../src/database/row.ts'
import { openCredential, sealCredential } from '../../../../src/vault/credential.ts'
import { VaultEntry } from '../../../../src/vault/vault-entry.ts'
import { VaultRefresh } from '../../../../src/vault/refresh/vault-refresh.ts'
import { call } from '../../../helpers/client.ts'
import { connectContacts, startOAuthSites } from '../../../helpers/connect.ts'
import { eventually } from '../../../helpers/eventually.ts'
import { connectTracker, customer, type Person } from '../../../helpers/people.ts'
import { startPlatform, type Platform } from '../../../helpers/platform.ts'
import { askSite } from '../../../helpers/sites.ts'
import { forWholeFile } from '../../../helpers/whole-file.ts'

/** A site holds back answers of all its visitors alike, so these tests follow one another. */
const stage = forWholeFile(test, 'refreshes', async (t) => {
  const { contacts, sites, env } = await startOAuthSites(t)
  return { contacts, sites, platform: await startPlatform(t, { sites, env }) }
})

/** Whatever a test has made of the site's answers, also where it has failed in the middle. */
function answerAsUsual(contacts: Awaited<ReturnType<typeof stage>>['contacts']): void {
  contacts.intercept(undefined)
  contacts.transformToken = undefined
}

/** The refreshes that the site is asked for from now on. */
function refreshesFromNow({ contacts }: Awaited<ReturnType<typeof stage>>) {
  const all = () => contacts.tokenRequests().filter(({ grantType }) => grantType === 'refresh_token')
  const before = all().length
  return () => all().slice(before)
}

const day = 86_400_000
const toolName = 'crm.searchContacts'

/** As if the entry had got its credential so many days ago. */
async function age({ services }: Platform, entryId: string, days: number, more: Partial<VaultEntry> = {}) {
  const renewedAt = new Date(Date.now() - days * day)
  await VaultEntry.query(services.database)
    .findById(entryId)
    .patch({ renewedAt, ...more })
}

const rowOf = ({ services }: Platform, entryId: string) =>
  VaultEntry.query(services.database).findById(entryId).throwIfNotFound()

const historyOf = async (someone: Person, entryId: string) =>
  (await call(someone, listRefreshes, { params: { entryId } })).body.items.map(
    ({ cause, outcome }) => `${cause} ${outcome}`,
  )

/** As if the last attempt to refresh had ended so much earlier. */
const backdate = ({ services }: Platform, seconds: number) =>
  services.database.raw('update vault_refreshes set ended_at = ended_at - make_interval(secs => ?), retry_at = null', [
    seconds,
  ])

/** Entries of a site that is gone for good, connected so many days ago. */
async function addUnreachable(platform: Platform, model: VaultEntry, count: number, tokenUrl: string, days: number) {
  const { database, sealing } = platform.services
  const renewedAt = new Date(Date.now() - days * day)
  const auth = { ...model.manifest.auth, token_url: tokenUrl } as VaultEntry['manifest']['auth']
  for (let number = 0; number < count; number += 1) {
    const [id, origin] = [newId(), `https://gone-${number}.example`]
    const credential = sealCredential(sealing, { id, authType: 'oauth2' }, { accessToken: 'a', refreshToken: 'r' })
    const fields = { id, origin, credential, renewedAt, manifest: { ...model.manifest, auth } }
    await VaultEntry.query(database).insert({ ...fieldsOf(model), ...fields })
  }
}

// @promise refresh
test.serial('grants that nobody has used for 25 days are refreshed, and nothing else is', async (t) => {
  const { contacts, sites, platform } = await stage()
  t.teardown(() => answerAsUsual(contacts))
  const refreshes = refreshesFromNow(await stage())
  const [idle, fresh, dead] = [await customer(platform), await customer(platform), await customer(platform)]
  const idleId = await connectContacts(idle, contacts)
  const freshId = await connectContacts(fresh, contacts)
  const deadId = await connectContacts(dead, contacts)
  const bearerId = await connectTracker(idle, sites)
  await age(platform, freshId, 24.9)
  await age(platform, deadId, 26, { status: 'needs_reauth', statusReason: 'Its tokens are gone.' })
  await age(platform, bearerId, 26)
  await age(platform, idleId, 25.1, { expiresAt: new Date(0), refreshAfter: new Date(0) })
  const before = await rowOf(platform, idleId)

  await runRound(platform.services, 'keep-alive')
  t.is(refreshes().length, 1)
  t.deepEqual(await historyOf(idle, idleId), ['keep_alive refreshed'])
  const others = await VaultRefresh.query(platform.services.database).whereIn('entryId', [freshId, deadId, bearerId])
  t.deepEqual(others, [])
  const after = await rowOf(platform, idleId)
  t.is(after.generation, before.generation + 1)
  t.true(Date.now() - after.renewedAt.getTime() < 60_000)
  t.true(Number(after.expiresAt) > Date.now())
  const params = { entryId: idleId, toolName }
  t.is((await call(idle, vault.callTool, { params, body: {} })).status, 200)
  await runRound(platform.services, 'keep-alive')
  t.is(refreshes().length, 1)

  // A site that is down is asked again later and later, and the connection stands.
  contacts.intercept(async (_facts, response) => void response.writeHead(503).end())
  await age(platform, idleId, 26)
  for (let time = 0; time < 3; time += 1) await runRound(platform.services, 'keep-alive')
  t.is(refreshes().length, 2)
  await backdate(platform, 1)
  for (let time = 0; time < 3; time += 1) await runRound(platform.services, 'keep-alive')
  t.is(refreshes().length, 3)
  await backdate(platform, 1)
  await runRound(platform.services, 'keep-alive')
  t.is(refreshes().length, 3, 'the second pause is longer than the first')
  t.is((await call(idle, vault.callTool, { params, body: {} })).status, 200)

  // Twenty that fail each time, be it here, must not keep the others from their turn.
  contacts.intercept(undefined)
  await backdate(platform, 600)
  await addUnreachable(platform, after, 20, `${sites.deadOrigin}/token`, 40)
  const { database } = platform.services
  await VaultEntry.query(database).findOne({ origin: 'https://gone-0.example' }).patch({ credential: 'unreadable' })
  await runRound(platform.services, 'keep-alive')
  await runRound(platform.services, 'keep-alive')
  t.is(refreshes().length, 4)
  t.deepEqual((await historyOf(idle, idleId))[0], 'keep_alive refreshed')
  t.false(refreshes().some(({ consumedBefore }) => consumedBefore))
})

test.serial(
  'an entry that uses OAuth takes no token by hand, and deleted it is given back at the site with all its tokens',
  async (t) => {
    const { contacts, platform } = await stage()
    const someone = await customer(platform)
    const entryId = await connectContacts(someone, contacts)
    const byHand = await call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token: 'by-hand' } })
    t.like(byHand.failure, { code: 'VALIDATION_ERROR', details: [{ path: 'token' }] })
    const { accessToken } = openCredential(platform.services.sealing, await rowOf(platform, entryId))
    const useTool = async () =>
      (await askSite(`${contacts.origin}/api/tools/${toolName}`, { token: accessToken, body: {} })).status
    t.is(await useTool(), 200)
    t.is((await call(someone, vault.removeFromVault, { params: { entryId } })).status, 204)
    t.is(await useTool(), 401)
    t.is((await call(someone, listRefreshes, { params: { entryId } })).failure.code, 'NOT_FOUND')
  },
)

test.serial(
  'a refresh that takes long keeps its lease against those who want it, and gives way to a reconnection',
  async (t) => {
    const { contacts, platform } = await stage()
    t.teardown(() => answerAsUsual(contacts))
    const { database } = platform.services
    const someone = await customer(platform)
    const entryId = await connectContacts(someone, contacts)
    const search = () =>
      call(someone, vault.callTool, { params: { entryId, toolName: 'crm.searchContacts' }, body: {} })
    const history = async () => (await call(someone, listRefreshes, { params: { entryId } })).body.items
    const open = async () => VaultRefresh.query(database).findOne({ entryId, endedAt: null })
    const refreshes = refreshesFromNow(await stage())

    // As if its process had been cut off from Postgres for a while, and somebody else had noticed.
    contacts.intercept(async (_facts, _response, proceed) => {
      await proceed()
      const { id, leaseUntil } = await eventually(20, 'the intent is on record', open)
      const past = new Date(Date.now() - 1)
      await VaultRefresh.query(database).findById(id).patch({ leaseUntil: past, contestedAt: past })
      const renewed = await eventually(20, 'the lease is extended', async () => {
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
  },
)
