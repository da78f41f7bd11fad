import { AuthorizationResponseError } from 'oauth4webapi'
import type { Audit } from '../../audit/audit.ts'
import type { Actor, Deed } from '../../audit/audit-entry.ts'
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
  /** This browser's cookie for the flow. */
  bindingOf: (flowId: string) => string | undefined
  /** Where the browser is. */
  from: Pick<Actor, 'address' | 'userAgent'>
}

/** A grant cannot be obtained twice, so storing it is retried for this long. */
const storeMs = 20_000

/**
 * The second half of connecting a site by OAuth: the browser is back from the site. The flow is claimed before the code
 * is sent, so the response cannot be replayed or used in another browser (RFC 9700, 2.1 and 4.4).
 */
export function createCallback(context: {
  database: Database
  clock: Clock
  sealing: Sealing
  logger: Logger
  oauthClient: OAuthClient
  audit: Pick<Audit, 'begin'>
  /** Stores the grant in the vault: TOKEN_EXISTS, VAULT_LIMIT_REACHED, NOT_FOUND, WORKSPACE_NOT_FOUND. */
  keep: (flow: OAuthFlow, grant: Grant) => Promise<VaultEntry>
}) {
  const { database, clock, sealing, logger, oauthClient, audit, keep } = context

  /** Finds the flow of the state, checks that it is this browser's, and marks it as used. */
  async function claim({ parameters, bindingOf }: CallbackInput): Promise<{ flow: OAuthFlow; state: string }> {
    const states = parameters.getAll('state')
    const state = states.length === 1 ? (states[0] ?? '') : ''
    const flow = isToken('state', state)
      ? await OAuthFlow.query(database).findOne({ stateHash: hashToken(state) })
      : undefined
    assertThat(flow, 'VALIDATION_ERROR', problem('state', 'The state is missing or unknown.'))
    const binding = bindingOf(flow.id)
    const bound = binding !== undefined && hashToken(binding) === flow.bindingHash
    assertThat(
      bound,
      'VALIDATION_ERROR',
      problem('state', 'This attempt to connect a site was started in another browser.'),
    )
    assertOpen(flow, clock.now())
    const claimed = await OAuthFlow.query(database)
      .findById(flow.id)
      .where({ status: 'pending', stateHash: flow.stateHash })
      .patch({ status: 'exchanging' })
    assertThat(claimed === 1, 'VALIDATION_ERROR', problem('state', 'This state was already used. Start again.'))
    return { flow, state }
  }

  async function exchange(flow: OAuthFlow, parameters: URLSearchParams, state: string): Promise<Grant> {
    const site = flow.manifest.auth as OAuthSite
    const checked = checkParameters(() => oauthClient.checkCallback(site, flow.clientId, parameters, state))
    const [code, ...more] = checked.getAll('code')
    assertThat(code && more.length === 0, 'VALIDATION_ERROR', problem('code', 'There must be exactly one code.'))
    const verifier = sealing.open(flow.verifier ?? '', verifierPlace(flow.id))
    return granted(await oauthClient.exchange(site, flow.clientId, checked, verifier))
  }

  async function store(flow: OAuthFlow, grant: Grant): Promise<VaultEntry> {
    try {
      return await retryWhileUnavailable(() => keep(flow, grant), AbortSignal.timeout(storeMs))
    } catch (error) {
      const site = flow.manifest.auth as OAuthSite
      // The grant will never be used.
      await oauthClient
        .revoke(site, flow.clientId, grant.refreshToken ?? grant.accessToken)
        .catch((cause: unknown) => logger.warn({ err: cause, flowId: flow.id }, 'an unused grant was not revoked'))
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
     * Finishes a flow: exchanges the code and stores the grant. Fails with VALIDATION_ERROR (a bad state, issuer or set
     * of parameters), PERMISSION_DENIED (access was denied), SITE_UNAVAILABLE, TOOL_EXECUTION_ERROR (the site refused
     * or its token address failed), TOKEN_EXISTS, VAULT_LIMIT_REACHED, NOT_FOUND.
     */
    async finish(input: CallbackInput): Promise<{ flow: OAuthFlow; entry: VaultEntry }> {
      const { flow, state } = await claim(input)
      const complete = await audit.begin(deedOf(flow, input))
      try {
        const entry = await store(flow, await exchange(flow, input.parameters, state))
        const result = { status: 'connected', entryId: entry.id } as const
        await end(flow, result)
        const after = { name: entry.name, origin: entry.origin, scopes: entry.scopes }
        await complete({ kind: 'done', subjectId: entry.id, after })
        return { flow: Object.assign(flow, result), entry }
      } catch (error) {
        const { code, message } = isCoded(error) ? error : new CodedError('INTERNAL_ERROR')
        await end(flow, { status: 'failed', code, message })
        await complete({ kind: code === 'INTERNAL_ERROR' ? 'unknown' : 'refused' })
        throw error
      }
    },
  }
}

/** That somebody connects a site, or reconnects it: whoever began it, in the browser that is back from the site. */
const deedOf = ({ ownerId, entryId, userId }: OAuthFlow, { from }: CallbackInput): Deed => ({
  ownerId,
  action: 'finishOAuth',
  subjectKind: 'vault_entry',
  subjectId: entryId ?? undefined,
  by: { userId, via: 'login', ...from },
})

const problem = (path: string, message: string) => ({ message, details: [{ path, message }] })

/** Turns the library's errors into codes. Its messages may quote the parameters, so they stay private. */
function checkParameters(check: () => URLSearchParams): URLSearchParams {
  try {
    return check()
  } catch (error) {
    if (error instanceof AuthorizationResponseError) throw refusedBySite(error)
    const message =
      'The response from the site is not valid: its issuer is wrong, or a parameter is missing or repeated.'
    // The error itself is not attached as the cause, because it quotes the parameters.
    throw new CodedError('VALIDATION_ERROR', { ...problem('iss', message), privateDetail: (error as Error).message })
  }
}

/** The site's own `error` (RFC 6749, 4.1.2.1) as a code. */
function refusedBySite({ error, error_description: description }: AuthorizationResponseError): CodedError {
  if (error === 'access_denied') {
    return new CodedError('PERMISSION_DENIED', { message: 'Access was denied at the site. Nothing was connected.' })
  }
  const said = [error, description].filter((words) => words !== undefined).map(plain)
  return new CodedError('TOOL_EXECUTION_ERROR', { message: `The site refused to connect. It says: ${said.join(': ')}` })
}

function granted(outcome: TokenOutcome): Grant {
  if (outcome.kind === 'granted') return outcome.grant
  const unreachable = outcome.kind !== 'refused' && outcome.unreachable === true
  throw new CodedError(unreachable ? 'SITE_UNAVAILABLE' : 'TOOL_EXECUTION_ERROR', { message: outcome.message })
}
