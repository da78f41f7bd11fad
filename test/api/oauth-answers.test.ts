import type { RequestListener } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import * as vault from '../../api/vault.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { tokenAnswer } from '../helpers/bare-oauth-site.ts'
import { call } from '../helpers/client.ts'
import { broken, nonsense, oversized, slow } from '../helpers/hostile-answers.ts'
import { answering } from '../helpers/hostile-site.ts'
import { shareOAuthPlatform, type OAuthStage } from './oauth-stage.ts'

/** What the token address may answer when a code comes, and what must come of it. */

/** Where the answer is to be judged by what it is, the time limit is far away: a busy machine must not decide. */
const patient = shareOAuthPlatform(test, 'token answers', { TOKEN_TIMEOUT_SECONDS: '20' })
const impatient = shareOAuthPlatform(test, 'slow token answers', { TOKEN_TIMEOUT_SECONDS: '1' })

/** Looks at what came of something; no secret may be in the log afterwards. */
function tried(title: string, work: (t: ExecutionContext, stage: OAuthStage) => Promise<void>, share = patient): void {
  const open = share()
  test(title, async (t) => {
    const stage = await open(t)
    await work(t, stage)
    stage.assertSilent()
  })
}

const markup = `<script>alert(1)</script><img src=x onerror="alert('2')">&amp;`

/** Comes back from the site when its token address answers so; what the flow says must be what the client is told. */
async function exchangeWith(t: ExecutionContext, stage: OAuthStage, answer: RequestListener) {
  stage.site.token = answer
  const attempt = await stage.begin()
  const back = await stage.finish(attempt)
  t.deepEqual(await stage.entriesOf(), [])
  const flow = await stage.flowOf(attempt)
  t.like(flow, { status: 'failed', entryId: null, code: back.body.code, message: back.body.error })
  return back
}

const good = tokenAnswer()
const without = (name: string) => Object.fromEntries(Object.entries(good).filter(([member]) => member !== name))

/** Answers of the token address that are no grant, though some nearly are. */
const noGrants: Record<string, RequestListener> = {
  'another type of token': answering({ ...good, token_type: 'mac' }),
  DPoP: answering({ ...good, token_type: 'DPoP' }),
  'no access token': answering(without('access_token')),
  'an empty access token': answering({ ...good, access_token: '' }),
  'an access token that is an object': answering({ ...good, access_token: { a: 1 } }),
  'line breaks in the access token': answering({ ...good, access_token: 'a\r\nX-Injected: yes' }),
  'a space in the access token': answering({ ...good, access_token: 'a b' }),
  'an access token that is not ASCII': answering({ ...good, access_token: 'caf\u00e9' }),
  'an access token with a NUL': answering({ ...good, access_token: 'a\0b' }),
  'an access token of 20 KB': answering({ ...good, access_token: 'a'.repeat(20_000) }),
  'an error with status 200': answering({ error: 'invalid_grant', error_description: 'Too late.' }),
  'an answer of 100 KB': answering({ ...good, padding: 'x'.repeat(100_000) }),
  'status 204': (_request, response) => void response.writeHead(204).end(),
}

tried('a token answer that is no grant connects nothing, and what it was is told', async (t, stage) => {
  for (const [name, answer] of Object.entries(noGrants)) {
    const { body } = await exchangeWith(t, stage, answer)
    t.is(body.code, 'TOOL_EXECUTION_ERROR', name)
  }
  t.is(stage.site.tokenForms.length, Object.keys(noGrants).length)
})

tried('a refusal of the code is told in words of the site, and nothing is connected', async (t, stage) => {
  const refusal = {
    error: 'invalid_grant',
    error_description: `The code is over”). ${markup}\n\u202eLog in at https://evil.example`,
  }
  for (const status of [400, 401, 403]) {
    const { body } = await exchangeWith(t, stage, (_request, response) => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(refusal))
    })
    t.is(body.code, 'TOOL_EXECUTION_ERROR', String(status))
    t.regex(body.error ?? '', /^The site answered “invalid_grant: The code is over'\)\. <script>[^“”\n\u202e]*”\.$/)
    t.notRegex(body.error ?? '', /:\/\/\S|\.example/)
  }
  for (const status of [404, 408, 429, 500, 502, 503]) {
    const { body } = await exchangeWith(t, stage, (_request, response) => void response.writeHead(status).end('<p>'))
    t.is(body.code, 'TOOL_EXECUTION_ERROR', String(status))
    t.regex(body.error ?? '', new RegExp(String(status)))
  }
})

tried('a refusal that quotes what was sent is told without it', async (t, stage) => {
  const quoting: RequestListener = (_request, response) => {
    const sent = stage.site.tokenForms.at(-1)
    const [code = '', verifier = ''] = ['code', 'code_verifier'].map((name) => sent?.get(name) ?? '')
    const refusal = { error: 'invalid_grant', error_description: `${code} with ${verifier} is over` }
    response.writeHead(400, { 'Content-Type': 'application/json' }).end(JSON.stringify(refusal))
  }
  const { body } = await exchangeWith(t, stage, quoting)
  t.is(body.error, 'The site answered “invalid_grant: [token] with [token] is over”.')
})

tried('a site that grants more than was asked for gives no more than that', async (t, stage) => {
  stage.site.token = answering(tokenAnswer({ scope: 'read write delete admin' }))
  const entryId = await stage.connect(stage.site, { tools: ['act'] })
  const { body } = await call(stage.someone, vault.getVaultEntry, { params: { entryId } })
  t.deepEqual(body.scopes, ['read'])
  const used = await call(stage.someone, vault.callTool, { params: { entryId, toolName: 'change' }, body: {} })
  t.is(used.failure.code, 'PERMISSION_DENIED')
  t.deepEqual(stage.site.toolTokens, [])
})

const expecting =
  (status: number, headers: Record<string, string>): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, headers).end('{}')

tried('a token address that asks for a client secret is refused without one', async (t, stage) => {
  const challenge = expecting(401, { 'WWW-Authenticate': `Basic realm="${markup}"` })
  t.is((await exchangeWith(t, stage, challenge)).body.code, 'TOOL_EXECUTION_ERROR')
})

tried(
  'what a refusal says of itself is told, whatever type it has and however it asks for a client',
  async (t, stage) => {
    const { body } = await exchangeWith(t, stage, (_request, response) => {
      const headers = { 'WWW-Authenticate': 'Basic realm="x"', 'Content-Type': 'text/html' }
      response.writeHead(401, headers).end('{"error":"invalid_client","error_description":{"not":"a text"}}')
    })
    t.regex(body.error ?? '', /^The site answered “invalid_client”\. It does not accept the platform's client id/)
  },
)

const kinds: { what: string; answers: Record<string, RequestListener>; code: ErrorCode; share?: typeof patient }[] = [
  { what: 'too large', answers: oversized, code: 'TOOL_EXECUTION_ERROR' },
  { what: 'broken', answers: broken, code: 'SITE_UNAVAILABLE' },
  { what: 'nonsense', answers: nonsense, code: 'TOOL_EXECUTION_ERROR' },
  { what: 'slow', answers: slow, code: 'SITE_UNAVAILABLE', share: impatient },
]

for (const { what, answers, code, share } of kinds) {
  tried(
    `a token answer that is ${what} connects nothing, and ends in time`,
    async (t, stage) => {
      const limit = stage.platform.config.sites.tokenTimeoutSeconds + 5
      for (const [name, answer] of Object.entries(answers)) {
        const began = performance.now()
        t.is((await exchangeWith(t, stage, answer)).body.code, code, name)
        t.true(performance.now() - began < limit * 1000, `${name} took too long`)
      }
    },
    share,
  )
}

const year = 365 * 86_400

/** Lifetimes as sites write them, and how many seconds they come to; undefined where they say nothing. */
const lifetimes: [unknown, number | undefined][] = [
  [undefined, undefined],
  [null, undefined],
  [0, undefined],
  [-1, undefined],
  ['0', undefined],
  ['soon', undefined],
  ['', undefined],
  [true, undefined],
  [{}, undefined],
  [3600, 3600],
  ['3600', 3600],
  [0.5, 1],
  [1e12, year],
  ['9007199254740993', year],
]

tried('a strange lifetime costs no grant: what cannot be believed counts as none', async (t, stage) => {
  for (const [written, seconds] of lifetimes) {
    stage.site.token = answering(tokenAnswer({ expires_in: written }))
    const before = Date.now()
    const entryId = await stage.connect()
    const { body } = await call(stage.someone, vault.getVaultEntry, { params: { entryId } })
    const left = body.expiresAt === null ? undefined : (Date.parse(body.expiresAt) - before) / 1000
    const note = JSON.stringify(written)
    if (seconds === undefined) t.is(left, undefined, note)
    else t.true(left !== undefined && left >= seconds - 1 && left < seconds + 10, `${note}: ${left}`)
    const used = await call(stage.someone, vault.callTool, { params: { entryId, toolName: 'act' }, body: {} })
    t.is(used.status, 200, note)
    await call(stage.someone, vault.removeFromVault, { params: { entryId } })
  }
})

tried('a grant that cannot be kept is given back to the site', async (t, stage) => {
  const first = await stage.begin()
  const second = await stage.begin()
  t.is((await stage.finish(first)).status, 200)
  const late = tokenAnswer()
  stage.site.token = answering(late)
  const answer = await stage.finish(second)
  t.is(answer.body.code, 'TOKEN_EXISTS')
  t.deepEqual(
    stage.site.revokeForms.map((form) => form.get('token')),
    [late.refresh_token],
  )
  t.is((await stage.entriesOf()).length, 1)
  t.like(await stage.flowOf(second), { status: 'failed', code: 'TOKEN_EXISTS' })
})
