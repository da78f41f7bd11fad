import type { Transaction } from '../../database/database.ts'
import { statement } from '../../database/statement.ts'
import { dayAt, monthAt } from '../../owners/workspace-months.ts'
import { newId } from '../../ids.ts'
import type { Account } from '../account.ts'
import type { LedgerEntry } from '../ledger-entry.ts'
import { draw } from './draw.ts'

export interface NewCharge extends Pick<
  LedgerEntry,
  'kind' | 'runId' | 'answerId' | 'agentId' | 'workspaceId' | 'step' | 'attempt' | 'costNanoUsd' | 'price'
> {
  /** The cost: positive, or 0 if steps are free. */
  credits: number
  /** The amount that counts toward caps. */
  counted: number
  /** Input and output tokens of the model. */
  tokens: number
  /** Whether the hold of the run or answer belongs to this step. */
  settlesHold: boolean
}

/**
 * Charges a locked account in one statement: entry, draws from grants, balance, hold, and the months and days of the
 * account, agent and workspace. Returns false if the entry already exists.
 */
export async function chargeAccount(trx: Transaction, account: Account, charge: NewCharge, at: Date): Promise<boolean> {
  const { price, runId, answerId, ...rest } = charge
  const balance = account.balance - charge.credits
  const { rows } = await chargeStatement(trx, {
    ...rest,
    runId,
    answerId,
    balance,
    at,
    id: newId(),
    payerId: account.ownerId,
    subjectId: runId ?? answerId,
    price: price && JSON.stringify(price),
  })
  if (rows.length === 0) return false
  account.balance = balance
  return true
}

const addToDay = `
  days[${dayAt(':at')}] = coalesce(known.days[${dayAt(':at')}], 0) + :counted::bigint`

const chargeStatement = statement(`
  with ${draw(':payerId', ':credits')}, hold as (
    select credits from credit_holds where subject_id = :subjectId and :settlesHold
  ), released as (
    delete from credit_holds where subject_id = :subjectId and :settlesHold
  ), entry as (
    insert into ledger_entries
      (id, owner_id, workspace_id, agent_id, kind, credits, balance_after, run_id, answer_id, step, attempt,
       cost_nano_usd, price, tokens, held, drawn, created_at)
    values
      (:id, :payerId, :workspaceId, :agentId, :kind, -(:credits::bigint), :balance, :runId, :answerId, :step, :attempt,
       :costNanoUsd, :price, :tokens, (select credits from hold), (select json_object_agg(id, credits) from draw), :at)
    on conflict do nothing returning id
  ), taken as (
    update credit_grants g set remaining = remaining - d.credits
      from draw d, entry where g.owner_id = :payerId and g.id = d.id
  ), account as (
    update accounts set balance = :balance from entry where owner_id = :payerId
  ), months as (
    insert into credit_months as known (subject_id, month, credits, tokens, days[${dayAt(':at')}])
    select counted.id, ${monthAt(':at')}, :counted::bigint, :tokens::bigint, :counted::bigint
      from entry, (values (:payerId::uuid), (:agentId::uuid)) as counted (id) where counted.id is not null
    on conflict (subject_id, month) do update
      set credits = known.credits + excluded.credits, tokens = known.tokens + excluded.tokens, ${addToDay}
  ), of_workspace as (
    insert into workspace_months as known (workspace_id, month, credits, days[${dayAt(':at')}])
    select :workspaceId::uuid, ${monthAt(':at')}, :counted::bigint, :counted::bigint
      from entry where :workspaceId::uuid is not null
    on conflict (workspace_id, month) do update set credits = known.credits + excluded.credits, ${addToDay}
  )
  select from entry`)
