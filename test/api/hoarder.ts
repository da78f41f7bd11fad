import * as auth from '../../api/auth.ts'
import { call } from '../helpers/client.ts'
import { type Person } from '../helpers/people.ts'
import type { Platform } from '../helpers/platform.ts'

/** Stores so many bytes for somebody, as deliveries and results of earlier days would. */
export async function fillStore({ services }: Platform, someone: Person, bytes: number): Promise<void> {
  const { id: ownerId } = (await call(someone, auth.me)).body
  await services
    .database('stored_bytes')
    .insert({ ownerId, day: new Date(), bytes })
    .onConflict(['owner_id', 'day'])
    .merge()
  await services.billing.storedBytes.purge()
}
