import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { assertThat, CodedError } from '../errors.ts'
import type { Logger } from '../logger.ts'
import { closed } from '../owners/reach.ts'
import type { RateLimits } from '../rate-limit.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { oauthFetch } from '../safe-fetch/oauth-fetch.ts'
import type { SafeFetch } from '../safe-fetch/safe-fetch.ts'
import type { Sealing } from '../secrets/sealing.ts'
import { requireLogin, type Caller } from '../users/caller.ts'
import { User } from '../users/user.ts'
import type { Users } from '../users/users.ts'
import { createCallback } from './callback.ts'
import { createDiscovery, type FetchFor } from './discovery.ts'
import { createFlows, type BegunFlow } from './flows.ts'
import { createIdentities, unverified } from './identities.ts'
import { createKeys } from './keys.ts'
import { createOidcClient } from './oidc-client.ts'
import { workspaceOf } from './provider.ts'
import { createProviders } from './providers.ts'
import { createWorkspaceProviders } from './workspace-providers.ts'

/** Sign-in through OpenID Connect providers of the installation and of workspaces (docs/decisions/0058). */
export function createSignIn(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'http' | 'signIn' | 'sites'>
  logger: Logger
  rateLimits: RateLimits
  sealing: Sealing
  /** Fetches from hosts that any user may name. */
  fetch: SafeFetch
  /** Fetches from hosts that the operator has named. */
  trustedFetch: SafeFetch
  outbox: Pick<Outbox, 'put'>
  users: Pick<Users, 'registerVerified' | 'logins' | 'tries'>
}) {
  const { database, clock, config, users } = context
  const timeoutMs = config.sites.tokenTimeoutSeconds * 1000
  const [ofWorkspaces, ofInstallation] = [context.fetch, context.trustedFetch].map((one) => oauthFetch(one, timeoutMs))
  const fetchFor: FetchFor = ({ workspaceProviderId }) =>
    (workspaceProviderId === null ? ofInstallation : ofWorkspaces) as ReturnType<FetchFor>
  const discovery = createDiscovery({ clock, fetchFor })
  const keys = createKeys({ clock, fetchFor })
  const client = createOidcClient({ config, logger: context.logger, discovery, keys, fetchFor })
  function forget(): void {
    discovery.forget()
    keys.forget()
  }
  const providers = createProviders(context)
  const identities = createIdentities(context)
  const flows = createFlows({ ...context, providers, client })
  const callback = createCallback({ ...context, providers, client, identities })

  /**
   * Starts to link a provider to the caller's account. NOT_FOUND, also for the provider of a workspace that the caller
   * does not belong to, PERMISSION_DENIED (an unverified address), WORKSPACE_REQUIRED, UNAUTHORIZED (wrong or missing
   * password or code), RATE_LIMITED.
   */
  async function link(
    caller: Caller,
    {
      provider: providerId,
      currentPassword = '',
      code,
    }: { provider: string; currentPassword?: string | undefined; code?: string | undefined },
    address: string,
  ): Promise<BegunFlow> {
    const loginId = requireLogin(caller)
    const provider = await providers.find(providerId)
    const workspaceId = workspaceOf(provider)
    const place = workspaceId === null ? { closedBy: null } : caller.reach.places.get(workspaceId)
    assertThat(place, 'NOT_FOUND', { message: 'This sign-in provider does not exist.' })
    if (place.closedBy !== null) throw new CodedError('WORKSPACE_REQUIRED', { message: closed(place.closedBy) })
    const user = await User.query(database).findById(caller.userId)
    assertThat(user?.emailVerifiedAt, 'PERMISSION_DENIED', { message: unverified })
    // Otherwise a stolen access token could add a permanent way in, which survives a new password and needs no code.
    if (user.passwordHash !== null) await users.tries.prove(user.id, { currentPassword, code }, address)
    return flows.begin({ provider, address, linking: { userId: caller.userId, loginId } })
  }

  return {
    forget,
    providers,

    /** Reads each installation provider's document. The log names the unusable ones and the cause. */
    async checkInstalled(): Promise<void> {
      await Promise.allSettled(providers.installed.map((provider) => client.check(provider)))
    },

    flows,
    callback,
    link,
    identities,
    ofWorkspace: createWorkspaceProviders({ ...context, client }),
  }
}
