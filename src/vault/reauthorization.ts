import type { Clock } from '../clock.ts'
import { vaultEntryPage } from '../console-pages.ts'
import type { Transaction } from '../database/database.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { VaultEntry } from './vault-entry.ts'
import { quotedName } from '../names.ts'

/** Makes the function that marks an entry's credential as dead and notifies the owner, once for each credential. */
export function createMarkNeedsReauth(context: { clock: Clock; notifications: Notifications }) {
  const { clock, notifications } = context
  /** Call it under the lock of the entry's row. The reason is a sentence without secrets. */
  return async function markNeedsReauth(trx: Transaction, entry: VaultEntry, reason: string): Promise<void> {
    await VaultEntry.query(trx)
      .findById(entry.id)
      .patch({ status: 'needs_reauth', statusReason: reason, updatedAt: clock.now() })
    const how = howTo[entry.authType]
    await notifications.notify(trx, {
      ownerId: entry.ownerId,
      kind: 'credential_dead',
      subjectId: entry.id,
      key: String(entry.generation),
      consolePage: vaultEntryPage(entry.id),
      title: `A site must be reconnected: ${quotedName(entry.name)}`,
      message: `${reason} Runs that need ${entry.origin} will wait for up to a day. ${how} within that time, and the runs will resume where they stopped.`,
    })
  }
}

const howTo = {
  oauth2: 'Authorize the site again',
  bearer: "Replace the site's token",
  none: 'Add a token that you create at the site, or authorize the site,',
}

export type MarkNeedsReauth = ReturnType<typeof createMarkNeedsReauth>
