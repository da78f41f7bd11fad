import { Row } from '../database/row.ts'

/** One card of an owner, known to us by the gateway's reference only. */
export class PaymentMethodRow extends Row {
  static override tableName = 'payment_methods'
  declare id: string
  declare ownerId: string
  declare reference: string
  declare brand: string
  declare last4: string
  declare createdAt: Date
}

export interface PaymentMethod {
  id: string
  brand: string
  last4: string
  createdAt: Date
}

export function presentPaymentMethod({ id, brand, last4, createdAt }: PaymentMethodRow): PaymentMethod {
  return { id, brand, last4, createdAt }
}
