import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { assertThat, problemAt } from '../errors.ts'
import { newId } from '../ids.ts'
import { ownerName } from '../owners/owner-name.ts'
import { networkOf } from '../rate-limit.ts'
import { bindBrowser, type BrowserBinding } from '../secrets/browser-binding.ts'
import { hashToken, isToken, newToken } from '../secrets/opaque-tokens.ts'
import type { Sealing } from '../secrets/sealing.ts'
import type { OidcClient } from './oidc-client.ts'
import { folder, type Provider } from './provider.ts'
import type { Providers } from './providers.ts'
import { SignInFlow, verifierPlace } from './sign-in-flow.ts'

/** The time to sign in at the provider. */
const lifetimeSeconds = 600
/** The most pending flows per network and per account, because strangers can create them. */
const mostPending = 100

/** A flow to start. */
interface Wanted {
  provider: Provider
  /** The client's address. */
  address: string
  /** The account to link; absent for a sign-in. */
  linking?: { userId: string; loginId: string }
  returnTo?: string | undefined
}

export interface BegunFlow {
  /** The platform's URL for the browser to open. */
  url: string
  ticket: string
  expiresAt: Date
}

/** A flow that a browser has opened, and the secrets that bind it to that browser. */
export interface OpenedFlow extends BrowserBinding {
  flow: SignInFlow
}

/** The first half of signing in: it sends the browser to the provider. The second half is the callback. */
export function createFlows(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'http'>
  sealing: Sealing
  providers: Providers
  client: OidcClient
}) {
  const { database, clock, config, sealing, providers, client } = context

  /** Counts without a lock, so parallel requests may slightly exceed the limit. */
  async function assertFlowLimit(of: { network: string } | { userId: string }): Promise<void> {
    const pending = SignInFlow.query(database).where(of).whereNull('endedAt').where('expiresAt', '>', clock.now())
    const message = 'Too many sign-ins were started and not finished. Try again in a few minutes.'
    assertThat((await pending.resultSize()) < mostPending, 'RATE_LIMITED', { message, retryAfter: lifetimeSeconds / 2 })
  }

  async function find(ticket: string): Promise<SignInFlow> {
    const looksRight = isToken('ticket', ticket)
    const flow = looksRight ? await SignInFlow.query(database).findOne({ ticketHash: hashToken(ticket) }) : undefined
    assertThat(flow, 'NOT_FOUND', { message: 'This sign-in does not exist. Start again.' })
    assertOpen(flow, clock.now())
    return flow
  }

  return {
    /** Starts a flow for one browser. RATE_LIMITED. */
    async begin({ provider, address, linking, returnTo }: Wanted): Promise<BegunFlow> {
      const network = networkOf(address)
      await assertFlowLimit(linking ? { userId: linking.userId } : { network })
      const [id, ticket, now] = [newId(), newToken('ticket'), clock.now()]
      const expiresAt = later(now, lifetimeSeconds)
      const flow = {
        id,
        ...linking,
        provider: provider.id,
        workspaceProviderId: provider.workspaceProviderId,
        ticketHash: hashToken(ticket),
        verifier: sealing.seal(client.newVerifier(), verifierPlace(id)),
        network,
        returnTo: returnTo ?? null,
        createdAt: now,
        expiresAt,
      }
      await database.transaction(async (trx) => SignInFlow.query(trx).insert(flow))
      return { url: `${config.http.baseUrl}${folder}/go?ticket=${ticket}`, ticket, expiresAt }
    },

    /**
     * Opens the URL in a browser. Binds nothing yet, because link previews open URLs too. `cookieOf` finds an earlier
     * cookie of this flow. NOT_FOUND, VALIDATION_ERROR (expired, or bound to another browser).
     */
    async open(ticket: string, cookieOf: (flowId: string) => string | undefined): Promise<OpenedFlow> {
      const flow = await find(ticket)
      const bound = bindBrowser(flow.id, cookieOf(flow.id))
      assertSameBrowser(flow.bindingHash === null || flow.bindingHash === bound.bindingHash)
      return { flow, ...bound }
    },

    /**
     * The provider's authorization URL. Binds the flow to this browser and excludes all others. NOT_FOUND,
     * VALIDATION_ERROR, SITE_UNAVAILABLE, PERMISSION_DENIED (the provider cannot be used).
     */
    async go({ flow, bindingHash, state }: OpenedFlow): Promise<string> {
      const provider = await providerOf(providers, flow)
      const verifier = sealing.open(flow.verifier ?? '', verifierPlace(flow.id))
      const url = await client.authorizeUrl(provider, { flowId: flow.id, state, verifier })
      const changed = await SignInFlow.query(database)
        .findById(flow.id)
        .whereNull('endedAt')
        .where((query) => void query.whereNull('bindingHash').orWhere({ bindingHash }))
        .patch({ bindingHash, stateHash: hashToken(state) })
      assertSameBrowser(changed === 1)
      return url
    },

    /**
     * What to show before the browser leaves for the provider: the provider's address, and the account to link.
     * NOT_FOUND.
     */
    async preview({ flow }: OpenedFlow): Promise<{ account: string | undefined; issuer: string }> {
      const { issuer } = await providerOf(providers, flow)
      return { account: flow.userId === null ? undefined : await ownerName(database, flow.userId), issuer }
    },

    /** Deletes finished and expired flows. They are already refused before that. */
    async purge(): Promise<void> {
      await SignInFlow.query(database).where('expiresAt', '<', later(clock.now(), -3600)).delete()
    },
  }
}

/** The flow's provider. NOT_FOUND if it was removed or replaced. */
export async function providerOf(providers: Providers, flow: SignInFlow): Promise<Provider> {
  const provider = await providers.find(flow.provider)
  const message = 'The sign-in provider was changed during this sign-in. Start again.'
  assertThat(provider.workspaceProviderId === flow.workspaceProviderId, 'NOT_FOUND', { message })
  return provider
}

function assertSameBrowser(same: boolean): void {
  const message = 'This link has already been opened in another browser. Start again.'
  assertThat(same, 'VALIDATION_ERROR', problemAt('ticket', message))
}

/** Refuses an expired or used flow. */
export function assertOpen(flow: SignInFlow, now: Date): void {
  const message = flow.endedAt === null ? 'This link has expired.' : 'This link has already been used.'
  const details = [{ path: 'ticket', message }]
  const open = flow.endedAt === null && flow.expiresAt > now
  assertThat(open, 'VALIDATION_ERROR', { message: `${message} Start again.`, details })
}
