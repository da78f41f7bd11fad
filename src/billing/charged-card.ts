import type { Database, Transaction } from '../database/database.ts'
import type { Gateway } from './gateways/gateway.ts'
import { PaymentMethod } from './payment-method.ts'

/** Ensures that the gateway charges the newest listed card, and never an unlisted one. */
export function createChargedCard({ database, gateway }: { database: Database; gateway: Gateway }) {
  const listed = async (ownerId: string): Promise<string[]> =>
    (await PaymentMethod.query(database).where({ ownerId }).orderBy('id', 'desc')).map(({ reference }) => reference)

  return {
    /** The gateway's ids of the listed cards, newest first. */
    listed,

    /**
     * Corrects the gateway if it charges another card, and drops the newest cards if the gateway no longer has them.
     */
    async fit(ownerId: string, customer: string, charged: string | null | undefined): Promise<void> {
      if (charged === undefined) return
      const references = await listed(ownerId)
      if ((references[0] ?? null) === charged) return
      const preferred = await gateway.prefer(customer, references)
      const gone = references.slice(0, preferred === null ? undefined : references.indexOf(preferred))
      await PaymentMethod.query(database).where({ ownerId }).whereIn('reference', gone).delete()
    },

    /** Drops all cards, because the gateway no longer knows the customer. */
    forget: async (trx: Transaction, ownerId: string): Promise<void> =>
      void (await PaymentMethod.query(trx).where({ ownerId }).delete()),
  }
}
