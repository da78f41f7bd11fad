import { Row } from '../database/row.ts'

/** Where an owner's notifications are posted (table `notification_webhooks`). */
export class NotificationWebhook extends Row {
  static override tableName = 'notification_webhooks'
  declare id: string
  declare ownerId: string
  declare url: string
  /** Sealed. It signs every request. */
  declare secret: string
  declare createdAt: Date
  declare updatedAt: Date
}
