import type { ExecutionContext } from 'ava'
import { createBilling } from '../../../src/billing/billing.ts'
import { createSandboxGateway, type Charge, type Gateway } from '../../../src/billing/gateway.ts'
import { createDatabase } from '../../../src/database.ts'
import { newId } from '../../../src/ids.ts'
import { createLogger } from '../../../src/logger.ts'
import { createTestDatabase } from '../../helpers/database.ts'
import { movableClock, testConfig } from '../users/open-users.ts'

/** The billing of a fresh database over the sandbox gateway, which here also lists what it was asked to charge. */
export async function openBilling(t: ExecutionContext, start?: string) {
  const { url } = await createTestDatabase(t)
  const database = createDatabase(testConfig(url), createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  const clock = movableClock(start)
  const charges: Charge[] = []
  const sandbox = createSandboxGateway()
  const gateway: Gateway = { ...sandbox, charge: (charge) => (charges.push(charge), sandbox.charge(charge)) }
  const billing = createBilling({ database, clock, gateway })

  const charge = (userId: string, credits: number, runId = newId(), step = 1) =>
    database.transaction((trx) => billing.chargeStep(trx, { userId, runId, step, credits }))

  /** What the ledger says the balance is. */
  async function ledgerSum(userId: string): Promise<number> {
    const [row] = await database('ledger_entries').where({ owner_id: userId }).sum({ sum: 'credits' })
    return Number(row?.['sum'])
  }
  return { billing, database, clock, charges, charge, ledgerSum, userId: newId() }
}
