import test from 'ava'
import type { Database, Transaction } from '../../../../src/database/database.ts'
import { lockQueue } from '../../../../src/runs/agent-queue.ts'
import { correctQueue, readContradictions } from '../../../../src/runs/reconcile/queue-consistency.ts'
import { customer, webhookAgent } from '../../../helpers/people.ts'
import { sharedPlatform } from '../../../helpers/shared.ts'

const platformOf = sharedPlatform(test, 'idle')

test('a queue row contradicts its runs when it names another run, counts others, or sleeps over them', async (t) => {
  const platform = await platformOf()
  const { services } = platform
  const { database, runs } = services
  const someone = await customer(platform)
  const [idle, queued, begun] = [await webhookAgent(someone), await webhookAgent(someone), await webhookAgent(someone)]
  for (const agent of [queued, begun]) {
    await runs.accept.one({ agentId: agent.id, trigger: 'webhook', requestId: 'request', payload: '{}' })
  }
  const runId = (await runs.queue.claimNext(begun.id))?.runId ?? ''
  const causesOf = async (row: object, { id }: { id: string }) => {
    const found = await undone(database, async (trx) => {
      await trx('agent_queues').where({ agentId: id }).update(row)
      const found = await readContradictions(trx, [idle.id, queued.id, begun.id])
      await correctQueue(trx, await lockQueue(trx, id), services)
      t.deepEqual([...(await readContradictions(trx, [id]))], [], 'it is corrected')
      return found
    })
    return [...found].map(([agentId, { cause }]) => (agentId === id ? cause : agentId))
  }
  const asleep = { awake: false }
  const blocked = { ...asleep, blockedCause: 'credits', blockedSince: new Date() }
  const sleeps = 'the queue was asleep although it has runs'
  t.deepEqual(await causesOf({ lastSequence: 9 }, idle), [])
  t.deepEqual(await causesOf({ unfinished: 7 }, idle), ['the queue counted 7 unfinished runs, there are 0'])
  t.deepEqual(await causesOf({ runningRunId: runId }, idle), [`the queue named ${runId} as running`])
  t.deepEqual(await causesOf({ unfinished: 0 }, queued), ['the queue counted 0 unfinished runs, there are 1'])
  t.deepEqual(await causesOf({ runningRunId: null }, begun), ['the queue named no run as running'])
  t.deepEqual(await causesOf(asleep, queued), [sleeps])
  t.deepEqual(await causesOf(blocked, queued), [])
  t.deepEqual(await causesOf(blocked, begun), [sleeps])
  t.deepEqual(await causesOf({ ...asleep, unfinished: 2 }, queued), [
    `the queue counted 2 unfinished runs, there are 1; ${sleeps}`,
  ])
})

/** What the work brings, of which nothing is kept. */
async function undone<T>(database: Database, work: (trx: Transaction) => Promise<T>): Promise<T> {
  const trx = await database.transaction()
  try {
    return await work(trx)
  } finally {
    await trx.rollback()
  }
}
