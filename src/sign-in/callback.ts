import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import type { Config } from '../config/config.ts'
import { pollUntil } from '../database/poll-until.ts'
import { assertThat, CodedError, isCoded, problemAt } from '../errors.ts'
import { noteInLog, type Logger } from '../logger.ts'
import { bindBrowser } from '../secrets/browser-binding.ts'
import { hashToken, isToken } from '../secrets/opaque-tokens.ts'
import type { Sealing } from '../secrets/sealing.ts'
import type { Client, TokenPair } from '../users/logins.ts'
import { assertOpen, providerOf } from './flows.ts'
import type { Identities } from './identities.ts'
import type { Claims, OidcClient, VerifiedAddress } from './oidc-client.ts'
import type { Provider } from './provider.ts'
import type { Providers } from './providers.ts'
import { SignInFlow, verifierPlace } from './sign-in-flow.ts'

/** The browser's request from the provider. */
interface CallbackInput {
  /** The provider of the requested URL. */
  providerId: string
  parameters: URLSearchParams
  /** This browser's cookie for the flow. */
  cookieOf: (flowId: string) => string | undefined
  from: Client
}

/** The result. Only the request that opened the login gets its tokens. */
export interface Finished {
  outcome: 'signed-in' | 'linked'
  provider: Provider
  returnTo: string | null
  tokens?: TokenPair
}

/** The most concurrent callbacks per provider in one process. A slow provider occupies that many connections. */
const mostAtOnce = 20

/**
 * The second half of signing in: the browser returns from the provider. The flow is used up before the code is sent, so
 * the response cannot be replayed or used in another browser (RFC 9700, 2.1 and 4.4).
 */
export function createCallback(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'sites'>
  logger: Logger
  sealing: Sealing
  providers: Providers
  client: OidcClient
  identities: Identities
}) {
  const { database, clock, config, logger, sealing, providers, client, identities } = context
  /** How long a second request waits for the first, which makes at most four requests to the provider. */
  const longestMs = config.sites.tokenTimeoutSeconds * 4000
  const underWay = new Map<string, number>()

  /** Finds the flow of the state, checks its browser and provider, and uses it up unless it is used. */
  async function claim({ providerId, parameters, cookieOf }: CallbackInput) {
    const states = parameters.getAll('state')
    const state = states.length === 1 ? (states[0] ?? '') : ''
    const known = SignInFlow.query(database).findOne({ stateHash: hashToken(state) })
    const flow = isToken('state', state) ? await known : undefined
    assertThat(flow, 'VALIDATION_ERROR', problemAt('state', 'The state is missing or unknown. Start again.'))
    noteInLog({ provider: flow.provider })
    const { bindingHash } = bindBrowser(flow.id, cookieOf(flow.id))
    const another = 'This sign-in was started in another browser. Start again.'
    assertThat(bindingHash === flow.bindingHash, 'VALIDATION_ERROR', problemAt('state', another))
    const mixedUp = 'This response belongs to another sign-in provider. Start again.'
    assertThat(providerId === flow.provider, 'VALIDATION_ERROR', problemAt('state', mixedUp))
    if (flow.endedAt === null) assertOpen(flow, clock.now())
    const ended = { endedAt: clock.now(), verifier: null }
    const claimed = await SignInFlow.query(database).findById(flow.id).whereNull('endedAt').patch(ended)
    return { flow, state, isFirst: claimed === 1 }
  }

  /** The result of a flow, for a reloaded page or a second tab. */
  async function outcomeOf({ id }: SignInFlow): Promise<Finished> {
    const read = async () => SignInFlow.query(database).findById(id).throwIfNotFound()
    const flow = await pollUntil(read, ({ outcome }) => outcome !== null, longestMs)
    const { outcome, returnTo } = flow
    if (outcome === null) throw new CodedError('SITE_UNAVAILABLE', { message: stillUnderWay })
    if (outcome === 'failed') throw failedBefore(flow)
    return { outcome, provider: await providerOf(providers, flow), returnTo }
  }

  /** Stores the result for a reloaded page. If that fails, a reload cannot show it. */
  const note = (flow: SignInFlow, result: Pick<SignInFlow, 'outcome'> & Partial<SignInFlow>): Promise<unknown> =>
    SignInFlow.query(database)
      .findById(flow.id)
      .patch(result)
      .catch((error: unknown) => logger.warn({ err: error }, 'failed to record the outcome of a sign-in'))

  /** Limits a slow provider to its share. RATE_LIMITED. */
  async function inTurn<T>(provider: Provider, work: () => Promise<T>): Promise<T> {
    const key = provider.workspaceProviderId ?? provider.id
    const count = underWay.get(key) ?? 0
    const message = 'Too many people are signing in with this provider at the same time. Start again in a few seconds.'
    assertThat(count < mostAtOnce, 'RATE_LIMITED', { message, retryAfter: 5 })
    underWay.set(key, count + 1)
    try {
      return await work()
    } finally {
      const left = (underWay.get(key) ?? 1) - 1
      if (left > 0) underWay.set(key, left)
      else underWay.delete(key)
    }
  }

  async function claimsOf(flow: SignInFlow, provider: Provider, parameters: URLSearchParams, state: string) {
    const verifier = sealing.open(flow.verifier ?? '', verifierPlace(flow.id))
    return client.exchange(provider, parameters, { flowId: flow.id, state, verifier })
  }

  /** Read before the transaction, because a provider may take seconds. */
  async function addressOf(provider: Provider, claims: Claims): Promise<VerifiedAddress | undefined> {
    if (provider.workspaceProviderId !== null || (await identities.isKnown(provider, claims))) return undefined
    return claims.verifiedAddress()
  }

  async function complete(flow: SignInFlow, state: string, { parameters, from }: CallbackInput): Promise<Finished> {
    const { userId, loginId, returnTo } = flow
    const provider = await providerOf(providers, flow)
    return inTurn(provider, async () => {
      const claims = await claimsOf(flow, provider, parameters, state)
      if (userId !== null && loginId !== null) {
        await identities.link({ ...from, userId, loginId }, provider, claims)
        return { outcome: 'linked', provider, returnTo }
      }
      const address = await addressOf(provider, claims)
      const tokens = await identities.signIn(provider, claims, { address, from })
      return { outcome: 'signed-in', provider, returnTo, tokens }
    })
  }

  return {
    /**
     * Finishes a flow once; a reload in the same browser gets the same result without a login. Signs a user in, or
     * links the provider to the account that started the flow. VALIDATION_ERROR (a bad state, issuer or set of
     * parameters; an address that an account has), PERMISSION_DENIED (refused by the provider, an invalid response, an
     * unknown identity that may not register), SITE_UNAVAILABLE, NOT_FOUND, RATE_LIMITED.
     */
    async finish(input: CallbackInput): Promise<Finished> {
      const { flow, state, isFirst } = await claim(input)
      if (!isFirst) return outcomeOf(flow)
      try {
        const finished = await complete(flow, state, input)
        await note(flow, { outcome: finished.outcome })
        return finished
      } catch (error) {
        const { code, message } = isCoded(error) ? error : new CodedError('INTERNAL_ERROR')
        await note(flow, { outcome: 'failed', code, message })
        throw error
      }
    },
  }
}

/** The first request's error. Only the log has its cause. */
function failedBefore({ code, message, endedAt }: SignInFlow): CodedError {
  const isOutside = code === 'SITE_UNAVAILABLE' && endedAt !== null
  return new CodedError(code ?? 'INTERNAL_ERROR', {
    ...(message !== null && { message }),
    ...(isOutside && {
      privateDetail: `this sign-in failed at ${endedAt.toISOString()}; see the log at that time for the cause`,
    }),
  })
}

const stillUnderWay = 'The sign-in is still in progress. Reload this page in a moment.'
