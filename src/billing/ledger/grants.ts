import type { Transaction } from '../../database/database.ts'
import { statement } from '../../database/statement.ts'
import { monthAt } from '../../owners/workspace-months.ts'
import { newId } from '../../ids.ts'
import type { Account } from '../account.ts'
import type { LedgerEntry } from '../ledger-entry.ts'
import { usualPriority, type GrantKind } from './credit-grant.ts'
import { draw } from './draw.ts'

export interface NewGrant extends Partial<Pick<LedgerEntry, 'period' | 'paymentId'>> {
  kind: GrantKind
  credits: number
  /** Lower priorities are used first. Default: the usual priority of the kind. */
  priority?: number | undefined
  expiresAt?: Date | null | undefined
  note?: string | undefined
  requestKey?: string | undefined
  grantId?: string
}

/**
 * Adds credits to a locked account in one statement: entry, grant and balance. Pays off a debt first. Returns false if
 * the entry already exists.
 */
export async function addGrant(trx: Transaction, account: Account, given: NewGrant, at: Date): Promise<boolean> {
  const { kind, credits, period = null, paymentId = null, expiresAt = null, note = null, requestKey = null } = given
  const { grantId = newId() } = given
  const balance = account.balance + credits
  const { rows } = await trx.raw<{ rows: unknown[] }>(addStatement, {
    kind,
    credits,
    period,
    paymentId,
    expiresAt,
    note,
    requestKey,
    balance,
    at,
    id: newId(),
    grantId,
    ownerId: account.ownerId,
    remaining: Math.min(credits, Math.max(0, balance)),
    priority: given.priority ?? usualPriority[kind],
  })
  if (rows.length === 0) return false
  account.balance = balance
  return true
}

/** Credits reversed with a payment; for a month, also their grant. */
export interface TakenBack {
  credits: number
  paymentId: string
  grantId?: string | null
  /** How many times the payment was refunded; null for a month that ended early. */
  turn?: number | null
}

/** Takes a payment's credits back from a locked account. Returns false if the entry already exists. */
export async function takeGrants(trx: Transaction, account: Account, taken: TakenBack, at: Date): Promise<boolean> {
  const { credits, paymentId, grantId = null, turn = null } = taken
  const balance = account.balance - credits
  const values = { id: newId(), ownerId: account.ownerId, credits, paymentId, grantId, turn, balance, at }
  const { rows } = await trx.raw<{ rows: unknown[] }>(takeStatement, values)
  if (rows.length === 0) return false
  account.balance = balance
  return true
}

/**
 * Expires the grants of a locked account at its time, and reads its usage of the month. One query, unless a grant has
 * expired.
 */
export async function settleGrants(trx: Transaction, account: Account, at: Date): Promise<void> {
  const { nextExpiry, used, tokens } = await leftOf(trx, account, at)
  if (nextExpiry && nextExpiry <= at) await expire(trx, account, at)
  account.usedThisMonth = used
  account.tokensThisMonth = tokens
}

interface Left {
  nextExpiry: Date | null
  used: number
  tokens: number
}

/** A separate statement: a statement that waits for the account's lock would see grants from before the wait. */
async function leftOf(trx: Transaction, { ownerId }: Account, at: Date): Promise<Left> {
  const { rows } = await leftStatement(trx, { ownerId, at })
  return rows[0] as Left
}

/** Expires the rest of each grant whose time is up. */
async function expire(trx: Transaction, account: Account, at: Date): Promise<void> {
  const { ownerId } = account
  const over = trx('credit_grants').where({ ownerId }).where('remaining', '>', 0).where('expiresAt', '<=', at)
  const grants = await over.orderBy(['expiresAt', 'id']).select<{ id: string; remaining: number }[]>('id', 'remaining')
  for (const { id: grantId, remaining } of grants) {
    account.balance -= remaining
    const values = { id: newId(), ownerId, grantId, remaining, balance: account.balance, at }
    await trx.raw(expireStatement, values)
  }
}

const addStatement = `
  with entry as (
    insert into ledger_entries (id, owner_id, kind, credits, balance_after, period, payment_id, grant_id, created_at)
    values (:id, :ownerId, :kind, :credits, :balance, :period, :paymentId, :grantId, :at)
    on conflict do nothing returning grant_id
  ), made as (
    insert into credit_grants
      (id, owner_id, kind, credits, remaining, priority, expires_at, note, request_key, created_at)
    select grant_id, :ownerId::uuid, :kind::text, :credits::bigint, :remaining::bigint, :priority::integer,
           :expiresAt::timestamptz, :note::text, :requestKey::text, :at::timestamptz
      from entry
  ), account as (
    update accounts set balance = :balance from entry where owner_id = :ownerId
  )
  select from entry`

const takeStatement = `
  with ${draw(':ownerId', ':credits')}, entry as (
    insert into ledger_entries (id, owner_id, kind, credits, balance_after, payment_id, grant_id, turn, drawn, created_at)
    values (:id, :ownerId, 'refund', -(:credits::bigint), :balance, :paymentId, :grantId, :turn,
            (select json_object_agg(id, credits) from draw), :at)
    on conflict do nothing returning id
  ), taken as (
    update credit_grants g set remaining = remaining - d.credits
      from draw d, entry where g.owner_id = :ownerId and g.id = d.id
  ), account as (
    update accounts set balance = :balance from entry where owner_id = :ownerId
  )
  select from entry`

const leftStatement = statement<Left>(`
  select min(g.expires_at) as "nextExpiry", coalesce(m.credits, 0)::bigint as used, coalesce(m.tokens, 0)::bigint as tokens
    from (values (:ownerId::uuid)) as account (id)
    left join credit_months m on m.subject_id = account.id and m.month = ${monthAt(':at')}
    left join credit_grants g on g.owner_id = account.id and g.remaining > 0
   group by m.credits, m.tokens`)

const expireStatement = `
  with entry as (
    insert into ledger_entries (id, owner_id, kind, credits, balance_after, grant_id, created_at)
    values (:id, :ownerId, 'expiry', -(:remaining::bigint), :balance, :grantId, :at)
  ), account as (
    update accounts set balance = :balance where owner_id = :ownerId
  )
  update credit_grants set remaining = 0 where owner_id = :ownerId and id = :grantId`
