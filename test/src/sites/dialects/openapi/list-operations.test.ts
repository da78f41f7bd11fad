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
  t.like(listed, { dialect: 'openapi', origin: `${api.documentUrl}#${api.serverUrl}`, offered: { length: 1 } })
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
