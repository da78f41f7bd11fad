// @promise manifests
import test, { type ExecutionContext } from 'ava'
import * as manifests from '../../api/manifests.ts'
import * as notifications from '../../api/notifications.ts'
import { sealCredential } from '../../src/vault/credential.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { startChangingSite } from '../helpers/changing-site.ts'
import { connectChanging, withTools } from '../helpers/manifests.ts'
import { person } from '../helpers/people.ts'
import { startPlatform, type Platform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

// On a busy machine, a site may be reached late: that is no site which does not answer.
const platformOf = forWholeFile(test, 'manifests', (t) => startPlatform(t, { env: { MANIFEST_TIMEOUT_SECONDS: '60' } }))

/** A site of the test's own, and somebody who has connected it. */
async function open(t: ExecutionContext) {
  const [platform, site] = [await platformOf(), await startChangingSite(t)]
  const someone = await person(platform)
  return { site, platform, someone, ...(await connectChanging(someone, site)) }
}

const breaking = withTools('get_two', 'wait_here')
test('what takes nothing away is used at once and is on record, and its owner is told only of what can do more', async (t) => {
  const { site, platform, refresh, history, entry, tools, use, told } = await open(t)
  site.change({ name: 'A new name', version: '2', limits: { calls_per_minute: 77 } })
  t.like(await refresh(), { class: 'text', status: 'adopted' })
  t.is(await askedFor(platform, site), 77)
  t.like(await entry(), { name: 'A new name', version: '2', pendingManifest: null })

  t.is((await use('get_three')).failure.code, 'NOT_FOUND')
  site.change(withTools('get_one', 'get_two', 'get_three', 'wait_here'))
  t.like(await refresh(), { class: 'compatible', status: 'adopted' })
  t.is((await use('get_three')).status, 200)

  site.change(withTools('get_one', 'get_two', 'get_three', 'wait_here', 'delete_one'))
  t.like(await refresh(), { class: 'new_scope', status: 'adopted' })
  t.true((await tools()).includes('delete_one'))

  const adopted = ['new_scope', 'compatible', 'text'].map((name) => ({ class: name, status: 'adopted' }))
  t.like(await history(), adopted)
  t.is((await history()).length, 3)
  // Of what is used at once an owner is told only where more can be done than before.
  t.like(await told(), { 0: { title: 'A connected site can do more than before: “A new name”' }, length: 1 })
})

test('what could break waits, is shown with its differences, and is used once it was accepted', async (t) => {
  const { site, refresh, history, entry, tools, use, accept } = await open(t)
  site.change({ ...breaking, name: 'A new name' })
  const found = await refresh()
  t.like(found, { class: 'breaking', status: 'pending' })
  t.like(found.differences[0], { path: 'tools.get_one', kind: 'removed', class: 'breaking' })
  const { class: grave, fingerprint, foundAt } = found
  t.deepEqual((await entry()).pendingManifest, { class: grave, fingerprint, foundAt })
  t.is((await entry()).name, 'A changing site')
  t.true((await tools()).includes('get_one'))
  t.is((await use('get_one')).status, 200)

  const accepted = (await accept(found.fingerprint)).body
  t.like(accepted, { name: 'A new name', pendingManifest: null })
  t.deepEqual(await tools(), ['get_two', 'wait_here'])
  t.is((await use('get_one')).failure.code, 'NOT_FOUND')
  t.like((await history())[0], { class: 'breaking', status: 'accepted', fingerprint: found.fingerprint })
  t.like(await refresh(), { status: 'none' })
})

test('a change that waits is found again as the same, and its owner is told of it once', async (t) => {
  const { site, someone, entryId, refresh, history, told } = await open(t)
  const before = site.manifest
  site.change(breaking)
  const first = await refresh()
  t.deepEqual(await refresh(), first)
  t.is((await history()).length, 1)

  site.manifest = before
  t.like(await refresh(), { class: 'none', status: 'none' })
  site.change(breaking)
  const again = await refresh()
  t.is(again.fingerprint, first.fingerprint)
  t.like(await history(), { 0: { status: 'pending' }, 1: { status: 'withdrawn' }, length: 2 })
  const notes = await told()
  t.is(notes.length, 1)
  t.like(notes[0], { kind: 'manifest_changed', subjectId: entryId, consolePage: `/console/sites/${entryId}` })
  t.true(notes[0]?.message.includes('“tools › get_one”: '))
  t.true(notes[0]?.message.includes(site.origin))
  t.is((await call(someone, notifications.listNotifications)).body.items.length, 1)
})

test('a later change takes the place of the one that waits, which cannot be accepted any more', async (t) => {
  const { site, refresh, accept, entry, history, tools, told } = await open(t)
  site.change(breaking)
  const first = await refresh()
  site.change(withTools('wait_here'))
  const second = await refresh()
  t.not(first.fingerprint, second.fingerprint)
  t.like((await accept(first.fingerprint)).failure, { code: 'VALIDATION_ERROR', details: [{ path: 'fingerprint' }] })
  t.is((await tools()).length, 3)

  site.change(withTools('get_one', 'get_two', 'get_three', 'wait_here'))
  t.like(await refresh(), { class: 'compatible', status: 'adopted' })
  t.is((await entry()).pendingManifest, null, 'what was adopted since takes its place, too')
  t.is((await accept(second.fingerprint)).failure.code, 'VALIDATION_ERROR')
  site.change(withTools('wait_here'))
  t.is((await refresh()).fingerprint, second.fingerprint)

  const answers = await Promise.all(Array.from({ length: 6 }, () => accept(second.fingerprint)))
  const countOf = (status: number) => answers.filter((answer) => answer.status === status).length
  t.deepEqual([countOf(200), countOf(400)], [1, 5], 'of several at once one succeeds')
  t.deepEqual(await tools(), ['wait_here'])
  const statuses = (await history()).map(({ status }) => status)
  t.deepEqual(statuses, ['accepted', 'adopted', 'superseded', 'superseded'])
  t.is((await told()).length, 2)
})

test('no credential follows a changed address before it was accepted', async (t) => {
  const { site, refresh, accept, entry, use } = await open(t)
  site.change({ server: { url: `${site.otherOrigin}/v2` } })
  const { class: found, fingerprint, differences } = await refresh()
  t.is(found, 'changed_address')
  t.like(differences[0], { before: `${site.origin}/v1`, after: `${site.otherOrigin}/v2` })
  await use('get_one')
  await refresh()
  await use('get_two')
  t.deepEqual(site.calls(), [`${site.origin}/v1/tools/get_one`, `${site.origin}/v1/tools/get_two`])
  const { failure } = await accept(fingerprint)
  t.deepEqual([failure.code, failure.details?.[0]?.path], ['VALIDATION_ERROR', 'acceptHosts'], 'another port')
  const otherHost = new URL(site.otherOrigin).host
  t.is((await accept(fingerprint, [otherHost])).body.serverUrl, `${site.otherOrigin}/v2`)
  await use('get_one')
  t.is(site.calls().at(-1), `${site.otherOrigin}/v2/tools/get_one`)
  t.is((await entry()).pendingManifest, null)
  t.true(site.requests.every(({ authorized }) => authorized))
})

test('a host outside the site that is new must be accepted by name', async (t) => {
  const { site, refresh, accept, entry, use } = await open(t)
  site.change({ server: { url: `${site.foreignOrigin}/v2` } })
  const { fingerprint } = await refresh()
  for (const hosts of [undefined, ['other.example']])
    t.like((await accept(fingerprint, hosts)).failure, { code: 'VALIDATION_ERROR', details: [{ path: 'acceptHosts' }] })
  t.is((await entry()).serverUrl, `${site.origin}/v1`)
  t.is((await accept(fingerprint, ['localhost'])).status, 200)
  await use('get_one')
  t.deepEqual(site.calls(), [`${site.otherOrigin}/v2/tools/get_one`])
  // It has been accepted: another path there is a changed address, but no new host.
  site.change({ server: { url: `${site.foreignOrigin}/v3` } })
  t.is((await accept((await refresh()).fingerprint)).status, 200)
})

test('a manifest that cannot be fetched, or is wrong, leaves everything as it is', async (t) => {
  const { site, platform, entryId, ask, history, tools, entry } = await open(t)
  for (const [status, body, code] of [
    [503, '{}', 'MANIFEST_NOT_FOUND'],
    [200, '{"name":"x"}', 'MANIFEST_INVALID'],
  ] as const) {
    await forget(platform, entryId)
    site.refusal = { status, body }
    t.is((await ask()).failure.code, code)
    t.true(await wasChecked(platform, entryId))
  }
  t.deepEqual(await history(), [])
  t.is((await tools()).length, 3)
  t.is((await entry()).pendingManifest, null)
})

/** How tokens are given out at an origin. */
const oauth = (site: { origin: string }, at: { origin: string } = site) => ({
  type: 'oauth2',
  authorization_url: `${site.origin}/authorize`,
  token_url: `${at.origin}/token`,
  scopes: ['read', 'write'],
})

test('a refresh token goes to the pinned token address until the other one was accepted', async (t) => {
  const { site, platform, entryId, refresh, accept, use } = await open(t)
  site.change({ auth: oauth(site) })
  await pretendGranted(platform, entryId, site.manifest)
  t.like(await refresh(), { status: 'none' })
  const renewedAt = () => site.requests.filter(({ path }) => path === '/token').map(({ origin }) => origin)

  site.change({ auth: oauth(site, { origin: site.otherOrigin }) })
  const { class: found, fingerprint } = await refresh()
  t.is(found, 'changed_address')
  t.is((await use('get_one')).status, 200)
  const renewal = (at: string, count: number) =>
    eventually(10, 'the token is renewed again', async () => {
      await use('get_one')
      return (renewedAt().length >= count && renewedAt().at(-1) === at) || undefined
    })
  await renewal(site.origin, 2)
  t.true(renewedAt().every((origin) => origin === site.origin))
  t.true(site.requests.every(({ origin }) => origin === site.origin))

  t.is((await accept(fingerprint, [new URL(site.otherOrigin).host])).status, 200)
  await renewal(site.otherOrigin, 3)
})

/** Makes an entry look as if it had been granted by OAuth long ago, so that its access token has to be renewed. */
async function pretendGranted({ services }: Platform, id: string, manifest: object): Promise<void> {
  const tokens = { accessToken: 'old-access', refreshToken: 'old-refresh' }
  const credential = sealCredential(services.sealing, { id, authType: 'oauth2' }, tokens)
  const past = new Date('2026-01-01')
  const times = { expires_at: past, refresh_after: past }
  const fields = { auth_type: 'oauth2', client_id: 'switchyard', scopes: JSON.stringify(['read', 'write']) }
  const row = { ...fields, ...times, credential, manifest: JSON.stringify(manifest) }
  await services.database('vault_entries').where({ id }).update(row)
}

test('when a site connects in another way, the credential is forgotten on acceptance, and not a moment earlier', async (t) => {
  const { site, platform, entryId, refresh, accept, use } = await open(t)
  site.change({ auth: oauth(site) })
  const { class: found, fingerprint } = await refresh()
  t.is(found, 'breaking')
  t.is((await use('get_one')).status, 200)
  t.is((await accept(fingerprint)).body.authType, 'oauth2')
  const row = await platform.services.database('vault_entries').where({ id: entryId }).first()
  t.like(row, { status: 'needs_reauth', authType: 'oauth2', generation: 2 })
  t.truthy(row.statusReason)
  t.true((await use('get_one')).status >= 400)
  t.is(site.calls().length, 1)
})

test('of refreshes at the same instant one records the change, and all answer the same', async (t) => {
  const { site, refresh, history, told } = await open(t)
  site.change(breaking)
  const found = await Promise.all(Array.from({ length: 8 }, refresh))
  t.is(new Set(found.map(({ fingerprint, status }) => fingerprint + status)).size, 1)
  t.is((await history()).length, 1)
  t.is((await told()).length, 1)
})

test('of the decided changes of an entry the last 50 are kept', async (t) => {
  const { site, refresh, someone, entryId } = await open(t)
  for (let version = 2; version <= 53; version += 1) {
    site.change({ version: String(version) })
    await refresh()
  }
  const query = { limit: '100' }
  const { body } = await call(someone, manifests.listManifestChanges, { params: { entryId }, query })
  t.is(body.items.length, 50)
  t.deepEqual([body.items.at(0)?.differences[0]?.after, body.items.at(-1)?.differences[0]?.after], ['53', '4'])
})

/** How many calls a minute the manifest of a site asks for, as admins see it. */
async function askedFor({ services }: Platform, { origin }: { origin: string }): Promise<number | null | undefined> {
  const { host } = new URL(origin)
  return (await services.hosts.list()).find((one) => one.host === host)?.proposedPerMinute
}

/** Makes entries look as if their manifests had not been looked at since January. */
const forget = ({ services }: Platform, ...ids: string[]) =>
  services
    .database('vault_entries')
    .whereIn('id', ids)
    .update({ manifest_checked_at: new Date('2026-01-01') })

const wasChecked = async ({ services }: Platform, id: string) => {
  const row = (await services.database('vault_entries').where({ id }).first()) as { manifestCheckedAt: Date }
  return Date.now() - row.manifestCheckedAt.getTime() < 60 * 60 * 1000
}

/** Has so many others connect the site of an entry; its manifest was looked at for them long ago, in February. */
const connectOthers = ({ services }: Platform, entryId: string, count: number) =>
  services.database.raw(
    `with others as (
       insert into users (id, email, password_hash, created_at)
         select gen_random_uuid(), gen_random_uuid() || '@example.com', '', now() from generate_series(1, :count)
         returning id)
     insert into vault_entries
       select (jsonb_populate_record(entry, jsonb_build_object('id', gen_random_uuid(), 'owner_id', others.id,
                                                               'manifest_checked_at', timestamptz '2026-02-01'))).*
         from vault_entries entry, others where entry.id = :entryId`,
    { entryId, count },
  )

// These have all entries looked at whose time has come, so none of another test's may be among them.
test.serial('sites are looked at when their time has come, once for all who have connected them', async (t) => {
  const { site, platform, entryId, refresh, entry, history } = await open(t)
  const other = await connectChanging(await person(platform), site)
  const broken = await connectChanging(await person(platform), site)
  const { checkDue } = platform.services.manifests
  site.change({ ...breaking, limits: { calls_per_minute: 78 } })
  const hits = site.hits
  await checkDue()
  t.is(site.hits, hits)
  await forget(platform, entryId, other.entryId)
  // As if the manifest in use could not be compared with any: that is nothing to the others.
  const incomparable = { manifest: '{}', manifest_checked_at: new Date('2025-12-01') }
  await platform.services.database('vault_entries').where({ id: broken.entryId }).update(incomparable)
  await checkDue()
  t.is(site.hits, hits + 1)
  t.is((await entry()).pendingManifest?.class, 'breaking')
  t.is((await other.entry()).pendingManifest?.class, 'breaking')
  t.is((await other.told()).length, 1)
  t.is(await askedFor(platform, site), 78)
  await checkDue()
  t.is(site.hits, hits + 1)
  t.like(await refresh(), { status: 'pending' })
  t.is((await history()).length, 1)
})

test.serial('of more sites than one round looks at, those that wait longest are looked at first', async (t) => {
  const { platform, entryId } = await open(t)
  const { database, manifests: looking } = platform.services
  await connectOthers(platform, entryId, 20)
  await forget(platform, entryId)
  const due = () => database('vault_entries').where('manifest_checked_at', '<', new Date('2026-03-01'))
  t.is((await due()).length, 21)
  await looking.checkDue()
  t.is((await due()).length, 1)
  t.true(await wasChecked(platform, entryId))
  await looking.checkDue()
  t.is((await due()).length, 0)
})
