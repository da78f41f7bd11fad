import { broken, edit, type BrokenPlatform } from './broken-platform.ts'

const shape = 'src/sites/manifest'
const plainHttp = "v.pipe(v.string(messageOf), v.regex(/^https?:/)), 'Where "

/** Platforms that are wrong about sites: their manifests, OAuth, and what they answer. Each row finds one edit. */
export const siteFaults: BrokenPlatform[] = [
  broken(
    'token_url may be plain HTTP, schemas have any type, bearer has no member more, and tools have any name',
    {
      'transport/HTTPS only': 'token_url of plain HTTP is accepted',
      'tool/input_schema': '{"type":"string"} is accepted',
      'manifest/auth.scopes': 'the answer to bearer with scopes is [422,null]',
      'tool/name': '"../../admin" is accepted',
    },
    edit(shape, "about(address(), 'Where codes", `about(${plainHttp}codes`),
    edit('src/sites/manifest', "schema['type'] === 'object'", "schema['type'] !== undefined"),
    edit(shape, 'const bearer = () =>\n  v.looseObject(', 'const bearer = () =>\n  v.strictObject('),
    edit(shape, '/^(?:[a-z][a-z0-9_]*|[a-z][a-zA-Z0-9_]*\\.[a-z][a-zA-Z0-9]*)$/', '/^\\S+$/'),
  ),
  broken(
    'authorization_url may be plain HTTP, a text is a result, refreshes ask for scopes, and a site for 275 requests',
    {
      'transport/HTTPS only': 'authorization_url of plain HTTP is accepted',
      'tool call/Response is an object': 'a text that is not JSON is a result',
      'token endpoint/Request': 'refresh_token: the list of fields',
      'limits/Requests per IP address': 'more than 200 requests are accepted',
    },
    edit(shape, "about(address(), 'Where users sign", `about(${plainHttp}users sign`),
    edit(
      'src/tools',
      "if (!given.ok) return { problem: given.isTooDeep ? 'too-complex' : 'no-json' }",
      'if (!given.ok) return { text: JSON.stringify({ text }) }',
    ),
    edit(
      'src/vault/oauth',
      'oauth.None(), refreshToken, options)',
      "oauth.None(), refreshToken, { ...options, additionalParameters: { scope: 'read write delete admin' } })",
    ),
    edit('examples/sites/issue-tracker', 'perAddress = 200', 'perAddress = 275'),
  ),
  broken(
    'scopes are separated by commas, scopes count as granted, refreshes say another User-Agent, and each run has calls of its own',
    {
      'authorize/scope': 'scope is read,delete',
      'oauth/Usable tools': 'the site was called for delete_thing',
      'tool call/User-Agent': 'refresh: it is "node"',
      'limits/Outgoing calls of runs': 'the number of calls that the site got is 11',
    },
    edit('src/vault/oauth', "ask.scopes.join(' ')", "ask.scopes.join(',')"),
    edit('src/vault/oauth', 'asked.filter((scope) => scopes.includes(scope))', 'asked.slice()'),
    edit(
      'src/safe-fetch',
      'readHeaders(request.headers ?? {}, userAgent,',
      "readHeaders(request.headers ?? {}, String(request.body).includes('refresh_token=') ? 'node' : userAgent,",
    ),
    edit(
      'src/tools',
      'const host = limitedHost(connection.serverUrl, config.sites)',
      "const host = `${limitedHost(connection.serverUrl, config.sites)}${sending.mayWait ? sending.callId : ''}`",
    ),
  ),
  broken(
    'calls at once refresh each for itself, and a consent to a connected site is begun',
    {
      'oauth/Rotation': 'the number of different refresh tokens is 2',
      'codes/TOKEN_EXISTS': 'a second consent to the same site is begun',
    },
    edit('src/vault/refresh', 'if (open && !isOver(open, now))', 'if (open && isOver(open, now))'),
    edit('src/vault/refresh', '    if (started) return started\n', ''),
    edit('src/vault/oauth', '    await assertNew(ownerId, site.origin)\n', ''),
  ),
]
