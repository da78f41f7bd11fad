import { AuthorizationResponseError } from 'oauth4webapi'
import type { Audit } from '../../audit/audit.ts'
import type { Actor, Deed } from '../../audit/audit-entry.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import { isTransient, recordMs, retryWhileUnavailable, type Database } from '../../database/database.ts'
import { pollUntil } from '../../database/poll-until.ts'
import { assertThat, CodedError, isCoded, problemAt } from '../../errors.ts'
import type { Logger } from '../../logger.ts'
import { quotedWords } from '../../names.ts'
import { hashToken, isToken } from '../../secrets/opaque-tokens.ts'
import type { Sealing } from '../../secrets/sealing.ts'
import type { ListedSite } from '../../sites/dialects/dialect.ts'
import type { Sites } from '../../sites/sites.ts'
import type { Dialect } from '../../sites/dialects/dialect.ts'
import { assertOpen } from './flows.ts'
import type { OAuthClient } from './oauth-client.ts'
import { clientOfFlow, OAuthFlow, siteOfFlow, verifierPlace, withoutSecrets } from './oauth-flow.ts'
import type { Grant, TokenOutcome } from './token-outcome.ts'
import { VaultEntry } from '../vault-entry.ts'

interface CallbackInput {
  parameters: URLSearchParams
  /** The last part of a foreign issuer's redirect URI; undefined for the shared one. */
  issuerKey?: string | undefined
  bindingOf: (flowId: string) => string | undefined
  from: Pick<Actor, 'address' | 'userAgent'>
}

type Listed = Pick<ListedSite, 'manifest' | 'staleAfterSeconds'>

/** A flow that has ended, with the entry or with the reason why there is none. */
interface Finished {
  flow: OAuthFlow
  result: { entry: VaultEntry } | { error: CodedError }
}

/**
 * The second half of connecting a site by OAuth: the browser returns from the site. The flow is claimed before the code
 * is sent, so the response cannot be replayed or used in another browser (RFC 9700, 2.1 and 4.4).
 */
export function createOAuthReturn(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'sites'>
  sealing: Sealing
  logger: Logger
  oauthClient: OAuthClient
  sites: Pick<Sites, 'discover'>
  dialect: Pick<Dialect, 'isPersonal'>
  audit: Pick<Audit, 'begin'>
  /** Stores the grant in the vault: TOKEN_EXISTS, VAULT_LIMIT_REACHED, NOT_FOUND, WORKSPACE_NOT_FOUND. */
  keep: (flow: OAuthFlow, grant: Grant, listed: Listed) => Promise<VaultEntry>
}) {
  const { database, clock, config, sealing, logger, oauthClient, sites, dialect, audit, keep } = context
  /** How long a second request waits for the outcome of the first. */
  const longestMs = (config.sites.tokenTimeoutSeconds + config.sites.manifestTimeoutSeconds) * 1000 + recordMs

  /** Finds the flow of the state, checks that it belongs to this browser, and marks it as used. */
  async function claim({ parameters, issuerKey, bindingOf }: CallbackInput) {
    const states = parameters.getAll('state')
    const state = states.length === 1 ? (states[0] ?? '') : ''
    const flow = isToken('state', state)
      ? await OAuthFlow.query(database).findOne({ stateHash: hashToken(state) })
      : undefined
    assertThat(flow, 'VALIDATION_ERROR', problemAt('state', 'The state is missing or unknown.'))
    const binding = bindingOf(flow.id)
    const bound = binding !== undefined && hashToken(binding) === flow.bindingHash
    assertThat(bound, 'VALIDATION_ERROR', problemAt('state', 'This connection attempt was started in another browser.'))
    const isIts = oauthClient.issuerKeyOf(siteOfFlow(flow)) === issuerKey
    assertThat(isIts, 'VALIDATION_ERROR', problemAt('state', 'This is the response of another authorization server.'))
    if (flow.status === 'pending') assertOpen(flow, clock.now())
    const claimed = await OAuthFlow.query(database)
      .findById(flow.id)
      .where({ status: 'pending', stateHash: flow.stateHash })
      .patch({ status: 'exchanging' })
    return { flow, state, isFirst: claimed === 1 }
  }

  /** The outcome of a flow, for a page that is reloaded or open in two tabs. */
  async function outcomeOf({ id }: OAuthFlow): Promise<Finished> {
    const read = async () => OAuthFlow.query(database).findById(id).throwIfNotFound()
    const flow = await pollUntil(read, ({ endedAt }) => endedAt !== null, longestMs)
    if (flow.endedAt === null) throw new CodedError('SITE_UNAVAILABLE', { message: stillUnderWay })
    if (flow.status === 'failed') return { flow, result: { error: recorded(flow) } }
    const entry = await VaultEntry.query(database)
      .findById(flow.entryId ?? '')
      .throwIfNotFound()
    return { flow, result: { entry } }
  }

  async function exchange(flow: OAuthFlow, parameters: URLSearchParams, state: string): Promise<Grant> {
    const site = clientOfFlow(sealing, flow)
    const checked = await checkParameters(flow, () => oauthClient.checkCallback(site, parameters, state))
    const verifier = sealing.open(flow.verifier ?? '', verifierPlace(flow.id))
    return granted(await oauthClient.exchange(site, checked, verifier))
  }

  async function checkParameters(flow: OAuthFlow, check: () => URLSearchParams): Promise<URLSearchParams> {
    try {
      return check()
    } catch (error) {
      if (!(error instanceof AuthorizationResponseError)) throw error
      throw refusedBySite(error, error.error === 'invalid_scope' && (await forgetAsked(flow)))
    }
  }

  /**
   * Forgets the scopes of this flow that the site asked for in calls: an authorization server that does not know one of
   * them would refuse every further flow. Whether there were any.
   */
  async function forgetAsked({ entryId, ownerId, foreignScopes }: OAuthFlow): Promise<boolean> {
    return database.transaction(async (trx) => {
      const entry = await VaultEntry.query(trx)
        .findOne({ id: entryId ?? '', ownerId })
        .forUpdate()
      const { granted, asked: before } = entry?.foreignScopes ?? { granted: [], asked: [] }
      const asked = before.filter((scope) => !foreignScopes?.includes(scope))
      if (!entry || asked.length === before.length) return false
      await entry.$query(trx).patch({ foreignScopes: { granted, asked }, scopeNote: null })
      return true
    })
  }

  /** What the site lists to the owner of the new grant. A site that lists the same to everybody was asked before. */
  async function listedFor(flow: OAuthFlow, { accessToken: token }: Grant): Promise<Listed> {
    const { manifest, origin, ownerId, dialect: name } = flow
    if (flow.entryId !== null || !dialect.isPersonal(name) || manifest.auth.type !== 'oauth2') return { manifest }
    return sites.discover(origin, ownerId, { dialect: name, token, auth: manifest.auth })
  }

  async function store(flow: OAuthFlow, grant: Grant): Promise<VaultEntry> {
    try {
      const listed = await listedFor(flow, grant)
      return await retryWhileUnavailable(() => keep(flow, grant, listed))
    } catch (error) {
      // It may have been stored, by an attempt without an answer.
      if (isTransient(error)) throw error
      // The grant will never be used.
      await oauthClient
        .revoke(clientOfFlow(sealing, flow), grant.refreshToken ?? grant.accessToken)
        .catch((cause: unknown) => logger.warn({ err: cause, flowId: flow.id }, 'failed to revoke an unused grant'))
      throw error
    }
  }

  const end = (flow: OAuthFlow, result: Partial<OAuthFlow>): Promise<void> => {
    const changes = { ...result, ...withoutSecrets, endedAt: clock.now() }
    const work = async () => void (await OAuthFlow.query(database).findById(flow.id).patch(changes))
    return retryWhileUnavailable(work)
  }

  return {
    /**
     * Finishes a flow: exchanges the code and stores the grant, once. The same browser gets the same outcome again.
     * Fails with VALIDATION_ERROR (a bad state, another browser, another server's redirect URI). An ended flow has an
     * entry or one of these errors: VALIDATION_ERROR (a bad issuer or set of parameters), PERMISSION_DENIED (access was denied), SITE_UNAVAILABLE,
     * TOOL_EXECUTION_ERROR (the site refused or its token endpoint failed), MANIFEST_NOT_FOUND and MANIFEST_INVALID (no
     * usable tools for the owner), TOKEN_EXISTS, VAULT_LIMIT_REACHED, NOT_FOUND.
     */
    async finish(input: CallbackInput): Promise<Finished> {
      const { flow, state, isFirst } = await claim(input)
      if (!isFirst) return outcomeOf(flow)
      const complete = await audit.begin(deedOf(flow, input))
      try {
        const entry = await store(flow, await exchange(flow, input.parameters, state))
        const result = { status: 'connected', entryId: entry.id } as const
        await end(flow, result)
        const after = { name: entry.name, origin: entry.origin, scopes: entry.foreignScopes?.granted ?? entry.scopes }
        await complete({ kind: 'done', subjectId: entry.id, after })
        return { flow: Object.assign(flow, result), result: { entry } }
      } catch (error) {
        const { code, message } = isCoded(error) ? error : new CodedError('INTERNAL_ERROR')
        await end(flow, { status: 'failed', code, message })
        await complete({ kind: code === 'INTERNAL_ERROR' ? 'unknown' : 'refused' })
        if (!isCoded(error)) throw error
        return { flow, result: { error } }
      }
    },
  }
}

/** The audit entry: the user who started the flow connects or reconnects a site, in the returning browser. */
const deedOf = ({ ownerId, entryId, userId }: OAuthFlow, { from }: CallbackInput): Deed => ({
  ownerId,
  action: 'finishOAuth',
  subjectKind: 'vault_entry',
  subjectId: entryId ?? undefined,
  by: { userId, via: 'login', ...from },
})

const stillUnderWay = 'The site is still being connected. Reload this page in a moment.'

/** The recorded failure of a flow, with the message of the first time. */
function recorded({ code, message }: OAuthFlow): CodedError {
  const options = message === null ? {} : { message }
  // A returning browser must not learn that the workspace exists.
  return new CodedError(code === 'WORKSPACE_NOT_FOUND' ? 'NOT_FOUND' : (code ?? 'INTERNAL_ERROR'), options)
}

/** The site's own `error` (RFC 6749, 4.1.2.1) as a code. `hasForgotten`: the next flow requests fewer scopes. */
function refusedBySite(
  { error, error_description: description }: AuthorizationResponseError,
  hasForgotten: boolean,
): CodedError {
  if (error === 'access_denied') {
    return new CodedError('PERMISSION_DENIED', {
      message: 'Access was denied at the site, so the site was not connected.',
    })
  }
  const message = `The site refused the connection and said: ${quotedWords(error, description)}.${hasForgotten ? fewerNext : ''}`
  return new CodedError('TOOL_EXECUTION_ERROR', { message })
}

const fewerNext =
  ' The scopes that it asked for when it refused calls will not be requested again. Authorize the site again.'

function granted(outcome: TokenOutcome): Grant {
  if (outcome.kind === 'granted') return outcome.grant
  const unreachable = outcome.kind !== 'refused' && outcome.unreachable === true
  throw new CodedError(unreachable ? 'SITE_UNAVAILABLE' : 'TOOL_EXECUTION_ERROR', { message: outcome.message })
}
