import { randomBytes } from 'node:crypto'
import { callTool, comeBack, redirected, startOAuth, type Redirected } from '../connections.ts'
import { accepted, assert, assertSame, refused, outcomeOf } from '../expect.ts'
import { exchangesAt, hourly, hourlyCalls, input, readingTool, refreshing, toolNotAllowed } from '../grants.ts'
import type { TokenRequest } from '../own-oauth.ts'
import type { Row } from '../row.ts'
import type { Stage } from '../stage.ts'

const needs = ['ownSites'] as const

/** All fields of a token request (docs/specification.md, "Token endpoint"). */
const fieldsOf = {
  authorization_code: ['client_id', 'code', 'code_verifier', 'grant_type', 'redirect_uri'],
  refresh_token: ['client_id', 'grant_type', 'refresh_token'],
}

function assertTokenRequest(request: TokenRequest | undefined, grantType: keyof typeof fieldsOf): void {
  assertSame(request?.method, 'POST', `${grantType}: the method`)
  const type = request?.headers['content-type'] ?? ''
  assert(/^application\/x-www-form-urlencoded\b/.test(type), `${grantType}: Content-Type is ${type}`)
  assertSame(Object.keys(request?.form ?? {}).toSorted(), fieldsOf[grantType], `${grantType}: the list of fields`)
}

const scopes = { read: readingTool, write: 'things.createThing', delete: 'delete_thing', admin: 'change_settings' }

const parameter = (name: string, says: string, expected: (found: string, stage: Stage) => unknown): Row => ({
  id: `authorize/${name}`,
  says,
  needs,
  async run(stage) {
    const { query } = await hourly(stage)
    const found = query.getAll(name)
    assertSame(found.length, 1, `the number of ${name}`)
    assert(expected(found[0] ?? '', stage), `${name} is ${found[0]}`)
    return name === 'state' || name === 'code_challenge' ? `${found[0]?.length} characters` : String(found[0])
  },
})

const formField = (grantType: string, name: string): Row => ({
  id: `token form/${grantType} ${name}`,
  says: `grant_type=${grantType}: ${name}, required`,
  needs,
  async run(stage) {
    const { query, exchange, callback } = await hourly(stage)
    const isRefresh = grantType === 'refresh_token'
    const form = (isRefresh ? (await refreshing(stage)).refreshes[0] : exchange)?.form ?? {}
    assertSame(form['grant_type'], grantType, 'grant_type')
    assert((form[name] ?? '') !== '', `${name} is missing`)
    if (name === 'client_id') assertSame(form[name], query.get('client_id'), name)
    if (name === 'redirect_uri') assertSame(form[name], callback, name)
    // The site has verified the code verifier, the code and the tokens.
    return ['client_id', 'redirect_uri'].includes(name) ? String(form[name]) : 'sent, and good at the site'
  },
})

/** An unfinished flow of an account that never connects this site. */
async function begun({ client, people, sites }: Stage): Promise<Redirected> {
  const flow = await startOAuth(client, await people.owner(), await sites.at('oauth'), [readingTool])
  return redirected(client, accepted(flow, 201))
}

const of = ({ location }: Redirected, name: string): string => location.searchParams.get(name) ?? ''

/** The browser's state, with a wrong `state` from the site. */
function withState(sent: Redirected, state: string): Redirected {
  const location = new URL(sent.location)
  location.searchParams.set('state', state)
  return { ...sent, location }
}

const scopeRow = ([scope, tool]: [string, string]): Row => ({
  id: `scopes/${scope}`,
  says: `only ${scope} is requested for a tool that needs it`,
  needs,
  async run({ client, people, sites }) {
    const site = await sites.at('oauth')
    // The account never connects this site.
    const flow = accepted(await startOAuth(client, await people.owner(), site, [tool]), 201)
    assertSame(flow['scopes'], [scope], 'what is requested')
    const { location } = await redirected(client, flow)
    assertSame(location.searchParams.get('scope'), scope, 'the parameter scope')
    return `${tool}: scope=${scope}`
  },
})

export const oauthRows: Row[] = [
  {
    id: 'authorize/Address',
    says: 'the browser is redirected to GET {auth_url}',
    needs,
    async run(stage) {
      const { sent } = await hourly(stage)
      const { origin } = await stage.sites.at('oauth')
      assertSame(`${sent.location.origin}${sent.location.pathname}`, `${origin}/oauth/authorize`, 'the address')
      return '303 to authorization_url'
    },
  },
  parameter('response_type', 'always code', (found) => found === 'code'),
  parameter('client_id', "the platform's client identifier", (found) => found !== ''),
  parameter('redirect_uri', 'callback URL on the platform', (found) => found.endsWith('/vault/oauth/callback')),
  parameter('scope', 'space-separated requested scopes', (found) => found === 'read delete'),
  parameter('state', 'anti-CSRF token, returned unchanged', (found) => found.length >= 20),
  parameter('code_challenge', 'SHA-256 PKCE challenge', (found) => /^[\w-]{43}$/.test(found)),
  parameter('code_challenge_method', 'always S256', (found) => found === 'S256'),
  {
    id: 'authorize/Behaviour',
    says: 'the site redirects back with code and state; another browser and another state are refused, and a second use exchanges nothing',
    needs,
    async run(stage) {
      const { client } = stage
      const { back, sent: used, oauth } = await hourly(stage)
      const [sent, other] = [await begun(stage), await begun(stage)]
      for (const name of ['state', 'code_challenge'])
        assert(of(sent, name) !== of(other, name), `two flows share ${name}`)
      const before = exchangesAt(oauth).length
      const evidence = refused(await comeBack(client, { ...sent, cookie: '' }), 'VALIDATION_ERROR')
      for (const state of [randomBytes(32).toString('base64url'), of(other, 'state')])
        refused(await comeBack(client, withState(sent, state)), 'VALIDATION_ERROR')
      const again = await comeBack(client, used)
      assertSame(again.status, back.status, 'the status of the same page, opened again')
      assertSame(exchangesAt(oauth).length, before, 'the number of codes that were exchanged')
      return `the same browser: ${outcomeOf(back)}; another browser or state: ${evidence}; a second use: ${outcomeOf(again)}, and no code is exchanged`
    },
  },
  {
    id: 'token endpoint/Request',
    says: 'POST {token_url}, application/x-www-form-urlencoded, and no field more than is specified',
    needs,
    async run(stage) {
      assertTokenRequest((await hourly(stage)).exchange, 'authorization_code')
      for (const refresh of (await refreshing(stage)).refreshes) assertTokenRequest(refresh, 'refresh_token')
      return 'POST, application/x-www-form-urlencoded, and only the specified fields, for a code and for refreshes'
    },
  },
  ...['code', 'redirect_uri', 'client_id', 'code_verifier'].map((name) => formField('authorization_code', name)),
  ...['refresh_token', 'client_id'].map((name) => formField('refresh_token', name)),
  {
    id: 'oauth/Flow',
    says: 'steps 1 to 6: the user connects a site, and the tokens are in the vault',
    needs,
    async run(stage) {
      const { client, people } = stage
      const { entryId, back } = await hourly(stage)
      const free = await people.free()
      const entry = await client.send({ url: `/vault/${entryId}`, token: free.token })
      assertSame([accepted(entry)['authType'], entry.json['status']], ['oauth2', 'connected'], 'type and status')
      assert(!/access_token|refresh_token|"token"/.test(entry.text + back.text), 'a token is shown')
      const answer = await callTool(client, free, { entryId, tool: readingTool, input })
      accepted(answer)
      return `connected; a call: ${outcomeOf(answer)}; no answer shows a token`
    },
  },
  {
    id: 'limits/Access token lifetime',
    says: 'valid until expires_in seconds have passed (3600): until then it is used again',
    needs,
    async run(stage) {
      const { entryId } = await hourly(stage)
      const { answers, refreshed } = await hourlyCalls(stage)
      for (const answer of answers) accepted(answer)
      assertSame(refreshed, 0, 'the number of refreshes for two calls in a row')
      const { token } = await stage.people.free()
      const entry = accepted(await stage.client.send({ url: `/vault/${entryId}`, token }))
      const seconds = (Date.parse(String(entry['expiresAt'])) - Date.now()) / 1000
      assert(seconds > 3_300 && seconds <= 3_601, `it expires in ${Math.round(seconds)} s`)
      return `expires_in 3600: the entry expires in ${Math.round(seconds)} s; two calls in a row, no refresh`
    },
  },
  {
    id: 'oauth/Refresh',
    says: 'step 7: when the access token expires, the platform sends a refresh request',
    needs,
    async run(stage) {
      const { answers, refreshes, statuses } = await refreshing(stage)
      for (const answer of answers) accepted(answer)
      assertSame(
        statuses,
        answers.map(() => 200),
        'what the site answered',
      )
      assertSame(refreshes.length, 2, 'the number of refreshes for two expired tokens')
      return `${answers.length} calls succeeded, with ${refreshes.length} refreshes between them; the site saw no token that has expired`
    },
  },
  {
    id: 'oauth/Rotation',
    says: 'rule 4: each use yields a new refresh token, and the old one is consumed, also by simultaneous calls',
    needs,
    async run(stage) {
      const { refreshes, entryId } = await refreshing(stage)
      const sent = refreshes.map(({ form }) => form['refresh_token'])
      assertSame(new Set(sent).size, sent.length, 'the number of different refresh tokens')
      assert(
        refreshes.every(({ status }) => status === 200),
        'a refresh token was sent a second time',
      )
      const { token } = await stage.people.owner()
      const entry = accepted(await stage.client.send({ url: `/vault/${entryId}`, token }))
      assertSame(entry['status'], 'connected', 'the status of the entry')
      return `${sent.length} refreshes, the second for three simultaneous calls, each with the token of the answer before; "scope" was absent`
    },
  },
  {
    id: 'oauth/Revoked early',
    says: 'a 401 of the site makes the platform refresh the token and call again',
    needs,
    async run(stage) {
      const { entryId, oauth } = await hourly(stage)
      // The other rows call with a valid token, so they come first.
      await hourlyCalls(stage)
      oauth.endAccessTokens()
      const answer = await callTool(stage.client, await stage.people.free(), { entryId, tool: readingTool, input })
      accepted(answer)
      return `the same call: ${outcomeOf(answer)}`
    },
  },
  {
    id: 'oauth/Least scopes',
    says: 'the platform requests only the scopes that the chosen tools need',
    needs,
    async run({ client, people, sites }) {
      const site = await sites.at('oauth')
      const tools = [readingTool, 'delete_thing']
      const flow = accepted(await startOAuth(client, await people.owner(), site, tools), 201)
      assertSame(flow['scopes'], ['read', 'delete'], 'what is requested')
      return `of read, write, delete and admin: ${(flow['scopes'] as string[]).join(' ')}`
    },
  },
  {
    id: 'oauth/Usable tools',
    says: 'a tool whose scope was not requested, or was not granted, is not called',
    needs,
    async run(stage) {
      const { entryId, site } = await hourly(stage)
      const free = await stage.people.free()
      const evidence = []
      for (const tool of [toolNotAllowed, 'change_settings']) {
        const answer = await callTool(stage.client, free, { entryId, tool })
        assert(!site.arrivals.some(({ path }) => path.endsWith(tool)), `the site was called for ${tool}`)
        evidence.push(`${refused(answer, 'PERMISSION_DENIED')} for ${tool}`)
      }
      return `${evidence.join(', ')}, and the site was not called`
    },
  },
  ...Object.entries(scopes).map(scopeRow),
]
