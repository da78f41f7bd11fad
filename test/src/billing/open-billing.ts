import type { ExecutionContext, TestFn } from 'ava'
import { createAllowances } from '../../../src/billing/allowances.ts'
import { createBilling } from '../../../src/billing/billing.ts'
import { createSandboxClock } from '../../../src/billing/sandbox-clock.ts'
import type { Gateway } from '../../../src/billing/gateways/gateway.ts'
import { createSandbox } from '../../../src/billing/gateways/sandbox/sandbox.ts'
import { createAccountSweep } from '../../../src/billing/account-sweep.ts'
import { createDatabase } from '../../../src/database/database.ts'
import { createLease } from '../../../src/database/lease.ts'
import { newId } from '../../../src/ids.ts'
import { createLogger } from '../../../src/logger.ts'
import { createNotifications } from '../../../src/notifications/notifications.ts'
import { createDue } from '../../../src/runs/due.ts'
import { movableClock } from '../../helpers/clock.ts'
import { testConfig } from '../../helpers/config.ts'
import { createTestDatabase } from '../../helpers/database.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

/**
 * Opens the billing of one database for all tests of a file; each test has a clock, a gateway and a user of its own. The
 * clock stands at a time in the past, unless `now` is asked for: identifiers are made by the real one.
 */
export function billingForFile(test: TestFn, start?: 'now') {
  const database = forWholeFile(test, 'billing', openDatabase)
  return async () => billingOf(await database(), start && new Date().toISOString())
}

/** The billing of a database of this test's own, where it counts queries, or sweeps what is there. */
export const openBilling = async (t: ExecutionContext) => billingOf(await openDatabase(t))

async function openDatabase(t: ExecutionContext) {
  const { url } = await createTestDatabase(t)
  const database = createDatabase(testConfig(url), createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  return database
}

type Lost = 'request' | 'answer' | undefined

/** A gateway that can be told to lose the next requests, or the answers to them. */
function losing(gateway: Gateway, lost: { what: Lost }): Gateway {
  const may = async <T>(work: () => Promise<T>): Promise<T> => {
    if (lost.what === 'request') throw new Error('the request was lost')
    const result = await work()
    if (lost.what === 'answer') throw new Error('the answer was lost')
    return result
  }
  return {
    ...gateway,
    pay: (charge) => may(() => gateway.pay(charge)),
    subscribe: (wanted) => may(() => gateway.subscribe(wanted)),
    change: (changed) => may(() => gateway.change(changed)),
    cancel: (subscription, when) => may(() => gateway.cancel(subscription, when)),
    payOverdue: (subscription, key) => may(() => gateway.payOverdue(subscription, key)),
  }
}

/** Billing over the sandbox. */
function billingOf(database: Awaited<ReturnType<typeof openDatabase>>, start?: string) {
  const clock = movableClock(start)
  const sandbox = createSandbox({ database, clock })
  const lost: { what: Lost } = { what: undefined }
  const config = {
    runRetentionDays: 90,
    auditDays: 400,
    centsPerHundredCredits: 100,
    billing: testConfig('postgres://unused').billing,
    callbacks: { hours: 24, timeoutSeconds: 10 },
    mail: { smtpUrl: undefined, from: undefined, timeoutSeconds: 1 },
  }
  const allowances = createAllowances({ config })
  const base = { database, clock, config, allowances, due: createDue({ database, clock }) }
  const notifications = createNotifications(base)
  const billing = createBilling({ ...base, gateway: losing(sandbox, lost), notifications })
  // Nothing but accounts exists here, so nothing exceeds a limit.
  const exceeding = {
    afterChange: async () => undefined,
    async fit(ownerId: string) {
      await database('accounts')
        .where({ ownerId })
        .update({ fittedTier: database.ref('tier') })
    },
  }
  const sweep = createAccountSweep({ ...base, logger: createLogger('silent', 'test'), billing, exceeding })
  const sandboxClock = createSandboxClock({ ...base, lease: createLease(base), billing, sweep, sandbox })
  const userId = newId()

  const charge = (payer: string, credits: number, runId = newId(), step = 1) =>
    database.transaction((trx) =>
      billing.credits.chargeStep(trx, { ownerId: payer, runId, step, credits, tokens: 1000 }),
    )

  /** What the ledger says the user's balance is. */
  async function ledgerSum(): Promise<number> {
    const [row] = await database('ledger_entries').where({ owner_id: userId }).sum({ sum: 'credits' })
    return Number(row?.['sum'])
  }

  /** What the gateway has charged, in cents, in order. */
  const charges = async (): Promise<number[]> =>
    database('sandbox_payments').where({ ownerId: userId, status: 'paid' }).orderBy('reference').pluck('cents')

  const withCard = async (paymentMethod = 'pm_card_visa') => billing.paymentMethods.add(userId, { paymentMethod })

  /** A user who can be notified, with a card. */
  async function withUser() {
    const user = { id: userId, email: `${userId}@example.com`, createdAt: clock.now() }
    await database('users').insert({ ...user, passwordHash: 'none' })
    return withCard()
  }

  const parts = { billing, notifications, sweep, sandbox, sandboxClock, lost }
  return { ...parts, database, clock, charges, charge, ledgerSum, userId, withCard, withUser }
}
