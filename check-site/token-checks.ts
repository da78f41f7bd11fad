import { failedIf, skipped, warnedIf, type Check } from './check.ts'
import { newSecret } from './authorize-checks.ts'
import { isSuccess, type Outcome } from './exchange.ts'
import { oauthOf, type Site } from './site.ts'
import { postToken, refusalProblems } from './token-endpoint.ts'

const wrongCode = (site: Site): Promise<Outcome> =>
  site.once('wrong code', () => {
    const redirectUri = site.options.oauth?.redirectUri ?? 'https://not-registered.invalid/callback'
    const form = { code: `wrong-${newSecret()}`, redirect_uri: redirectUri, code_verifier: newSecret() }
    return postToken(site, { grant_type: 'authorization_code', ...form })
  })

/** The requirements for the token address that need no sign-in. */
export const tokenChecks: Check[] = [
  {
    id: 'token-post',
    requirement: 'The token address takes POST only',
    section: 'Token endpoint; RFC 6749, section 3.2',
    fix: 'Answer GET with 405 or 404: a code in an address ends up in logs.',
    needs: ['manifest', 'oauth2'],
    run: async (site) => {
      const answer = await site.exchange.send({ url: oauthOf(site).token_url, method: 'GET' })
      return failedIf(isSuccess(answer) ? [`In response to GET, the token address ${answer.what}`] : [])
    },
  },
  {
    id: 'token-code',
    requirement: 'A wrong code is refused with 400 and the error invalid_grant',
    section: 'Token endpoint; RFC 6749, section 5.2',
    fix: 'Return { "error": "invalid_grant" }: this code tells the platform that a grant is dead.',
    needs: ['manifest', 'oauth2'],
    run: async (site) => failedIf(refusalProblems(site, await wrongCode(site), ['invalid_grant'])),
  },
  {
    id: 'token-refresh',
    requirement: 'A wrong refresh token is refused with 400 and the error invalid_grant',
    section: 'Token endpoint; RFC 6749, section 5.2',
    fix: 'Return { "error": "invalid_grant" }, not 401 and not 500: only then does the platform ask the user to sign in again.',
    needs: ['manifest', 'oauth2'],
    run: async (site) => {
      const answer = await postToken(site, { grant_type: 'refresh_token', refresh_token: `wrong-${newSecret()}` })
      return failedIf(refusalProblems(site, answer, ['invalid_grant']))
    },
  },
  {
    id: 'token-grant-type',
    requirement: 'An unknown grant type is refused with 400 and the error unsupported_grant_type',
    section: 'RFC 6749, section 5.2',
    fix: 'Return { "error": "unsupported_grant_type" }.',
    needs: ['manifest', 'oauth2'],
    run: async (site) => {
      const answer = await postToken(site, { grant_type: 'urn:switchyard:check' })
      return failedIf(refusalProblems(site, answer, ['unsupported_grant_type', 'unauthorized_client']))
    },
  },
  {
    id: 'token-error-cache',
    requirement: 'Error responses from the token address are not cached',
    section: 'RFC 6749, section 5.2',
    fix: 'Send the header Cache-Control: no-store with every response from the token address.',
    needs: ['manifest', 'oauth2'],
    run: async (site) => {
      const answer = await wrongCode(site)
      if (answer.failure)
        return skipped('The token address does not answer.', 'Fix what failed above, and check again.')
      return warnedIf(isNotStored(answer) ? [] : ['The response to a wrong code has no Cache-Control: no-store.'])
    },
  },
]

export const isNotStored = ({ headers }: Outcome): boolean => /\bno-store\b/i.test(headers.get('cache-control') ?? '')
