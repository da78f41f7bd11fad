import type { Transaction } from '../database/database.ts'
import { Identity } from '../sign-in/identity.ts'
import { ApiKey } from './api-key.ts'

/** The most things per kind that a mail names. */
const mostNamed = 20

/**
 * What stays in an account after a password reset, and may belong to an intruder: one line per kind, empty if there is
 * nothing. User-chosen names are left out, because an intruder may have written them for the reader.
 */
export async function leftInAccount(trx: Transaction, userId: string): Promise<string[]> {
  const identities = await Identity.query(trx).where({ userId }).orderBy('id')
  const { rows: agents } = await trx.raw<{ rows: { id: string; callbackUrl: string }[] }>(agentsStatement, { userId })
  const { rows: sites } = await trx.raw<{ rows: { origin: string }[] }>(sitesStatement, { userId })
  const keys = await ApiKey.query(trx).where({ userId }).whereNull('revokedAt').resultSize()
  return [
    line(
      'Linked sign-in providers',
      identities.map(({ issuer }) => issuer),
    ),
    line(
      'Agents that send callbacks',
      agents.map(({ id, callbackUrl }) => `${id} to ${new URL(callbackUrl).host}`),
    ),
    line(
      'Connected sites',
      sites.map(({ origin }) => origin),
    ),
    keys > 0 ? `Valid API keys: ${keys}` : '',
  ].filter((text) => text !== '')
}

function line(what: string, things: readonly string[]): string {
  if (things.length === 0) return ''
  const more = things.length > mostNamed ? `, and ${things.length - mostNamed} more` : ''
  return `${what}: ${things.slice(0, mostNamed).join(', ')}${more}`
}

const owned = `(select :userId::uuid union all select id from workspaces where payer_id = :userId)`

const agentsStatement = `
  select id, callback_url as "callbackUrl" from agents
   where owner_id in ${owned} and deleted_at is null and callback_url is not null
   order by id`

const sitesStatement = `
  select distinct origin from vault_entries
   where owner_id in ${owned} and status = 'connected'
   order by origin`
