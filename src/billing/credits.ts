import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { batchLookups } from '../database/batch-lookups.ts'
import { Workspace } from '../workspaces/workspace.ts'
import { systemOwnerId } from '../owners/system-owner.ts'
import type { Due } from '../runs/due.ts'
import { Account } from './account.ts'
import { chargeAccount } from './ledger/charge.ts'
import { createFreeMonths, purgeFreeMonths } from './ledger/free-months.ts'
import { newMonth } from './ledger/granted-months.ts'
import { reinstateCredits } from './ledger/reinstate-credits.ts'
import { addGrant, settleGrants, takeGrants, type NewGrant, type TakenBack } from './ledger/grants.ts'
import { createListLedger } from './ledger/list-ledger.ts'
import { estimateOf } from './ledger/estimate.ts'
import { createHolds, type NewHold } from './ledger/holds.ts'
import { LedgerEntry } from './ledger-entry.ts'
import type { Allowances } from './allowances.ts'
import { findAccount, findAccounts, lockAccount } from './read-account.ts'
import { fallsBelow, isPaid, accountStatusOf, timeOf, type AccountStatus } from './account-status.ts'
import { systemAccount } from './system-account.ts'
import { tierOf } from './tiers.ts'

interface StepCharge {
  ownerId: string
  /** The run or the chat answer of the step. */
  runId?: string
  answerId?: string
  agentId?: string
  step: number
  /** The number of the attempt, if it failed and the provider billed it. */
  failedAttempt?: number
  /** Whether a later attempt continues and needs the run's hold. */
  keepsHold?: boolean
  /** The step's cost in whole credits, rounded up, at least 1. */
  credits: number
  /** Input and output tokens. */
  tokens: number
  /** The cost in billionths of a USD and the price used, if known. */
  cost?: { nanoUsd: number; price: object } | undefined
}

type Given = Omit<NewGrant, 'period' | 'kind'> & { kind: 'purchase' | 'top_up' | 'promotion' }

/**
 * Accounts and the ledger. One transaction under the account's lock writes an entry and changes the balance and the
 * grants (docs/understand/money.md, "Grants").
 */
export function createCredits(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'billing'>
  allowances: Allowances
  due: Due
}) {
  const { database, clock, config, allowances, due } = context
  const holds = createHolds(context)
  const freeMonths = createFreeMonths(context)
  /** Without payments, steps are counted but cost nothing. */
  const isCharged = config.billing.mode !== 'off'

  const byOwner = batchLookups<string, Account>((ownerIds) => findAccounts(database, ownerIds, clock.now()))

  /** The account that pays for the owner, with this month's grant. Usually one query by primary key. */
  async function current(ownerId: string, trx?: Transaction): Promise<Account> {
    if (ownerId === systemOwnerId) return systemAccount()
    const account = trx ? await find(ownerId, trx) : await byOwner(ownerId)
    if (account && isCurrent(account)) return account
    return trx ? locked(ownerId, trx) : database.transaction((own) => locked(ownerId, own))
  }

  function isCurrent(account: Account): boolean {
    const now = timeOf(account, clock.now())
    const hasExpired = account.nextExpiry && account.nextExpiry <= now
    return !hasExpired && !isGrantDue(account)
  }

  /** The same account, created if missing, and locked until the transaction ends. */
  async function locked(ownerId: string, trx: Transaction): Promise<Account> {
    const account = (await lock(ownerId, trx)) ?? (await make(ownerId, trx))
    const now = timeOf(account, clock.now())
    const { balance } = account
    await settleGrants(trx, account, now)
    await mark(trx, account, balance - account.balance)
    if (isGrantDue(account)) await makeGrant(account, trx)
    return account
  }

  const find = (ownerId: string, trx: Transaction) => findAccount(trx, ownerId, clock.now())
  const lock = (ownerId: string, trx: Transaction) => lockAccount(trx, ownerId, clock.now())

  async function make(ownerId: string, trx: Transaction): Promise<Account> {
    const { payerId = ownerId } = (await Workspace.query(trx).findById(ownerId).select('payerId')) ?? {}
    const account = {
      ownerId: payerId,
      tier: 'free',
      // Without tiers there is nothing to fit.
      fittedTier: isCharged ? null : 'off',
      balance: 0,
      creditCents: 0,
      clockSeconds: 0,
      createdAt: clock.now(),
    } as const
    // A parallel insert waits for the first, then finds its row.
    await Account.query(trx).insert(account).onConflict('ownerId').ignore()
    const made = await lock(ownerId, trx)
    if (!made) throw new Error('an account that was just made does not exist')
    return made
  }

  function isGrantDue(account: Account): boolean {
    const now = timeOf(account, clock.now())
    return freeMonths.isDue(account, now) && isPaid(account, now)
  }

  /**
   * Adds credits that were bought or given, once per payment. Pays off a debt first. Returns whether it has added any.
   */
  async function grant(trx: Transaction, ownerId: string, given: Given): Promise<boolean> {
    const account = await locked(ownerId, trx)
    const added = await addGrant(trx, account, given, timeOf(account, clock.now()))
    if (added) await due.owner(trx, account.ownerId)
    return added
  }

  /** Schedules an automatic purchase, where enabled, once the balance falls below the threshold. */
  async function mark(trx: Transaction, account: Account, taken: number): Promise<void> {
    const { topUpEnabled, topUpBelow, balance } = account
    if (!fallsBelow({ topUpEnabled, topUpBelow, balance: balance + taken }, balance)) return
    await Account.query(trx).findById(account.ownerId).patch({ lookAt: clock.now() })
  }

  /** Takes a payment's credits back, once. Used credits count too, so the balance may become negative. */
  async function takeBack(trx: Transaction, ownerId: string, taken: TakenBack) {
    const account = await locked(ownerId, trx)
    if (await takeGrants(trx, account, taken, timeOf(account, clock.now()))) await mark(trx, account, taken.credits)
  }

  /** Restores credits taken back with a payment, once per time. Grants a month that the reversal had blocked. */
  async function reinstate(trx: Transaction, ownerId: string, undone: { paymentId: string; turn: number }) {
    const account = await locked(ownerId, trx)
    const given = await reinstateCredits(trx, account, undone, timeOf(account, clock.now()))
    if (given === 0) await Account.query(trx).findById(ownerId).patch({ grantedPeriod: null })
    await locked(ownerId, trx)
    await due.owner(trx, ownerId)
  }

  /** Grants the month's credits once. Without payments, the monthly allowance is not in credits. */
  async function makeGrant(account: Account, trx: Transaction): Promise<void> {
    const now = timeOf(account, clock.now())
    const { period, isOwn } = await freeMonths.claim(trx, account, now)
    if (isOwn && isCharged) await grantMonth(trx, account, period, now)
    account.grantedPeriod = period
    await Account.query(trx).findById(account.ownerId).patch({ grantedPeriod: period })
    // Runs and queues may have waited for these credits.
    await due.owner(trx, account.ownerId)
  }

  async function grantMonth(trx: Transaction, account: Account, period: string, now: Date): Promise<void> {
    const { creditsPerMonth: credits } = tierOf(account.tier === 'free' ? (account.givenTier ?? 'free') : account.tier)
    const month = await newMonth(trx, account, period)
    if (month) await addGrant(trx, account, { kind: 'grant', credits, ...month }, now)
  }

  /**
   * Charges a step or a failed attempt in the transaction that records it, and settles its hold. Repeating it charges
   * once and returns the same charge. A charge may exceed the balance; the next step then fails with NO_CREDITS.
   */
  async function chargeStep(trx: Transaction, charge: StepCharge) {
    const {
      ownerId,
      runId = null,
      answerId = null,
      agentId = null,
      step,
      failedAttempt,
      credits,
      tokens,
      cost,
    } = charge
    // The platform's own work costs nobody anything.
    if (ownerId === systemOwnerId) return { charged: 0, balance: 0, isNew: false }
    const account = await locked(ownerId, trx)
    const kind = answerId !== null ? 'chat_step' : failedAttempt === undefined ? 'step' : 'failed_step'
    const of = { kind, runId, answerId, step, attempt: failedAttempt ?? null } as const
    const counted = Math.max(1, Math.ceil(credits))
    const charged = isCharged ? counted : 0
    const written = await chargeAccount(
      trx,
      account,
      {
        ...of,
        agentId,
        workspaceId: account.ownerId === ownerId ? null : ownerId,
        credits: charged,
        counted,
        tokens,
        costNanoUsd: cost?.nanoUsd ?? null,
        price: cost ? { ...cost.price } : null,
        settlesHold: charge.keepsHold !== true,
      },
      timeOf(account, clock.now()),
    )
    if (written) {
      await mark(trx, account, charged)
      return { charged, balance: account.balance, isNew: true }
    }
    const before = await LedgerEntry.query(trx).findOne(of).throwIfNotFound()
    return { charged: -before.credits, balance: account.balance, isNew: false }
  }

  /**
   * Holds credits for a step until it is charged or fails, or its run or answer ends. Returns the amount; undefined if
   * none are free. The standing was read in this transaction, so the balance excludes expired grants.
   */
  async function hold(trx: Transaction, given: NewHold): Promise<number | undefined> {
    if (given.ownerId === systemOwnerId) return estimateOf(given.used)
    const account = await lock(given.ownerId, trx)
    if (!account) throw new Error('credits are held for an account that does not exist')
    const { tokensPerMonth } = allowances.of(account).limits
    return holds.place(trx, account, { ...given, isCharged, tokensPerMonth })
  }

  /** Expires grants without waiting for a read of the account, and deletes old holds. */
  async function sweep(): Promise<void> {
    await holds.purge()
    await purgeFreeMonths(database, clock.now())
    const { rows } = await database.raw<{ rows: { ownerId: string }[] }>(overStatement, { now: clock.now() })
    for (const { ownerId } of rows) await database.transaction((trx) => locked(ownerId, trx))
  }

  /** Sets or removes the account's cap. Runs may be waiting for a higher one. */
  async function setCap(ownerId: string, { creditsPerMonth }: Pick<Account, 'creditsPerMonth'>): Promise<void> {
    await database.transaction(async (trx) => {
      await locked(ownerId, trx)
      await Account.query(trx).findById(ownerId).patch({ creditsPerMonth })
      await due.owner(trx, ownerId)
    })
  }

  const ledger = createListLedger({ database, current })

  /** What the account allows an owner that it pays for. */
  function standing(account: Account, bounds: Parameters<typeof accountStatusOf>[2] = {}): AccountStatus {
    const now = clock.now()
    const withheld = freeMonths.withheld(account, timeOf(account, now))
    return accountStatusOf(account, { allowance: allowances.of(account), isCharged, withheld, now }, bounds)
  }

  return {
    standing,
    find,
    current,
    locked,
    grant,
    takeBack,
    reinstate,
    chargeStep,
    hold,
    release: holds.release,
    sweep,
    setCap,
    ledger,
  }
}

export type Credits = ReturnType<typeof createCredits>

/** A few at a time; the next round takes more. */
const overStatement = `
  select distinct g.owner_id as "ownerId"
    from credit_grants g join accounts a on a.owner_id = g.owner_id
   where g.remaining > 0 and g.expires_at <= :now::timestamptz + make_interval(secs => a.clock_seconds) limit 100`
