import test, { type ExecutionContext } from 'ava'
import * as audit from '../../api/audit.ts'
import * as documents from '../../api/documents.ts'
import * as manifests from '../../api/manifests.ts'
import * as siteInspection from '../../api/site-inspection.ts'
import * as vault from '../../api/vault.ts'
import { documentOf, parameter, startApi } from '../helpers/api-server.ts'
import { call } from '../helpers/client.ts'
import { startMcpServer } from '../helpers/mcp-server.ts'
import { customer } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const platformOf = forWholeFile(test, 'openapi', (t) => startPlatform(t))

const pets = {
  'GET /pets': { operationId: 'list_pets', summary: 'Lists the pets', tags: ['pets'] },
  'GET /pets/{id}': { operationId: 'get_pet', tags: ['pets'], parameters: [parameter('id', 'path')] },
  'DELETE /pets/{id}': { operationId: 'delete_pet', tags: ['pets'], parameters: [parameter('id', 'path')] },
  'GET /orders': { operationId: 'list_orders', summary: 'Lists the orders', tags: ['orders'] },
}

const keyInQuery = {
  components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'key' } } },
  security: [{ key: [] }],
}
const token = 'the-key-of-the-owner'

/** Somebody, and an API of the test's own. */
async function open(t: ExecutionContext, operations: Parameters<typeof startApi>[1] = pets, more: object = keyInQuery) {
  const [platform, api] = [await platformOf(), await startApi(t, operations, more)]
  const someone = await customer(platform)
  const { documentUrl: url } = api
  const add = (tools?: string[], body: { url?: string; token?: string; acceptHosts?: string[] } = {}) =>
    call(someone, vault.addToVault, { body: { url, token, ...(tools && { tools }), ...body } })
  const inspect = (more: { url?: string; search?: string; tag?: string } = {}) =>
    call(someone, siteInspection.inspectSite, { body: { url, ...more } })
  const toolsOf = async (entryId: string) =>
    (await call(someone, vault.listTools, { params: { entryId } })).body.items.map(({ name }) => name)
  const choose = (entryId: string, ...tools: string[]) =>
    call(someone, vault.chooseTools, { params: { entryId }, body: { tools } })
  const check = async (entryId: string) =>
    (await call(someone, manifests.refreshManifest, { params: { entryId } })).body
  const use = (entryId: string, toolName: string, body: Record<string, unknown> = {}) =>
    call(someone, vault.callTool, { params: { entryId, toolName }, body })
  return { platform, api, someone, key: `${url}#${api.serverUrl}`, add, inspect, toolsOf, choose, check, use }
}

test('of a document, the chosen operations become the tools of a site, which is called as every other', async (t) => {
  const { api, key, add, inspect, toolsOf, use } = await open(t)
  const { body: found } = await inspect({ search: 'list PETS' })
  t.like(found, { origin: key, serverUrl: api.serverUrl, authType: 'bearer', foreignHosts: [], tools: { length: 0 } })
  t.deepEqual(found.offered, {
    total: 1,
    tools: [{ name: 'list_pets', description: 'Lists the pets', tags: ['pets'], request: 'GET /pets' }],
    tags: [
      { name: 'pets', count: 3 },
      { name: 'orders', count: 1 },
    ],
  })
  t.is((await inspect({ tag: 'pets' })).body.offered?.total, 3)
  const entry = (await add(['list_pets', 'delete_pet'])).body
  t.like(entry, { origin: key, serverUrl: api.serverUrl, authType: 'bearer', offersChoice: true, status: 'connected' })
  t.deepEqual(await toolsOf(entry.id), ['list_pets', 'delete_pet'])
  t.deepEqual((await use(entry.id, 'delete_pet', { id: 'a/b' })).body.result, {
    method: 'DELETE',
    url: '/v1/pets/a%2Fb?key=[token]',
  })
  t.is((await use(entry.id, 'get_pet', { id: '1' })).failure.code, 'NOT_FOUND')
  t.is((await add(['get_pet'])).failure.code, 'TOKEN_EXISTS')
  const again = await inspect({ url: key })
  t.is(again.body.origin, key)
  // The fragment is never sent, and only the server gets the token.
  const others = JSON.stringify(api.strays)
  t.deepEqual([others.includes(token), others.includes('#')], [false, false])
})

test('a choice is 1 to 20 of the tools that a site offers, and only where it offers one', async (t) => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`GET /${i}`, { operationId: `op_${i}` }]))
  const { add, inspect } = await open(t, many)
  t.is((await inspect()).body.offered?.tools.length, 30)
  const none = (await add()).failure
  t.like(none, { code: 'VALIDATION_ERROR', details: [{ path: 'tools' }] })
  t.regex(none.error, /offers 30 tools\. Choose 1 to 20/)
  t.is((await add([])).failure.code, 'VALIDATION_ERROR')
  t.is((await add(Object.values(many).map(({ operationId }) => operationId))).failure.code, 'VALIDATION_ERROR')
  const unknown = (await add(['op_1', 'op_99'])).failure
  t.like(unknown, { code: 'VALIDATION_ERROR', details: [{ path: 'tools.1' }] })
  t.regex(unknown.error, /“op_99” cannot be used: it is not in the document/)
})

test('another choice is the owner’s own change, and takes nothing else of the document into use', async (t) => {
  const { api, someone, add, choose, check, toolsOf, use } = await open(t)
  const { id } = (await add(['list_pets', 'get_pet'])).body
  api.operations = {
    ...pets,
    'GET /pets/{id}': { operationId: 'other' },
    'GET /animals/{id}': pets['GET /pets/{id}'],
  }
  t.deepEqual(
    (await choose(id, 'list_orders', 'get_pet')).body.items.map(({ name }) => name),
    ['list_orders', 'get_pet'],
  )
  t.deepEqual((await use(id, 'get_pet', { id: '7' })).body.result, { method: 'GET', url: '/v1/pets/7?key=[token]' })
  const entry = (await call(someone, vault.getVaultEntry, { params: { entryId: id } })).body
  t.is(entry.pendingManifest?.class, 'changed_address')
  const found = await check(id)
  t.deepEqual(
    found.differences.map(({ path, class: grave }) => [path, grave]),
    [['tools.get_pet.request', 'changed_address']],
  )
  const accepted = await call(someone, manifests.acceptManifest, {
    params: { entryId: id },
    body: { fingerprint: found.fingerprint },
  })
  t.is(accepted.body.pendingManifest, null)
  t.deepEqual((await use(id, 'get_pet', { id: '7' })).body.result, { method: 'GET', url: '/v1/animals/7?key=[token]' })
  t.is((await choose(id)).failure.code, 'VALIDATION_ERROR')
  t.is((await choose(id, 'unknown')).failure.code, 'VALIDATION_ERROR')
  t.deepEqual(await toolsOf(id), ['list_orders', 'get_pet'])
  const { items } = (await call(someone, audit.listAudit, { query: { action: 'chooseTools' } })).body
  t.deepEqual(items.map(({ outcome, after }) => [outcome, after?.['tools']]).at(-1), [
    'done',
    ['list_orders', 'get_pet'],
  ])
})

test('a document with a further parameter is adopted, and one that moves the credential waits', async (t) => {
  const { api, add, check } = await open(t)
  const { id } = (await add(['list_pets'])).body
  t.is((await check(id)).status, 'none')
  api.operations = { ...pets, 'GET /pets': { ...pets['GET /pets'], parameters: [parameter('limit', 'query')] } }
  t.like(await check(id), { status: 'adopted', class: 'compatible' })
  api.document = {
    ...api.document,
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'k' } } },
  }
  const found = await check(id)
  t.like(found, { status: 'pending', class: 'changed_address', differences: [{ path: 'auth.credential' }] })
})

test('a document that moves its server waits for its owner, and one whose server the owner named does not move', async (t) => {
  const { api, someone, key, add, inspect, check } = await open(t)
  const { id } = (await add(['list_pets'])).body
  const named = (await add(['list_pets'], { url: `${api.documentUrl}#${api.origin}/v1/own` })).body
  api.document = { ...api.document, servers: [{ url: '/v2' }, { url: '/v1' }] }
  t.is((await check(id)).status, 'none')
  api.document = { ...api.document, servers: [{ url: '/v2' }] }
  const found = await check(id)
  t.like(found, { status: 'pending', class: 'changed_address', differences: [{ path: 'server.url' }] })
  const params = { entryId: id }
  await call(someone, manifests.acceptManifest, { params, body: { fingerprint: found.fingerprint } })
  t.is((await check(id)).status, 'none')
  const moved = (await call(someone, vault.getVaultEntry, { params })).body
  t.deepEqual([moved.serverUrl, moved.origin], [`${api.origin}/v2`, key])
  t.is((await inspect({ url: key })).body.offered?.total, 4)
  t.is((await check(named.id)).status, 'none')
})

test('a name and a password may have any characters, and a token for a header only those of headers', async (t) => {
  const password = 'ada:pass wörd'
  const basic = {
    components: { securitySchemes: { given: { type: 'http', scheme: 'basic' } } },
    security: [{ given: [] }],
  }
  const { api, someone, add, use } = await open(t, pets, basic)
  const { id } = (await add(['list_pets'], { token: password })).body
  await use(id, 'list_pets')
  t.is(api.received.at(-1)?.headers.authorization, `Basic ${Buffer.from(password).toString('base64')}`)
  const replace = (token: string) =>
    call(someone, vault.replaceVaultToken, { params: { entryId: id }, body: { token } })
  t.is((await replace(`${password}!`)).status, 200)
  t.is((await replace(`${password}\n`)).failure.code, 'VALIDATION_ERROR')
  const header = await open(t, pets, {})
  const refused = (await header.add(['list_pets'], { token: password })).failure
  t.like(refused, { code: 'VALIDATION_ERROR', details: [{ path: 'token' }] })
})

test('a choice at a site that lists all its tools is refused with that reason, and nobody gets the token', async (t) => {
  const { someone } = await open(t)
  const server = await startMcpServer(t)
  const body = { url: server.url, token, tools: ['add'] }
  const { failure } = await call(someone, vault.addToVault, { body })
  t.like(failure, { code: 'VALIDATION_ERROR', details: [{ path: 'tools' }] })
  t.regex(failure.error, /lists all its tools/)
  t.true(server.received.every(({ authorization }) => authorization === undefined))
})

test('a document without sign-in is called as it is, or with the token that its owner has for it', async (t) => {
  const { api, someone, add, check, use } = await open(t, pets, {})
  const entry = (await add(['list_pets'], { token })).body
  t.is(entry.authType, 'bearer')
  await use(entry.id, 'list_pets')
  t.is(api.received.at(-1)?.headers.authorization, `Bearer ${token}`)
  t.is((await check(entry.id)).status, 'none')
  await call(someone, vault.removeFromVault, { params: { entryId: entry.id } })
  const without = (await call(someone, vault.addToVault, { body: { url: api.documentUrl, tools: ['list_pets'] } })).body
  t.is(without.authType, 'none')
  await use(without.id, 'list_pets')
  t.is(api.received.at(-1)?.headers.authorization, undefined)
})

test('what is no usable document is refused with its reason, and private servers as everywhere', async (t) => {
  const { api, add, inspect } = await open(t)
  const problemOf = async (document: object) => {
    api.document = document as Record<string, unknown>
    const { code, error } = (await inspect()).failure
    return [code, error]
  }
  t.is((await problemOf({ hello: 'no' }))[0], 'MANIFEST_NOT_FOUND')
  const servers = [{ url: 'https://10.0.0.1/v1' }]
  const [code, error] = await problemOf({ openapi: '3.1.0', info: { title: 'x', version: '1' }, servers })
  t.is(code, 'MANIFEST_INVALID')
  t.regex(error ?? '', /server\.url.*is not a public internet address/)
  t.is((await add(['list_pets'], { url: `${api.origin}/missing` })).failure.code, 'MANIFEST_NOT_FOUND')
  t.is((await add(['list_pets'], { url: `${api.documentUrl}#http://localhost` })).failure.code, 'INVALID_URL')
})

test('a document without an address is uploaded, and its API is connected as every other', async (t) => {
  const { api, someone, add, inspect, check, use } = await open(t)
  const upload = (text: string) => call(someone, documents.uploadDocument, { body: { name: 'Warehouse', text } })
  const yaml = documentOf(api.serverUrl)
  const made = (await upload(yaml)).body
  const host = new URL(api.serverUrl).hostname
  t.like((await inspect({ url: made.address })).body, { name: 'Warehouse', foreignHosts: [host] })
  const entry = (await add(['list_pets'], { url: made.address, acceptHosts: [host] })).body
  t.is(entry.origin, `${made.address}#${api.serverUrl}`)
  t.deepEqual((await use(entry.id, 'list_pets')).body.result, { method: 'GET', url: '/v1/pets' })
  t.is((await check(entry.id)).status, 'none')

  const params = { documentId: made.id }
  t.is((await call(someone, documents.getDocument, { params })).body.text, yaml)
  t.is((await call(someone, documents.listDocuments, {})).body.items.length, 1)
  const another = await customer(await platformOf())
  t.is((await call(another, documents.getDocument, { params })).failure.code, 'NOT_FOUND')
  for (let count = 1; count < 20; count++) await upload(yaml)
  t.is((await upload(yaml)).failure.code, 'FEATURE_LIMIT_REACHED')
  t.is((await call(someone, documents.deleteDocument, { params })).status, 204)
  t.truthy((await use(entry.id, 'list_pets')).body.result)
  const refreshed = await call(someone, manifests.refreshManifest, { params: { entryId: entry.id } })
  t.is(refreshed.failure.code, 'MANIFEST_NOT_FOUND')
})

test('a text that no API could be connected with is not uploaded, and neither is one of more than 2 MiB', async (t) => {
  const { someone } = await open(t)
  const upload = async (text: string) =>
    (await call(someone, documents.uploadDocument, { body: { name: 'Warehouse', text } })).failure
  const usable = documentOf('https://api.example.com')
  const unusable: [text: string, reason: RegExp][] = [
    ['Warehouse', /describes no API/],
    ['openapi: 3.1.0', /absolute address/],
    [usable.replace('https://api.example.com', '/v1'), /absolute address/],
    [usable.replace('list_pets', '['), /not valid YAML in line/],
    [usable.replace('openapi: 3.1.0', 'swagger: 2.0'), /Swagger 2\.0/],
    [usable.replace('/pets: {', '/pets: { servers: [{ url: https://x.example.com }],'), /another server/],
  ]
  for (const [text, reason] of unusable) {
    const { code, error } = await upload(text)
    t.is(code, 'MANIFEST_INVALID', text)
    t.regex(error, reason)
  }
  const most = 2 * 1024 * 1024
  // Of characters that take two bytes each, half as many are too many.
  const long = `${usable}\n# `
  t.is((await upload(long + 'é'.repeat(most / 2))).code, 'VALIDATION_ERROR')
  const full = long + 'é'.repeat((most - long.length) / 2)
  const { body } = await call(someone, documents.uploadDocument, { body: { name: 'Warehouse', text: full } })
  t.true(most - body.bytes <= 1)
  t.is((await call(someone, documents.getDocument, { params: { documentId: body.id } })).body.text, full)
  t.is((await call(someone, documents.listDocuments, {})).body.items.length, 1)
})

test('a search looks for at most ten different words in what is offered', async (t) => {
  const { inspect } = await open(t)
  const words = (count: number) => Array.from({ length: count }, (_, at) => `pets${at}`).join(' ')
  t.is((await inspect({ search: 'PETS list '.repeat(20) })).body.offered?.total, 1)
  t.is((await inspect({ search: words(10) })).body.offered?.total, 0)
  t.like((await inspect({ search: words(11) })).failure, { code: 'VALIDATION_ERROR', details: [{ path: 'search' }] })
})
