// @promise oauth
import { createHash } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import * as oauth from '../../api/oauth.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { quotedWords } from '../../src/names.ts'
import { secretText } from '../helpers/bare-oauth-site.ts'
import { call, type Failure } from '../helpers/client.ts'
import { comeBack } from '../helpers/connect.ts'
import { answering } from '../helpers/hostile-site.ts'
import { person } from '../helpers/people.ts'
import type { Platform } from '../helpers/platform.ts'
import { shareOAuthPlatform, type Back, type OAuthStage } from './oauth-stage.ts'
import { send } from './raw-http.ts'

/** Attacks on connecting a site by OAuth, up to the moment when the grant is kept. */

type Work = (t: ExecutionContext, stage: OAuthStage) => Promise<void>

const another = shareOAuthPlatform(test, 'attacks on connecting')

/** An attack that must leave nothing behind: no entry, no request for tokens, no secret in the log. */
function refused(title: string, work: Work): void {
  const open = another()
  test(title, async (t) => {
    const stage = await open(t)
    await work(t, stage)
    await stage.assertNothingDone()
  })
}

/** Tries something whose outcome the test looks at; no secret may be in the log afterwards. */
function tried(title: string, work: Work): void {
  const open = another()
  test(title, async (t) => {
    const stage = await open(t)
    await work(t, stage)
    stage.assertSilent()
  })
}

const failsWith = (t: ExecutionContext, { status, body }: Back, code: ErrorCode, note?: string) =>
  t.deepEqual([body.code, status], [code, body.statusCode ?? 0], note)

const pathsOf = ({ details = [] }: Partial<Failure>): string[] => details.map(({ path }) => path)

// State, browser and time

refused(
  'a callback whose state is missing, unknown or there twice is refused and uses nothing up',
  async (t, stage) => {
    const attempt = await stage.begin()
    const { state, cookie } = attempt
    const code = secretText('code')
    const wrong: [string, string][][] = [
      [],
      [['state', '']],
      [['state', 'null']],
      [['state', `${state}x`]],
      [['state', state.toUpperCase()]],
      [['state', state.replace('sy_state_', 'sy_ticket_')]],
      [['state', ` ${state}`]],
      [['state', "' or 1=1 --"]],
      [['state', '\0']],
      [['State', state]],
      [['state[]', state]],
      [['state', state], ['state', state]], // prettier-ignore
      [['state', 'other'], ['state', state]], // prettier-ignore
    ]
    for (const states of wrong) {
      const answer = await stage.back([['code', code], ...states], { cookie })
      failsWith(t, answer, 'VALIDATION_ERROR', JSON.stringify(states))
      t.deepEqual(pathsOf(answer.body), ['state'])
    }
    t.like(await stage.flowOf(attempt), { status: 'pending', code: null })
  },
)

tried('after callbacks with a wrong state the right one still connects', async (t, stage) => {
  const attempt = await stage.begin()
  failsWith(t, await stage.finish(attempt, { state: secretText('state') }), 'VALIDATION_ERROR')
  t.is((await stage.finish(attempt)).status, 200)
  t.is((await stage.entriesOf()).length, 1)
})

refused("nobody finishes a flow of somebody else's in a browser of their own", async (t, stage) => {
  const mallory = await person(stage.platform)
  const hers = await stage.begin(stage.site, {}, mallory)
  const mine = await stage.begin()
  const others = [mine.cookie, '', `${hers.cookie.split('=')[0]}=`, renamed(mine.cookie, hers.cookie)]
  for (const cookie of others) {
    const answer = await stage.finish({ ...hers, cookie })
    failsWith(t, answer, 'VALIDATION_ERROR', cookie)
    t.regex(answer.body.error ?? '', /another browser/)
  }
  for (const attempt of [hers, mine]) t.is((await stage.flowOf(attempt)).status, 'pending')
  t.deepEqual(await stage.entriesOf(mallory), [])
})

/** The value of one cookie under the name of another. */
const renamed = (value: string, name: string): string => `${name.split('=')[0]}=${value.split('=')[1]}`

refused('a flow that was begun by one is not to be seen by another', async (t, stage) => {
  const mine = await stage.begin()
  const mallory = await person(stage.platform)
  const seen = await call(mallory, oauth.getOAuthFlow, { params: { flowId: mine.flowId } })
  t.is(seen.failure.code, 'NOT_FOUND')
})

tried(
  'an address to connect by that was opened is good in no second browser, and stays good in the first',
  async (t, stage) => {
    const attempt = await stage.begin()
    for (const cookie of ['', renamed(secretText('binding'), attempt.cookie)]) {
      const second = await comeBack(stage.platform, attempt.connectUrl, cookie)
      t.is(second.status, 400)
      t.is(second.headers.get('location'), null)
      t.deepEqual(second.headers.getSetCookie(), [])
      t.like(await second.json(), { code: 'VALIDATION_ERROR', details: [{ path: 'ticket' }] })
    }
    const again = await stage.open(stage.someone, attempt.connectUrl, attempt.cookie)
    t.is(again.cookie, attempt.cookie)
    t.is(again.location.href, attempt.location.href, 'the first tab can finish as well as the second')
    t.is((await stage.finish(attempt)).status, 200)
    t.is((await stage.finish({ ...again, flowId: attempt.flowId })).status, 200)
    t.is(stage.site.tokenForms.length, 1, 'once')
  },
)

refused('the cookie that binds a flow is for nobody but the flow', async (t, stage) => {
  const { body } = await call(stage.someone, oauth.startOAuth, { body: { url: stage.site.origin } })
  const opened = await comeBack(stage.platform, body.connectUrl, '')
  const [cookie = '', ...more] = opened.headers.getSetCookie()
  t.deepEqual(more, [])
  for (const part of [/; path=\/vault\/oauth(;|$)/i, /; httponly/i, /; samesite=lax/i, /; expires=/i])
    t.regex(cookie, part)
  t.notRegex(cookie, /; domain=/i)
  t.is(opened.headers.get('referrer-policy'), 'no-referrer')
  t.is(opened.headers.get('cache-control'), 'no-store')
})

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** What a browser has that was shown the page before the site's sign-in. */
async function seePage(t: ExecutionContext, platform: Platform, address: string, given = '', headers = html) {
  const response = await comeBack(platform, address, given, headers)
  const page = await response.text()
  t.is(response.status, 200)
  t.regex(response.headers.get('content-type') ?? '', /^text\/html/)
  t.is(response.headers.get('location'), null)
  const [cookie = '', ...more] = response.headers.getSetCookie().map((line) => line.split(';', 1)[0] ?? '')
  t.deepEqual(more, [])
  const [, href = ''] = /<a class="action" href="([^"]*)"/.exec(page) ?? []
  return { page, cookie, link: `${platform.url}${href.replaceAll('&amp;', '&')}` }
}

/** Whether any flow of theirs is bound to a browser. */
async function bound({ platform, someone }: OAuthStage): Promise<boolean> {
  const { database } = platform.services
  const owner = database('users').select('id').where({ email: someone.email })
  return (await database('oauth_flows').whereNotNull('binding_hash').whereIn('owner_id', owner)).length > 0
}

refused('a person sees whose vault it is before anything is bound, and no markup of the site', async (t, stage) => {
  const { site, someone, platform } = stage
  site.name = `Site ${markup}`
  const { body } = await call(someone, oauth.startOAuth, { body: { url: site.origin } })
  const { page, cookie, link } = await seePage(t, platform, body.connectUrl)
  t.true(page.includes(`${site.origin} will be connected to the vault of the account `))
  t.true(page.includes('in your name: search and read; create and change things.'))
  t.true(page.includes('<h1>Connect “Site &lt;script&gt;'))
  t.false(/<(?:script|img)/i.test(page))
  t.false(await bound(stage))
  const gone = await comeBack(platform, link, cookie, html)
  t.is(gone.status, 303)
  t.is(gone.headers.getSetCookie()[0]?.split(';', 1)[0], cookie)
  t.true((gone.headers.get('location') ?? '').startsWith(`${site.origin}/authorize?`))
  t.true(await bound(stage))
  const elsewhere = await comeBack(platform, body.connectUrl, '', html)
  t.is(elsewhere.status, 400)
  t.false((await elsewhere.text()).includes(someone.email))
})

refused('nobody can send an address that leaves the page out', async (t, stage) => {
  const { site, someone, platform } = stage
  const { body } = await call(someone, oauth.startOAuth, { body: { url: site.origin } })
  const hers = await seePage(t, platform, body.connectUrl)
  const mine = await seePage(t, platform, body.connectUrl)
  const seenOf = ({ link }: { link: string }): string => new URL(link).searchParams.get('seen') ?? ''
  t.not(seenOf(hers), seenOf(mine))
  t.not(hers.cookie, mine.cookie)
  const valueOf = ({ cookie }: { cookie: string }): string => cookie.split('=')[1] ?? ''
  const tries: [more: string, cookie: string][] = [
    ['&confirmed=yes', ''],
    ['&seen=', ''],
    ['&seen=', mine.cookie],
    ['&seen=yes', mine.cookie],
    ['&seen=undefined', mine.cookie],
    [`&seen=${seenOf(hers)}`, ''],
    [`&seen=${seenOf(hers)}`, mine.cookie],
    [`&seen=${valueOf(mine)}`, mine.cookie],
    [`&seen=${seenOf(mine).replace('sy_seen_', 'sy_state_')}`, mine.cookie],
    // What is no cookie of ours binds nothing, nor can a word be derived from it.
    [`&seen=${seenOf(hers)}`, `${mine.cookie.split('=')[0]}=chosen`],
  ]
  for (const [more, cookie] of tries) {
    const again = await seePage(t, platform, `${body.connectUrl}${more}`, cookie)
    t.is(again.cookie === mine.cookie, cookie === mine.cookie, more)
    t.is(again.page.includes('allow cookies'), more.startsWith('&seen'), more)
  }
  // The word of another flow's page, with the cookies of both.
  const other = await call(someone, oauth.startOAuth, { body: { url: site.origin } })
  const second = await seePage(t, platform, other.body.connectUrl, mine.cookie)
  const both = `${mine.cookie}; ${second.cookie}`
  await seePage(t, platform, `${body.connectUrl}&seen=${seenOf(second)}`, both)
  t.false(await bound(stage))
  t.is((await comeBack(platform, mine.link, both, html)).status, 303)
})

tried('clients that take anything are shown the page; only those that ask for JSON go on at once', async (t, stage) => {
  const { body } = await call(stage.someone, oauth.startOAuth, { body: { url: stage.site.origin } })
  for (const accept of ['*/*', 'text/*', 'image/*', 'text/html, application/json', 'application/json;q=0.1, */*'])
    await seePage(t, stage.platform, body.connectUrl, '', { accept })
  t.false(await bound(stage))
  const accept = 'application/json, text/plain, */*'
  t.is((await comeBack(stage.platform, body.connectUrl, '', { accept })).status, 303)
  t.true(await bound(stage))
})

tried('HEAD binds nothing and uses nothing up', async (t, stage) => {
  const { platform, someone, site } = stage
  const head = (address: string, cookie: string, headers: Record<string, string>) =>
    fetch(address, { method: 'HEAD', redirect: 'manual', headers: { cookie, ...headers } })
  const looked = async (address: string, cookie: string) => {
    for (const headers of [html, { accept: '*/*' }, { accept: 'application/json' }]) {
      const answer = await head(address, cookie, headers)
      t.is(answer.status, 200)
      t.deepEqual(answer.headers.getSetCookie(), [])
      t.is(answer.headers.get('location'), null)
    }
  }
  const { body } = await call(someone, oauth.startOAuth, { body: { url: site.origin } })
  await looked(body.connectUrl, '')
  const { link, cookie } = await seePage(t, platform, body.connectUrl)
  await looked(link, cookie)
  t.false(await bound(stage))
  const attempt = await stage.open(someone, body.connectUrl, cookie)
  const query = new URLSearchParams({ code: secretText('code'), state: attempt.state }).toString()
  await looked(`${platform.url}/vault/oauth/callback?${query}`, cookie)
  t.is((await stage.flowOf({ someone, flowId: body.id })).status, 'pending')
  t.is(site.tokenForms.length, 0)
  t.is((await stage.finish({ ...attempt, flowId: body.id })).status, 200)
})

tried('two tabs of one browser go to the same sign-in, and the first one can finish', async (t, stage) => {
  const { platform, someone, site } = stage
  const { body } = await call(someone, oauth.startOAuth, { body: { url: site.origin } })
  const first = await seePage(t, platform, body.connectUrl)
  const second = await seePage(t, platform, body.connectUrl, first.cookie)
  t.deepEqual([second.cookie, second.link], [first.cookie, first.link])
  const gone = [
    await comeBack(platform, first.link, first.cookie, html),
    await comeBack(platform, second.link, first.cookie, html),
  ]
  const [one = '', two = ''] = gone.map((response) => response.headers.get('location') ?? '')
  t.is(one, two)
  const state = new URL(one).searchParams.get('state') ?? ''
  t.is((await stage.back({ code: secretText('code'), state }, first)).status, 200)
})

refused('a ticket that is none opens nothing', async (t, { platform }) => {
  for (const ticket of [secretText('ticket'), `sy_ticket_${'a'.repeat(43)}`, 'sy_state_', '..']) {
    const answer = await comeBack(platform, `${platform.url}/vault/oauth/go?ticket=${ticket}`, '')
    t.is(answer.status, 404, ticket)
    t.like(await answer.json(), { code: 'NOT_FOUND' })
  }
  for (const query of ['', '?ticket=%00', '?ticket=', '?ticket=a&ticket=b', '?TICKET=a']) {
    const answer = await comeBack(platform, `${platform.url}/vault/oauth/go${query}`, '')
    t.like(await answer.json(), { code: 'VALIDATION_ERROR', statusCode: 400 }, query)
  }
})

refused('a flow is over after ten minutes, at its beginning and at its end', async (t, stage) => {
  const attempt = await stage.begin()
  const { expiresAt } = await stage.flowOf(attempt)
  const left = Date.parse(expiresAt) - Date.now()
  t.true(left > 9 * 60_000 && left <= 10 * 60_000)
  const { database } = stage.platform.services
  await database('oauth_flows')
    .where({ id: attempt.flowId })
    .update({ expires_at: new Date(Date.now() - 1) })
  const answer = await stage.finish(attempt)
  failsWith(t, answer, 'VALIDATION_ERROR')
  t.regex(answer.body.error ?? '', /time .* is over/)
  const opened = await comeBack(stage.platform, attempt.connectUrl, attempt.cookie)
  t.like(await opened.json(), { code: 'VALIDATION_ERROR', details: [{ path: 'ticket' }] })
  t.like(await stage.flowOf(attempt), { status: 'expired', entryId: null })
})

// The issuer

/** Begins a flow for a site with this issuer, and comes back with each of those; all are refused. */
async function refusesIssuers(t: ExecutionContext, stage: OAuthStage, issuers: (string | undefined)[]): Promise<void> {
  for (const iss of issuers) {
    const attempt = await stage.begin()
    const answer = await stage.finish(attempt, iss === undefined ? {} : { iss })
    failsWith(t, answer, 'VALIDATION_ERROR', iss)
    t.deepEqual(pathsOf(answer.body), ['iss'])
    t.like(await stage.flowOf(attempt), { status: 'failed', code: 'VALIDATION_ERROR', entryId: null })
    t.is((await stage.finish(attempt, { iss: stage.site.origin })).status, 400, 'a failed flow is not taken up again')
  }
}

refused('an issuer that is not the one declared is refused before any request for tokens', async (t, stage) => {
  const { site, other } = stage
  site.auth['issuer'] = site.origin
  const near = [`${site.origin}/other`, site.origin.replace('https', 'http')]
  await refusesIssuers(t, stage, [other.origin, ...near, 'null', '*', `${site.origin} ${other.origin}`])
})

refused('a site that declares its issuer has to send it', async (t, stage) => {
  stage.site.auth['issuer'] = stage.site.origin
  await refusesIssuers(t, stage, [undefined, ''])
})

refused('where no issuer is declared, one of another origin is refused all the same', async (t, stage) => {
  const { site, other } = stage
  await refusesIssuers(t, stage, [
    other.origin,
    `https://${site.host}.example`,
    `${site.origin}@${other.host}`,
    'no address',
  ])
})

tried('an issuer may be written in another way, and what is wrong with one is told', async (t, stage) => {
  const { site, other } = stage
  site.auth['issuer'] = `${site.origin}/tenant`
  const { body } = await stage.finish(await stage.begin(), { iss: other.origin })
  t.is(
    body.error,
    `The site sent \`iss\` as ${quotedWords(other.origin)}, and its manifest says ${quotedWords(`${site.origin}/tenant`)}. The owner of the site can declare another one as \`issuer\`, or send this one.`,
  )
  t.deepEqual(pathsOf(body), ['iss'])
  const iss = `${site.origin.toUpperCase()}/tenant/`
  t.is((await stage.finish(await stage.begin(), { iss })).status, 200)
})

refused('a refusal keeps its reason, whatever issuer it names, and when the page is loaded again', async (t, stage) => {
  for (const iss of [stage.other.origin, '']) {
    const attempt = await stage.begin()
    const parameters = { state: attempt.state, error: 'access_denied', iss }
    const first = await stage.back(parameters, attempt)
    failsWith(t, first, 'PERMISSION_DENIED')
    t.regex(first.body.error ?? '', /^Access was denied at the site/)
    t.deepEqual((await stage.back(parameters, attempt)).body, first.body)
  }
})

tried('a browser that fetches the page in advance uses nothing up', async (t, stage) => {
  const { platform, site } = stage
  const attempt = await stage.begin()
  const query = new URLSearchParams({ code: secretText('code'), state: attempt.state }).toString()
  const address = `${platform.url}/vault/oauth/callback?${query}`
  const purposes = { 'sec-purpose': 'prefetch;prerender', purpose: 'prefetch', 'x-moz': 'prefetch' }
  for (const [name, value] of Object.entries(purposes)) {
    const early = await comeBack(platform, address, attempt.cookie, { [name]: value })
    t.deepEqual([early.status, early.headers.get('cache-control')], [503, 'no-store'], name)
  }
  t.is(site.tokenForms.length, 0)
  t.is((await comeBack(platform, address, attempt.cookie)).status, 200)
})

tried('where no issuer is declared, none and one of the right origin are both good', async (t, stage) => {
  t.is((await stage.finish(await stage.begin(stage.other))).status, 200)
  t.is((await stage.finish(await stage.begin(), { iss: `${stage.site.origin}/tenant` })).status, 200)
})

refused('a code that another site gave never reaches the token address of this one', async (t, stage) => {
  const { site, other } = stage
  for (const declared of [{}, { issuer: site.origin }]) {
    Object.assign(site.auth, declared)
    const attempt = await stage.begin(site)
    // What an honest site, to which the first one has sent the browser on, comes back with.
    failsWith(t, await stage.finish(attempt, { iss: other.origin }), 'VALIDATION_ERROR')
    t.is((await stage.flowOf(attempt)).status, 'failed')
  }
})

refused(
  "the parameters of one site's answer do not finish the flow of another, in the same browser",
  async (t, stage) => {
    const one = await stage.begin(stage.site)
    const two = await stage.begin(stage.other)
    const cookie = `${one.cookie}; ${two.cookie}`
    // The code and the issuer of the second with the state of the first.
    failsWith(t, await stage.finish({ ...one, cookie }, { iss: stage.other.origin }), 'VALIDATION_ERROR')
    t.is((await stage.flowOf(two)).status, 'pending')
  },
)

tried('two flows in one browser go each to its own site', async (t, stage) => {
  const one = await stage.begin(stage.site)
  const two = await stage.begin(stage.other)
  const cookie = `${one.cookie}; ${two.cookie}`
  const codes = [secretText('code'), secretText('code')] as const
  t.is((await stage.finish({ ...two, cookie }, { code: codes[1], iss: stage.other.origin })).status, 200)
  t.is((await stage.finish({ ...one, cookie }, { code: codes[0], iss: stage.site.origin })).status, 200)
  t.deepEqual(
    stage.site.tokenForms.map((form) => form.get('code')),
    [codes[0]],
  )
  t.deepEqual(
    stage.other.tokenForms.map((form) => form.get('code')),
    [codes[1]],
  )
})

refused('a manifest whose issuer is of another origin is invalid', async (t, stage) => {
  const { site, other, someone } = stage
  for (const issuer of [
    other.origin,
    site.origin.replace('127.0.0.1', 'localhost'),
    `${site.origin}?a=b`,
    'issuer',
    '',
  ]) {
    site.auth['issuer'] = issuer
    const { failure } = await call(someone, oauth.startOAuth, { body: { url: site.origin } })
    t.is(failure.code, 'MANIFEST_INVALID', issuer)
    t.true(pathsOf(failure).includes('auth.issuer'), issuer)
  }
})

// The code and PKCE

tried('a code is sent once, however often the browser comes back with it', async (t, stage) => {
  const attempt = await stage.begin()
  const parameters = { code: secretText('code'), state: attempt.state }
  const answers = await Promise.all(Array.from({ length: 5 }, () => stage.back(parameters, attempt)))
  answers.push(await stage.back(parameters, attempt))
  for (const { status, body } of answers) t.deepEqual([status, body], [200, answers[0]?.body])
  t.is(stage.site.tokenForms.length, 1)
  t.is((await stage.entriesOf()).length, 1)
  t.is((await stage.flowOf(attempt)).status, 'connected')
})

tried(
  'the verifier at the token address belongs to the S256 challenge, and no two flows share one',
  async (t, stage) => {
    const { site, platform } = stage
    site.token = answering({ error: 'invalid_grant' })
    const seen = { verifier: new Set<string>(), challenge: new Set<string>(), state: new Set<string>() }
    for (let round = 0; round < 8; round += 1) {
      const attempt = await stage.begin()
      const asked = attempt.location.searchParams
      await stage.finish(attempt)
      const form = site.tokenForms.at(-1)
      const verifier = form?.get('code_verifier') ?? ''
      t.regex(verifier, /^[\w.~-]{43,128}$/)
      t.is(asked.get('code_challenge'), createHash('sha256').update(verifier).digest('base64url'))
      t.is(asked.get('code_challenge_method'), 'S256')
      t.is(asked.get('response_type'), 'code')
      for (const [name, value] of Object.entries({
        verifier,
        challenge: asked.get('code_challenge'),
        state: attempt.state,
      }))
        seen[name as keyof typeof seen].add(value ?? '')
      for (const sent of [asked, form])
        t.deepEqual(sent?.getAll('redirect_uri'), [`${platform.url}/vault/oauth/callback`])
      t.is(form?.get('grant_type'), 'authorization_code')
      t.is(form?.get('client_id'), asked.get('client_id'))
      t.is(form?.get('client_secret'), null)
    }
    for (const values of Object.values(seen)) t.is(values.size, 8)
  },
)

refused(
  'a site cannot talk the platform out of S256, nor put another redirect URI into the request',
  async (t, stage) => {
    const { site, platform } = stage
    const query =
      'code_challenge_method=plain&code_challenge=x&redirect_uri=https://evil.example&state=s&response_type=token'
    Object.assign(site.auth, {
      authorization_url: `${site.origin}/authorize?tenant=7&${query}&client_id=other`,
      code_challenge_methods_supported: ['plain'],
      response_types_supported: ['token'],
      redirect_uri: 'https://evil.example',
    })
    const { location, state } = await stage.begin()
    const asked = location.searchParams
    t.is(asked.get('tenant'), '7')
    const fixed = { code_challenge_method: 'S256', response_type: 'code', state, client_id: 'switchyard' }
    for (const [name, value] of Object.entries({ ...fixed, redirect_uri: `${platform.url}/vault/oauth/callback` }))
      t.deepEqual(asked.getAll(name), [value], name)
    t.regex(asked.get('code_challenge') ?? '', /^[\w-]{43}$/)
  },
)

// What comes back with the browser

const markup = `<script>alert(1)</script><img src=x onerror="alert('2')">&amp;`

refused('an error of the site is shown as text, on the page and in the JSON, and cut to a length', async (t, stage) => {
  const description = `${markup}${'long '.repeat(2000)}\u202e\u0007`
  const asJson = await stage.begin()
  const json = await stage.finish(asJson, { error: `server_error${markup}`, error_description: description })
  failsWith(t, json, 'TOOL_EXECUTION_ERROR')
  t.true(json.body.error?.includes('<script>'), 'JSON needs no escaping')
  t.true((json.body.error ?? '').length < 1000)
  t.notRegex(json.body.error ?? '', /[^\x20-\x7e“”…]/)
  const asPage = await stage.begin()
  const parameters = { error: `server_error${markup}`, error_description: description }
  const page = await stage.finish(asPage, parameters, 'text/html,*/*;q=0.8')
  t.is(page.status, 502)
  t.regex(page.type, /^text\/html/)
  t.false(/<(?:script|img)/i.test(page.text))
  t.true(page.text.includes('&lt;script&gt;alert(1)&lt;/script&gt;'))
  t.true(page.text.length < 4000)
  for (const attempt of [asJson, asPage])
    t.like(await stage.flowOf(attempt), { status: 'failed', code: 'TOOL_EXECUTION_ERROR' })
})

refused('an error with an empty or strange name is an error all the same', async (t, stage) => {
  for (const error of ['x', '\u0000', 'access_denied ', '😀', 'a'.repeat(5000)])
    failsWith(t, await stage.finish(await stage.begin(), { error }), 'TOOL_EXECUTION_ERROR', error.slice(0, 20))
  failsWith(t, await stage.finish(await stage.begin(), { error: 'access_denied' }), 'PERMISSION_DENIED')
})

refused('a callback with both a code and an error connects nothing', async (t, stage) => {
  for (const error of ['access_denied', 'server_error']) {
    const attempt = await stage.begin()
    const answer = await stage.finish(attempt, { error })
    failsWith(t, answer, error === 'access_denied' ? 'PERMISSION_DENIED' : 'TOOL_EXECUTION_ERROR')
    t.is((await stage.flowOf(attempt)).status, 'failed')
  }
})

refused('a parameter that is there twice makes the whole answer void', async (t, stage) => {
  const { site } = stage
  for (const name of ['code', 'iss', 'error']) {
    const attempt = await stage.begin()
    const values: Record<string, string> = { code: secretText('code'), iss: site.origin, error: 'server_error' }
    const doubled = [values[name] ?? '', values[name] ?? ''].map((value): [string, string] => [name, value])
    const others: [string, string][] = [
      ['state', attempt.state],
      ...(name === 'iss' ? [['code', 'c'] as [string, string]] : []),
    ]
    const answer = await stage.back([...others, ...doubled], attempt)
    failsWith(t, answer, 'VALIDATION_ERROR', name)
    t.is((await stage.flowOf(attempt)).status, 'failed', name)
  }
})

refused('a callback without a code, or with an empty one, is refused', async (t, stage) => {
  for (const more of [[], [['code', '']], [['Code', 'c']], [['code[]', 'c']]] as [string, string][][]) {
    const attempt = await stage.begin()
    const answer = await stage.back([['state', attempt.state], ...more], attempt)
    failsWith(t, answer, 'VALIDATION_ERROR', JSON.stringify(more))
    t.deepEqual(pathsOf(answer.body), ['code'])
  }
})

refused('tokens in the address of the callback are refused', async (t, stage) => {
  for (const name of ['id_token', 'token', 'response'])
    failsWith(t, await stage.finish(await stage.begin(), { [name]: secretText('token') }), 'VALIDATION_ERROR', name)
})

// Where the code goes

refused('a token address outside the site gets nothing unless its host was accepted', async (t, stage) => {
  const { site, other, someone } = stage
  const foreign = other.origin.replace('127.0.0.1', 'localhost')
  for (const member of ['token_url', 'revocation_url', 'authorization_url']) {
    const before = site.auth[member]
    site.auth[member] = `${foreign}/token`
    for (const acceptHosts of [[], ['127.0.0.1'], ['localhost.example'], ['*']]) {
      const { failure } = await call(someone, oauth.startOAuth, { body: { url: site.origin, acceptHosts } })
      t.is(failure.code, 'VALIDATION_ERROR', member)
      t.deepEqual(pathsOf(failure), ['acceptHosts'])
      t.regex(failure.error, /localhost/)
    }
    site.auth[member] = before
  }
})

tried('a token address outside the site gets the code once its host was accepted', async (t, stage) => {
  const { site, other } = stage
  site.auth['token_url'] = `${other.origin.replace('127.0.0.1', 'localhost')}/token`
  const code = secretText('code')
  const answer = await stage.finish(await stage.begin(site, { acceptHosts: ['localhost'] }), { code })
  t.is(answer.status, 200)
  t.is(site.tokenForms.length, 0)
  t.deepEqual(
    other.tokenForms.map((form) => form.get('code')),
    [code],
  )
})

// The redirect URI

refused('the callback is at one address only, and requests to others use nothing up', async (t, stage) => {
  const attempt = await stage.begin()
  const search = `?code=c&state=${attempt.state}`
  const paths = [
    '/vault/oauth/callback//',
    '/vault/oauth/../oauth/callback',
    '/vault/oauth/Callback',
    '/VAULT/oauth/callback',
  ]
    .concat([
      '/vault/oauth//callback',
      '/vault/oauth/callback/x',
      '/vault/oauth/callback;a=b',
      '/vault/oauth/callback%2F',
    ])
    .concat([
      '/vault/oauth/./callback',
      '/vault/oauth/callback%20',
      '/vault/oauth/callback.json',
      '/x/..//vault/oauth/callback',
    ])
  for (const path of paths) {
    const headers = { cookie: attempt.cookie }
    const answer = await send(stage.platform.url, { path: path + search, headers })
    t.deepEqual([answer.status, answer.code], [404, 'NOT_FOUND'], path)
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const headers = { cookie: attempt.cookie }
    const answer = await send(stage.platform.url, { method, path: `/vault/oauth/callback${search}`, headers })
    if (method === 'OPTIONS') t.deepEqual([answer.status, answer.text], [204, ''])
    else t.is(answer.code, 'METHOD_NOT_ALLOWED', method)
  }
  t.is((await stage.flowOf(attempt)).status, 'pending')
})
