import type { ExecutionContext, TestFn } from 'ava'
import { createDue } from '../../../src/runs/due.ts'
import { createBilling } from '../../../src/billing/billing.ts'
import { createSandboxGateway, type Charge, type Gateway } from '../../../src/billing/gateway.ts'
import { createDatabase } from '../../../src/database/database.ts'
import { newId } from '../../../src/ids.ts'
import { createLogger } from '../../../src/logger.ts'
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

/** The billing of a database of this test's own, where it counts queries. */
export const openBilling = async (t: ExecutionContext) => billingOf(await openDatabase(t))

async function openDatabase(t: ExecutionContext) {
  const { url } = await createTestDatabase(t)
  const database = createDatabase(testConfig(url), createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  return database
}

/** Billing over the sandbox gateway, which here also lists what it was asked to charge. */
function billingOf(database: Awaited<ReturnType<typeof openDatabase>>, start?: string) {
  const clock = movableClock(start)
  const charges: Charge[] = []
  const sandbox = createSandboxGateway()
  const gateway: Gateway = { ...sandbox, charge: (charge) => (charges.push(charge), sandbox.charge(charge)) }
  const billing = createBilling({
    database,
    clock,
    config: { runRetentionDays: 90 },
    gateway,
    due: createDue({ database, clock }),
  })
  const userId = newId()

  const charge = (payer: string, credits: number, runId = newId(), step = 1) =>
    database.transaction((trx) => billing.credits.chargeStep(trx, { ownerId: payer, runId, step, credits }))

  /** What the ledger says the user's balance is. */
  async function ledgerSum(): Promise<number> {
    const [row] = await database('ledger_entries').where({ owner_id: userId }).sum({ sum: 'credits' })
    return Number(row?.['sum'])
  }
  return { billing, database, clock, charges, charge, ledgerSum, userId }
}
