import { PgBoss, type ConstructorOptions } from 'pg-boss'
import { required } from './settings.ts'

export const queue = 'deliveries'

/**
 * Strictly first in, first out per agent. Without heartbeats a job of a killed worker would wait for a quarter of an
 * hour, and after two retries its agent would stand still for good, so both are set as a careful user would.
 */
const policy = {
  policy: 'key_strict_fifo',
  notify: true,
  heartbeatSeconds: 10,
  retryLimit: 1000,
  retryDelay: 0,
} as const

export async function openBoss(more: Partial<ConstructorOptions> = {}): Promise<PgBoss> {
  const boss = new PgBoss({
    connectionString: required('DATABASE_URL'),
    max: 10,
    useListenNotify: true,
    ...more,
  })
  boss.on('error', (error) => console.error(error))
  await boss.start()
  await boss.createQueue(queue, policy)
  return boss
}
