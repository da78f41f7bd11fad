// @promise order
import test from 'ava'
import { newId } from '../../../../src/ids.ts'
import type { Transaction } from '../../../../src/database/database.ts'
import type { AcceptRequest } from '../../../../src/runs/accept/receipt.ts'
import { hold, untilBlockedBy } from '../../../helpers/hold.ts'
import { acceptingForFile, errorOf, receiptOf, versionOf } from './open-accepting.ts'

/* Requests that a batch leaves undecided, and what it notes for after the commit. */

const open = acceptingForFile(test)

test('a request whose queue or agent another transaction holds is left out, and delays no other', async (t) => {
  const { database, agentWith, outcomes } = await open(t)
  const free = await agentWith()
  for (const table of ['agent_queues', 'agents']) {
    const locked = await agentWith()
    const column = table === 'agents' ? 'id' : 'agent_id'
    const letGo = await hold(database, (trx) => trx(table).where(column, locked.id).forNoKeyUpdate())
    const keyed = locked.request({
      idempotencyKey: 'key',
      judgedBy: { version: 'any', tokensPerMonth: 1, until: Infinity },
    })
    const requests = [locked.request(), keyed, free.request(), { ...locked.request(), agentId: newId() }]
    const [first, second, third, fourth] = await outcomes(requests)
    t.deepEqual([first, second, fourth], ['locked', 'locked', 'AGENT_NOT_FOUND'], table)
    t.regex(third ?? '', /^new: queued/)
    await letGo()
    t.deepEqual(await locked.runsOf(), [])
    t.deepEqual(await outcomes([locked.request()]), ['new: queued 8, behind 0'])
  }
})

test('a deleted agent whose row is held is gone, not locked', async (t) => {
  const { database, agentWith, outcomes } = await open(t)
  const { id, request } = await agentWith()
  await database('agents').where({ id }).update({ deletedAt: new Date() })
  const letGo = await hold(database, (trx) => trx('agents').where({ id }).forUpdate())
  t.deepEqual(await outcomes([request()]), ['AGENT_NOT_FOUND'])
  await letGo()
})

test('a request that waits for a lock is decided by what was committed before it', async (t) => {
  const { database, agentWith, accept } = await open(t)
  const { id, request } = await agentWith()
  const decideAfter = async (change: (trx: Transaction) => Promise<unknown>) => {
    const trx = await database.transaction()
    await change(trx)
    const waiting = accept([request()], { waits: true })
    await untilBlockedBy(database, trx)
    await trx.commit()
    return (await waiting).decisions[0]
  }
  const numbered = await decideAfter((trx) =>
    trx('agent_queues').where({ agentId: id }).increment({ lastSequence: 10, unfinished: 1 }),
  )
  t.like(receiptOf(numbered), { sequence: 18, ahead: 1 })
  const gone = await decideAfter((trx) => trx('agents').where({ id }).update({ deletedAt: new Date() }))
  t.is(errorOf(gone)?.code, 'AGENT_NOT_FOUND')
})

test('a request is stale if its version or the tokens of the month differ, or its time is over, even under a known key', async (t) => {
  const { database, ownerId, agentWith, outcomes } = await open(t)
  const { id, request } = await agentWith()
  const version = await versionOf(database, id)
  const judged = (by: AcceptRequest['judgedBy'], fields: Partial<AcceptRequest> = {}) =>
    request({ ...fields, judgedBy: by })
  const keyed = { idempotencyKey: 'key' }
  t.deepEqual(await outcomes([judged({ version, tokensPerMonth: Infinity, until: Infinity }, keyed)]), [
    'new: queued 8, behind 0',
  ])
  const month = { subjectId: ownerId, credits: 0, tokens: 100 }
  await database('credit_months').insert({ ...month, month: database.raw('credit_month(now(), 0)') })
  const requests = [
    judged({ version: `${version} `, tokensPerMonth: Infinity, until: Infinity }),
    judged({ version, tokensPerMonth: Infinity, until: 0 }),
    judged({ version, tokensPerMonth: Infinity, until: 0 }, keyed),
    judged({ version, tokensPerMonth: 99, until: Infinity }),
    judged({ version, tokensPerMonth: 100, until: Infinity }),
    judged({ version, tokensPerMonth: 101, until: Infinity }),
    judged({ version, tokensPerMonth: 101, until: Infinity }, keyed),
    request(),
  ]
  const expected = [...Array<string>(5).fill('stale'), 'new: queued 9, behind 1', 'repeated: queued 8, behind 0']
  t.deepEqual(await outcomes(requests), [...expected, 'new: queued 10, behind 2'])
  const changed = [judged({ version: 'another', tokensPerMonth: 101, until: Infinity }, keyed)]
  t.deepEqual(await outcomes(changed), ['stale'])
})

test('a repeated key waits for the first of its batch, and so does every request beside one with a mode', async (t) => {
  const { agentWith, outcomes } = await open(t)
  const [agent, other, plain] = [await agentWith(), await agentWith(), await agentWith()]
  const keyed = { idempotencyKey: 'key' }
  for (const mode of [{ onlyIfIdle: true }, { skipUnlessIdle: true }] as const) {
    const one = await agentWith()
    const [first, second] = [one.request(), one.request(mode)]
    t.deepEqual(await outcomes([first, second, one.request()]), ['new: queued 8, behind 0', 'again', 'again'])
  }
  const requests = [agent.request(keyed), other.request(keyed), agent.request(keyed), agent.request(keyed)]
  t.deepEqual(await outcomes([...requests, agent.request({ idempotencyKey: 'another' }), plain.request()]), [
    'new: queued 8, behind 0',
    'new: queued 8, behind 0',
    'again',
    'again',
    'new: queued 9, behind 1',
    'new: queued 8, behind 0',
  ])
})

test('only an agent that sleeps and is not blocked is woken, once for a batch, and is due in case that is lost', async (t) => {
  const { database, ownerId, agentWith, accept } = await open(t)
  const dueRows = (agentId: string) => database('due_agents').where({ agentId })
  const cases = [
    [{}, true, true],
    [{ unfinished: 1 }, true, true],
    [{ awake: true }, false, true],
    [{ blockedCause: 'paused' }, false, false],
    [{ unfinished: 3 }, false, false],
  ] as const
  for (const [queue, isWoken, awake] of cases) {
    const agent = await agentWith(queue)
    const before = (await dueRows(agent.id)).length
    const { woken } = await accept([agent.request(), agent.request()])
    t.deepEqual(woken, isWoken ? [{ agentId: agent.id, ownerId, agentName: 'An agent' }] : [])
    t.is((await dueRows(agent.id)).length - before, isWoken ? 1 : 0)
    t.is((await agent.queueOf())?.awake, awake)
  }
})

test('what a new run stores is counted by its bytes, and what is refused or repeated is not', async (t) => {
  const { database, ownerId, agentWith, accept } = await open(t)
  const [agent, full] = [await agentWith(), await agentWith({ unfinished: 3 })]
  const input = { payload: '{"a":"é"}', action: 'Do é\0', headers: { 'X-A': 'b' }, idempotencyKey: 'key' }
  const { decisions, stored } = await accept([agent.request(input), agent.request(), full.request(input)])
  const bytes = 10 + 6 + '{"X-A":"b"}'.length
  t.deepEqual(stored, [
    { ownerId, bytes },
    { ownerId, bytes: 2 },
  ])
  const inputs = database('run_inputs').whereIn(
    'runId',
    decisions.flatMap((one) => receiptOf(one)?.runId ?? []),
  )
  const { payload, headers } = input
  t.like(await inputs, { 0: { runId: receiptOf(decisions[0])?.runId, payload, headers }, length: 1 })
  t.deepEqual((await accept([agent.request(input)])).stored, [])
})
