import type { Clock } from '../clock.ts'
import type { Transaction } from '../database/database.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { VaultEntry } from './vault-entry.ts'

/** Records that a credential is dead, and tells its owner, once for each credential. */
export function createDeaths(context: { clock: Clock; notifications: Notifications }) {
  const { clock, notifications } = context
  return {
    /** Under the lock of the entry's row. The reason is a sentence without secrets. */
    async record(trx: Transaction, entry: VaultEntry, reason: string): Promise<void> {
      await VaultEntry.query(trx)
        .findById(entry.id)
        .patch({ status: 'needs_reauth', statusReason: reason, updatedAt: clock.now() })
      const how = entry.authType === 'oauth2' ? 'authorise it again' : 'give it a new token'
      await notifications.tell(trx, {
        ownerId: entry.ownerId,
        kind: 'credential_dead',
        subjectId: entry.id,
        key: String(entry.generation),
        title: `${entry.name} has to be connected again`,
        message: `${reason} Runs that need ${entry.origin} wait for a day: ${how}, and they go on where they are.`,
      })
    },
  }
}

export type Deaths = ReturnType<typeof createDeaths>
