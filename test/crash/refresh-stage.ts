import * as notifications from '../../api/notifications.ts'
import * as vault from '../../api/vault.ts'
import * as refreshes from '../../api/refreshes.ts'
import type { ContactsSite } from '../../examples/sites/contacts/server.ts'
import { call } from '../helpers/client.ts'
import { connectContacts } from '../helpers/connect.ts'
import { eventually } from '../helpers/eventually.ts'
import { hold } from '../helpers/hold.ts'
import { agentOf, customer, type Person } from '../helpers/people.ts'
import { start } from '../helpers/runs.ts'
import type { Stage } from './stage.ts'

/** What the tests of refreshes that meet a disaster have in common. */

export const toolName = 'crm.searchContacts'

/** Somebody with the contacts site connected. */
export interface Entry {
  someone: Person
  entryId: string
}

export interface Owner extends Entry {
  /** An agent that calls the site once. */
  agentId: string
}

/** An owner whose access tokens, of now on and until told otherwise, live for so many seconds. */
export async function openOwner(
  { platform, contacts }: Stage,
  accessTokenSeconds: number,
  toolCall = `${toolName} {}`,
): Promise<Owner> {
  const someone = await customer(platform)
  contacts.accessTokenSeconds = accessTokenSeconds
  const entryId = await connectContacts(someone, contacts)
  contacts.accessTokenSeconds = 3600
  const systemPrompt = `[[call ${toolCall}]]`
  const { id: agentId } = await agentOf(someone, { systemPrompt, sites: [{ vaultEntryId: entryId }] })
  return { someone, entryId, agentId }
}

export const startRunOf = async ({ someone, agentId }: Owner): Promise<string> =>
  (await start(someone, { id: agentId })).body.id

export const refreshesAt = (contacts: ContactsSite) =>
  contacts.tokenRequests().filter(({ grantType }) => grantType === 'refresh_token')

/** The refreshes of the owner's entry in short, oldest first. */
export const historyOf = async ({ someone, entryId }: Entry) =>
  (await call(someone, refreshes.listRefreshes, { params: { entryId } })).body.items
    .map(({ cause, outcome }) => `${cause} ${outcome}`)
    .toReversed()

/** Whether somebody who lives has begun to refresh the owner's entry and not ended: that is what a kill cuts off. */
export async function isLeased({ platform }: Stage, { entryId }: Entry): Promise<boolean> {
  const open = await platform.services.database('vault_refreshes').where({ entryId }).whereNull('endedAt')
  return open.length === 1 && open[0].leaseUntil > new Date()
}

export const callDirectly = ({ someone, entryId }: Entry, url = someone.url) =>
  call({ ...someone, url }, vault.callTool, { params: { entryId, toolName }, body: {} })

export const statusOf = async ({ someone, entryId }: Entry) =>
  (await call(someone, vault.getVaultEntry, { params: { entryId } })).body.status

/** What the owner was told about dead credentials. */
export const noticesOf = async ({ someone }: Entry) =>
  (await call(someone, notifications.listNotifications, { query: { kind: 'credential_dead' } })).body.items

/** Waits until the access tokens of these owners are too old, by the platform's own account. */
export const untilExpired = ({ platform }: Stage, owners: Owner[]) =>
  eventually(5, 'the access tokens have expired', async () => {
    const ids = owners.map(({ entryId }) => entryId)
    const rows = await platform.services
      .database('vault_entries')
      .whereIn('id', ids)
      .where('expires_at', '<', new Date())
    return rows.length === ids.length || undefined
  })

/**
 * Holds the next refresh at the site, before it is looked at or when its tokens are made; `meanwhile` is done then, and
 * with `deliver` the answer is sent afterwards. Comes back when all that is done.
 */
export async function catchRefresh(
  contacts: ContactsSite,
  { proceed: mayProceed = true, deliver = false, meanwhile = async () => {} }: Catch,
): Promise<void> {
  const { promise: caught, resolve, reject } = Promise.withResolvers<void>()
  contacts.intercept(async (_facts, _response, proceed) => {
    if (mayProceed) await proceed()
    await meanwhile().then(resolve, reject)
    // Whoever waits for it will be killed.
    if (!deliver) await new Promise(() => {})
  })
  const timer = setTimeout(() => reject(new Error('Nobody came for a refresh.')), 20_000)
  await caught.finally(() => clearTimeout(timer))
}

interface Catch {
  proceed?: boolean
  deliver?: boolean
  meanwhile?: () => Promise<void>
}

/** Locks one row of the test's own database for as long as nobody releases it. */
export const lockRow = ({ platform }: Stage, table: 'runs' | 'vault_entries', id: string) =>
  hold(platform.services.database, (trx) => trx.raw('select 1 from ?? where id = ? for update', [table, id]))

/** Has the tokens of one entry refreshed at another port, from where it goes on to the site. */
export async function leadThrough({ platform, contacts }: Stage, port: number, { entryId }: Owner): Promise<void> {
  const address = Object.assign(new URL('/oauth/token', contacts.origin), { port }).href
  await platform.services.database.raw(
    "update vault_entries set manifest = jsonb_set(manifest::jsonb, '{auth,token_url}', to_jsonb(?::text)) where id = ?",
    [address, entryId],
  )
}
