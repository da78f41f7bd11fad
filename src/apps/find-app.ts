import type { Account } from 'oidc-provider'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { isId } from '../ids.ts'
import { ConnectedApp } from './connected-app.ts'

/** The account of the library that an app acts as: the app itself, at one owner. undefined once it is disconnected. */
export async function findApp(
  { database, clock }: { database: Database; clock: Clock },
  id: string,
): Promise<Account | undefined> {
  const app = isId(id)
    ? await ConnectedApp.query(database).findById(id).where('expiresAt', '>', clock.now())
    : undefined
  return app && { accountId: id, claims: () => ({ sub: id }) }
}
