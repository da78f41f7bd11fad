import { Logger, run } from 'graphile-worker'
import { Client } from 'pg'
import { required } from './settings.ts'
import { append } from './work.ts'

const connectionString = required('DATABASE_URL')

/**
 * Jobs of a killed worker stay locked for four hours. This is the only worker, so it unlocks whatever a former one
 * holds, as the documentation advises after a crash.
 */
async function unlockFormer(): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  const { rows } = await client.query<{ id: string }>(
    `select distinct locked_by as id from graphile_worker._private_jobs where locked_by is not null
     union select locked_by from graphile_worker._private_job_queues where locked_by is not null`,
  )
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0) await client.query('select graphile_worker.force_unlock_workers($1)', [ids])
  await client.end()
}

/** Every job writes a line, which the other sides do not do. */
const quiet = new Logger(() => (level, message) => {
  if (level === 'error') console.error(message)
})

await unlockFormer()
await run({
  connectionString,
  concurrency: 10,
  logger: quiet,
  noHandleSignals: true,
  taskList: { append: (payload) => append(payload as { agent: string; number: number }) },
})
console.log('{"msg":"ready"}')
