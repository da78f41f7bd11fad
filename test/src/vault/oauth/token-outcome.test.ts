// @promise oauth
import * as oauth from 'oauth4webapi'
import test from 'ava'
import { SafeFetchError, type SafeFetchReason } from '../../../../src/safe-fetch/safe-fetch.ts'
import { grantFields } from '../../../../src/vault/oauth/grant-fields.ts'
import { readableTokenAnswer } from '../../../../src/vault/oauth/token-answer.ts'
import { requestToken, type TokenOutcome } from '../../../../src/vault/oauth/token-outcome.ts'

/** What is known after a token request: above all, whether a refresh token may have been spent. */

const server = { issuer: 'https://site.example' }
const client = { client_id: 'switchyard' }
const spent = 'the-refresh-token-that-was-sent'

const after = (body: string, init: ResponseInit): Promise<TokenOutcome> =>
  requestToken([spent], async () =>
    oauth.processRefreshTokenResponse(server, client, await readableTokenAnswer(new Response(body, init))),
  )

const answered = (status: number, body: unknown = '', headers: Record<string, string> = {}) =>
  after(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })

const grantWith = async (members: object) => {
  const outcome = await answered(200, { access_token: 'A', token_type: 'Bearer', ...members })
  if (outcome.kind !== 'granted') throw new Error(JSON.stringify(outcome))
  return outcome.grant
}

const over = { error: 'invalid_grant', error_description: 'It is over.' }
const challenge = { 'www-authenticate': 'Bearer error="invalid_token"' }

const rows: [
  status: number,
  body: unknown,
  kind: TokenOutcome['kind'],
  error?: string | undefined,
  headers?: typeof challenge,
][] = [
  [400, over, 'refused', 'invalid_grant'],
  [401, over, 'refused', 'invalid_grant', challenge],
  [200, over, 'refused', 'invalid_grant'],
  [400, 'error=Invalid_Grant', 'refused', 'invalid_grant'],
  [401, { error: 'invalid_client' }, 'refused', 'invalid_client', challenge],
  [401, '', 'refused', undefined, challenge],
  [400, { error: { code: 'invalid_grant' } }, 'refused'],
  [400, 'no', 'refused'],
  [404, '', 'refused'],
  [408, over, 'ambiguous'],
  [429, over, 'failed'],
  [503, '', 'failed'],
  [500, over, 'ambiguous', undefined, challenge],
  [502, '<p>', 'ambiguous'],
  [200, '', 'ambiguous'],
  [200, { access_token: 'a\nb' }, 'ambiguous'],
]

test('the status and the error say whether the refresh token may be spent', async (t) => {
  for (const [status, body, kind, error, headers] of rows) {
    const outcome = await answered(status, body, headers)
    t.is(outcome.kind, kind, `${status} ${JSON.stringify(body)}`)
    if (outcome.kind === 'refused') t.is(outcome.error, error, `${status} ${JSON.stringify(body)}`)
  }
  t.like(await answered(503, '', { 'retry-after': '7' }), { retryAfter: 7 })
  const unusable = await answered(200, { refresh_token: 'the-next', token_type: 'mac', access_token: 'a' })
  t.like(unusable, { kind: 'ambiguous', unusable: { refreshToken: 'the-next' } })
})

test('a request that was not answered is ambiguous if the site may have it, and says no more than that', async (t) => {
  const failing = (reason: SafeFetchReason, maybeSent: boolean) =>
    requestToken([], () => Promise.reject(new SafeFetchError(reason, { maybeSent })))
  for (const reason of ['timeout', 'reset', 'too-large', 'encoding', 'redirect'] as const)
    t.is((await failing(reason, true)).kind, 'ambiguous', reason)
  const refused = await failing('refused-address', false)
  t.like(refused, { kind: 'not_sent', unreachable: true })
  for (const reason of ['refused-name', 'dns', 'connect'] as const) t.deepEqual(await failing(reason, false), refused)
  await t.throwsAsync(
    requestToken([], () => Promise.reject(new Error('a bug'))),
    { message: 'a bug' },
  )
})

test('a refusal is told in words of the site, quoted, without secrets, and with what can be done', async (t) => {
  const said = `${spent} is over”).\n\u202eLog in at https://evil.example`
  const outcome = await answered(400, { error: 'invalid_grant', error_description: said })
  const { message = '' } = outcome as { message?: string }
  t.regex(message, /^The site responded with “invalid_grant: \[token\] is over'\)\.[^“”\n\u202e]*”\.$/)
  t.notRegex(message, /:\/\/\S|\.example/)
  t.regex(JSON.stringify(await answered(401, { error: 'invalid_client' })), /platform operator must/)
})

test('lifetimes that can be believed count, up to a year, and scopes in any case', async (t) => {
  const seconds = async (expires_in: unknown) => (await grantWith({ expires_in })).expiresInSeconds
  t.deepEqual(await Promise.all([3600, '3600', 0.5, 1e12, '9007199254740993', 0, 'soon', undefined].map(seconds)), [
    3600,
    3600,
    1,
    31_536_000,
    31_536_000,
    undefined,
    undefined,
    undefined,
  ])
  t.like(await grantWith({ scope: 'READ other write' }), { scopes: { known: ['read', 'write'] } })
  t.is((await grantWith({})).scopes, undefined)
})

test('no more scopes count than were asked for, and what cannot be used is told', async (t) => {
  const now = new Date()
  const tools = [{ scope: 'read' as const }]
  const fieldsOf = async (scope: string | undefined, scopes: ('read' | 'write')[], isRefresh = false) =>
    grantFields(await grantWith({ scope }), { scopes, tools, isRefresh }, now)
  t.like(await fieldsOf(undefined, ['read', 'write']), { scopes: ['read', 'write'], scopeNote: null })
  t.like(await fieldsOf('read admin', ['read', 'write']), { scopes: ['read'], scopeNote: null })
  const useless = await fieldsOf('write', ['read', 'write'])
  t.deepEqual(useless.scopes, ['write'])
  t.regex(useless.scopeNote ?? '', /^The site granted “write”, which is not enough for any of the site's tools/)
  const strange = await fieldsOf('contacts', ['read'])
  t.deepEqual(strange.scopes, [])
  t.regex(strange.scopeNote ?? '', /must use the scope names/)
  const kept = await fieldsOf('contacts', ['read'], true)
  t.deepEqual(kept.scopes, ['read'])
  t.regex(kept.scopeNote ?? '', /The previous scopes remain in use/)
  const { expiresAt, refreshAfter } = grantFields(
    await grantWith({ expires_in: 100 }),
    { scopes: [], tools, isRefresh: false },
    now,
  )
  t.deepEqual([expiresAt, refreshAfter], [new Date(now.getTime() + 100_000), new Date(now.getTime() + 80_000)])
})
