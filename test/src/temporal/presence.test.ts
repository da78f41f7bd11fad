import test from 'ava'
import { createDatabase } from '../../../src/database/database.ts'
import { createLogger } from '../../../src/logger.ts'
import { createWorkers } from '../../../src/temporal/workers.ts'
import { createTestDatabase } from '../../helpers/database.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

const open = forWholeFile(test, 'presence', async (t) => {
  const { url } = await createTestDatabase(t)
  const database = createDatabase({ database: { url, pool: 2 } }, createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  return database
})

/** Workers of a task queue of their own. */
async function workersOf(taskQueue: string) {
  const database = await open()
  const config = { temporal: { taskQueue } }
  return { database, worker: createWorkers({ database, config }), asked: createWorkers({ database, config }) }
}

test('a worker is present while it asks for work, and not while it looks for Temporal', async (t) => {
  const { worker, asked } = await workersOf('looking')
  t.deepEqual(await asked.presence(), { present: false, since: null })
  await worker.report(true)
  t.deepEqual(await asked.presence(), { present: true, since: null })
  await worker.report(false)
  const { present, since } = await asked.presence()
  t.false(present)
  t.true(since instanceof Date, 'it is known since when')
})

test('a worker of another task queue is none', async (t) => {
  const { asked } = await workersOf('alone')
  const { worker } = await workersOf('elsewhere')
  await worker.report(true)
  t.false((await asked.presence()).present)
})

test('a worker that says nothing any more is not believed, and one that leaves is not listed', async (t) => {
  const { database, worker, asked } = await workersOf('silent')
  await worker.report(true)
  const listed = async () => (await asked.list()).find(({ taskQueue }) => taskQueue === 'silent')?.present
  const pass = (seconds: number) =>
    database.raw(`update workers set seen_at = seen_at - make_interval(secs => ?) where task_queue = 'silent'`, [
      seconds,
    ])
  await pass(11)
  t.deepEqual([(await asked.presence()).present, await listed()], [true, true], 'two sayings may be late or lost')
  await pass(5)
  t.deepEqual([(await asked.presence()).present, await listed()], [false, false])
  await asked.report(true)
  await worker.signOff()
  t.true((await asked.presence()).present, 'the other one is there')
  await asked.signOff()
  t.false((await asked.list()).some(({ taskQueue }) => taskQueue === 'silent'))
})

test('a worker is remembered for a day of silence, and no longer', async (t) => {
  const { database, worker, asked } = await workersOf('remembered')
  await worker.report(true)
  const kept = async (hours: number) => {
    await database.raw(
      `update workers set seen_at = statement_timestamp() - make_interval(hours => ?) where task_queue = 'remembered'`,
      [hours],
    )
    await asked.purge()
    return (await asked.list()).some(({ taskQueue }) => taskQueue === 'remembered')
  }
  t.deepEqual([await kept(0), await kept(23), await kept(25)], [true, true, false])
})
