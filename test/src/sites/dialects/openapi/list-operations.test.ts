import type { RequestListener } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import { startHttpsSite } from '../../../../helpers/https-server.ts'
import { startApi } from '../../../../helpers/api-server.ts'
import { refuse } from '../../../../helpers/mcp-server.ts'
import { openDialect, shareThreads } from '../mcp/dialect.ts'

shareThreads(test)

const pets = { 'GET /pets': { operationId: 'list_pets' } }

test('a document is asked for last, and its fragment may be empty', async (t) => {
  const api = await startApi(t, pets)
  const { list } = await openDialect(t)
  const listed = await list(`${api.documentUrl}#`)
  t.like(listed, { dialect: 'openapi', origin: `${api.documentUrl}#${api.serverUrl}`, offered: { total: 1 } })
  t.deepEqual(listed.manifest.tools, [])
  const asked = api.strays.map(({ method, url }) => `${method} ${url}`)
  t.is(asked[0], 'GET /.well-known/toolsite.json')
  t.true(asked.includes('POST /openapi.json'))
  await t.throwsAsync(list(`${api.documentUrl}#a-part`), {
    code: 'INVALID_URL',
    message: /after the # is not .*server/,
  })
})

/** How hosts refuse a POST, which any host may: MCP servers are one of them. */
const walls: RequestListener[] = [
  (_request, response) => void response.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end(),
  (_request, response) => void response.writeHead(401).end(),
  (_request, response) => void response.writeHead(403).end(),
  (_request, response) => void refuse(response, 401, 'Who?'),
  (_request, response) => void response.writeHead(405).end(),
  (_request, response) => void response.writeHead(503).end(),
]
const isRefused = [true, true, true, true, false, false]

/** A host that refuses every POST without this token, and answers each GET of `/doc`. */
async function openWall(t: ExecutionContext, wall: RequestListener, document: RequestListener) {
  const tokens: string[] = []
  const site = await startHttpsSite(t, (request, response) => {
    if (request.headers.authorization) tokens.push(`${request.method} ${request.headers.authorization}`)
    if (request.method === 'POST') return wall(request, response)
    return request.url === '/doc' ? document(request, response) : response.writeHead(404).end()
  })
  return { url: `${site.origin}/doc`, tokens }
}

const text =
  (body: string): RequestListener =>
  (_request, response) =>
    void response.end(body)

test('the host of a document never gets the token while the kind of the site is found out', async (t) => {
  const { list } = await openDialect(t)
  const paths = { '/pets': { get: { operationId: 'list_pets' } } }
  const document = JSON.stringify({ openapi: '3.1.0', info: { title: 'Pets', version: '1' }, paths })
  for (const wall of walls) {
    const { url, tokens } = await openWall(t, wall, text(document))
    t.is((await list(url, 'a-token')).dialect, 'openapi')
    t.is((await list(url)).dialect, 'openapi')
    t.is((await list(url, 'a-token', { chosen: ['list_pets'] })).manifest.tools.length, 1)
    t.deepEqual(tokens, [])
  }
  // A document that cannot be used is one, too.
  const old = await openWall(t, walls[0] ?? text(''), text('{"swagger":"2.0"}'))
  await t.throwsAsync(list(old.url, 'a-token'), { code: 'MANIFEST_INVALID', message: /Swagger 2/ })
  t.deepEqual(old.tokens, [])
})

test('without a document, only a host that refuses everybody gets the token, and none for a choice', async (t) => {
  const { list } = await openDialect(t)
  for (const [index, wall] of walls.entries()) {
    const { url, tokens } = await openWall(t, wall, text('<!doctype html><p>Our openapi document'))
    await list(url, 'a-token', { chosen: ['list_pets'] }).catch(() => {})
    t.deepEqual(tokens, [])
    await t.throwsAsync(list(url, 'a-token'), { code: 'MANIFEST_NOT_FOUND' })
    t.deepEqual(tokens.slice(0, 1), isRefused[index] ? ['POST Bearer a-token'] : [], String(index))
  }
})

test('an address of no kind says so for each, and a silent host is asked twice', async (t) => {
  const neither = await startHttpsSite(t, (_request, response) => void response.writeHead(404).end())
  const error = await t.throwsAsync((await openDialect(t)).list(`${neither.origin}/api`))
  t.regex(error.message, /manifest request with status 404\. .*MCP server.* The address responded with status 404\./)
  for (const noticedAfterMs of [0, 1500])
    for (const token of [undefined, 'a-token']) {
      const { list } = await openDialect(t, { manifestTimeoutSeconds: 2, noticedAfterMs })
      const silent = await startHttpsSite(t, () => {})
      await t.throwsAsync(list(`${silent.origin}/api`, token), { message: /in time/ })
      t.is(silent.requests(), 2)
    }
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
    '/signed.json': {
      ...pets('#'),
      security: [{ key: [] }],
      components: { securitySchemes: { key: { $ref: 'schemes.json#/key' }, other: { $ref: 'gone.json#/other' } } },
    },
    '/schemes.json': { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
    '/plain.json': pets('http://localhost/pet.json'),
  }
  const asked: string[] = []
  const site = await startHttpsSite(t, ({ url = '' }, response) => {
    asked.push(url)
    response.writeHead(url in files ? 200 : 404).end(JSON.stringify(files[url]))
  })
  const { list } = await openDialect(t)
  const read = (path: string, chosen: string[] = []) =>
    list(`${site.origin}${path}`, undefined, { chosen, dialect: 'openapi' })
  const { manifest } = await read('/api/openapi.json', ['add_pet'])
  t.like(manifest.tools[0]?.input_schema, { properties: { body: { properties: { kind: { enum: ['cat', 'dog'] } } } } })
  t.deepEqual(asked, ['/api/openapi.json', '/api/schemas.json', '/api/kinds.json'])
  const offer = await read('/api/openapi.json', [])
  t.deepEqual(
    offer.manifest.left_out?.map(({ name }) => name),
    ['stop'],
  )
  t.like((await read('/signed.json')).manifest.auth, { credential: { in: 'header', name: 'X-Key' } })
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
