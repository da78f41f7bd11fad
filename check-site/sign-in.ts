import { authorizeAddress, beside, challengeOf, isAt, newSecret, scopesOf } from './authorize-checks.ts'
import { isSuccess, type Outcome } from './exchange.ts'
import type { OAuthOptions } from './options.ts'
import type { Probe, SignIn, Site } from './site.ts'
import { postToken, textOf } from './token-endpoint.ts'

type Authorized = Omit<SignIn, 'answer'>
type ExchangeForm = { code_verifier?: string; redirect_uri: string }

/** The mistake of each exchange that must be refused. */
const probes: Record<Probe, (form: ExchangeForm) => ExchangeForm> = {
  'wrong verifier': (form) => ({ ...form, code_verifier: newSecret() }),
  'no verifier': ({ redirect_uri }) => ({ redirect_uri }),
  'other redirect address': (form) => ({ ...form, redirect_uri: beside(form.redirect_uri) }),
}

/**
 * Has a person refuse once and then sign in, and exchanges the code. First tries exchanges that must be refused. If a
 * site accepts one, or discards the code because of one, the person signs in again, at most four times in all. Stores
 * the tokens in `site`.
 */
export async function signInAtSite(site: Site): Promise<void> {
  const { oauth } = site.options
  if (oauth?.authorize === undefined) return
  if (oauth.deny !== false) await refuseAccess(site, oauth)
  let left: Probe[] | undefined = Object.keys(probes) as Probe[]
  while (left) {
    const authorized: Authorized | undefined = await authorize(site, oauth)
    left = authorized && (await tryProbes(site, oauth, authorized, left))
  }
}

/** Tries the probes with one code, then the correct exchange. Returns the probes that need another code. */
async function tryProbes(
  site: Site,
  oauth: OAuthOptions,
  authorized: Authorized,
  left: Probe[],
): Promise<Probe[] | undefined> {
  const tried: [Probe, Outcome][] = []
  for (const [index, probe] of left.entries()) {
    const outcome = await exchangeCode(site, oauth, authorized, probes[probe])
    tried.push([probe, outcome])
    if (!isSuccess(outcome)) continue
    for (const one of tried) site.probes.set(...one)
    return left.slice(index + 1)
  }
  const answer = await exchangeCode(site, oauth, authorized)
  // After the first probe has spent the code, the others prove nothing.
  const isSpent = left.length > 0 && !isSuccess(answer) && textOf(answer, 'error') === 'invalid_grant'
  for (const one of isSpent ? tried.slice(0, 1) : tried) site.probes.set(...one)
  if (isSpent) return left.slice(1)
  keepTokens(site, authorized, answer)
  return undefined
}

/** Signs in once more. Returns whether there are tokens now. */
export async function signInAgain(site: Site): Promise<boolean> {
  const { oauth } = site.options
  const again = oauth && (await authorize(site, oauth))
  if (!again) return false
  const answer = await exchangeCode(site, oauth, again)
  keepTokens(site, again, answer)
  return isSuccess(answer)
}

function keepTokens(site: Site, authorized: Authorized, answer: Outcome): void {
  site.signIn = { ...authorized, answer }
  if (!isSuccess(answer)) return
  site.token = textOf(answer, 'access_token') ?? site.token
  site.refreshToken = textOf(answer, 'refresh_token')
}

async function refuseAccess(site: Site, oauth: OAuthOptions): Promise<void> {
  const address = authorizeAddress(site)
  try {
    const end = URL.parse((await oauth.authorize?.(address.href, 'deny')) ?? '')
    site.denial = { end, state: address.searchParams.get('state') ?? '' }
  } catch (error) {
    site.denialMissing = (error as Error).message
  }
}

async function authorize(site: Site, oauth: OAuthOptions): Promise<Authorized | undefined> {
  const verifier = newSecret()
  const address = authorizeAddress(site, { code_challenge: challengeOf(verifier) })
  let end: URL | null
  try {
    end = URL.parse((await oauth.authorize?.(address.href, 'allow')) ?? '')
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

/** A complete code exchange (docs/specification.md, "Token endpoint"), or one with a mistake. */
export function exchangeCode(
  site: Site,
  { redirectUri }: OAuthOptions,
  { code, verifier }: Authorized,
  change: (form: ExchangeForm) => ExchangeForm = (form) => form,
): Promise<Outcome> {
  const form = change({ code_verifier: verifier, redirect_uri: redirectUri })
  return postToken(site, { grant_type: 'authorization_code', code, ...form })
}
