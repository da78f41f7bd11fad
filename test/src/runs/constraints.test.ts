import test from 'ava'
import { createDatabase, violatedConstraint, type Database } from '../../../src/database/database.ts'
import { newId } from '../../../src/ids.ts'
import { createLogger } from '../../../src/logger.ts'
import { createTestDatabase } from '../../helpers/database.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { agentIn } from './agent-in.ts'

const open = forWholeFile(test, 'constraints', async (t) => {
  const { url } = await createTestDatabase(t)
  const database = createDatabase({ database: { url, pool: 4 } }, createLogger('silent', 'test'))
  t.teardown(() => database.destroy())
  return database
})

type Agent = Awaited<ReturnType<typeof agentIn>>

/** Writes a run past all code; the name of the constraint that it breaks, if it breaks one. */
async function write(database: Database, { id: agentId, ownerId }: Agent, fields: object): Promise<string | undefined> {
  const now = new Date()
  const run = { id: newId(), agentId, ownerId, trigger: 'manual', requestId: 'r', acceptedAt: now, progressedAt: now }
  return broken(database('runs').insert({ ...run, ...fields }))
}

const broken = (insert: PromiseLike<unknown>): Promise<string | undefined> =>
  Promise.resolve(insert).then(
    () => undefined,
    (error: unknown) => violatedConstraint(error) ?? String(error),
  )

test('the database itself lets one run of an agent be under way, and any number be queued', async (t) => {
  const database = await open()
  const [agent, another] = [await agentIn(database), await agentIn(database)]
  t.is(await write(database, agent, { sequence: 1, status: 'waiting' }), undefined)
  t.is(await write(database, agent, { sequence: 2, status: 'running' }), 'runs_one_active')
  t.is(await write(database, agent, { sequence: 2, status: 'queued' }), undefined)
  t.is(await write(database, agent, { sequence: 3, status: 'queued' }), undefined)
  t.is(await write(database, another, { sequence: 1, status: 'running' }), undefined)
})

test('the database itself takes an idempotency key and a place in the order once for each agent', async (t) => {
  const database = await open()
  const [agent, another] = [await agentIn(database), await agentIn(database)]
  const first = { id: newId(), sequence: 1, status: 'queued' }
  const key = (agentId: string) => broken(database('idempotency_keys').insert({ agentId, runId: first.id, key: 'key' }))
  t.is(await write(database, agent, first), undefined)
  t.is(await write(database, agent, { ...first, id: newId() }), 'runs_sequence')
  t.is(await write(database, another, { ...first, id: newId() }), undefined)
  t.is(await key(agent.id), undefined)
  t.is(await key(agent.id), 'idempotency_keys_pkey')
  t.is(await key(another.id), undefined)
})
