// @promise host-limit
import { setTimeout as delay } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { v5 } from 'uuid'
import { createDatabase, type Database } from '../../../src/database/database.ts'
import { createLogger } from '../../../src/logger.ts'
import {
  createOutgoingLimit,
  type OutgoingPace,
  type SlotDecision,
  type SlotRequest,
} from '../../../src/tools/outgoing-limit.ts'
import { createTestDatabase } from '../../helpers/database.ts'

const host = 'crm.example.com'

/** The id of a call that a test has given a name. */
const idOf = (name: string): string => v5(name, v5.URL)

/** Several processes, each with a pool of its own, that share one database; `limit` is the first one's. */
async function open(t: ExecutionContext, callsPerMinute: number, processes = 1, pace?: OutgoingPace) {
  const { url } = await createTestDatabase(t)
  const config = { sites: { callsPerMinute, timeoutSeconds: 30, holdMinutes: 60 } }
  const databases = Array.from({ length: processes }, () => {
    const database = createDatabase({ database: { url, pool: 4 } }, createLogger('silent', 'test'))
    t.teardown(() => database.destroy())
    return database
  })
  const limits = databases.map((database) => {
    const limit = createOutgoingLimit({ database, config, ...(pace && { pace }) })
    return { ...limit, take: (asked: SlotRequest) => limit.take({ ...asked, callId: idOf(asked.callId) }) }
  })
  const [database, limit] = [databases[0]!, limits[0]!]
  return { database, limits, limit, ...actions(t, limit) }
}

/** `call` makes a call that must be granted, `wait` one that must be told to wait, `direct` one that cannot. */
function actions(t: ExecutionContext, limit: Pick<ReturnType<typeof createOutgoingLimit>, 'take' | 'release'>) {
  const granted = (turn: SlotDecision) => (turn.kind === 'granted' ? turn.slotId : t.fail(JSON.stringify(turn)) && '')
  const later = (turn: SlotDecision) =>
    turn.kind === 'later' ? (turn.notBefore.getTime() - Date.now()) / 1000 : Number(t.fail(JSON.stringify(turn)))
  const ask = (share: string, callId: string, mayWait = true) => limit.take({ host, share, callId, mayWait })
  return {
    ask,
    open: async (share: string, callId: string) => granted(await ask(share, callId)),
    call: async (share: string, callId: string) => limit.release(granted(await ask(share, callId))),
    /** The seconds until it may ask again. */
    wait: async (share: string, callId: string) => later(await ask(share, callId)),
    direct: async (share: string, callId: string) => later(await ask(share, callId, false)),
  }
}

/** Lets seconds pass: the limit goes by the database's time, so everything is moved into the past. */
async function pass(database: Database, seconds: number): Promise<void> {
  await database.raw(
    `with slots as (update outgoing_slots set taken_at = taken_at - :by, ended_at = ended_at - :by, free_at = free_at - :by),
       waits as (update outgoing_waits set asked_at = asked_at - :by, ask_again_at = ask_again_at - :by)
     update outgoing_hosts set held_until = held_until - :by`.replaceAll(':by', `interval '${seconds} seconds'`),
  )
}

/** Takes calls out of the queue, as the ending of their run does. */
const leave = (database: Database, callIds: string[]) =>
  database('outgoing_waits').whereIn('callId', callIds.map(idOf)).delete()

const about = (t: ExecutionContext, actual: number, expected: number) =>
  t.true(Math.abs(actual - expected) < 3, `${actual} is about ${expected}`)

const numbered = (count: number) => Array.from({ length: count }, (_, n) => n)

test('calls that three processes want at one instant are let through ten at most, while hosts are purged', async (t) => {
  const { limits } = await open(t, 10, 3)
  const asked = limits.flatMap((limit, process) =>
    numbered(15).map((n) => limit.take({ host, share: `agent-${process}`, callId: `${process}-${n}`, mayWait: true })),
  )
  const turns = await Promise.all([...asked, limits[0]!.purge(), limits[1]!.purge()])
  const kinds = turns.map((turn) => turn?.kind)
  t.is(kinds.filter((kind) => kind === 'granted').length, 10)
  t.is(kinds.filter((kind) => kind === 'later').length, 35)
})

test('a site never sees more calls in any window than the limit, whenever in its duration each arrives', async (t) => {
  const windowMs = 400
  const pace = { windowMs, minWaitMs: 20, graceMs: 5000, marginMs: 5000 }
  const { limits, database } = await open(t, 5, 3, pace)
  const arrivals: { at: number; share: string }[] = []
  const makeCall = async (n: number) => {
    const limit = limits[n % 3]!
    const share = `agent-${n % 2}`
    for (;;) {
      const turn = await limit.take({ host, share, callId: `call-${n}`, mayWait: true })
      if (turn.kind === 'suspended') return
      if (turn.kind === 'later') {
        await delay(Math.max(0, turn.notBefore.getTime() - Date.now()))
        continue
      }
      await delay(Math.random() * 150)
      arrivals.push({ at: performance.now(), share })
      await delay(Math.random() * 150)
      return limit.release(turn.slotId)
    }
  }
  await Promise.all(numbered(40).map(makeCall))

  const times = arrivals.map(({ at }) => at).toSorted((one, other) => one - other)
  t.is(times.length, 40)
  // A millisecond for the difference between the two clocks.
  for (const [n, at] of times.slice(5).entries()) t.true(at - times[n]! >= windowMs - 1, `${n}: ${at - times[n]!}`)
  const half = arrivals.slice(0, 20).filter(({ share }) => share === 'agent-0').length
  t.true(Math.abs(half - 10) <= 3, `${half} of the first 20 calls are the first agent's`)
  t.is((await database('outgoing_waits')).length, 0)
})

test('a direct call competes by the same rule, and is told when it could be made', async (t) => {
  const { database, call, wait, direct } = await open(t, 2)
  await call('agent', 'one')
  await pass(database, 20)
  await call('agent', 'two')
  for (const n of numbered(10)) await wait('agent', `waits-${n}`)
  about(t, await direct('owner', 'direct'), 40)
  t.is((await database('outgoing_waits').where({ callId: idOf('direct') })).length, 0)
  await pass(database, 41)
  await call('owner', 'direct again')
  // The owner has had its share: the next slot is the agent's.
  await pass(database, 20)
  await direct('owner', 'one more')
  await call('agent', 'waits-0')
})

test('each host has its own slots and calls that wait, and an order of its own', async (t) => {
  const { database, limit, open: begin, wait } = await open(t, 1)
  await begin('agent', 'under way')
  await wait('newcomer', 'waits longest')
  const elsewhere = async (share: string, callId: string) =>
    limit.take({ host: 'shop.example.com', share, callId, mayWait: true })
  const first = await elsewhere('other', 'first')
  if (first.kind === 'granted') await limit.release(first.slotId)
  for (const share of ['agent', 'newcomer']) t.is((await elsewhere(share, `of ${share}`)).kind, 'later')
  await pass(database, 65)
  t.is((await elsewhere('agent', 'of agent')).kind, 'granted')
})

test('a call that does not come back, or whose run has ended, does not keep a slot from others', async (t) => {
  const { database, call, wait } = await open(t, 1)
  await call('agent', 'first')
  await wait('agent', 'dead')
  await wait('agent', 'cancelled')
  await leave(database, ['cancelled'])
  await wait('agent', 'alive')
  await pass(database, 61)
  t.true((await wait('agent', 'alive')) < 65, 'the slot is kept for the dead one for a while')
  await pass(database, 31)
  await call('agent', 'alive')
  await pass(database, 61)
  await call('agent', 'dead')
})

test('a slot counts for a minute after its call has ended, and after a crash for as long as the call can have lasted', async (t) => {
  const { database, limit, open: begin, direct, call } = await open(t, 1)
  const slot = await begin('agent', 'slow')
  await pass(database, 29)
  await limit.release(slot)
  about(t, await direct('owner', 'direct'), 60)
  await pass(database, 59)
  await limit.release(slot)
  about(t, await direct('owner', 'direct'), 1)
  await pass(database, 2)

  await begin('agent', 'crashes')
  // As if it ended soon, which calls normally do.
  about(t, await direct('owner', 'direct'), 61)
  await pass(database, 100)
  t.true((await direct('owner', 'direct')) > 0)
  await pass(database, 51)
  await call('owner', 'direct')
})

test('ending a call does not fail while the database is away', async (t) => {
  const { database, limit, open: begin } = await open(t, 1)
  const slot = await begin('agent', 'call')
  const away = createDatabase(
    { database: { url: 'postgres://nobody@127.0.0.1:1/none', pool: 2 } },
    createLogger('silent', 'test'),
  )
  t.teardown(() => away.destroy())
  const config = { sites: { callsPerMinute: 1, timeoutSeconds: 30, holdMinutes: 60 } }
  await t.notThrowsAsync(createOutgoingLimit({ database: away, config }).release(slot))
  await limit.release(slot)
  t.not((await database('outgoing_slots').first()).endedAt, null)
})

test('a host that asked for a pause is called by nobody, and a longer pause stays', async (t) => {
  const { database, limit, call, ask, direct } = await open(t, 10)
  await call('agent', 'first')
  const until = await limit.hold(host, 120, 'long')
  t.deepEqual(await limit.hold(host, 5, 'short'), until)
  t.like(await database('outgoing_hosts').first(), { heldUntil: until, heldReason: 'long' })
  for (const mayWait of [true, false])
    t.like(await ask('agent', 'second', mayWait), { kind: 'later', notBefore: until, why: 'held' })
  t.deepEqual(
    (await database('outgoing_waits')).map(({ callId, askAgainAt }) => ({ callId, askAgainAt })),
    [{ callId: idOf('second'), askAgainAt: until }],
  )
  await pass(database, 121)
  for (const n of numbered(9)) await call('other', `call-${n}`)
  await direct('other', 'the tenth slot is kept for the call that waits')
  await call('agent', 'second')
})

test('a pause is a minute where the host did not say, and never longer than the configuration believes', async (t) => {
  const { limit } = await open(t, 10)
  for (const [asked, seconds] of [
    [-5, 1],
    [undefined, 60],
    [1e9, 3600],
  ] as const)
    about(t, ((await limit.hold(host, asked, '')).getTime() - Date.now()) / 1000, seconds)
})

test('a host that is suspended is called by nobody until that is lifted, and has the limit that an admin gives it', async (t) => {
  const { limit, database, ask, call, direct } = await open(t, 2)
  const change = (fields: object) => database('outgoing_hosts').update(fields)
  await database('outgoing_hosts').insert({ host, callsPerMinute: 3 })
  for (const n of numbered(3)) await call('agent', `call-${n}`)
  for (const callsPerMinute of [3, 1]) {
    await change({ callsPerMinute })
    t.true((await direct('agent', 'fourth')) > 55)
  }
  await change({ callsPerMinute: 5, suspendedAt: new Date(), suspendedReason: 'abuse' })
  t.deepEqual(await ask('agent', 'fourth'), { kind: 'suspended', reason: 'abuse' })
  await change({ suspendedAt: null })
  await call('agent', 'fourth')
  await limit.purge()
  t.is((await database('outgoing_hosts').first()).callsPerMinute, 5, 'it is not purged')
})

test('what is of no use any more is purged, and what counts stays', async (t) => {
  const { database, limit, call, wait } = await open(t, 1)
  const count = async () =>
    Promise.all(['slots', 'waits', 'hosts'].map(async (name) => (await database(`outgoing_${name}`)).length))
  await call('agent', 'first')
  await wait('agent', 'second')
  await limit.hold(host, 30, 'pause')
  await limit.purge()
  t.deepEqual(await count(), [1, 1, 1])
  t.not((await database('outgoing_hosts').first()).heldUntil, null)
  await pass(database, 3600)
  await limit.purge()
  t.deepEqual(await count(), [1, 1, 1])
  t.is((await database('outgoing_hosts').first()).heldUntil, null)
  await pass(database, 120)
  await database('outgoing_hosts').insert({ host: 'suspended.example.com', suspendedAt: new Date() })
  await limit.purge()
  t.deepEqual(await count(), [0, 0, 1])
})

test('a call queues for a turn that comes within its patience, and is forgotten otherwise', async (t) => {
  const { limit, database, call, wait } = await open(t, 1)
  await call('agent', 'one')
  const patient = () => limit.take({ host, share: 'chat', callId: 'patient', mayWait: false, patienceMs: 5000 })
  const waiting = async () => (await database('outgoing_waits').select('callId')).length
  t.like(await patient(), { kind: 'later', why: 'limit' })
  t.is(await waiting(), 0, 'its turn is too far away')
  await pass(database, 57)
  const soon = await patient()
  t.true(soon.kind === 'later' && soon.inMs <= 4000, JSON.stringify(soon))
  t.is(await waiting(), 1)
  await wait('agent', 'another')
  await limit.leave(idOf('patient'))
  t.deepEqual(await database('outgoing_waits').select('callId'), [{ callId: idOf('another') }])
})
