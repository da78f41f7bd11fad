import { absent, blocked, failedIf, passed, skipped, warnedIf, type Check, type Finding } from './check.ts'
import { isObject } from '../src/json.ts'
import { isSuccess, type Outcome } from './exchange.ts'
import { isAt } from './authorize-checks.ts'
import { oauthOf, type Probe, type SignIn, type Site } from './site.ts'
import { isNotStored } from './token-checks.ts'
import { refusedGrant, textOf } from './token-endpoint.ts'

const codes: Check['needs'] = ['manifest', 'oauth2', 'client']
const needs: Check['needs'] = [...codes, 'grant']

/** A check of the sign-in. */
const ofSignIn = (check: (signIn: SignIn, site: Site) => Finding) => (site: Site) =>
  site.signIn ? check(site.signIn, site) : nobodySignedIn

const how = 'Run the checker again, and sign in whenever it asks.'
export const nobodySignedIn = skipped('Nobody signed in.', how)

const ofTokens = (check: (answer: Outcome, signIn: SignIn) => Finding) =>
  ofSignIn((signIn) => (isSuccess(signIn.answer) ? check(signIn.answer, signIn) : blocked('token-answer')))

/** An exchange of a code that must be refused. */
const ofProbe =
  (probe: Probe, accepted: string, expected = ['invalid_grant']) =>
  (site: Site): Finding => {
    const outcome = site.probes.get(probe)
    if (!outcome) return site.signIn ? skipped('One more sign-in is required.', how) : nobodySignedIn
    return refusedGrant(site, outcome, accepted, expected)
  }

/** The requirements for a sign-in: the callback, the code and the first tokens. */
export const grantChecks: Check[] = [
  {
    id: 'sign-in',
    requirement: 'After sign-in and consent, the browser returns with a code',
    section: 'Authorization endpoint, Behaviour',
    fix: 'Redirect to redirect_uri with code and state in the query.',
    needs: ['manifest', 'oauth2', 'client'],
    causes: ['authorize-works'],
    run: ({ signIn, signInProblem, signInMissing }) => {
      if (signInProblem !== undefined) return failedIf([signInProblem])
      return signIn ? passed : skipped(signInMissing ?? 'Nobody was asked to sign in.', how)
    },
  },
  {
    id: 'denial',
    requirement: 'If the user refuses access, the browser returns with an error and the state',
    section: 'Authorization endpoint; RFC 6749, section 4.1.2.1',
    fix: 'Redirect to redirect_uri with error=access_denied and the state of the request, unchanged.',
    needs: ['manifest', 'oauth2', 'client'],
    causes: ['authorize-works', 'authorize-state'],
    run: denial,
  },
  {
    id: 'callback-state',
    requirement: 'The state comes back unchanged',
    section: 'Authorization endpoint, state',
    fix: 'Copy state from the request to the redirect, unchanged.',
    needs,
    run: ofSignIn(({ callback, state }) =>
      failedIf(callback.get('state') === state ? [] : ['The state is missing or different.']),
    ),
  },
  {
    id: 'callback-issuer',
    requirement: 'The code comes with the issuer that the manifest declares',
    section: 'RFC 9207, section 2; member issuer of this platform',
    fix: 'Send iss with the code: exactly the text of auth.issuer.',
    needs,
    run: ofSignIn(({ callback }, site) => issuer(callback.get('iss'), site)),
  },
  {
    id: 'verifier',
    requirement: 'A code is refused if the verifier does not match its challenge',
    section: 'Token endpoint, code_verifier; RFC 7636, section 4.6',
    fix: 'Compare BASE64URL(SHA256(code_verifier)) with the challenge of the code; if they differ, return 400 invalid_grant.',
    needs: codes,
    run: ofProbe('wrong verifier', 'Tokens were issued for a wrong verifier.'),
  },
  {
    id: 'verifier-missing',
    requirement: 'A code is refused if the verifier is missing',
    section: 'Token endpoint, code_verifier; RFC 7636, section 4.6',
    fix: 'Return 400 invalid_grant if the code has a challenge and the request has no code_verifier.',
    needs: codes,
    causes: ['verifier'],
    run: ofProbe('no verifier', 'Tokens were issued without a verifier.', ['invalid_grant', 'invalid_request']),
  },
  {
    id: 'exchange-redirect-uri',
    requirement: 'A code is refused if redirect_uri is not the one that the code was sent to',
    section: 'Token endpoint, redirect_uri; RFC 6749, section 4.1.3',
    fix: 'Store redirect_uri with the code, and compare it character by character; if it differs, return 400 invalid_grant.',
    needs: codes,
    run: ofProbe('other redirect address', 'Tokens were issued for another redirect_uri.', [
      'invalid_grant',
      'invalid_request',
    ]),
  },
  {
    id: 'token-answer',
    requirement: 'The code is exchanged for an access token of the type Bearer',
    section: 'OAuth token response',
    fix: 'Return 200 with { "access_token": "…", "token_type": "Bearer", … }.',
    needs,
    run: ofSignIn(({ answer }) => {
      if (!isSuccess(answer)) return failedIf([`The token address ${answer.what}`])
      return failedIf(tokenProblems(answer))
    }),
  },
  {
    id: 'token-cache',
    requirement: 'Token responses are not cached',
    section: 'RFC 6749, section 5.1',
    fix: 'Send the header Cache-Control: no-store with every response from the token address.',
    needs,
    run: ofTokens((answer) =>
      failedIf(isNotStored(answer) ? [] : [`There is no Cache-Control: no-store. ${heard(answer)}`]),
    ),
  },
  {
    id: 'token-lifetime',
    requirement: 'expires_in is a whole number of seconds',
    section: 'OAuth token response, expires_in',
    fix: 'Return "expires_in": 3600, as a number.',
    needs,
    run: ofTokens((answer) => {
      const seconds = isObject(answer.json) ? answer.json['expires_in'] : undefined
      return failedIf(
        Number.isInteger(seconds) && Number(seconds) > 0
          ? []
          : [`It is ${JSON.stringify(seconds) ?? 'missing'}. ${heard(answer)}`],
      )
    }),
  },
  {
    id: 'token-hour',
    requirement: 'Access tokens are valid for at most an hour',
    section: 'Limits, Access token lifetime: 3600 seconds',
    fix: 'Issue tokens that are valid for 3600 seconds; the platform refreshes them in time.',
    needs,
    run: ofTokens(({ json }) => {
      const seconds = Number(isObject(json) ? json['expires_in'] : 0)
      return warnedIf(seconds > 3600 ? [`They are valid for ${seconds} seconds.`] : [])
    }),
  },
  {
    id: 'token-refreshable',
    requirement: 'A refresh token comes with the access token',
    section: 'OAuth token response, refresh_token',
    fix: 'Issue a refresh token in every code exchange, without requiring another scope.',
    needs,
    run: ofTokens((answer) =>
      failedIf(textOf(answer, 'refresh_token') ? [] : [`There is no refresh_token. ${heard(answer)}`]),
    ),
  },
  {
    id: 'token-scope',
    requirement: 'The response names the granted scopes',
    section: 'OAuth token response, scope',
    fix: 'Return the scopes that the user has granted, such as "scope": "read write".',
    needs,
    run: ofTokens((answer) => failedIf(textOf(answer, 'scope') ? [] : [`There is no scope. ${heard(answer)}`])),
  },
  {
    id: 'scope-bounds',
    requirement: 'No more scopes are granted than requested',
    section: 'OAuth 2.0 with PKCE, Rules; RFC 6749, section 3.3',
    fix: 'Grant the requested scopes or fewer.',
    needs,
    run: ofTokens((answer, { requested }) => {
      const granted = (textOf(answer, 'scope') ?? '').split(' ').filter(Boolean)
      const more = granted.filter((scope) => !requested.includes(scope))
      return failedIf(
        more.length > 0
          ? [`Requested ${requested.join(' ')}, and got ${more.join(' ')} as well. ${heard(answer)}`]
          : [],
      )
    }),
  },
]

function issuer(sent: string | null, site: Site): Finding {
  const { issuer: declared, authorization_url: address } = oauthOf(site)
  if (declared !== undefined) {
    return failedIf(sent === declared ? [] : [sent === null ? 'There is no iss.' : 'iss differs from auth.issuer.'])
  }
  if (sent === null) return absent('The manifest declares no issuer.')
  const same = URL.parse(sent)?.origin === new URL(address).origin
  return failedIf(same ? [] : ['iss and authorization_url have different origins.'])
}

/** The problems of a token response that the platform could not use. */
export function tokenProblems(answer: Outcome): string[] {
  const token = textOf(answer, 'access_token')
  const type = textOf(answer, 'token_type')
  const why: string[] = []
  if (answer.status !== 200) why.push(`The status is ${answer.status}, not 200.`)
  if (token === undefined) why.push('There is no access_token.')
  else if (!/^[\x21-\x7e]{1,8192}$/.test(token)) why.push('The access_token cannot be sent in a header.')
  if (type?.toLowerCase() !== 'bearer') why.push(`token_type is ${type ?? 'missing'}, not Bearer.`)
  return why.length > 0 ? [...why, heard(answer)] : []
}

const heard = ({ what }: Outcome): string => `The token address ${what}`

const howToDeny = 'Run the checker without --no-deny, and refuse access when it asks you to.'

function denial({ denial: came, denialMissing, options }: Site): Finding {
  if (!came) return skipped(denialMissing ?? 'Nobody was asked to refuse access.', howToDeny)
  const { end, state } = came
  if (!end || !isAt(end, options.oauth?.redirectUri ?? ''))
    return failedIf(['After a refusal, the browser did not return to the redirect address.'])
  const query = end.searchParams
  if (query.has('code'))
    return skipped('Access was allowed, not refused.', 'Sign in as a user who must confirm access at the site.')
  if (!query.has('error')) return failedIf(['After a refusal, the browser came back without an error.'])
  if (query.get('state') === state) return passed
  return failedIf([
    `The browser came back with error=${query.get('error')} and ${query.has('state') ? 'another' : 'no'} state.`,
  ])
}
