import type { ExecutionContext } from 'ava'
import { measured } from '../record.ts'
import { summary, type Load } from './load.ts'
import { assertRecord } from './record.ts'

/** No request of the load failed, streams that ended early were resumed, and the record is as it must be. */
export async function assertSpared(
  t: ExecutionContext,
  { load, databaseUrl, afterUpgrade }: { load: Load; databaseUrl: string; afterUpgrade: number },
): Promise<void> {
  measured(t, summary(load))
  t.deepEqual(load.failures, [], `${afterUpgrade} of them by the end of the upgrade`)
  t.true(load.resumed >= 2, 'too few streams ended early to say anything')
  await assertRecord(t, databaseUrl, load.delivered)
}
