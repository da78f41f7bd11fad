import test from 'ava'
import { found, read } from './reading.ts'

const bearer = { type: 'http', scheme: 'Bearer' }
const basic = { type: 'http', scheme: 'basic' }
const inHeader = { type: 'apiKey', in: 'header', name: 'X-Key' }
const inQuery = { type: 'apiKey', in: 'query', name: 'key' }
const code = { authorizationUrl: '/authorize?a=b', tokenUrl: 'https://id.example.com/token', scopes: {} }
const oauth = { type: 'oauth2', flows: { authorizationCode: code } }

/** A document with these schemes, and operations with these requirements. */
const documentWith = (securitySchemes: object, requirements: unknown[], more: object = {}) => ({
  components: { securitySchemes },
  paths: Object.fromEntries(
    requirements.map((security, at) => [`/${at}`, { get: { operationId: `op_${at}`, security } }]),
  ),
  ...more,
})

const authWith = (scheme: object) => found(documentWith({ scheme }, [[{ scheme: [] }]])).manifest.auth

test('each usable scheme becomes the sign-in of the site', (t) => {
  t.deepEqual(authWith(bearer), { type: 'bearer', credential: { scheme: 'bearer' } })
  t.deepEqual(authWith(basic), { type: 'bearer', credential: { scheme: 'basic' } })
  t.deepEqual(authWith(inHeader), { type: 'bearer', credential: { in: 'header', name: 'X-Key' } })
  t.deepEqual(authWith(inQuery), { type: 'bearer', credential: { in: 'query', name: 'key' } })
  t.deepEqual(authWith({ type: 'oauth2', flows: { clientCredentials: {} } }), authWith(bearer))
  const { manifest } = found(
    documentWith({ oauth }, [[{ oauth: ['write', 'read'] }], [{ oauth: ['read'] }], [{ oauth: ['other'] }]]),
    'op_0',
    'op_1',
  )
  t.deepEqual(manifest.auth, {
    type: 'oauth2',
    authorization_url: 'https://docs.example.com/authorize?a=b',
    token_url: 'https://id.example.com/token',
    scopes: [],
    requested_scopes: ['read', 'write'],
  })
})

test('a scheme that cannot be used is the reason to leave an operation out', (t) => {
  const cases: [object, RegExp][] = [
    [{ type: 'openIdConnect' }, /OpenID Connect is not supported/],
    [{ type: 'http', scheme: 'digest' }, /only bearer and basic/],
    [{ type: 'apiKey', in: 'cookie', name: 'a' }, /cookies are not supported/],
    [{ type: 'apiKey', in: 'header', name: 'Host' }, /header cannot be set/],
    [{ type: 'apiKey', in: 'header', name: 'a b' }, /name of its key/],
    [{ type: 'oauth2', flows: { authorizationCode: { ...code, tokenUrl: 'http://id.example.com' } } }, /with https/],
    [{ type: 'mutualTLS' }, /type is not supported/],
    [{ $ref: '#/nowhere' }, /not described/],
  ]
  for (const [scheme, problem] of cases) {
    const { leftOut, manifest } = found(documentWith({ scheme }, [[{ scheme: [] }], []]))
    t.regex(leftOut[0]?.problem ?? '', problem)
    t.deepEqual(manifest.auth, { type: 'none' })
  }
  t.regex(
    JSON.stringify(read(documentWith({}, [[{ unknown: [] }]]))),
    /unknown.*, which the document does not describe/,
  )
})

test('of several schemes, the site has the one of most operations, and then the best', (t) => {
  const schemes = { inQuery, basic, inHeader, bearer, oauth }
  const any = Object.keys(schemes).map((name) => ({ [name]: [] }))
  t.is(found(documentWith(schemes, [any])).manifest.auth['type'], 'oauth2')
  t.deepEqual(found(documentWith({ inQuery, basic, inHeader }, [any])).manifest.auth['credential'], {
    in: 'header',
    name: 'X-Key',
  })
  const requirements = [[{ basic: [] }], [{ basic: [] }], [{ oauth: [] }], [{ oauth: [], basic: [] }], [{}], []]
  const { manifest, offered, leftOut } = found(documentWith(schemes, requirements))
  t.deepEqual(manifest.auth['credential'], { scheme: 'basic' })
  t.deepEqual(
    offered.tools.map(({ name }) => name),
    ['op_0', 'op_1', 'op_4', 'op_5'],
  )
  t.deepEqual(
    leftOut.map(({ problem }) => problem),
    ['needs the sign-in "oauth", and that of the site is "basic"', 'needs several credentials at once'],
  )
})

test('the kind of sign-in that the owner wants comes first, also if no operation names it', (t) => {
  const authFor = (document: object, wish: object) => {
    const result = read(document as Record<string, unknown>, wish)
    return 'manifest' in result ? (JSON.parse(result.manifest) as { auth: object }).auth : undefined
  }
  const both = documentWith({ oauth, inHeader }, [[{ oauth: [] }, { inHeader: [] }]])
  t.like(authFor(both, {}), { type: 'oauth2' })
  t.like(authFor(both, { hasCredential: true }), { credential: { name: 'X-Key' } })
  const unnamed = documentWith({ oauth, inHeader }, [undefined])
  t.deepEqual(authFor(unnamed, {}), { type: 'none' })
  t.like(authFor(unnamed, { hasCredential: true }), { credential: { name: 'X-Key' } })
  t.like(authFor(unnamed, { wantsSignIn: true }), { type: 'oauth2' })
  const none = documentWith({}, [undefined])
  t.deepEqual(authFor(none, { hasCredential: true }), { type: 'bearer', credential: { scheme: 'bearer' } })
  // A token of OAuth can be pasted as well, and a key for one operation of three would leave too many out.
  const mostly = documentWith({ oauth, inHeader }, [
    [{ oauth: [] }],
    [{ oauth: [] }],
    [{ oauth: [] }, { inHeader: [] }],
  ])
  t.deepEqual(authFor(mostly, { hasCredential: true }), { type: 'bearer', credential: { scheme: 'bearer' } })
})

test('an operation without requirements of its own has those of the document', (t) => {
  const { manifest, leftOut } = found(documentWith({ bearer }, [undefined, []], { security: [{ bearer: [] }] }))
  t.is(manifest.auth['type'], 'bearer')
  t.deepEqual(leftOut, [])
})
