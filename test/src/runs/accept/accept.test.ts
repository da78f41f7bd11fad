import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { deleteAgent } from '../../../../api/agents.ts'
import type { AcceptRequest, Receipt } from '../../../../src/runs/accept/receipt.ts'
import { isCoded } from '../../../../src/errors.ts'
import { newId } from '../../../../src/ids.ts'
import { call } from '../../../helpers/client.ts'
import { hold } from '../../../helpers/hold.ts'
import { agentOf, person } from '../../../helpers/people.ts'
import { startPlatform, type Platform } from '../../../helpers/platform.ts'
import { forWholeFile } from '../../../helpers/whole-file.ts'

// What is accepted at the same time shares a transaction, so these tests come one by one.
const platformOf = forWholeFile(test, 'accept', (t) => startPlatform(t))
const shallow = forWholeFile(test, 'accept in shallow queues', (t) =>
  startPlatform(t, { env: { QUEUE_DEPTH: '5', TEMPORAL_ADDRESS: '127.0.0.1:1' } }),
)

const requestOf = (agentId: string, fields: Partial<AcceptRequest> = {}): AcceptRequest => ({
  agentId,
  trigger: 'manual',
  requestId: newId(),
  ...fields,
})

/** How many transactions wrote the agents' runs: Postgres notes in each row which one did. */
async function transactions({ services }: Platform, ...agents: { id: string }[]): Promise<number> {
  const { rows } = await services.database.raw<{ rows: { count: number }[] }>(
    'select count(distinct xmin::text)::int as count from runs where agent_id = any(?)',
    [agents.map(({ id }) => id)],
  )
  return rows[0]?.count ?? 0
}

const codeOf = (settled: PromiseSettledResult<unknown>): string | undefined =>
  settled.status === 'rejected' && isCoded(settled.reason) ? settled.reason.code : undefined

test.serial('what is accepted in one turn of the event loop is one transaction, in its order', async (t) => {
  const platform = await platformOf()
  const someone = await person(platform)
  const [one, other] = [await agentOf(someone), await agentOf(someone)]
  const accept = (request: AcceptRequest) => platform.services.runs.accept.one(request)
  const receipts = await Promise.all(
    Array.from({ length: 100 }, (_, index) => accept(requestOf((index % 2 === 0 ? one : other).id))),
  )
  t.is(await transactions(platform, one, other), 1)
  t.deepEqual(
    receipts.map(({ sequence, ahead }) => [sequence, ahead]),
    receipts.map((_, index) => [Math.floor(index / 2) + 1, Math.floor(index / 2)]),
  )
})

test.serial('a locked agent or user delays the deliveries of others as little', async (t) => {
  const platform = await platformOf()
  const { database, runs } = platform.services
  const [someone, other] = [await person(platform), await person(platform)]
  const [locked, free] = [await agentOf(someone), await agentOf(other)]
  const letGo = await hold(database, (trx) => trx('agents').where({ id: locked.id }).forUpdate())
  const late = runs.accept.one(requestOf(locked.id))
  t.is(await Promise.race([runs.accept.one(requestOf(free.id)), delay(5000)]).then((receipt) => receipt?.sequence), 1)
  await letGo()
  t.is((await late).sequence, 1)
})

test.serial('a locked queue delays the deliveries of its own agent only, and they keep their order', async (t) => {
  const platform = await platformOf()
  const { database, runs } = platform.services
  const someone = await person(platform)
  const [locked, free] = [await agentOf(someone), await agentOf(someone)]
  const letGo = await hold(database, (trx) => trx('agent_queues').where({ agentId: locked.id }).forUpdate())
  const requestIds = Array.from({ length: 6 }, () => newId())
  const settled: string[] = []
  const accept = async (requestId: string) => {
    const receipt = await runs.accept.one(requestOf(locked.id, { requestId }))
    settled.push(requestId)
    return receipt
  }
  // Some come together, others while these are being looked at.
  const late = new Promise<Receipt[]>((resolve, reject) => {
    database.once('query', () => void Promise.all(requestIds.slice(3).map(accept)).then(resolve, reject))
  })
  const early = Promise.all(requestIds.slice(0, 3).map(accept))
  const others = async () => (await Promise.all([1, 2].map(() => runs.accept.one(requestOf(free.id))))).length
  t.is(await Promise.race([others(), delay(5000)]), 2, 'another agent waits for the lock')
  t.deepEqual(settled, [])
  await letGo()
  const receipts = [...(await early), ...(await late)]
  t.deepEqual(
    receipts.map(({ sequence }) => sequence),
    [1, 2, 3, 4, 5, 6],
  )
  const rows = await database('runs').where({ agentId: locked.id }).orderBy('sequence').select('requestId')
  t.deepEqual(
    rows.map((row: { requestId: string }) => row.requestId),
    requestIds,
  )
})

// @promise order
test.serial('what is accepted keeps its order over batches, whatever its size', async (t) => {
  const platform = await platformOf()
  const agent = await agentOf(await person(platform))
  const kibibytes = [1, 200, 1, 200, 1, 300, 300, 1, 1]
  const receipts = await Promise.all(
    kibibytes.map((size) => {
      const payload = JSON.stringify({ text: 'x'.repeat(size * 1024) })
      return platform.services.runs.accept.one(requestOf(agent.id, { payload }))
    }),
  )
  t.deepEqual(
    receipts.map(({ sequence }) => sequence),
    kibibytes.map((_, index) => index + 1),
  )
  t.true((await transactions(platform, agent)) > 1, 'they do not fit into one batch')
})

// @promise order
test.serial('a request of a batch that is refused does not harm the others, and takes no number', async (t) => {
  const platform = await shallow()
  const someone = await person(platform)
  const agent = await agentOf(someone)
  const accept = (request: AcceptRequest) => platform.services.runs.accept.one(request)
  const settled = await Promise.allSettled([
    accept(requestOf(agent.id, { onlyIfIdle: true })),
    accept(requestOf(agent.id, { onlyIfIdle: true })),
    accept(requestOf(newId())),
    accept(requestOf(agent.id, { idempotencyKey: 'key', bodyHash: 'aa' })),
    accept(requestOf(agent.id, { idempotencyKey: 'key', bodyHash: 'aa' })),
    accept(requestOf(agent.id, { idempotencyKey: 'key', bodyHash: 'bb' })),
    accept(requestOf(agent.id)),
    accept(requestOf(agent.id)),
    accept(requestOf(agent.id)),
    accept(requestOf(agent.id)),
  ])
  t.deepEqual(
    settled.map((one) => (one.status === 'fulfilled' ? one.value.sequence : codeOf(one))),
    [1, 'AGENT_ALREADY_RUNNING', 'AGENT_NOT_FOUND', 2, 2, 'VALIDATION_ERROR', 3, 4, 5, 'RATE_LIMITED'],
  )
  t.is(await transactions(platform, agent), 2, 'what comes beside a request with a mode is decided after it')
})

test.serial('however often a known key is repeated at the same time, its repeats share a batch', async (t) => {
  const platform = await platformOf()
  const { runs, database } = platform.services
  const request = requestOf((await agentOf(await person(platform))).id, { idempotencyKey: 'key' })
  let batches = 0
  const count = ({ sql }: { sql: string }) => (batches += Number(sql.includes('accept_runs')))
  database.on('query', count)
  const receipts = await Promise.all(Array.from({ length: 300 }, () => runs.accept.one(request)))
  database.off('query', count)
  t.is(new Set(receipts.map(({ runId }) => runId)).size, 1)
  t.true(batches <= 4, `300 repeats took ${batches} batches`)
})

test.serial('nothing is accepted for an agent that was deleted after it had been looked up', async (t) => {
  const platform = await platformOf()
  const { runs, database } = platform.services
  const someone = await person(platform)
  const agent = await agentOf(someone)
  t.is((await call(someone, deleteAgent, { params: { agentId: agent.id } })).status, 204)
  const [refused] = await Promise.allSettled([runs.accept.one(requestOf(agent.id))])
  t.is(refused && codeOf(refused), 'AGENT_NOT_FOUND')
  t.deepEqual(await database('runs').where({ agentId: agent.id }), [])
})

test.serial('when a commit fails its whole batch learns of it, and the next one is accepted', async (t) => {
  const platform = await platformOf()
  const agent = await agentOf(await person(platform))
  const accept = (request: AcceptRequest) => platform.services.runs.accept.one(request)
  // What Postgres cannot store makes the statement fail; requests never get here with it.
  const broken = [accept(requestOf(agent.id, { payload: '\u0000' })), accept(requestOf(agent.id))]
  const settled = await Promise.allSettled(broken)
  t.deepEqual(
    settled.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  t.is((await accept(requestOf(agent.id))).sequence, 1)
})

// @promise order
test.serial('however many runs are accepted, an agent is woken once until it has found nothing to do', async (t) => {
  const platform = await shallow()
  const agent = await agentOf(await person(platform))
  const { runs } = platform.services
  /** Each of them fails, because Temporal is away, and says of which agent. */
  const failures = () =>
    platform.logs
      .map((line) => JSON.parse(line) as { agentId?: string; err?: unknown })
      .filter(({ agentId, err }) => agentId === agent.id && err !== undefined).length
  for (let number = 0; number < 5; number += 1) await runs.accept.one(requestOf(agent.id))
  for (let number = 1; number <= 5; number += 1) {
    const run = await runs.queue.claimNext(agent.id)
    t.is(run?.sequence, number)
    if (run) await runs.ending.end(run, { status: 'completed', reason: null })
  }
  t.is(await runs.queue.claimNext(agent.id), null)
  await runs.accept.one(requestOf(agent.id))
  await platform.services.temporal.close()
  t.is(failures(), 2)
})
