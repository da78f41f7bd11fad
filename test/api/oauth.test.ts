// @promise oauth
import test from 'ava'
import * as auth from '../../api/auth.ts'
import * as oauth from '../../api/oauth.ts'
import * as oauthBrowser from '../../api/oauth-browser.ts'
import * as vault from '../../api/vault.ts'
import { newId } from '../../src/ids.ts'
import { call } from '../helpers/client.ts'
import {
  authorize,
  beginConnect,
  comeBack,
  connectContacts,
  openConnectUrl,
  startOAuthSites,
} from '../helpers/connect.ts'
import { agentOf, connectTracker, customer, ended, person, timelineOf } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { dataOf, start } from '../helpers/runs.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { userIdOf } from '../helpers/workspaces.ts'

const shared = forWholeFile(test, 'connecting by OAuth', async (t) => {
  const { contacts, sites, env } = await startOAuthSites(t)
  return { contacts, sites, platform: await startPlatform(t, { sites, env, worker: true }) }
})

test('a site is connected by OAuth through login and consent, and an agent uses it', async (t) => {
  const { contacts, platform } = await shared()
  const someone = await customer(platform)
  const entryId = await connectContacts(someone, contacts)
  const { body: entry } = await call(someone, vault.getVaultEntry, { params: { entryId } })
  t.like(entry, { status: 'connected', authType: 'oauth2', scopes: ['read', 'write', 'delete', 'admin'] })
  const agent = await agentOf(someone, {
    systemPrompt: '[[call crm.searchContacts {}]]',
    sites: [{ vaultEntryId: entryId }],
  })
  const { id } = (await start(someone, agent)).body
  t.is((await ended(someone, id)).status, 'completed')
  t.like(dataOf(await timelineOf(someone, id), 'tool.finished')[0], { status: 'succeeded', siteStatus: 200 })
  t.is(contacts.requests()[0]?.user, 'ada')
})

test('only the scopes that the chosen tools need are asked for, and authorizing again widens them', async (t) => {
  const { contacts, platform } = await shared()
  const someone = await person(platform)
  const visit = await beginConnect(someone, contacts, { tools: ['crm.searchContacts'] })
  t.is(new URL(visit.location).searchParams.get('scope'), 'read')
  const back = await comeBack(someone, await authorize(visit), visit.cookie)
  const { entryId } = (await back.json()) as { entryId: string }
  const params = { entryId }
  const usable = async () =>
    (await call(someone, vault.listTools, { params })).body.items.filter((tool) => tool.usable).map(({ name }) => name)
  t.deepEqual(await usable(), ['crm.searchContacts', 'crm.getContact'])
  const refused = await call(someone, vault.callTool, {
    params: { entryId, toolName: 'crm.createContact' },
    raw: JSON.stringify({ name: 'Grace', email: 'grace@example.com' }),
  })
  t.is(refused.failure.code, 'PERMISSION_DENIED')
  await connectContacts(someone, contacts, { entryId, tools: ['crm.createContact'] })
  t.true((await usable()).includes('crm.createContact'))
  t.deepEqual((await call(someone, vault.getVaultEntry, { params })).body.scopes, ['read', 'write'])
})

test('an entry with a token of its own is not authorized, and the refusal says what to do instead', async (t) => {
  const { sites, platform } = await shared()
  const someone = await person(platform)
  const url = sites.tracker.origin
  const entryId = await connectTracker(someone, sites)
  const again = await call(someone, oauth.startOAuth, { body: { entryId } })
  t.like(again.failure, { code: 'VALIDATION_ERROR', details: [{ path: 'entryId' }] })
  t.regex(again.failure.error, /Use PATCH \/vault\/\{id\}\./)
  const anew = await call(someone, oauth.startOAuth, { body: { url } })
  t.like(anew.failure, { code: 'VALIDATION_ERROR', details: [{ path: 'url' }] })
  t.regex(anew.failure.error, /Use POST \/vault\./)
})

test('browsers that come back from a site are counted apart from logins', async (t) => {
  const env = { RATE_LIMIT_AUTH_PER_MINUTE: '2', RATE_LIMIT_BROWSER_PER_MINUTE: '4' }
  const platform = await startPlatform(t, { env })
  const wrong = () => call(platform, oauthBrowser.finishOAuth, { query: {}, headers: { accept: 'application/json' } })
  const codes = []
  for (let count = 0; count < 5; count += 1) codes.push((await wrong()).failure.code)
  t.deepEqual(codes, [...Array<string>(4).fill('VALIDATION_ERROR'), 'RATE_LIMITED'])
  const go = await call(platform, oauthBrowser.goToSite, { query: { ticket: 'none' } })
  t.is(go.failure.code, 'RATE_LIMITED', 'one limit for both')
  const body = { email: 'nobody@example.com', password: 'not a password of anybody' }
  for (const code of ['UNAUTHORIZED', 'UNAUTHORIZED', 'RATE_LIMITED'] as const)
    t.is((await call(platform, auth.login, { body })).failure.code, code)
})

test('the latest fifty attempts of a user to connect a site are kept, and an earlier one is not there', async (t) => {
  const { contacts, platform } = await shared()
  const [someone, other] = [await person(platform), await person(platform)]
  const { database } = platform.services
  const begin = async () => (await call(someone, oauth.startOAuth, { body: { url: contacts.origin } })).body
  const first = await begin()
  const row = (await database('oauth_flows').where({ id: first.id }).first()) as Record<string, unknown>
  const copies = Array.from({ length: 49 }, (_, nth) => ({
    ...row,
    id: newId(),
    ticketHash: `${first.id} ${nth}`,
    scopes: JSON.stringify(row['scopes']),
    manifest: JSON.stringify(row['manifest']),
  }))
  const colleague = {
    ...copies[0],
    id: newId(),
    ticketHash: `of a colleague ${first.id}`,
    userId: await userIdOf(other),
  }
  await database('oauth_flows').insert([colleague, ...copies])
  await begin()
  const kept = await database('oauth_flows').where({ ownerId: row['ownerId'] }).select('id')
  t.is(kept.length, 51)
  t.true(
    kept.some(({ id }: { id: string }) => id === colleague.id),
    'those of others do not count',
  )
  t.false(kept.some(({ id }: { id: string }) => id === first.id))
})

test('a browser comes back to the page of the console where the connection was started, whatever the outcome', async (t) => {
  const { contacts, platform } = await shared()
  const someone = await person(platform)
  const returnTo = '/console/w/me/sites/connect?url=https%3A%2F%2Fcontacts.example&flow=forged#top'
  const visit = async (decide: 'allow' | 'deny') => {
    const body = { url: contacts.origin, returnTo }
    const started = (await call(someone, oauth.startOAuth, { body })).body
    const opened = { flowId: started.id, ...(await openConnectUrl(someone, started.connectUrl)) }
    const back = await comeBack(someone, await authorize(opened, { decide }), opened.cookie)
    t.is(back.status, 303)
    const location = `/console/w/me/sites/connect?url=https%3A%2F%2Fcontacts.example&flow=${started.id}#top`
    t.is(back.headers.get('location'), location)
    return (await call(someone, oauth.getOAuthFlow, { params: { flowId: started.id } })).body
  }
  t.like(await visit('deny'), { status: 'failed', code: 'PERMISSION_DENIED', entryId: null })
  t.like(await visit('allow'), { status: 'connected', code: null })
})

test('a browser that did not begin the flow is sent nowhere, and learns nothing of whose flow it is', async (t) => {
  const { contacts, platform } = await shared()
  const [someone, mallory] = [await person(platform), await person(platform)]
  const begin = async (as: typeof someone) => {
    const body = { url: contacts.origin, returnTo: '/console/w/me/sites/connect' }
    const started = (await call(as, oauth.startOAuth, { body })).body
    return { flowId: started.id, ...(await openConnectUrl(as, started.connectUrl)) }
  }
  const [mine, hers] = [await begin(someone), await begin(mallory)]
  const back = await authorize(mine)
  for (const [address, cookie] of [
    [back, ''],
    [back, hers.cookie],
    [back.replace(/state=[^&]+/, 'state=unknown'), mine.cookie],
  ] as const) {
    const answer = await comeBack(someone, address, cookie)
    t.deepEqual([answer.status, answer.headers.get('location')], [400, null])
    t.notRegex(await answer.text(), new RegExp(`console|${mine.flowId}`))
  }
  const params = { flowId: mine.flowId }
  t.is((await call(someone, oauth.getOAuthFlow, { params })).body.status, 'pending')
  t.is((await call(mallory, oauth.getOAuthFlow, { params })).failure.code, 'NOT_FOUND')
  t.is((await comeBack(someone, back, mine.cookie)).status, 303)
  t.is((await call(someone, oauth.getOAuthFlow, { params })).body.status, 'connected')
  t.deepEqual((await call(mallory, vault.listVault)).body.items, [])
})

test('the address of the page to which a browser comes back has nothing secret', async (t) => {
  const { contacts, platform } = await shared()
  const someone = await person(platform)
  const body = { url: contacts.origin, returnTo: '/console/w/me/sites/connect' }
  const { id, connectUrl } = (await call(someone, oauth.startOAuth, { body })).body
  const opened = { flowId: id, ...(await openConnectUrl(someone, connectUrl)) }
  const address = await authorize(opened)
  const back = await comeBack(someone, address, opened.cookie)
  t.is(back.headers.get('location'), `/console/w/me/sites/connect?flow=${id}`)
  t.is(back.headers.get('referrer-policy'), 'no-referrer')
  t.is(back.headers.get('cache-control'), 'no-store')
  t.is((await call(platform, oauth.getOAuthFlow, { params: { flowId: id } })).failure.code, 'UNAUTHORIZED')
})

for (const returnTo of [
  '/vault',
  '/console-of-others',
  '/console/../vault/oauth/go',
  '/console/%2e%2e/docs',
  '//evil.example/console',
  '/\\evil.example/console',
  '/.//evil.example/console',
  'https://evil.example/console',
  `/console/${'a'.repeat(512)}`,
]) {
  test(`a browser is never sent to ${returnTo.slice(0, 40)} after connecting a site`, async (t) => {
    const { contacts, platform } = await shared()
    const someone = await person(platform)
    const { failure } = await call(someone, oauth.startOAuth, { body: { url: contacts.origin, returnTo } })
    t.is(failure.code, 'VALIDATION_ERROR')
  })
}
