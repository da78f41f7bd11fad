import { Row } from '../database/row.ts'

/** One card of an owner (table `payment_methods`). Only the gateway's id is stored. */
export class PaymentMethod extends Row {
  static override tableName = 'payment_methods'
  declare id: string
  declare ownerId: string
  declare reference: string
  declare brand: string
  declare last4: string
  declare createdAt: Date
}
