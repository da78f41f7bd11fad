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
import { oauthStages, type Back, type OAuthStage } from './oauth-stage.ts'
import { send } from './raw-http.ts'

/** Attacks on connecting a site by OAuth, up to the moment when the grant is kept. */

type Work = (t: ExecutionContext, stage: OAuthStage) => Promise<void>

const open = oauthStages(test)

/** Tries something whose outcome the test looks at; no secret may be in the log afterwards. */
function tried(title: string, work: Work): void {
  test(title, async (t) => {
    const stage = await open(t)
    await work(t, stage)
    stage.assertSilent()
  })
}

/** An attack that must leave nothing behind: no entry, no request for tokens, no secret in the log. */
const refused = (title: string, work: Work): void =>
  tried(title, async (t, stage) => {
    await work(t, stage)
    await stage.assertNothingDone()
  })

const failsWith = (t: ExecutionContext, { status, body }: Back, code: ErrorCode, note?: string) =>
  t.deepEqual([body.code, status], [code, body.statusCode ?? 0], note)

const pathsOf = ({ details = [] }: Partial<Failure>): string[] => details.map(({ path }) => path)

// State, browser and time

tried('only the right state finishes a flow, and its code is sent once, however often it comes', async (t, stage) => {
  const attempt = await stage.begin()
  const { state, cookie } = attempt
  const wrong: [string, string][][] = [
    [],
    [['state', '']],
    [['state', `${state}x`]],
    [['state', state.replace('sy_state_', 'sy_ticket_')]],
    [['state', 'other'], ['state', state]], // prettier-ignore
  ]
  for (const states of wrong) {
    const answer = await stage.back([['code', secretText('code')], ...states], { cookie })
    failsWith(t, answer, 'VALIDATION_ERROR', JSON.stringify(states))
    t.deepEqual(pathsOf(answer.body), ['state'])
  }
  t.like(await stage.flowOf(attempt), { status: 'pending', code: null })
  await stage.assertNothingDone()
  const parameters = { code: secretText('code'), state }
  const answers = await Promise.all(Array.from({ length: 5 }, () => stage.back(parameters, attempt)))
  answers.push(await stage.back(parameters, attempt))
  for (const { status, body } of answers) t.deepEqual([status, body], [200, answers[0]?.body])
  t.is(stage.site.tokenForms.length, 1)
  t.is((await stage.entriesOf()).length, 1)
  t.is((await stage.flowOf(attempt)).status, 'connected')
})

/** The value of one cookie under the name of another. */
const renamed = (value: string, name: string): string => `${name.split('=')[0]}=${value.split('=')[1]}`

refused("nobody finishes or sees a flow of somebody else's in a browser of their own", async (t, stage) => {
  const mallory = await person(stage.platform)
  const hers = await stage.begin(stage.site, {}, mallory)
  const mine = await stage.begin()
  for (const cookie of [mine.cookie, '', `${hers.cookie.split('=')[0]}=`, renamed(mine.cookie, hers.cookie)]) {
    const answer = await stage.finish({ ...hers, cookie })
    failsWith(t, answer, 'VALIDATION_ERROR', cookie)
    t.regex(answer.body.error ?? '', /another browser/)
  }
  for (const attempt of [hers, mine]) t.is((await stage.flowOf(attempt)).status, 'pending')
  t.deepEqual(await stage.entriesOf(mallory), [])
  const seen = await call(mallory, oauth.getOAuthFlow, { params: { flowId: mine.flowId } })
  t.is(seen.failure.code, 'NOT_FOUND')
})

tried(
  'an address to connect by that was opened is good in no second browser, and stays so in the first',
  async (t, stage) => {
    const { body } = await call(stage.someone, oauth.startOAuth, { body: { url: stage.site.origin } })
    const opened = await comeBack(stage.platform, body.connectUrl, '')
    const [line = '', ...more] = opened.headers.getSetCookie()
    t.deepEqual(more, [])
    for (const part of [/; path=\/vault\/oauth(;|$)/i, /; httponly/i, /; samesite=lax/i, /; expires=/i])
      t.regex(line, part)
    t.notRegex(line, /; domain=/i)
    t.is(opened.headers.get('referrer-policy'), 'no-referrer')
    t.is(opened.headers.get('cache-control'), 'no-store')

    const attempt = await stage.begin()
    for (const cookie of ['', renamed(secretText('binding'), attempt.cookie)]) {
      const second = await comeBack(stage.platform, attempt.connectUrl, cookie)
      t.deepEqual([second.status, second.headers.get('location'), second.headers.getSetCookie()], [400, null, []])
      t.like(await second.json(), { code: 'VALIDATION_ERROR', details: [{ path: 'ticket' }] })
    }
    const again = await stage.open(stage.someone, attempt.connectUrl, attempt.cookie)
    t.deepEqual([again.cookie, again.location.href], [attempt.cookie, attempt.location.href])
    t.is((await stage.finish(attempt)).status, 200)
    t.is((await stage.finish({ ...again, flowId: attempt.flowId })).status, 200)
    t.is(stage.site.tokenForms.length, 1, 'once')
  },
)

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const markup = `<script>alert(1)</script><img src=x onerror="alert('2')">&amp;`

/** What a browser has that was shown the page before the site's sign-in. */
async function seePage(t: ExecutionContext, { platform }: OAuthStage, address: string, given = '', headers = html) {
  const response = await comeBack(platform, address, given, headers)
  const page = await response.text()
  t.deepEqual([response.status, response.headers.get('location')], [200, null])
  t.regex(response.headers.get('content-type') ?? '', /^text\/html/)
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
  for (const accept of ['*/*', 'text/html, application/json', 'application/json;q=0.1, */*'])
    await seePage(t, stage, body.connectUrl, '', { accept })
  const { page, cookie, link } = await seePage(t, stage, body.connectUrl)
  t.true(page.includes(`${site.origin} will be connected to the vault of the account `))
  t.true(page.includes('on your behalf: search and read, create and change things.'))
  t.true(page.includes('<h1>Connect “Site &lt;script&gt;'))
  t.false(/<(?:script|img)/i.test(page))
  for (const address of [body.connectUrl, link]) {
    const head = await fetch(address, { method: 'HEAD', redirect: 'manual', headers: { cookie, ...html } })
    t.deepEqual([head.status, head.headers.getSetCookie(), head.headers.get('location')], [200, [], null])
  }
  t.false(await bound(stage))
  const second = await seePage(t, stage, body.connectUrl, cookie)
  t.deepEqual([second.cookie, second.link], [cookie, link], 'two tabs of one browser')
  const [gone, again] = [await comeBack(platform, link, cookie, html), await comeBack(platform, link, cookie, html)]
  t.is(gone.status, 303)
  t.is(gone.headers.getSetCookie()[0]?.split(';', 1)[0], cookie)
  const location = gone.headers.get('location') ?? ''
  t.true(location.startsWith(`${site.origin}/authorize?`))
  t.is(again.headers.get('location'), location)
  t.true(await bound(stage))
  const elsewhere = await comeBack(platform, body.connectUrl, '', html)
  t.is(elsewhere.status, 400)
  t.false((await elsewhere.text()).includes(someone.email))
  const state = new URL(location).searchParams.get('state') ?? ''
  const query = new URLSearchParams({ code: secretText('code'), state }).toString()
  const head = { method: 'HEAD', headers: { cookie } }
  t.is((await fetch(`${platform.url}/vault/oauth/callback?${query}`, head)).status, 200)
  t.is((await stage.flowOf({ someone, flowId: body.id })).status, 'pending', 'HEAD uses nothing up')
})

refused('nobody can send an address that leaves the page out', async (t, stage) => {
  const { site, someone, platform } = stage
  const { body } = await call(someone, oauth.startOAuth, { body: { url: site.origin } })
  const [hers, mine] = [await seePage(t, stage, body.connectUrl), await seePage(t, stage, body.connectUrl)]
  const seenOf = ({ link }: { link: string }): string => new URL(link).searchParams.get('seen') ?? ''
  t.not(seenOf(hers), seenOf(mine))
  t.not(hers.cookie, mine.cookie)
  const tries: [seen: string, cookie: string][] = [
    ['', mine.cookie],
    [seenOf(hers), ''],
    [seenOf(hers), mine.cookie],
    [mine.cookie.split('=')[1] ?? '', mine.cookie],
    [seenOf(mine).replace('sy_seen_', 'sy_state_'), mine.cookie],
    // What is no cookie of ours binds nothing, nor can a word be derived from it.
    [seenOf(hers), `${mine.cookie.split('=')[0]}=chosen`],
  ]
  for (const [seen, cookie] of tries) {
    const again = await seePage(t, stage, `${body.connectUrl}&seen=${seen}`, cookie)
    t.is(again.cookie === mine.cookie, cookie === mine.cookie, seen)
    t.true(again.page.includes('allow cookies'), seen)
  }
  // The word of another flow's page, with the cookies of both.
  const other = await call(someone, oauth.startOAuth, { body: { url: site.origin } })
  const second = await seePage(t, stage, other.body.connectUrl, mine.cookie)
  const both = `${mine.cookie}; ${second.cookie}`
  await seePage(t, stage, `${body.connectUrl}&seen=${seenOf(second)}`, both)
  t.false(await bound(stage))
  t.is((await comeBack(platform, mine.link, both, html)).status, 303)
})

refused('a ticket that is none opens nothing, and a flow is over after ten minutes', async (t, stage) => {
  const { platform } = stage
  const go = (query: string) => comeBack(platform, `${platform.url}/vault/oauth/go${query}`, '')
  for (const ticket of [secretText('ticket'), `sy_ticket_${'a'.repeat(43)}`, 'sy_state_'])
    t.like(await (await go(`?ticket=${ticket}`)).json(), { code: 'NOT_FOUND' }, ticket)
  for (const query of ['', '?ticket=%00', '?ticket=a&ticket=b'])
    t.like(await (await go(query)).json(), { code: 'VALIDATION_ERROR' }, query)

  const attempt = await stage.begin()
  const left = Date.parse((await stage.flowOf(attempt)).expiresAt) - Date.now()
  t.true(left > 9 * 60_000 && left <= 10 * 60_000)
  const over = { expires_at: new Date(Date.now() - 1) }
  await platform.services.database('oauth_flows').where({ id: attempt.flowId }).update(over)
  const answer = await stage.finish(attempt)
  failsWith(t, answer, 'VALIDATION_ERROR')
  t.regex(answer.body.error ?? '', /This link has expired/)
  const opened = await comeBack(platform, attempt.connectUrl, attempt.cookie)
  t.like(await opened.json(), { code: 'VALIDATION_ERROR', details: [{ path: 'ticket' }] })
  t.like(await stage.flowOf(attempt), { status: 'expired', entryId: null })
})

// The issuer

refused(
  'an issuer that is not the one declared, or of another origin, is refused before any request',
  async (t, stage) => {
    const { site, other } = stage
    const declared = [other.origin, `${site.origin}/other`, site.origin.replace('https', 'http'), 'null', undefined, '']
    const undeclared = [other.origin, `https://${site.host}.example`, `${site.origin}@${other.host}`, 'no address']
    for (const [issuer, sent] of [
      [site.origin, declared],
      [undefined, undeclared],
    ] as const) {
      site.auth['issuer'] = issuer
      for (const iss of sent) {
        const attempt = await stage.begin()
        const answer = await stage.finish(attempt, iss === undefined ? {} : { iss })
        failsWith(t, answer, 'VALIDATION_ERROR', iss)
        t.deepEqual(pathsOf(answer.body), ['iss'])
        t.like(await stage.flowOf(attempt), { status: 'failed', code: 'VALIDATION_ERROR', entryId: null })
        t.is((await stage.finish(attempt, { iss: site.origin })).status, 400, 'a failed flow is not taken up again')
      }
    }
  },
)

tried('an issuer may be written in another way, or be absent, and what is wrong with one is told', async (t, stage) => {
  const { site, other } = stage
  t.is((await stage.finish(await stage.begin(other))).status, 200)
  site.auth['issuer'] = `${site.origin}/tenant`
  const { body } = await stage.finish(await stage.begin(), { iss: other.origin })
  t.is(
    body.error,
    `The site sent the \`iss\` ${quotedWords(other.origin)}. Its manifest declares the \`issuer\` ${quotedWords(`${site.origin}/tenant`)}. The site owner must make the two match.`,
  )
  const iss = `${site.origin.toUpperCase()}/tenant/`
  t.is((await stage.finish(await stage.begin(), { iss })).status, 200)
})

tried(
  'two flows in one browser go each to its own site, and neither by what the other came back with',
  async (t, stage) => {
    const { site, other } = stage
    const [one, two] = [await stage.begin(site), await stage.begin(other)]
    const cookie = `${one.cookie}; ${two.cookie}`
    // The code and the issuer of the second with the state of the first.
    failsWith(t, await stage.finish({ ...one, cookie }, { iss: other.origin }), 'VALIDATION_ERROR')
    t.is((await stage.flowOf(two)).status, 'pending')
    await stage.assertNothingDone()
    const three = await stage.begin(site)
    const codes = [secretText('code'), secretText('code')] as const
    const all = `${cookie}; ${three.cookie}`
    t.is((await stage.finish({ ...two, cookie: all }, { code: codes[1], iss: other.origin })).status, 200)
    t.is((await stage.finish({ ...three, cookie: all }, { code: codes[0], iss: site.origin })).status, 200)
    const codesAt = ({ tokenForms }: typeof site) => tokenForms.map((form) => form.get('code'))
    t.deepEqual([codesAt(site), codesAt(other)], [[codes[0]], [codes[1]]])
  },
)

// PKCE

tried(
  'the verifier belongs to the S256 challenge, and the site can change neither that nor where the code goes',
  async (t, stage) => {
    const { site, platform } = stage
    site.token = answering({ error: 'invalid_grant' })
    const query =
      'code_challenge_method=plain&code_challenge=x&redirect_uri=https://evil.example&state=s&response_type=token'
    Object.assign(site.auth, {
      authorization_url: `${site.origin}/authorize?tenant=7&${query}&client_id=other`,
      code_challenge_methods_supported: ['plain'],
      redirect_uri: 'https://evil.example',
    })
    const redirectUri = `${platform.url}/vault/oauth/callback`
    const seen = new Set<string>()
    for (let round = 0; round < 2; round += 1) {
      const attempt = await stage.begin()
      const asked = attempt.location.searchParams
      await stage.finish(attempt)
      const form = site.tokenForms.at(-1)
      const verifier = form?.get('code_verifier') ?? ''
      t.regex(verifier, /^[\w.~-]{43,128}$/)
      const challenge = createHash('sha256').update(verifier).digest('base64url')
      const shared = { client_id: 'switchyard', redirect_uri: redirectUri }
      const expected = {
        ...shared,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        response_type: 'code',
        state: attempt.state,
        tenant: '7',
      }
      for (const [name, value] of Object.entries(expected)) t.deepEqual(asked.getAll(name), [value], name)
      const sent = { grant_type: 'authorization_code', ...shared }
      for (const [name, value] of Object.entries(sent)) t.deepEqual(form?.getAll(name), [value], name)
      t.is(form?.get('client_secret'), null)
      for (const value of [verifier, challenge, attempt.state]) seen.add(value)
    }
    t.is(seen.size, 6, 'no two flows share one')
  },
)

// What comes back with the browser

refused('an error of the site is shown as text, on the page and in the JSON, and cut to a length', async (t, stage) => {
  const parameters = {
    error: `server_error${markup}`,
    error_description: `${markup}${'long '.repeat(2000)}\u202e\u0007`,
  }
  const [asJson, asPage] = [await stage.begin(), await stage.begin()]
  const json = await stage.finish(asJson, parameters)
  failsWith(t, json, 'TOOL_EXECUTION_ERROR')
  t.true(json.body.error?.includes('<script>'), 'JSON needs no escaping')
  t.true((json.body.error ?? '').length < 1000)
  t.notRegex(json.body.error ?? '', /[^\x20-\x7e“”…]/)
  const page = await stage.finish(asPage, parameters, 'text/html,*/*;q=0.8')
  t.is(page.status, 502)
  t.regex(page.type, /^text\/html/)
  t.false(/<(?:script|img)/i.test(page.text))
  t.true(page.text.includes('&lt;script&gt;alert(1)&lt;/script&gt;'))
  t.true(page.text.length < 4000)
  for (const attempt of [asJson, asPage])
    t.like(await stage.flowOf(attempt), { status: 'failed', code: 'TOOL_EXECUTION_ERROR' })
})

const code: [string, string] = ['code', 'c']
const denied: [string, string] = ['error', 'access_denied']
/** What comes back beside the state, and what is said of it; nothing connects. */
const answers: [parameters: [string, string][], code: ErrorCode, path?: string][] = [
  [[], 'VALIDATION_ERROR', 'code'],
  [[['code', '']], 'VALIDATION_ERROR', 'code'],
  [[code, code], 'VALIDATION_ERROR'],
  [[code, ['iss', 'i'], ['iss', 'i']], 'VALIDATION_ERROR'],
  [[denied, denied], 'VALIDATION_ERROR'],
  [[code, ['id_token', 't']], 'VALIDATION_ERROR'],
  [[code, ['response', 't']], 'VALIDATION_ERROR'],
  [[code, denied], 'PERMISSION_DENIED'],
  [[denied, ['iss', 'https://other.example']], 'PERMISSION_DENIED'],
  [[['error', '\0']], 'TOOL_EXECUTION_ERROR'],
]

refused('an answer that is incomplete, doubled, a refusal or has tokens in it connects nothing', async (t, stage) => {
  for (const [parameters, expected, path] of answers) {
    const note = JSON.stringify(parameters)
    const attempt = await stage.begin()
    const all: [string, string][] = [['state', attempt.state], ...parameters]
    const first = await stage.back(all, attempt)
    failsWith(t, first, expected, note)
    if (path !== undefined) t.deepEqual(pathsOf(first.body), [path], note)
    t.is((await stage.flowOf(attempt)).status, 'failed', note)
    if (expected === 'PERMISSION_DENIED') {
      t.regex(first.body.error ?? '', /^Access was denied at the site/, note)
      t.deepEqual((await stage.back(all, attempt)).body, first.body, 'the page is loaded again')
    }
  }
})

tried('a token address outside the site gets the code only once its host was accepted', async (t, stage) => {
  const { site, other, someone } = stage
  const foreign = other.origin.replace('127.0.0.1', 'localhost')
  for (const member of ['revocation_url', 'authorization_url', 'token_url']) {
    const before = site.auth[member]
    site.auth[member] = `${foreign}/token`
    for (const acceptHosts of [[], ['127.0.0.1'], ['*']]) {
      const { failure } = await call(someone, oauth.startOAuth, { body: { url: site.origin, acceptHosts } })
      t.is(failure.code, 'VALIDATION_ERROR', member)
      t.deepEqual(pathsOf(failure), ['acceptHosts'])
      t.regex(failure.error, /localhost/)
    }
    if (member !== 'token_url') site.auth[member] = before
  }
  await stage.assertNothingDone()
  const sent = secretText('code')
  const answer = await stage.finish(await stage.begin(site, { acceptHosts: ['localhost'] }), { code: sent })
  t.is(answer.status, 200)
  t.is(site.tokenForms.length, 0)
  t.deepEqual(other.tokenForms.map((form) => form.get('code')), [sent]) // prettier-ignore
})

tried(
  'the callback is at one address only, and neither other addresses nor a prefetch use anything up',
  async (t, stage) => {
    const { platform, site } = stage
    const attempt = await stage.begin()
    const query = new URLSearchParams({ code: secretText('code'), state: attempt.state }).toString()
    const { cookie } = attempt
    for (const end of ['callback//', 'Callback', 'callback/x', '/callback', './callback', 'callback%2F']) {
      const answer = await send(platform.url, { path: `/vault/oauth/${end}?${query}`, headers: { cookie } })
      t.deepEqual([answer.status, answer.code], [404, 'NOT_FOUND'], end)
    }
    const posted = await send(platform.url, {
      method: 'POST',
      path: `/vault/oauth/callback?${query}`,
      headers: { cookie },
    })
    t.is(posted.code, 'METHOD_NOT_ALLOWED')
    const address = `${platform.url}/vault/oauth/callback?${query}`
    const purposes = { 'sec-purpose': 'prerender', purpose: 'prefetch', 'x-purpose': 'preview', 'x-moz': 'prefetch' }
    for (const [name, value] of Object.entries(purposes)) {
      const early = await comeBack(platform, address, cookie, { [name]: value })
      t.deepEqual([early.status, early.headers.get('cache-control')], [503, 'no-store'], name)
    }
    t.is(site.tokenForms.length, 0)
    t.is((await stage.flowOf(attempt)).status, 'pending')
    t.is((await comeBack(platform, address, cookie)).status, 200)
  },
)
