import test from 'ava'
import * as catalogue from '../../api/catalogue.ts'
import * as vault from '../../api/vault.ts'
import { catalogueOf } from '../helpers/catalogue.ts'
import { call } from '../helpers/client.ts'
import { startMcpServer } from '../helpers/mcp-server.ts'
import { connectTracker, customer, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { sharedPlatform } from '../helpers/shared.ts'
import { startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { workspaceOf } from '../helpers/workspaces.ts'
import { folderWith } from '../src/config/files.ts'

/** An installation with the example sites and two entries of its operator. Nothing listens at one of them. */
const open = forWholeFile(test, 'the catalogue', async (t) => {
  const sites = await startSites(t)
  const server = await startMcpServer(t)
  const token = sites.tracker.createToken('ada')
  const wiki = { name: 'Team wiki', dialect: 'mcp', address: server.url, authType: 'none', tags: ['Docs'] }
  const gone = { ...wiki, name: 'Gone', address: sites.deadOrigin, notes: 'Closed since May.' }
  const own = folderWith(t, { 'wiki.json': JSON.stringify(wiki), 'gone.json': JSON.stringify(gone) })
  const examples = catalogueOf(t, { ...sites, contacts: { origin: 'https://contacts.example.com' } }, token)
  const all = { ...sites, allow: [...sites.allow, new URL(server.url).host] }
  const env = { CATALOGUE_FOLDERS: `${examples.CATALOGUE_FOLDERS}, ${own}` }
  return { sites, server, token, platform: await startPlatform(t, { sites: all, env }) }
})

const elsewhere = sharedPlatform(test, 'idle')

const listed = (someone: Person, query: Record<string, string> = {}) =>
  call(someone, catalogue.listCatalogue, { query })
const idsOf = async (someone: Person, query: Record<string, string>) =>
  (await listed(someone, query)).body.items.map(({ id }) => id)

test('the catalogue has the example sites and those of the operator, and no token', async (t) => {
  const { platform, sites, server, token } = await open()
  const someone = await customer(platform)
  const { items, nextCursor } = (await listed(someone)).body
  t.deepEqual(
    items.map(({ id, dialect, authType }) => [id, dialect, authType]),
    [
      ['bad-tools', 'manifest', 'bearer'],
      ['contacts', 'manifest', 'oauth2'],
      ['gone', 'mcp', 'none'],
      ['tracker', 'manifest', 'bearer'],
      ['wiki', 'mcp', 'none'],
    ],
  )
  t.is(nextCursor, null)
  const tracker = items.find(({ id }) => id === 'tracker')
  t.like(tracker, { address: sites.tracker.origin, vaultEntryId: null })
  t.true(tracker?.tokenHelp?.includes(`${sites.tracker.origin}/settings`))
  t.is(items.find(({ id }) => id === 'wiki')?.tokenHelp, null)
  t.false(JSON.stringify(items).includes(token))
  t.deepEqual([server.received, sites.tracker.requests()], [[], []], 'nothing is fetched to show it')
})

test('every word of a search must occur in an entry, in any case', async (t) => {
  const someone = await customer((await open()).platform)
  for (const [search, ids] of [
    ['DOCS', ['gone', 'wiki']],
    ['docs  may', ['gone']],
    ['contacts.example', ['contacts']],
    ['example issues', ['tracker']],
    ['docs issues', []],
  ] as const)
    t.deepEqual(await idsOf(someone, { search }), [...ids], search)
})

test('a search is read page by page, and no other list takes its cursor', async (t) => {
  const someone = await customer((await open()).platform)
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page = { search: 'example', limit: '1', ...(cursor && { cursor }) }
    const { body } = await listed(someone, page)
    seen.push(...body.items.map(({ id }) => id))
    cursor = body.nextCursor
  }
  t.deepEqual(seen, ['bad-tools', 'contacts', 'tracker'])
  const { nextCursor } = (await listed(someone, { limit: '1' })).body
  const { failure } = await call(someone, vault.listVault, { query: { cursor: nextCursor ?? '' } })
  t.is(failure.code, 'VALIDATION_ERROR')
})

test('an owner sees which of the sites are connected, whatever their kind, and nobody else does', async (t) => {
  const { platform, sites, server } = await open()
  const [someone, other] = [await customer(platform, 'team'), await customer(platform)]
  const { id: workspaceId } = await workspaceOf(someone)
  const tracker = await connectTracker(someone, sites)
  const { id: wiki } = (await call(someone, vault.addToVault, { body: { url: server.url } })).body
  const connected = async (who: Person, query: Record<string, string> = {}) =>
    (await listed(who, query)).body.items.flatMap(({ id, vaultEntryId }) => (vaultEntryId ? [[id, vaultEntryId]] : []))
  t.deepEqual(await connected(someone), [
    ['tracker', tracker],
    ['wiki', wiki],
  ])
  t.deepEqual(await connected(someone, { workspaceId }), [])
  t.deepEqual(await connected(other), [])
})

test('an installation without folders has an empty catalogue', async (t) => {
  t.deepEqual((await listed(await customer(await elsewhere()))).body, { items: [], nextCursor: null })
})
