import { AuthorizationResponseError } from 'oauth4webapi'
import type { Clock } from '../../clock.ts'
import { retryWhileUnavailable, type Database } from '../../database/database.ts'
import { assertThat, CodedError, isCoded } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import { hashToken, isToken } from '../../secrets/opaque-tokens.ts'
import type { Sealing } from '../../secrets/sealing.ts'
import { assertOpen, verifierPlace } from './flows.ts'
import type { OAuthClient, OAuthSite } from './oauth-client.ts'
import { OAuthFlow } from './oauth-flow.ts'
import { plain, type Grant, type TokenOutcome } from './token-outcome.ts'
import type { VaultEntry } from '../vault-entry.ts'

/** What the browser brings back from the site. */
interface CallbackInput {
  parameters: URLSearchParams
  /** The cookie that this browser was given for the flow with this id. */
  bindingOf: (flowId: string) => string | undefined
}

/** A grant cannot be had a second time, so storing it is worth a little patience. */
const storeMs = 20_000

/**
 * The second half of connecting a site by OAuth: the browser is back from the site. Everything that could be replayed
 * or moved is used up before the code leaves for the site (RFC 9700, 2.1 and 4.4).
 */
export function createCallback(context: {
  database: Database
  clock: Clock
  sealing: Sealing
  logger: Logger
  oauthClient: OAuthClient
  /** Puts the grant into the vault: TOKEN_EXISTS, VAULT_LIMIT_REACHED, NOT_FOUND. */
  keep: (flow: OAuthFlow, grant: Grant) => Promise<VaultEntry>
}) {
  const { database, clock, sealing, logger, oauthClient, keep } = context

  /** Finds the flow of the state, if it is this browser's, and uses it up. */
  async function claim({ parameters, bindingOf }: CallbackInput): Promise<{ flow: OAuthFlow; state: string }> {
    const states = parameters.getAll('state')
    const state = states.length === 1 ? (states[0] ?? '') : ''
    const flow = isToken('state', state)
      ? await OAuthFlow.query(database).findOne({ stateHash: hashToken(state) })
      : undefined
    assertThat(flow, 'VALIDATION_ERROR', problem('state', 'The state is missing or not one that was given out.'))
    const binding = bindingOf(flow.id)
    const bound = binding !== undefined && hashToken(binding) === flow.bindingHash
    assertThat(
      bound,
      'VALIDATION_ERROR',
      problem('state', 'This attempt to connect a site was begun in another browser.'),
    )
    assertOpen(flow, clock.now())
    const claimed = await OAuthFlow.query(database)
      .findById(flow.id)
      .where({ status: 'pending', stateHash: flow.stateHash })
      .patch({ status: 'exchanging' })
    assertThat(claimed === 1, 'VALIDATION_ERROR', problem('state', 'This was used already. Start again.'))
    return { flow, state }
  }

  async function exchange(flow: OAuthFlow, parameters: URLSearchParams, state: string): Promise<Grant> {
    const site = flow.manifest.auth as OAuthSite
    const checked = checkParameters(() => oauthClient.checkCallback(site, flow.clientId, parameters, state))
    const [code, ...more] = checked.getAll('code')
    assertThat(code && more.length === 0, 'VALIDATION_ERROR', problem('code', 'There must be one code.'))
    const verifier = sealing.open(flow.verifier ?? '', verifierPlace(flow.id))
    return granted(await oauthClient.exchange(site, flow.clientId, checked, verifier))
  }

  async function store(flow: OAuthFlow, grant: Grant): Promise<VaultEntry> {
    try {
      return await retryWhileUnavailable(() => keep(flow, grant), AbortSignal.timeout(storeMs))
    } catch (error) {
      const site = flow.manifest.auth as OAuthSite
      // Nobody will ever use it: it is given back.
      await oauthClient
        .revoke(site, flow.clientId, grant.refreshToken ?? grant.accessToken)
        .catch((cause: unknown) => logger.warn({ err: cause, flowId: flow.id }, 'a grant was not given back'))
      throw error
    }
  }

  const end = (flow: OAuthFlow, result: Partial<OAuthFlow>): Promise<void> => {
    const changes = { ...result, verifier: null, endedAt: clock.now() }
    const work = async () => void (await OAuthFlow.query(database).findById(flow.id).patch(changes))
    return retryWhileUnavailable(work, AbortSignal.timeout(storeMs))
  }

  return {
    /**
     * Finishes a flow: exchanges the code and keeps the grant. Fails with VALIDATION_ERROR (a state, an issuer, a set of
     * parameters that is not as it must be), PERMISSION_DENIED (the user or the site refused), SITE_UNAVAILABLE,
     * TOOL_EXECUTION_ERROR (the token address failed), TOKEN_EXISTS, VAULT_LIMIT_REACHED, NOT_FOUND.
     */
    async finish(input: CallbackInput): Promise<{ flow: OAuthFlow; entry: VaultEntry }> {
      const { flow, state } = await claim(input)
      try {
        const entry = await store(flow, await exchange(flow, input.parameters, state))
        const result = { status: 'connected', entryId: entry.id } as const
        await end(flow, result)
        return { flow: Object.assign(flow, result), entry }
      } catch (error) {
        const { code, message } = isCoded(error) ? error : new CodedError('INTERNAL_ERROR')
        await end(flow, { status: 'failed', code, message })
        throw error
      }
    },
  }
}

const problem = (path: string, message: string) => ({ message, details: [{ path, message }] })

/** The library's findings as codes. What it says of the parameters may quote them, so it stays here. */
function checkParameters(check: () => URLSearchParams): URLSearchParams {
  try {
    return check()
  } catch (error) {
    if (error instanceof AuthorizationResponseError) throw refusedBySite(error)
    const message =
      'What came back from the site is not what it should be: its issuer, or a parameter that is missing or there twice.'
    // Not its cause, which quotes the parameters.
    throw new CodedError('VALIDATION_ERROR', { ...problem('iss', message), privateDetail: (error as Error).message })
  }
}

/** The site's own `error` (RFC 6749, 4.1.2.1), as text. */
function refusedBySite({ error, error_description: description }: AuthorizationResponseError): CodedError {
  if (error === 'access_denied') {
    return new CodedError('PERMISSION_DENIED', { message: 'The access was denied at the site. Nothing was connected.' })
  }
  const said = [error, description].filter((words) => words !== undefined).map(plain)
  return new CodedError('TOOL_EXECUTION_ERROR', { message: `The site refused to connect. It says: ${said.join(': ')}` })
}

function granted(outcome: TokenOutcome): Grant {
  if (outcome.kind === 'granted') return outcome.grant
  const unreachable = outcome.kind !== 'refused' && outcome.unreachable === true
  throw new CodedError(unreachable ? 'SITE_UNAVAILABLE' : 'TOOL_EXECUTION_ERROR', { message: outcome.message })
}
