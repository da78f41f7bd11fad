import type { Transaction } from './database.ts'

/** Does the work once the transaction is committed, and never if it is rolled back. The work must not throw. */
export function afterCommit(trx: Transaction, work: () => void): void {
  trx.executionPromise.then(work, () => undefined)
}
