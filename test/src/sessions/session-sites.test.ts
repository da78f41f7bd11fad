// @promise keys
import test from 'ava'
import * as sessions from '../../../api/sessions.ts'
import * as vault from '../../../api/vault.ts'
import { newId } from '../../../src/ids.ts'
import { call } from '../../helpers/client.ts'
import { connectContacts, startOAuthSites } from '../../helpers/connect.ts'
import { hold, untilBlocked } from '../../helpers/hold.ts'
import { connectBadTools, connectTracker, person } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { current, sessionOf } from '../../helpers/sessions.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

const open = forWholeFile(test, 'sites of sessions', async (t) => {
  const { contacts, sites, env } = await startOAuthSites(t)
  const platform = await startPlatform(t, { sites, env })
  const { database } = platform.services
  const offerOf = async ({ id }: { id: string }) => {
    const { ownerId } = (await database('sessions').where({ id }).first('ownerId')) as { ownerId: string }
    return platform.services.sessions.offerOf({ id, ownerId })
  }
  return { contacts, sites, platform, database, offerOf }
})

test('a session offers the tools of its sites in the order of both, and has the tokens that nobody is to read', async (t) => {
  const { sites, platform, offerOf } = await open()
  const ada = await person(platform)
  const [tracker, badTools] = [await connectTracker(ada, sites), await connectBadTools(ada, sites)]
  const made = await sessionOf(ada, {
    sites: [
      { vaultEntryId: badTools, tools: ['echo_text', 'hang'] },
      { vaultEntryId: tracker, tools: ['search_issues', 'delete_issue'], askFirst: ['search_issues'] },
    ],
  })
  t.deepEqual(made.sites, [
    { vaultEntryId: badTools, tools: ['echo_text', 'hang'], askFirst: null },
    { vaultEntryId: tracker, tools: ['search_issues', 'delete_issue'], askFirst: ['search_issues'] },
  ])
  t.deepEqual(made.scopes, ['read', 'write', 'delete'])
  const { tools, tokens } = await offerOf(made)
  t.deepEqual(
    tools.map(({ entryId, tool, asksFirst }) => [entryId, tool.name, asksFirst]),
    [
      [badTools, 'hang', false],
      [badTools, 'echo_text', false],
      [tracker, 'search_issues', true],
      [tracker, 'delete_issue', false],
    ],
  )
  t.is(tools.at(-1)?.siteOrigin, sites.tracker.origin)
  t.is(tokens.length, 2)
  t.true(tokens.includes('any-token'))
})

test('without a choice a session has every tool of a site, and the platform says which ask first', async (t) => {
  const { sites, platform, offerOf } = await open()
  const ada = await person(platform)
  const vaultEntryId = await connectTracker(ada, sites)
  const made = await sessionOf(ada, { sites: [{ vaultEntryId }] })
  t.deepEqual(made.sites, [{ vaultEntryId, tools: null, askFirst: null }])
  t.deepEqual(made.scopes, ['read', 'write', 'delete', 'admin'])
  const { tools } = await offerOf(made)
  // The tool that administers may be repeated, and the one that creates does nothing that is lost.
  t.deepEqual(
    tools.filter(({ asksFirst }) => asksFirst).map(({ tool }) => tool.name),
    ['delete_issue'],
  )
  t.true(tools.length > 4)
  const silent = await sessionOf(ada, { sites: [{ vaultEntryId, askFirst: [] }] })
  t.deepEqual(silent.sites[0]?.askFirst, [])
  t.false((await offerOf(silent)).tools.some(({ asksFirst }) => asksFirst))
  const none = await sessionOf(ada, { sites: [{ vaultEntryId, tools: [] }] })
  t.deepEqual([(await offerOf(none)).tools, none.scopes], [[], []])
})

test('unknown sites and tools are refused with their places', async (t) => {
  const { sites, platform } = await open()
  const [ada, bob] = [await person(platform), await person(platform)]
  const vaultEntryId = await connectTracker(ada, sites)
  const places = async (given: NonNullable<Parameters<typeof sessionOf>[1]>['sites']) => {
    const { failure } = await call(ada, sessions.createSession, { body: { sites: given } })
    return [failure.code, ...(failure.details ?? []).map(({ path }) => path)]
  }
  t.deepEqual(await places([{ vaultEntryId }, { vaultEntryId: newId() }, { vaultEntryId: 'nonsense' }]), [
    'VALIDATION_ERROR',
    'sites.1.vaultEntryId',
    'sites.2.vaultEntryId',
  ])
  t.deepEqual(await places([{ vaultEntryId: await connectTracker(bob, sites) }]), [
    'VALIDATION_ERROR',
    'sites.0.vaultEntryId',
  ])
  const unknown = [{ vaultEntryId, tools: ['get_issue', 'no_such_tool'], askFirst: ['delete_issue'] }]
  t.deepEqual(await places(unknown), ['VALIDATION_ERROR', 'sites.0.tools', 'sites.0.askFirst'])
  t.deepEqual(await places([{ vaultEntryId }, { vaultEntryId }]), ['VALIDATION_ERROR', 'sites'])
  t.deepEqual((await call(ada, sessions.listSessions)).body.items, [])
})

test('a tool whose scope was not granted cannot be named, and the refusal has the request that helps', async (t) => {
  const { contacts, platform, offerOf } = await open()
  const ada = await person(platform)
  const vaultEntryId = await connectContacts(ada, contacts, { tools: ['crm.searchContacts'] })
  const site = { vaultEntryId, tools: ['crm.searchContacts', 'crm.deleteContact'] }
  const { failure } = await call(ada, sessions.createSession, { body: { sites: [site] } })
  t.is(failure.code, 'PERMISSION_DENIED')
  t.true(failure.error.includes('POST /vault/oauth/start'))
  const request = JSON.parse(/\{.*\}/.exec(failure.error)?.[0] ?? '') as { entryId: string; tools: string[] }
  t.deepEqual(request, { entryId: vaultEntryId, tools: ['crm.deleteContact'] })
  const whole = await sessionOf(ada, { sites: [{ vaultEntryId }] })
  t.deepEqual(whole.scopes, ['read'], 'unnamed, it is only left out')
  t.true((await offerOf(whole)).tools.every(({ tool }) => tool.scope === 'read'))
  await connectContacts(ada, contacts, request)
  t.deepEqual((await sessionOf(ada, { sites: [site] })).scopes, ['read', 'delete'])
  t.deepEqual((await current(platform, whole.token)).body.scopes, ['read', 'delete'], 'granted since')
})

test('a site that leaves the vault leaves its sessions', async (t) => {
  const { sites, platform, offerOf } = await open()
  const ada = await person(platform)
  const [tracker, badTools] = [await connectTracker(ada, sites), await connectBadTools(ada, sites)]
  const made = await sessionOf(ada, { sites: [{ vaultEntryId: tracker }, { vaultEntryId: badTools }] })
  t.is((await call(ada, vault.removeFromVault, { params: { entryId: tracker } })).status, 204)
  const { body } = await current(platform, made.token)
  t.deepEqual(
    body.sites.map(({ vaultEntryId }) => vaultEntryId),
    [badTools],
  )
  const { tools, tokens } = await offerOf(made)
  t.deepEqual([new Set(tools.map(({ entryId }) => entryId)), tokens], [new Set([badTools]), ['any-token']])
})

test('a site that leaves the vault while a session is being made is refused', async (t) => {
  const { sites, platform, database } = await open()
  const ada = await person(platform)
  const vaultEntryId = await connectTracker(ada, sites)
  const release = await hold(database, (trx) => trx('users').where({ email: ada.email }).forNoKeyUpdate())
  const asked = call(ada, sessions.createSession, { body: { sites: [{ vaultEntryId }] } })
  await untilBlocked(database)
  await database('vault_entries').where({ id: vaultEntryId }).delete()
  await release()
  const { failure } = await asked
  t.deepEqual([failure.code, failure.details?.[0]?.path], ['VALIDATION_ERROR', 'sites'])
})
