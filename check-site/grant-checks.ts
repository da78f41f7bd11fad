import { failedIf, passed, skipped, warnedIf, type Check, type Finding } from './check.ts'
import { isObject, isSuccess, type Outcome } from './exchange.ts'
import { oauthOf, type SignIn, type Site } from './site.ts'
import { isNotStored } from './token-checks.ts'
import { refusalProblems, textOf } from './token-endpoint.ts'

const needs: Check['needs'] = ['manifest', 'oauth2', 'client', 'grant']

/** A check of the sign-in. */
const ofSignIn = (check: (signIn: SignIn, site: Site) => Finding) => (site: Site) =>
  site.signIn ? check(site.signIn, site) : skipped('Nobody signed in.')

const ofTokens = (check: (answer: Outcome, signIn: SignIn) => Finding) =>
  ofSignIn((signIn) => (isSuccess(signIn.answer) ? check(signIn.answer, signIn) : skipped('There are no tokens.')))

/** The requirements for a sign-in: the callback, the code and the first tokens. */
export const grantChecks: Check[] = [
  {
    id: 'sign-in',
    requirement: 'After sign-in and consent the browser returns with a code',
    section: 'Authorization endpoint, Behaviour',
    fix: 'Redirect to redirect_uri with code and state in the query.',
    needs: ['manifest', 'oauth2', 'client'],
    run: ({ signIn, signInProblem, signInMissing }) => {
      if (signInProblem !== undefined) return failedIf([signInProblem])
      return signIn ? passed : skipped(signInMissing ?? 'Nobody was asked to sign in.')
    },
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
    requirement: 'The code comes with the issuer of the manifest',
    section: 'RFC 9207, 2; member issuer of this platform',
    fix: 'Send iss with the code: exactly the text of auth.issuer.',
    needs,
    run: ofSignIn(({ callback }, site) => issuer(callback.get('iss'), site)),
  },
  {
    id: 'verifier',
    requirement: 'A code is refused with a verifier that does not match its challenge',
    section: 'Token endpoint, code_verifier; RFC 7636, 4.6',
    fix: 'Compare BASE64URL(SHA256(code_verifier)) with the challenge of the code; answer 400 invalid_grant.',
    needs,
    run: ofSignIn(({ wrongVerifier }, site) => {
      if (!wrongVerifier) return skipped('It was not tried.')
      if (isSuccess(wrongVerifier)) return failedIf(['Tokens were issued for a wrong verifier.'])
      return failedIf(refusalProblems(site, wrongVerifier, ['invalid_grant']))
    }),
  },
  {
    id: 'token-answer',
    requirement: 'The code is exchanged for an access token of the type Bearer',
    section: 'OAuth token response',
    fix: 'Answer 200 with { "access_token": "…", "token_type": "Bearer", … }.',
    needs,
    run: ofSignIn(({ answer, wrongVerifier }) => {
      if (!isSuccess(answer) && wrongVerifier && isSuccess(wrongVerifier)) return skipped('The code was spent before.')
      if (!isSuccess(answer))
        return failedIf([`The token address ${answer.what} (${textOf(answer, 'error') ?? 'no error'}).`])
      return failedIf(tokenProblems(answer))
    }),
  },
  {
    id: 'token-cache',
    requirement: 'Token responses are not cached',
    section: 'RFC 6749, 5.1',
    fix: 'Send the header Cache-Control: no-store with every response of the token address.',
    needs,
    run: ofTokens((answer) => failedIf(isNotStored(answer) ? [] : ['There is no Cache-Control: no-store.'])),
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
        Number.isInteger(seconds) && Number(seconds) > 0 ? [] : [`It is ${JSON.stringify(seconds) ?? 'missing'}.`],
      )
    }),
  },
  {
    id: 'token-hour',
    requirement: 'Access tokens are valid for at most an hour',
    section: 'Limits, Access token lifetime: 3600 seconds',
    fix: 'Issue tokens for 3600 seconds; the platform refreshes them in time.',
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
    fix: 'Issue one for every code exchange, without requiring another scope.',
    needs,
    run: ofTokens((answer) => failedIf(textOf(answer, 'refresh_token') ? [] : ['There is no refresh_token.'])),
  },
  {
    id: 'token-scope',
    requirement: 'The response names the granted scopes',
    section: 'OAuth token response, scope',
    fix: 'Return "scope": "read write": what the user has granted.',
    needs,
    run: ofTokens((answer) => failedIf(textOf(answer, 'scope') ? [] : ['There is no scope.'])),
  },
  {
    id: 'scope-bounds',
    requirement: 'No more scopes are granted than requested',
    section: 'OAuth 2.0 with PKCE, Rules; RFC 6749, 3.3',
    fix: 'Grant what is in the request, or less.',
    needs,
    run: ofTokens((answer, { requested }) => {
      const granted = (textOf(answer, 'scope') ?? '').split(' ').filter(Boolean)
      const more = granted.filter((scope) => !requested.includes(scope))
      return failedIf(more.length > 0 ? [`Requested ${requested.join(' ')}, and got ${more.join(' ')} as well.`] : [])
    }),
  },
]

function issuer(sent: string | null, site: Site): Finding {
  const { issuer: declared, authorization_url: address } = oauthOf(site)
  if (declared !== undefined) {
    return failedIf(sent === declared ? [] : [sent === null ? 'There is no iss.' : 'iss differs from auth.issuer.'])
  }
  if (sent === null) return skipped('The manifest declares no issuer.')
  const same = URL.parse(sent)?.origin === new URL(address).origin
  return failedIf(same ? [] : ['iss and authorization_url have different origins.'])
}

/** Why the platform could not use a token response. */
export function tokenProblems(answer: Outcome): string[] {
  const token = textOf(answer, 'access_token')
  const type = textOf(answer, 'token_type')
  const why: string[] = []
  if (answer.status !== 200) why.push(`The status is ${answer.status}, not 200.`)
  if (token === undefined) why.push('There is no access_token.')
  else if (!/^[\x21-\x7e]{1,8192}$/.test(token)) why.push('The access_token cannot be sent in a header.')
  if (type?.toLowerCase() !== 'bearer') why.push(`token_type is ${type ?? 'missing'}, not Bearer.`)
  return why
}
