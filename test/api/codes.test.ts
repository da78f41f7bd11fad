// @promise chat-codes codes
import test from 'ava'
import { codesOf, isOfOwner, isOfUser, limitOf, needsOf, needsTerms } from '../../api/route/route-rules.ts'
import type { AnyRoute } from '../../api/route/route.ts'
import { routes } from '../../api/routes.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { setUpTotp } from '../helpers/authenticator.ts'
import { call, type Answer } from '../helpers/client.ts'
import { newcomer, person } from '../helpers/people.ts'
import { sessionOf, withToken } from '../helpers/sessions.ts'
import { openConnectUrl } from '../helpers/connect.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import * as oauth from '../../api/oauth.ts'
import * as sessions from '../../api/sessions.ts'
import { newToken } from '../../src/secrets/opaque-tokens.ts'
import { firstTime } from './first-time.ts'
import { createProvoke } from './provoke.ts'
import { allowedTo, bodyWithin, openStage, paramsOf, secretOf, validBodies, validQueries } from './stage.ts'

/*
 * The codes that follow from the declaration of a route, on one route of each kind: what a route is declared to be is held
 * against lists elsewhere (permissions, limits). Codes that a route names itself are proved by the tests of what
 * it does, and each of the 41 by the conformance check.
 */

const open = forWholeFile(test, 'every route', openStage)

const outcomeOf = (answer: Answer<unknown>): string => (answer.status < 400 ? 'done' : answer.failure.code)

/** Their tests have them: one is there with Stripe only, one would end the session of all others. */
const elsewhere = new Set(['receiveStripeEvent', 'endCurrentSession'])

/** The codes that the declaration implies; what the route names itself depends on more than that. */
function implied(route: AnyRoute): ErrorCode[] {
  if (elsewhere.has(route.name)) return []
  const named = [...(route.codes ?? []), ...(route.proof?.codes ?? [])]
  // What becomes of sessions without terms is below; of a transfer or an app an API key learns only if there is one.
  if (route.proof?.account) named.push('TERMS_NOT_ACCEPTED')
  if (route.name.endsWith('Transfer') || route.name === 'disconnectApp') named.push('PERMISSION_DENIED')
  return codesOf(route).filter((code) => !named.includes(code))
}

/** What decides whether and where a route can fail with a code; of routes that are alike in it, the first is tried. */
function kindOf(route: AnyRoute, code: ErrorCode): string {
  const { access, method, proof, browser, rawBody, body, needsPayments, whenClosed, whileClosing } = route
  const caller = [access, proof?.account?.header]
  const about = [isOfOwner(route) && needsOf(route), route.owner, whenClosed, isOfUser(route), method === 'get']
  const more: Partial<Record<ErrorCode, unknown[]>> = {
    PERMISSION_DENIED: [...about, whileClosing],
    WORKSPACE_REQUIRED: about,
    WORKSPACE_NOT_FOUND: about,
    TERMS_NOT_ACCEPTED: [method === 'get'],
    RATE_LIMITED: [limitOf(route)],
    VALIDATION_ERROR: [method, browser, Boolean(rawBody), Boolean(body)],
    INTERNAL_ERROR: [limitOf(route), browser],
    NOT_FOUND: [needsPayments ?? route.name],
  }
  return JSON.stringify([...caller, ...(more[code] ?? (code.endsWith('_FOUND') ? [route.name] : []))])
}

// The client throws on an answer that is not declared.
test.serial('a route answers with each code that its declaration implies', async (t) => {
  const stage = await open()
  const provoke = await createProvoke(t, stage)
  const problems: string[] = []
  const isNew = firstTime()
  for (const route of routes)
    for (const code of implied(route).filter((one) => isNew(one, kindOf(route, one)))) {
      const seen = (await provoke[code]?.(route).then(outcomeOf, String)) ?? 'nothing provokes it'
      if (seen !== code) problems.push(`${route.name} ${code}: ${seen}`)
    }
  t.deepEqual(problems, [])
})

test.serial('who has accepted other terms is refused like who has accepted none, in sessions, too', async (t) => {
  const { platform, params } = await open()
  const someone = await person(platform)
  const session = await sessionOf(someone)
  await platform.services.database('users').where({ email: someone.email }).update({ termsVersion: 'of old' })
  const isNew = firstTime()
  for (const route of routes.filter((one) => needsTerms(one) && isNew(one.proof, one.access))) {
    const request = { params: paramsOf(route, params), headers: withToken(session) }
    t.is(outcomeOf(await call(someone, route, request)), 'TERMS_NOT_ACCEPTED', route.name)
  }
})

test.serial(
  'the token of a session that ended, is over or never was is refused on every route of a session',
  async (t) => {
    const { platform, owner, params, nobody } = await open()
    const { database } = platform.services
    const [ended, expired] = [await sessionOf(owner), await sessionOf(owner)]
    await call(owner, sessions.endSession, { params: { sessionId: ended.id } })
    await database('sessions').where({ id: expired.id }).update({ expiresAt: new Date() })
    const states: [ErrorCode, string][] = [
      ['INVALID_SESSION', ended.token],
      ['SESSION_EXPIRED', expired.token],
      ['SESSION_NOT_FOUND', newToken('session')],
    ]
    for (const route of routes.filter(({ proof }) => proof?.account))
      for (const [code, token] of states) {
        const raw = route.name === 'sendChatMessage' ? { raw: '{"text":"[[say Hello.]]"}' } : {}
        const request = { params: paramsOf(route, params), headers: withToken({ token }), ...raw }
        t.is(outcomeOf(await call(nobody, route, request)), code, `${route.name} ${code}`)
      }
  },
)

/** Columns that no answer may hold, in whatever form they are stored. */
const secretColumns: [string, string][] = [
  ['users', 'password_hash'],
  ['refresh_tokens', 'token_hash'],
  ['api_keys', 'key_hash'],
  ['sessions', 'token_hash'],
  ['vault_entries', 'credential'],
  ['agents', 'webhook_secret'],
  ['payment_methods', 'reference'],
  ['oauth_flows', 'ticket_hash'],
  ['oauth_flows', 'state_hash'],
  ['oauth_flows', 'binding_hash'],
  ['oauth_flows', 'verifier'],
  ['second_factors', 'secret'],
  ['recovery_codes', 'code_hash'],
]

/** What ends the login, the account or the things with which the others are done. */
const endings = new Set(['logout', 'logoutEverywhere', 'suspendUser', 'endCurrentSession'])

/** Reads and does what every route is for, in a workspace too, but for what would end it all; the texts of the answers. */
async function everything(): Promise<string[]> {
  const stage = await open()
  const { owner, params, platform, sites } = stage
  await setUpTotp(await newcomer(platform))
  const { connectUrl } = (await call(owner, oauth.startOAuth, { body: { url: sites.oauth.origin } })).body
  await openConnectUrl(owner, connectUrl)
  const texts: string[] = []
  for (const route of routes.filter((one) => one.method !== 'delete' && !one.browser && !endings.has(one.name))) {
    const raw = JSON.stringify(validBodies(sites)[route.name] ?? bodyWithin(sites, route, params['workspaceId'] ?? ''))
    const answer = await call(allowedTo(stage, route), route, {
      params: paramsOf(route, params),
      headers: secretOf(stage),
      query: validQueries[route.name] ?? {},
      ...(raw && { raw }),
    })
    texts.push(JSON.stringify(answer.status < 400 ? answer.body : answer.failure) ?? '')
  }
  return texts
}

test.serial('no answer holds a hash, a sealed secret or a credential', async (t) => {
  const { owner, platform } = await open()
  const texts = await everything()
  t.true(texts.filter((text) => !text.includes('"statusCode"')).length > 60, 'most are done')
  const secrets = [owner.password, 'any-token', 'another-token']
  for (const [from, column] of secretColumns) {
    const { rows } = await platform.services.database.raw<{ rows: { value: string }[] }>(
      'select distinct ?? as value from ?? where ?? is not null',
      [column, from, column],
    )
    t.true(rows.length > 0, `${from}.${column}`)
    secrets.push(...rows.map(({ value }) => value))
  }
  t.deepEqual(
    texts.filter((text) => secrets.some((secret) => text.includes(secret))),
    [],
  )
})
