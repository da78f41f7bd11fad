import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { gather } from '../database/gather.ts'
import { raw } from 'objection'
import { newId } from '../ids.ts'
import { payerOf } from '../owners/payer.ts'
import { noteUsed } from '../owners/months.ts'
import { Workspace } from '../workspaces/workspace.ts'
import { page, type Page, type PageRequest } from '../database/paging.ts'
import type { Due } from '../runs/due.ts'
import { Account } from './account.ts'
import { LedgerEntry } from './ledger-entry.ts'
import { fallsBelow, isLapsed, isPaid, timeOf } from './standing.ts'
import { tierOf } from './tiers.ts'

interface StepCharge {
  ownerId: string
  /** Whose step it is: a run's, or that of an answer in a chat. */
  runId?: string
  answerId?: string
  /** The number of the step within its run or answer. */
  step: number
  /** The attempt, if it failed and the provider billed it all the same. */
  failedAttempt?: number
  /** The cost of the step, rounded up to whole credits and at least 1. */
  credits: number
  /** The cost in billionths of a USD and the price behind it, if one is known. */
  cost?: { nanoUsd: number; price: object } | undefined
}

/** Credits that are added. */
interface Given {
  kind: 'purchase' | 'top_up' | 'promotion'
  credits: number
  paymentId?: string
}

type NewEntry = Pick<LedgerEntry, 'kind' | 'credits'> &
  Partial<
    Pick<
      LedgerEntry,
      'workspaceId' | 'paymentId' | 'period' | 'runId' | 'answerId' | 'step' | 'attempt' | 'costNanoUsd' | 'price'
    >
  >

/** Accounts and the ledger. An entry and its change of the balance are one transaction under the account's lock. */
export function createCredits(context: { database: Database; clock: Clock; due: Due }) {
  const { database, clock, due } = context

  const byOwner = gather<string, Account>(async (ownerIds) => {
    const found = await Account.query(database)
      .joinRaw(byOwnerJoin, { ownerIds })
      .select('accounts.*', 'asked.id as askedId', raw(isClosing))
      .castTo<(Account & { askedId: string })[]>()
    return new Map(found.map((account) => [account.askedId, account]))
  })

  /** The account that pays for the owner, with this month's grant; one query by primary key, unless the account has to change first. */
  async function current(ownerId: string, trx?: Transaction): Promise<Account> {
    const account = trx ? await find(ownerId, trx) : await byOwner(ownerId)
    if (account && !isLapsed(account, timeOf(account, clock.now())) && !isGrantDue(account)) return account
    return trx ? locked(ownerId, trx) : database.transaction((own) => locked(ownerId, own))
  }

  /** The same, created if missing, and locked until the transaction ends. */
  async function locked(ownerId: string, trx: Transaction): Promise<Account> {
    const account = (await lock(ownerId, trx)) ?? (await make(ownerId, trx))
    if (isLapsed(account, timeOf(account, clock.now()))) await makeFree(account, trx)
    if (isGrantDue(account)) await makeGrant(account, trx)
    return account
  }

  /** Returns a locked account to the free tier. The balance stays. */
  async function makeFree(account: Account, trx: Transaction): Promise<void> {
    const free = { tier: 'free', currentPeriodEnd: null, cancelledAt: null } as const
    await Account.query(trx).findById(account.ownerId).patch(free)
    Object.assign(account, free)
    await due.owner(trx, account.ownerId)
  }

  const find = (ownerId: string, trx: Transaction) =>
    Account.query(trx).findOne('ownerId', payerOf(ownerId)).select('accounts.*', raw(isClosing))
  const lock = (ownerId: string, trx: Transaction) => find(ownerId, trx).forUpdate()

  async function make(ownerId: string, trx: Transaction): Promise<Account> {
    const { payerId = ownerId } = (await Workspace.query(trx).findById(ownerId).select('payerId')) ?? {}
    const account = { ownerId: payerId, tier: 'free', balance: 0, clockSeconds: 0, createdAt: clock.now() } as const
    // A parallel insert waits here for the first one, then finds its row.
    await Account.query(trx).insert(account).onConflict('ownerId').ignore()
    return lock(ownerId, trx).throwIfNotFound()
  }

  /** A past-due subscription grants nothing. */
  const isGrantDue = (account: Account): boolean =>
    account.grantedPeriod !== periodOf(account, timeOf(account, clock.now())) &&
    isPaid(account, timeOf(account, clock.now()))

  /** Adds credits that were bought or given away, once for each payment. Returns whether it has added any. */
  async function grant(trx: Transaction, ownerId: string, given: Given): Promise<boolean> {
    const account = await locked(ownerId, trx)
    const added = await append(account, given, trx)
    if (added) await due.owner(trx, account.ownerId)
    return added
  }

  /** Takes credits back with a payment, once for each; what was used already, too, so that the balance may be below zero. */
  async function takeBack(trx: Transaction, ownerId: string, taken: { credits: number; paymentId: string }) {
    const account = await locked(ownerId, trx)
    await append(account, { kind: 'refund', credits: -taken.credits, paymentId: taken.paymentId }, trx)
  }

  /** Grants the month's credits, less what was already granted this month, as before an upgrade. */
  async function makeGrant(account: Account, trx: Transaction): Promise<void> {
    const period = periodOf(account, timeOf(account, clock.now()))
    const month = await grantsOf(account.ownerId, period.slice(0, 'yyyy-mm/'.length), trx)
    const credits = tierOf(account.tier).creditsPerMonth - month.reduce((sum, grant) => sum + grant.credits, 0)
    const granted = month.some((grant) => grant.period === period)
    if (credits > 0 && !granted) await append(account, { kind: 'grant', credits, period }, trx)
    account.grantedPeriod = period
    await Account.query(trx).findById(account.ownerId).patch({ grantedPeriod: period })
    // Runs and queues may have waited for these credits.
    await due.owner(trx, account.ownerId)
  }

  const grantsOf = (ownerId: string, prefix: string, trx: Transaction) =>
    LedgerEntry.query(trx).where({ ownerId, kind: 'grant' }).where('period', 'like', `${prefix}%`)

  /** Writes an entry and the new balance, unless there is such an entry already. The account must be locked. */
  async function append(account: Account, entry: NewEntry, trx: Transaction): Promise<boolean> {
    const balance = account.balance + entry.credits
    const facts = {
      id: newId(),
      ownerId: account.ownerId,
      balanceAfter: balance,
      createdAt: timeOf(account, clock.now()),
    }
    // Not by the model: that returns what it was given if nothing was inserted.
    const written = await trx('ledger_entries')
      .insert({ ...facts, ...entry })
      .onConflict()
      .ignore()
      .returning<{ id: string }[]>('id')
    if (written.length === 0) return false
    const marked = fallsBelow(account, balance) ? { lookAt: clock.now() } : {}
    await Account.query(trx)
      .findById(account.ownerId)
      .patch({ balance, ...marked })
    account.balance = balance
    return true
  }

  /**
   * Charges a step of a run, or a failed attempt at it, in the transaction that records it. Asked twice for one, it
   * charges once and returns the same charge. A charge may exceed the balance: the next step then fails with
   * NO_CREDITS.
   */
  async function chargeStep(trx: Transaction, charge: StepCharge) {
    const { ownerId, runId = null, answerId, step, failedAttempt, credits, cost } = charge
    const account = await locked(ownerId, trx)
    const workspaceId = account.ownerId === ownerId ? null : ownerId
    const failed = { kind: 'failed_step' as const, runId, step, attempt: failedAttempt ?? null }
    const ofStep = { kind: 'step' as const, runId, step }
    const ofRun = failedAttempt === undefined ? ofStep : failed
    const of = answerId === undefined ? ofRun : { kind: 'chat_step' as const, answerId, step }
    const charged = Math.max(1, Math.ceil(credits))
    const priced = cost && { costNanoUsd: cost.nanoUsd, price: { ...cost.price } }
    if (await append(account, { ...of, workspaceId, credits: -charged, ...priced }, trx)) {
      if (workspaceId !== null) await noteUsed(trx, { workspaceId, credits: charged, now: clock.now() })
      return { charged, balance: account.balance }
    }
    const before = await LedgerEntry.query(trx).findOne(of).throwIfNotFound()
    return { charged: -before.credits, balance: account.balance }
  }

  /** The owner's ledger, newest first; of a workspace what it has used. */
  async function ledger(ownerId: string, request: PageRequest): Promise<Page<LedgerEntry>> {
    const account = await current(ownerId)
    const of: Record<string, string> = account.ownerId === ownerId ? { ownerId } : { workspaceId: ownerId }
    return page(LedgerEntry.query(database), { list: 'ledger', time: 'createdAt', of, ...request })
  }

  return { current, locked, makeFree, grant, takeBack, chargeStep, ledger }
}

export type Credits = ReturnType<typeof createCredits>

/** The calendar month (UTC) and the tier: `2026-11/free`. */
const periodOf = ({ tier }: Account, now: Date): string => `${now.toISOString().slice(0, 7)}/${tier}`

const isClosing = 'exists (select from deletions d where d.owner_id = accounts.owner_id) as is_closing'

const byOwnerJoin = `
  join (unnest(:ownerIds::uuid[]) as asked (id) left join workspaces w on w.id = asked.id)
    on accounts.owner_id = coalesce(w.payer_id, asked.id)`
