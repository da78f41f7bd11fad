import test, { type ExecutionContext } from 'ava'
import { startHttpsSite } from '../../../../helpers/https-server.ts'
import { refuse } from '../../../../helpers/mcp-server.ts'
import { openDialect, shareThreads } from './dialect.ts'

shareThreads(test)

type Documents = Record<string, unknown>

/**
 * A server at `/mcp` that wants sign-in, with documents by path. A function is called for each request. `challenge`
 * is what it answers without a token.
 */
async function open(
  t: ExecutionContext,
  documentsOf: (origin: string) => Documents,
  challengeOf?: (origin: string) => string,
) {
  const asked: string[] = []
  const site = await startHttpsSite(t, ({ url = '' }, response) => {
    if (url === '/mcp') {
      const challenge = challengeOf?.(site.origin) ?? 'Bearer'
      response
        .writeHead(401, challenge === '' ? {} : { 'WWW-Authenticate': challenge })
        .end('{"error":"invalid_token"}')
      return
    }
    if (url !== '/.well-known/toolsite.json') asked.push(url)
    const document = documentsOf(site.origin)[url] ?? 404
    if (typeof document === 'number') response.writeHead(document, { location: '/elsewhere' }).end()
    else response.end(typeof document === 'string' ? document : JSON.stringify(document))
  })
  const { list } = await openDialect(t)
  const failure = async () => {
    const error = await t.throwsAsync(list(`${site.origin}/mcp`))
    return `${(error as Error & { code?: string }).code}: ${error.message}`
  }
  return { site, asked, list: async () => (await list(`${site.origin}/mcp`)).manifest, failure }
}

const prm = '/.well-known/oauth-protected-resource'
const rfc8414 = '/.well-known/oauth-authorization-server'
const openId = '/.well-known/openid-configuration'

const server = (issuer: string, more: Record<string, unknown> = {}) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  code_challenge_methods_supported: ['plain', 'S256'],
  ...more,
})
const about = (origin: string, issuer = origin, more: Record<string, unknown> = {}) => ({
  resource: `${origin}/mcp`,
  authorization_servers: [issuer],
  ...more,
})

test('metadata is found where the challenge says, or at the well-known addresses, with the path first', async (t) => {
  const stated = await open(
    t,
    (origin) => ({ '/metadata': about(origin), [rfc8414]: server(origin) }),
    (origin) =>
      `Basic realm="scope=no, resource_metadata=no", Bearer resource_metadata="${origin}/metadata", scope="a b:c"`,
  )
  t.like((await stated.list()).auth, { type: 'oauth2', issuer: stated.site.origin, requested_scopes: ['a', 'b:c'] })
  t.deepEqual(stated.asked, ['/metadata', rfc8414])

  const withPath = await open(t, (origin) => ({ [`${prm}/mcp`]: about(origin), [rfc8414]: server(origin) }))
  t.like((await withPath.list()).auth, { resource: `${withPath.site.origin}/mcp` })

  const withoutPath = await open(t, (origin) => ({
    [prm]: { ...about(origin), resource: origin, scopes_supported: ['notes:read'] },
    [rfc8414]: server(origin, { scopes_supported: ['offline_access'] }),
  }))
  t.like((await withoutPath.list()).auth, {
    resource: withoutPath.site.origin,
    requested_scopes: ['notes:read', 'offline_access'],
  })
  t.deepEqual(withoutPath.asked, [`${prm}/mcp`, prm, rfc8414])

  const ownServer = await open(t, (origin) => ({ [rfc8414]: server(origin) }))
  t.like((await ownServer.list()).auth, { issuer: ownServer.site.origin, resource: `${ownServer.site.origin}/mcp` })
})

test('a server without metadata wants a pasted token if it says so, or answers as MCP servers do', async (t) => {
  const wants = await open(t, () => ({}))
  t.deepEqual([(await wants.list()).auth, wants.asked], [{ type: 'bearer' }, [`${prm}/mcp`, prm, rfc8414, openId]])
  const inTwo = await open(
    t,
    () => ({}),
    () => 'Basic realm="a", bearer realm="b"',
  )
  t.deepEqual((await inTwo.list()).auth, { type: 'bearer' })
  const site = await startHttpsSite(t, ({ method }, response) =>
    method === 'POST' ? refuse(response, 401, 'é'.repeat(1000)) : response.writeHead(404).end(),
  )
  t.deepEqual((await (await openDialect(t)).list(`${site.origin}/mcp`)).manifest.auth, { type: 'bearer' })

  for (const challenge of ['', 'Basic realm="Bearer"', 'Bearerish']) {
    const other = await open(
      t,
      () => ({}),
      () => challenge,
    )
    t.regex(await other.failure(), /^MANIFEST_NOT_FOUND: .*401 and does not say how to sign in/)
  }
})

test('metadata of an authorization server is read in every form, and the first usable server counts', async (t) => {
  for (const address of [`${rfc8414}/tenant`, `${openId}/tenant`, `/tenant${openId}`]) {
    const { site, list } = await open(t, (origin) => ({
      [prm]: {
        ...about(origin),
        authorization_servers: [`${origin}/none`, `${origin}/weak`, `${origin}/tenant`],
      },
      [`${rfc8414}/weak`]: { ...server(`${origin}/weak`), code_challenge_methods_supported: ['plain'] },
      [address]: server(`${origin}/tenant`, {
        registration_endpoint: `${origin}/register`,
        revocation_endpoint: `${origin}/revoke`,
        authorization_response_iss_parameter_supported: true,
      }),
    }))
    t.deepEqual((await list()).auth, {
      type: 'oauth2',
      authorization_url: `${site.origin}/tenant/authorize`,
      token_url: `${site.origin}/tenant/token`,
      scopes: [],
      revocation_url: `${site.origin}/revoke`,
      issuer: `${site.origin}/tenant`,
      resource: `${site.origin}/mcp`,
      requested_scopes: [],
      registration_url: `${site.origin}/register`,
      sends_issuer: true,
    })
  }
})

const metadata = (change: (origin: string) => Record<string, unknown>) => (origin: string) => ({
  [prm]: about(origin),
  [rfc8414]: { ...server(origin), ...change(origin) },
})
const resource = (change: (origin: string) => Record<string, unknown>) => (origin: string) => ({
  [prm]: { ...about(origin), ...change(origin) },
  [rfc8414]: server(origin),
})
const privateAddress = 'https://10.0.0.1/anything'
const huge = JSON.stringify({ padding: 'x'.repeat(10_000_000) })

/** What the server publishes, by what is wrong with it, and the refusal. */
const refused: Record<string, [documents: (origin: string) => Documents, refusal: RegExp]> = {
  'another issuer': [metadata((origin) => ({ issuer: `${origin}/` })), /^MANIFEST_INVALID: .*says that it is/],
  'no S256': [metadata(() => ({ code_challenge_methods_supported: ['plain'] })), /^MANIFEST_INVALID: .*S256/],
  'no word about PKCE': [
    metadata(() => ({ code_challenge_methods_supported: undefined })),
    /^MANIFEST_INVALID: .*S256/,
  ],
  'no token endpoint': [
    metadata(() => ({ token_endpoint: undefined })),
    /^MANIFEST_INVALID: .*token_endpoint is missing/,
  ],
  'an endpoint without TLS': [
    metadata(() => ({ token_endpoint: 'http://a.example/' })),
    /^MANIFEST_INVALID: .*token_endpoint must/,
  ],
  'a script as an endpoint': [metadata(() => ({ authorization_endpoint: 'javascript:alert(1)' })), /^MANIFEST_INVALID/],
  'a resource elsewhere': [
    resource(() => ({ resource: 'https://other.example/mcp' })),
    /^MANIFEST_INVALID: .*another resource/,
  ],
  'a longer path': [
    resource((origin) => ({ resource: `${origin}/mcp/deeper` })),
    /^MANIFEST_INVALID: .*another resource/,
  ],
  'half a word of the path': [
    resource((origin) => ({ resource: `${origin}/mc` })),
    /^MANIFEST_INVALID: .*another resource/,
  ],
  'no authorization server': [
    resource(() => ({ authorization_servers: [] })),
    /^MANIFEST_INVALID: .*no authorization server/,
  ],
  'a server at a private address': [
    resource(() => ({ authorization_servers: [privateAddress] })),
    /^MANIFEST_INVALID: .*public/,
  ],
  'a server without TLS': [
    resource(() => ({ authorization_servers: ['http://a.example'] })),
    /^MANIFEST_INVALID: .*https/,
  ],
  'a server with nothing': [
    resource((origin) => ({ authorization_servers: [`${origin}/none`] })),
    /^MANIFEST_NOT_FOUND: .*no metadata/,
  ],
  'a document of 10 MB': [(origin) => ({ [prm]: about(origin), [rfc8414]: huge }), /^MANIFEST_INVALID: .*65536 bytes/],
  'a failing server': [
    (origin) => ({ [prm]: about(origin), [rfc8414]: 503, [openId]: server(origin) }),
    /^MANIFEST_NOT_FOUND: .*503/,
  ],
}

for (const [title, [documents, refusal]] of Object.entries(refused))
  test(`a server whose sign-in has ${title} is refused with a sentence`, async (t) => {
    const { failure } = await open(t, documents)
    t.regex(await failure(), refusal)
  })

/** Addresses of metadata in a challenge. */
const stated: Record<string, RegExp> = {
  [privateAddress]: /^MANIFEST_INVALID: .*public internet address/,
  'http://a.example/metadata': /^MANIFEST_INVALID: .*https/,
  '/relative': /^MANIFEST_INVALID/,
  'https://localhost:6379/': /^MANIFEST_INVALID: .*port/,
}

test('an address of metadata that may not be reached is refused with a sentence', async (t) => {
  for (const [address, refusal] of Object.entries(stated)) {
    const { asked, failure } = await open(
      t,
      () => ({}),
      () => `Bearer resource_metadata="${address}"`,
    )
    t.regex(await failure(), refusal)
    t.deepEqual(asked, [])
  }
  const redirecting = await open(
    t,
    () => ({ '/metadata': 302 }),
    (origin) => `Bearer resource_metadata="${origin}/metadata"`,
  )
  t.regex(await redirecting.failure(), /^MANIFEST_NOT_FOUND: .*redirect/)
  t.deepEqual(redirecting.asked, ['/metadata'])
})

test('no more than five authorization servers are asked, and scopes are bounded', async (t) => {
  const many = await open(t, (origin) => ({
    [prm]: { ...about(origin), authorization_servers: Array.from({ length: 100 }, (_, index) => `${origin}/${index}`) },
  }))
  t.regex(await many.failure(), /^MANIFEST_NOT_FOUND/)
  t.is(many.asked.length, 2 + 5 * 3)
  const scopes = ['a"b', 'x'.repeat(201), ...Array.from({ length: 1000 }, (_, index) => `scope:${index}`)]
  const wide = await open(t, (origin) => ({
    [prm]: about(origin, origin, { scopes_supported: scopes }),
    [rfc8414]: server(origin),
  }))
  const { auth } = await wide.list()
  t.deepEqual('requested_scopes' in auth && auth.requested_scopes?.length, 100)
})
