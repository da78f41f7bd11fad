import test, { type ExecutionContext } from 'ava'
import * as notifications from '../../../../api/notifications.ts'
import * as vault from '../../../../api/vault.ts'
import type { ErrorCode } from '../../../../src/errors.ts'
import { newId } from '../../../../src/ids.ts'
import { createSender, type Ledger } from '../../../../src/tools/sender.ts'
import { createManifestReview } from '../../../../src/vault/manifests/review-manifest.ts'
import { OAuthFlow } from '../../../../src/vault/oauth/oauth-flow.ts'
import { VaultEntry } from '../../../../src/vault/vault-entry.ts'
import { call } from '../../../helpers/client.ts'
import { authorize, beginConnect, comeBack, connectContacts } from '../../../helpers/connect.ts'
import { untilBlockedBy } from '../../../helpers/hold.ts'
import { newOwner } from '../../../helpers/owner.ts'
import { customer, person, type Person } from '../../../helpers/people.ts'
import type { Platform } from '../../../helpers/platform.ts'
import { sharedPlatform } from '../../../helpers/shared.ts'
import { askSite, startContactsSite } from '../../../helpers/sites.ts'
import { forWholeFile } from '../../../helpers/whole-file.ts'

/**
 * What comes back from a site finds the vault as it is by then. Those that use the contacts site follow one another,
 * because its answers are held back for all its visitors alike.
 */
const idle = sharedPlatform(test, 'idle')
const withContacts = forWholeFile(test, 'late grants', async (t) => {
  const platform = await idle()
  const { site } = await startContactsSite(t, { redirectUris: [`${platform.url}/vault/oauth/callback`] })
  return { contacts: site, platform }
})

/** Somebody with a site of this test's own, and what the vault has of it. */
async function withOwnSite(t: ExecutionContext) {
  const platform = await idle()
  const someone = await newOwner(t, platform)
  const { vaultEntryId: entryId } = await someone.site()
  const entry = (await entryOf(platform, entryId))!
  return { platform, someone, entryId, entry, ownerId: entry.ownerId, connections: platform.services.vault.connections }
}

/** The connection that somebody has. */
async function connectionOf({ services }: Platform, { id, ownerId }: { id: string; ownerId: string }) {
  const state = await services.vault.connections.open(ownerId, id)
  if (state.kind !== 'ready') throw new Error('the site is connected')
  return state.connection
}

const entryOf = ({ services }: Platform, id: string) => VaultEntry.query(services.database).findById(id)

/** What the site says of an access token that the platform was given. */
const statusOf = async (origin: string, token: string) =>
  (await askSite(`${origin}/api/tools/crm.searchContacts`, { token, body: {} })).status

test.serial('tokens that arrive after their entry was deleted are given back to the site', async (t) => {
  const { contacts, platform } = await withContacts()
  const someone = await customer(platform)
  const entryId = await connectContacts(someone, contacts)
  const given: string[] = []
  contacts.transformToken = (body) => {
    given.push(String(body['access_token']))
    return body
  }
  // As when the owner's account goes: nobody tells the site of it.
  contacts.intercept(async ({ grantType }, _response, proceed) => {
    await proceed()
    if (grantType === 'refresh_token') await VaultEntry.query(platform.services.database).deleteById(entryId)
  })
  t.teardown(() => {
    contacts.intercept(undefined)
    contacts.transformToken = undefined
  })
  contacts.expireAccessTokens()
  const path = { params: { entryId, toolName: 'crm.searchContacts' }, body: {} }
  const code: ErrorCode = (await call(someone, vault.callTool, path)).failure.code
  t.is(code, 'SITE_UNAVAILABLE')
  t.is(given.length, 1)
  t.is(await statusOf(contacts.origin, given[0] ?? ''), 401, 'they are worth nothing any more')
  t.is(await entryOf(platform, entryId), undefined)
})

test.serial(
  'tokens that arrive for an entry which was connected anew do not take the place of the new ones',
  async (t) => {
    const { contacts, platform } = await withContacts()
    const { database, vault: services } = platform.services
    const entryId = await connectContacts(await customer(platform), contacts)
    const { generation, credential } = (await entryOf(platform, entryId))!
    const anew = { generation: generation + 1, updatedAt: new Date(0) }
    contacts.intercept(async (_facts, _response, proceed) => {
      await proceed()
      await VaultEntry.query(database).findById(entryId).patch(anew)
    })
    t.teardown(() => contacts.intercept(undefined))
    t.is((await services.refresh.renew(entryId, generation, 'unauthorized')).kind, 'renewed')
    t.like(await entryOf(platform, entryId), { ...anew, credential })
  },
)

test('a 401 to a token that was replaced meanwhile does not kill the new one', async (t) => {
  const { platform, entryId, entry, ownerId, connections } = await withOwnSite(t)
  const { database } = platform.services
  const connection = await connectionOf(platform, entry)
  const generation = connection.generation + 1
  // Two lines of defence: the look before the lock, and the one under it.
  const trx = await database.transaction()
  await VaultEntry.query(trx).findById(entryId).forUpdate()
  const late = connections.refused(ownerId, connection, false)
  await untilBlockedBy(database, trx)
  await VaultEntry.query(trx).findById(entryId).patch({ generation })
  await trx.commit()
  t.like(await late, { kind: 'ready', connection: { generation } })
  t.is((await connections.refused(ownerId, connection, false)).kind, 'ready')
  t.is((await entryOf(platform, entryId))?.status, 'connected')
})

test('what a site answers to a token that was replaced meanwhile says nothing of the new one', async (t) => {
  const { platform, someone, entryId, entry, connections } = await withOwnSite(t)
  const acceptedAt = async () => (await entryOf(platform, entryId))?.acceptedAt
  const connection = await connectionOf(platform, entry)
  await call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token: 'a-new-token' } })
  await connections.accepted(connection)
  t.is(await acceptedAt(), null)
  await connections.accepted(await connectionOf(platform, entry))
  t.truthy(await acceptedAt())
})

test('the owner of a token that the site refuses is told once, and of the next one’s death as well', async (t) => {
  const { platform, someone, entryId, entry, ownerId, connections } = await withOwnSite(t)
  const told = async () => (await call(someone, notifications.listNotifications)).body.items.length
  async function die(times: number) {
    const connection = await connectionOf(platform, entry)
    for (let time = 0; time < times; time += 1)
      t.is((await connections.refused(ownerId, connection, false)).kind, 'dead')
    t.is((await connections.open(ownerId, entryId)).kind, 'dead')
  }
  t.is(await told(), 0)
  await die(2)
  t.is(await told(), 1)
  await call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token: 'a-new-token' } })
  t.is((await connectionOf(platform, entry)).token, 'a-new-token')
  await die(1)
  t.is(await told(), 2)
})

test('a connection is opened to its own owner only', async (t) => {
  const [own, { ownerId: stranger, connections }] = [await withOwnSite(t), await withOwnSite(t)]
  const connection = await connectionOf(own.platform, own.entry)
  t.deepEqual(await connections.open(stranger, own.entryId), { kind: 'gone' })
  t.deepEqual(await connections.refused(stranger, connection, false), { kind: 'gone' })
  t.is((await entryOf(own.platform, own.entryId))?.status, 'connected')
})

test.serial(
  'of two returns from the site with one state, both past the first look, one is taken, and both see it',
  async (t) => {
    const { contacts, platform } = await withContacts()
    const { database } = platform.services
    const someone = await customer(platform)
    const visit = await beginConnect(someone, contacts)
    const address = await authorize(visit)
    const before = contacts.tokenRequests().length
    const trx = await database.transaction()
    await OAuthFlow.query(trx).findById(visit.flowId).forUpdate()
    const returns = [1, 2].map(() => comeBack(someone, address, visit.cookie))
    await untilBlockedBy(database, trx, 2)
    await trx.rollback()
    for (const { status } of await Promise.all(returns)) t.is(status, 200)
    t.is(contacts.tokenRequests().length, before + 1, 'the code left once')
  },
)

test('of two who connect one site at once, both past the first look, one does', async (t) => {
  const { platform, someone, entryId, entry } = await withOwnSite(t)
  const { database } = platform.services
  await call(someone, vault.removeFromVault, { params: { entryId } })
  const trx = await database.transaction()
  await trx.raw('select 1 from users where email = ? for update', [someone.email])
  const body = { url: entry.origin, token: 'any-token' }
  const adding = [1, 2].map(() => call(someone, vault.addToVault, { body }))
  await untilBlockedBy(database, trx, 2)
  await trx.rollback()
  const answers = await Promise.all(adding)
  t.is(answers.filter(({ status }) => status === 201).length, 1)
  t.is(answers.find(({ status }) => status === 409)?.failure.code, 'TOKEN_EXISTS')
})

test('a manifest that was asked for before the one on record changes nothing', async (t) => {
  const { platform, entryId, entry, ownerId } = await withOwnSite(t)
  const manifests = createManifestReview(platform.services)
  const changed = { manifest: { ...entry.manifest, tools: entry.manifest.tools.slice(1) } }
  const older = new Date(entry.manifestCheckedAt.getTime() - 1)
  t.is((await manifests.review(entryId, changed, older, ownerId)).status, 'none')
  t.deepEqual(await entryOf(platform, entryId), entry)
  const newer = await manifests.review(entryId, changed, new Date(), ownerId)
  t.is(newer.status, 'pending', 'asked for later, it counts')
})

/** A flow of somebody's, and what a browser gets that opens its address. */
async function beginFlow({ services }: Platform, { token }: Person, url: string) {
  const { flows } = services.vault
  const { userId } = await services.users.authenticate(`Bearer ${token}`)
  const { id, connectUrl } = await flows.start({ ownerId: userId, userId, target: { url }, acceptHosts: [] })
  const ticket = new URL(connectUrl).searchParams.get('ticket') ?? ''
  const row = () => OAuthFlow.query(services.database).findById(id)
  return { flows, row, open: () => flows.open(ticket, () => undefined) }
}

test.serial('of two browsers that were shown the page, the one that goes on first has the flow', async (t) => {
  const { contacts, platform } = await withContacts()
  const { flows, row, open } = await beginFlow(platform, await person(platform), contacts.origin)
  const [first, second] = [await open(), await open()]
  const address = await flows.go(first)
  const bound = await row()
  await t.throwsAsync(flows.go(second), { message: /opened in another browser/ })
  t.deepEqual(await row(), bound)
  t.is(await flows.go(first), address, 'the same browser is sent there again')
})

test.serial('a browser that goes on when its flow was used meanwhile is sent nowhere', async (t) => {
  const { contacts, platform } = await withContacts()
  const { flows, row, open } = await beginFlow(platform, await person(platform), contacts.origin)
  const opened = await open()
  await opened.flow.$query(platform.services.database).patch({ status: 'exchanging' })
  await t.throwsAsync(flows.go(opened), { message: /Start again/ })
  t.like(await row(), { bindingHash: null, stateHash: null })
})

test.serial('flows are forgotten a day after they are over, and not before', async (t) => {
  const { contacts, platform } = await withContacts()
  const { database } = platform.services
  const someone = await person(platform)
  const overFor = async (hours: number) => {
    const flow = await beginFlow(platform, someone, contacts.origin)
    const { id = '' } = (await flow.row()) ?? {}
    const expiresAt = new Date(Date.now() - hours * 3_600_000)
    await OAuthFlow.query(database).findById(id).patch({ expiresAt })
    return flow
  }
  const flows = [await overFor(25), await overFor(23), await beginFlow(platform, someone, contacts.origin)]
  await platform.services.vault.flows.purge()
  const kept = await Promise.all(flows.map(async ({ row }) => (await row()) !== undefined))
  t.deepEqual(kept, [false, true, true])
})

/** The ledger of a call that may always be sent; nobody reads it. */
const anyLedger: Ledger = { begin: async () => true, onRefused: async () => {}, onRefreshed: async () => {} }

test.serial('a call that is refused twice under one credential gets the next, which nobody has refused', async (t) => {
  const { contacts, platform } = await withContacts()
  const { services } = platform
  const sender = createSender({
    ...services,
    outgoing: services.outgoingLimit,
    storedBytes: services.billing.storedBytes,
  })
  const entryId = await connectContacts(await customer(platform), contacts)
  const { ownerId = '', generation = 0 } = (await entryOf(platform, entryId)) ?? {}
  const asked = {
    callId: newId(),
    ownerId,
    entryId,
    tool: 'crm.searchContacts',
    arguments: '{}',
    idempotencyKey: newId(),
  }
  contacts.expireAccessTokens()
  const sent = await sender.send({ ...asked, share: ownerId, mayWait: false, refusedGeneration: generation }, anyLedger)
  t.like(sent, { kind: 'again', refreshed: true })
  t.like(await entryOf(platform, entryId), { status: 'connected', generation: generation + 1 })
})

test('an entry says to the hour when it was last used', async (t) => {
  const { platform, entryId, ownerId, connections } = await withOwnSite(t)
  const usedAt = async () => (await entryOf(platform, entryId))?.lastUsedAt?.getTime() ?? 0
  const isSetAfter = async (minutes: number) => {
    const lastUsedAt = new Date(Date.now() - minutes * 60_000)
    await VaultEntry.query(platform.services.database).findById(entryId).patch({ lastUsedAt })
    await connections.open(ownerId, entryId)
    return (await usedAt()) > lastUsedAt.getTime()
  }
  await connections.open(ownerId, entryId)
  t.true(Date.now() - (await usedAt()) < 60_000)
  t.deepEqual([await isSetAfter(50), await isSetAfter(70)], [false, true])
})
