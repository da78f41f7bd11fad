import type { Provider } from 'oidc-provider'
import { later, type Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { newId } from '../ids.ts'
import { cleanName, cut } from '../names.ts'
import { assertMember } from '../owners/assert-member.ts'
import { requireLogin, requireOwnAccount, type Caller } from '../users/caller.ts'
import { lockOwner } from '../users/user.ts'
import { knownScopes, type AppScope } from './app-scopes.ts'
import { ConnectedApp } from './connected-app.ts'
import type { Records } from './records.ts'
import { shownHost } from './redirect-uris.ts'

/** The most apps that a user may have connected. */
export const mostApps = 50

/** The longest name of an app that is kept, in code points. */
const longestName = 100

/** The request of an app that waits for a person. */
export interface AppRequest {
  id: string
  /** The client's words; null if it has none. */
  name: string | null
  /** The host that publishes the client's metadata; null for a client that registered itself. */
  clientHost: string | null
  redirectHost: string
  scopes: AppScope[]
  expiresAt: Date
}

/** What a person decides about, and the cookie that shows that the same browser made the request. */
interface Asked {
  requestId: string
  cookieOf: (name: string) => string | undefined
}

type Interaction = InstanceType<Provider['Interaction']>

/**
 * Requests of apps for access. A person who is signed in to the console answers them, in the browser that made them:
 * otherwise an attacker could send a person the address of a request of their own.
 */
export function createAppRequests(context: { database: Database; clock: Clock; provider: Provider; records: Records }) {
  const { database, clock, provider, records } = context
  const cookieName = provider.cookieName('interaction')

  /** NOT_FOUND also for a request of another browser, and for one that is answered. */
  async function pending({ requestId, cookieOf }: Asked): Promise<Interaction> {
    const found = await provider.Interaction.find(requestId)
    const isOfBrowser = cookieOf(cookieName) === requestId
    assertThat(found && isOfBrowser && found.result === undefined, 'NOT_FOUND', { message: gone })
    return found
  }

  async function present(interaction: Interaction): Promise<AppRequest> {
    const { uid: id, exp, params } = interaction
    const { client_id: clientId, redirect_uri: redirectUri, scope = '' } = params as Record<string, string>
    const client = await provider.Client.find(clientId!)
    assertThat(client, 'NOT_FOUND', { message: gone })
    const name = cut(cleanName(withoutControls(client.clientName ?? '')), longestName)
    return {
      id,
      name: name === '' ? null : name,
      clientHost: isAddress(clientId!) ? new URL(clientId!).host : null,
      redirectHost: shownHost(redirectUri!),
      scopes: knownScopes(scope),
      expiresAt: new Date(exp * 1000),
    }
  }

  /** Answers the app, and returns where the browser goes on. NOT_FOUND. */
  async function answer(trx: Transaction, requestId: string, result: object): Promise<string> {
    const location = await records.answer(trx, requestId, result)
    assertThat(location !== undefined, 'NOT_FOUND', { message: gone })
    return location
  }

  /** The new app of a person at an owner. A registered client that signs in again replaces its former app. */
  async function connect(trx: Transaction, app: ConnectedApp): Promise<void> {
    const { userId, workspaceId, clientId } = app
    await lockOwner(trx, workspaceId ?? userId)
    await assertMember(trx, workspaceId ?? userId, userId)
    const former = ConnectedApp.query(trx).where({ userId, workspaceId, clientId })
    if (!isAddress(clientId)) await former.delete()
    const count = await ConnectedApp.query(trx).where({ userId }).resultSize()
    assertThat(count < mostApps, 'FEATURE_LIMIT_REACHED', { message: full })
    await ConnectedApp.query(trx).insert(app)
  }

  return {
    find: async (asked: Asked): Promise<AppRequest> => present(await pending(asked)),

    /**
     * Connects the app with those of the requested scopes that the person ticked. Until it has fetched its tokens, it
     * expires like the request. NOT_FOUND, VALIDATION_ERROR, FEATURE_LIMIT_REACHED.
     */
    async allow(
      caller: Caller,
      { ownerId, scopes, ...asked }: Asked & { ownerId: string; scopes: readonly AppScope[] },
    ) {
      requireLogin(caller)
      // As for API keys: it would outlast the access, which depends on the sign-in provider of the workspace.
      requireOwnAccount(caller)
      const interaction = await pending(asked)
      const request = await present(interaction)
      const granted = request.scopes.filter((scope) => scopes.includes(scope))
      assertThat(granted.length > 0 && granted.length === scopes.length, 'VALIDATION_ERROR', {
        message: 'Choose from the scopes that the app requests.',
        details: [{ path: 'scopes', message: 'Must contain at least one scope, and only requested ones.' }],
      })
      const app = ConnectedApp.fromJson({
        id: newId(),
        userId: caller.userId,
        workspaceId: ownerId === caller.userId ? null : ownerId,
        createdAt: clock.now(),
        expiresAt: later(clock.now(), unusedSeconds),
        lastUsedAt: null,
        name: request.name ?? request.clientHost ?? request.redirectHost,
        clientId: interaction.params['client_id'],
        redirectHost: request.redirectHost,
        scopes: granted,
      })
      const result = { login: { accountId: app.id, remember: false }, consent: { grantId: app.id } }
      const location = await database.transaction(async (trx) => {
        const back = await answer(trx, asked.requestId, result)
        await connect(trx, app)
        return back
      })
      return { app, location }
    },

    /** Tells the app that the person refused (RFC 6749, 4.1.2.1). NOT_FOUND. */
    async refuse(asked: Asked): Promise<{ request: AppRequest; location: string }> {
      const request = await present(await pending(asked))
      const error = { error: 'access_denied', error_description: 'The person refused.' }
      return { request, location: await database.transaction((trx) => answer(trx, asked.requestId, error)) }
    },
  }
}

/** Until when an app must have its first tokens, in seconds. */
const unusedSeconds = 600

const gone =
  'This request has expired, was answered, or belongs to another browser. Start again in the app that sent you here.'

const full = `You have connected ${mostApps} apps. Disconnect one first.`

const isAddress = (clientId: string): boolean => clientId.startsWith('https:')

const withoutControls = (text: string): string => text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
