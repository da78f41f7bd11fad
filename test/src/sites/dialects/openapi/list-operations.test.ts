import test from 'ava'
import { startHttpsSite } from '../../../../helpers/https-server.ts'
import { startApi } from '../../../../helpers/api-server.ts'
import { openDialect, shareThreads } from '../mcp/dialect.ts'

shareThreads(test)

const pets = { 'GET /pets': { operationId: 'list_pets' } }

test('a document is asked for last, and with a choice alone and without the token', async (t) => {
  const api = await startApi(t, pets)
  const { list } = await openDialect(t)
  const listed = await list(api.documentUrl)
  t.like(listed, { dialect: 'openapi', origin: `${api.documentUrl}#${api.serverUrl}`, offered: { total: 1 } })
  t.deepEqual(listed.manifest.tools, [])
  const asked = api.strays.map(({ method, url }) => `${method} ${url}`)
  t.is(asked[0], 'GET /.well-known/toolsite.json')
  t.true(asked.includes('POST /openapi.json'))
  api.strays.length = 0
  t.is((await list(api.documentUrl, 'a-token', { chosen: ['list_pets'] })).manifest.tools.length, 1)
  t.deepEqual(api.strays, [])
})

test('an address of no kind says so for each, and a silent host is asked twice', async (t) => {
  const neither = await startHttpsSite(t, (_request, response) => void response.writeHead(404).end())
  const { list } = await openDialect(t, { manifestTimeoutSeconds: 1 })
  const error = await t.throwsAsync(list(`${neither.origin}/api`))
  t.regex(error.message, /manifest request with status 404\. .*MCP server.* The address responded with status 404\./)
  const silent = await startHttpsSite(t, () => {})
  await t.throwsAsync(list(`${silent.origin}/api`), { message: /in time/ })
  t.is(silent.requests(), 2)
})

test('a document is bounded, and a redirect of it is not followed', async (t) => {
  const { list } = await openDialect(t)
  let answered = {
    status: 302,
    headers: { location: 'https://localhost/openapi.json' } as Record<string, string>,
    body: '',
  }
  const site = await startHttpsSite(t, ({ url }, response) =>
    url === '/doc'
      ? response.writeHead(answered.status, answered.headers).end(answered.body)
      : response.writeHead(404).end(),
  )
  const failure = async () =>
    (await t.throwsAsync(list(`${site.origin}/doc`, undefined, { dialect: 'openapi' }))).message
  t.regex(await failure(), /redirect/)
  answered = { status: 200, headers: {}, body: ' '.repeat(16 * 1024 * 1024 + 1) }
  t.regex(await failure(), /is larger than 16777216 bytes/)
  answered = { status: 200, headers: {}, body: '<html></html>' }
  t.regex(await failure(), /no OpenAPI document/)
})

test('documents that a chosen operation refers to are fetched, and one that cannot be read refuses the list', async (t) => {
  const pets = (reference: string) => ({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    paths: {
      '/pets': {
        post: {
          operationId: 'add_pet',
          requestBody: { content: { 'application/json': { schema: { $ref: reference } } } },
        },
      },
      '/stop': { get: { operationId: 'stop', security: [{ unknown: [] }] } },
    },
  })
  const files: Record<string, object> = {
    '/api/openapi.json': pets('./schemas.json#/Pet'),
    '/api/schemas.json': { Pet: { type: 'object', properties: { kind: { $ref: 'kinds.json' } } } },
    '/api/kinds.json': { enum: ['cat', 'dog'] },
    '/private.json': pets('https://10.0.0.1/pet.json'),
    '/plain.json': pets('http://localhost/pet.json'),
  }
  const asked: string[] = []
  const site = await startHttpsSite(t, ({ url = '' }, response) => {
    asked.push(url)
    response.writeHead(url in files ? 200 : 404).end(JSON.stringify(files[url]))
  })
  const { list } = await openDialect(t)
  const read = (path: string, chosen: string[]) =>
    list(`${site.origin}${path}`, undefined, { chosen, dialect: 'openapi' })
  const { manifest } = await read('/api/openapi.json', ['add_pet'])
  t.like(manifest.tools[0]?.input_schema, { properties: { body: { properties: { kind: { enum: ['cat', 'dog'] } } } } })
  t.deepEqual(asked, ['/api/openapi.json', '/api/schemas.json', '/api/kinds.json'])
  const offer = await read('/api/openapi.json', [])
  t.deepEqual(
    offer.manifest.left_out?.map(({ name }) => name),
    ['stop'],
  )
  await t.throwsAsync(read('/private.json', ['add_pet']), { code: 'MANIFEST_INVALID', message: /could not be read/ })
  const [refused] = (await read('/plain.json', ['add_pet'])).manifest.left_out ?? []
  t.regex(refused?.problem ?? '', /address that cannot be used/)
})

test('one document is one site, however its address is written', async (t) => {
  const api = await startApi(t, pets)
  const { list } = await openDialect(t)
  const { host } = new URL(api.documentUrl)
  const spellings = [
    `HTTPS://${host.toUpperCase()}/./a/../openapi.json`,
    `https://${host}/%6fpenapi.json/../openapi.json`,
  ]
  for (const address of [api.documentUrl, ...spellings, `${spellings[0]}#${api.serverUrl}`]) {
    const { origin, alternatives } = await list(address, undefined, { dialect: 'openapi' })
    t.deepEqual([origin, alternatives], [`${api.documentUrl}#${api.serverUrl}`, [origin]], address)
  }
})
