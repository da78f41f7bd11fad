import { authorizeAddress, challengeOf, isAt, newSecret, scopesOf } from './authorize-checks.ts'
import { isSuccess, type Outcome } from './exchange.ts'
import type { OAuthOptions } from './options.ts'
import type { SignIn, Site } from './site.ts'
import { postToken, textOf } from './token-endpoint.ts'

/**
 * Has a person sign in, and exchanges the code. First tries a wrong verifier, which must be refused; if the site
 * discards the code for that, the person signs in once more. Stores the tokens in `site`.
 */
export async function signInAtSite(site: Site): Promise<void> {
  const { oauth } = site.options
  if (oauth?.authorize === undefined) return
  const first = await authorize(site, oauth)
  if (first === undefined) return
  const wrongVerifier = await exchangeCode(site, oauth, { ...first, verifier: newSecret() })
  const answer = await exchangeCode(site, oauth, first)
  site.signIn = { ...first, wrongVerifier, answer }
  if (!isSuccess(answer) && !isSuccess(wrongVerifier)) await signInAgain(site, wrongVerifier)
  keepTokens(site, isSuccess(wrongVerifier) && !isSuccess(answer) ? wrongVerifier : site.signIn.answer)
}

/** One more sign-in, without a wrong verifier. Returns whether there are tokens now. */
export async function signInAgain(site: Site, wrongVerifier?: Outcome): Promise<boolean> {
  const { oauth } = site.options
  const again = oauth && (await authorize(site, oauth))
  if (!again) return false
  const answer = await exchangeCode(site, oauth, again)
  site.signIn = { ...again, wrongVerifier: wrongVerifier ?? site.signIn?.wrongVerifier, answer }
  keepTokens(site, answer)
  return isSuccess(answer)
}

function keepTokens(site: Site, answer: Outcome): void {
  if (!isSuccess(answer)) return
  site.token = textOf(answer, 'access_token') ?? site.token
  site.refreshToken = textOf(answer, 'refresh_token')
}

type Authorized = Omit<SignIn, 'answer' | 'wrongVerifier'>

async function authorize(site: Site, oauth: OAuthOptions): Promise<Authorized | undefined> {
  const verifier = newSecret()
  const address = authorizeAddress(site, { code_challenge: challengeOf(verifier) })
  let end: URL | null
  try {
    end = URL.parse((await oauth.authorize?.(address.href)) ?? '')
  } catch (error) {
    site.signInMissing = (error as Error).message
    return undefined
  }
  const code = end?.searchParams.get('code')
  if (!end || !isAt(end, oauth.redirectUri)) site.signInProblem = 'The browser did not return to the redirect address.'
  else if (!code)
    site.signInProblem = `The browser returned without a code: ${end.searchParams.get('error') ?? 'no error given'}.`
  else {
    const state = address.searchParams.get('state') ?? ''
    return { requested: scopesOf(site), state, code, verifier, callback: end.searchParams }
  }
  return undefined
}

/** A complete code exchange (docs/specification.md, "Token endpoint"). */
export const exchangeCode = (site: Site, { redirectUri }: OAuthOptions, sent: Authorized): Promise<Outcome> =>
  postToken(site, {
    grant_type: 'authorization_code',
    code: sent.code,
    redirect_uri: redirectUri,
    code_verifier: sent.verifier,
  })
