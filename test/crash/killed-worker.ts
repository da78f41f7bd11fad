import type { ExecutionContext } from 'ava'
import * as vault from '../../api/vault.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { startGatedTools } from '../helpers/gate.ts'
import { hold, untilBlocked } from '../helpers/hold.ts'
import { customer, deliver, ended, runOf, timelineOf, webhookAgent, type Person } from '../helpers/people.ts'
import { cancel, waiting } from '../helpers/runs.ts'
import { startSites } from '../helpers/sites.ts'
import { parked, repairsOf, requestsOf, untilEvent } from './record.ts'
import { openStage, type Stage } from './stage.ts'

/*
 * A worker in which everything is under way that a kill can interrupt, killed once (SIGKILL). Each scene brings a run to
 * its point; what becomes of it is for one test each to see.
 */

/** One call that must not be repeated, one that may be, and one that only reads. */
export const tools = ['slow_once', 'slow_idempotent', 'slow_read'] as const

const calls = (seconds: number) => tools.map((tool) => `[[call ${tool} {"seconds":${seconds}}]]`).join('')

/** Where the calls go on their way to the site, each a host of its own with its own lock and limit. */
type Gated = Awaited<ReturnType<typeof startGatedTools>>

/** A site; a gated one directs its calls to another port, which has to be accepted. */
interface Connectable {
  origin: string
  acceptHosts?: string[]
}

async function connect(stage: Stage, { origin, acceptHosts = [] }: Connectable) {
  const someone = await customer(stage.platform)
  const { id } = (await call(someone, vault.addToVault, { body: { url: origin, token: 'any-token', acceptHosts } }))
    .body
  return { someone, entryId: id, sites: [{ vaultEntryId: id }] }
}

export async function openAftermath(t: ExecutionContext) {
  const examples = await startSites(t)
  const gated = () => startGatedTools(t, examples)
  const [planning, sending, answering, limiting] = await Promise.all([gated(), gated(), gated(), gated()])
  const allow = [examples, planning, sending, answering, limiting].flatMap((one) => one.allow)
  // A pool for all the transactions that are made to wait for locks. Whoever repairs what stands still is in a hurry.
  const hurry = { CANCEL_SECONDS: '1', RECONCILE_SECONDS: '0.5', STALL_SECONDS: '6' }
  const stage = await openStage(t, { sites: { ...examples, allow }, env: { DATABASE_POOL: '20', ...hurry } })
  const [api, worker] = await Promise.all([stage.startApi(), stage.startWorker()])

  const [waits, reconnected, unwanted] = await Promise.all([
    parked(stage, 'slow_once'),
    parked(stage, 'slow_once'),
    longRun(stage),
  ])
  const planned = await beforePlanning(stage, planning)
  const answered = await beforeRecording(stage, answering)
  const unsent = await beforeSending(stage, sending)
  // What is over by itself after a while begins last, and when everybody is there.
  const begin = await Promise.all([refused(stage, limiting), inModelCall(stage), inCalls(stage), delivered(stage, api)])
  const [limited, thinking, calling] = await Promise.all([begin[0](), begin[1](), begin[2]()])
  const receipts = await begin[3]()
  await mustBeUnderWay([unsent, limited, thinking, calling])
  await Promise.all([api.kill(), worker.kill()])

  const killedAt = Date.now()
  const requestsAtKill = examples.badTools.requests()
  for (const release of [planned.release, answered.release]) await release()
  sending.gate.open()
  await reconnected.reconnect()
  const withoutWorker = {
    parked: await runOf(reconnected.someone, reconnected.runId),
    cancelled: await cancelledByLadder(stage, unwanted),
  }
  await stage.platform.startWorker({ reconciles: true })
  await untilLookedAt(stage)
  const stillParked = {
    run: await runOf(waits.someone, waits.runId),
    next: await runOf(waits.someone, waits.next),
    timeline: await timelineOf(waits.someone, waits.runId),
  }
  await waits.reconnect()
  return {
    stage,
    killedAt,
    requestsAtKill,
    withoutWorker,
    stillParked,
    waits,
    reconnected,
    unsent,
    unwanted,
    planned,
    answered,
    limited,
    thinking,
    calling,
    receipts,
    requestsOf: (runId: string) => requestsOf(stage, runId),
    /** What anybody has repaired of the run. */
    repairsOf: (runId: string) => repairsOf([...api.logs, ...worker.logs, ...stage.platform.logs], runId),
  }
}

export type Aftermath = Awaited<ReturnType<typeof openAftermath>>

async function longRun(stage: Stage) {
  const someone = await customer(stage.platform)
  const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 100]]', allowActionOverride: true })
  const { runId } = (await deliver(stage.platform, agent, {})).body
  const { runId: next } = (await deliver(stage.platform, agent, { action: '[[say done]]' })).body
  await untilEvent(someone, runId, 'step.started')
  return { someone, runId, next }
}

/** Three calls that are on their way to the site when it is dead to the world. */
async function beforeSending(stage: Stage, gated: Gated) {
  const { gate } = gated
  const { someone, runId } = await threeCalls(stage, gated, () => gate.shut())
  await untilAll(stage, runId, 'started')
  await eventually(20, 'every call has a connection', () => gate.taken() >= tools.length || undefined)
  return { someone, runId }
}

/** Three calls that are on record as planned and wait for the lock of their host. */
async function beforePlanning(stage: Stage, gated: Gated) {
  const { gate } = gated
  const { database } = stage.platform.services
  const host = `127.0.0.1:${gate.port}`
  const release = await hold(database, (trx) => trx.raw('insert into outgoing_hosts (host) values (?)', [host]))
  const { someone, runId } = await threeCalls(stage, gated)
  await untilBlocked(stage.platform.services.database, tools.length)
  await untilAll(stage, runId, 'planned')
  return { someone, runId, release }
}

/** Three calls that the site has answered, and their run's row is locked. */
async function beforeRecording(stage: Stage, gated: Gated) {
  const { gate } = gated
  const { someone, runId } = await threeCalls(stage, gated, () => gate.shut())
  await untilAll(stage, runId, 'started')
  await eventually(20, 'every call has a connection', () => gate.taken() >= tools.length || undefined)
  const release = await hold(stage.platform.services.database, (trx) =>
    trx('runs').where({ id: runId }).forUpdate().select('id'),
  )
  gate.open()
  await eventually(20, 'the site has answered', () => {
    const asked = requestsOf(stage, runId)
    return (asked.length === tools.length && asked.every(({ status }) => status === 200)) || undefined
  })
  await untilBlocked(stage.platform.services.database, 2 * tools.length)
  return { someone, runId, release }
}

async function threeCalls(stage: Stage, gated: Gated, before = () => {}) {
  const { someone, sites } = await connect(stage, gated)
  const agent = await webhookAgent(someone, { systemPrompt: calls(1), sites })
  before()
  return { someone, runId: (await deliver(stage.platform, agent, {})).body.runId }
}

const untilAll = (stage: Stage, runId: string, status: string) =>
  eventually(30, `every call is ${status}`, async () => {
    const rows = await stage.platform.services.database('tool_calls').where({ subjectId: runId }).select('status')
    return (rows.length === tools.length && rows.every((row: { status: string }) => row.status === status)) || undefined
  })

/** A call that the site has put off for as long as the kill and some more take. */
async function refused(stage: Stage, gated: Gated) {
  const { someone, sites } = await connect(stage, gated)
  const agent = await webhookAgent(someone, { systemPrompt: '[[call limit_first {"refusals":1,"seconds":10}]]', sites })
  return async () => {
    const { runId } = (await deliver(stage.platform, agent, {})).body
    return { someone, runId, run: await waiting(someone, runId, 40) }
  }
}

async function inModelCall(stage: Stage) {
  const someone = await customer(stage.platform)
  const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 10]][[say Slept.]]' })
  return async () => {
    const { runId } = (await deliver(stage.platform, agent, {})).body
    await untilEvent(someone, runId, 'step.started')
    return { someone, runId }
  }
}

async function inCalls(stage: Stage) {
  const { someone, sites } = await connect(stage, stage.sites.badTools)
  const agent = await webhookAgent(someone, { systemPrompt: calls(10), sites })
  return async () => {
    const { runId } = (await deliver(stage.platform, agent, {})).body
    const asked = () => requestsOf(stage, runId).length === tools.length || undefined
    await eventually(30, 'the site works at all calls', asked)
    return { someone, runId }
  }
}

/** The receipts of deliveries that nobody has had the time for. */
async function delivered(stage: Stage, api: { url: string }) {
  const { someone, sites } = await connect(stage, stage.sites.badTools)
  const agent = await webhookAgent(someone, { systemPrompt: '[[call slow_once {"seconds":0}]]', sites })
  return async () => {
    const receipts = []
    for (let number = 1; number <= 3; number += 1) receipts.push(await deliver(api, agent, { number }))
    return { someone, receipts }
  }
}

/** Says of a machine that was too slow that it was, in place of what follows from it. */
async function mustBeUnderWay(runs: { someone: Person; runId: string }[]): Promise<void> {
  for (const { someone, runId } of runs) {
    const { steps, status } = await runOf(someone, runId)
    const kinds = (await timelineOf(someone, runId)).map(({ kind }) => kind)
    const isOver = kinds.includes('tool.finished') || kinds.includes('wait.ended') || status === 'completed'
    if (isOver || steps > 1) throw new Error(`What was to be killed was over before: ${kinds.join(', ')}`)
  }
}

/** Cancels the run, and does what every API does in a loop, until it has ended. */
async function cancelledByLadder({ platform }: Stage, { someone, runId }: Awaited<ReturnType<typeof longRun>>) {
  const { body: accepted } = await cancel(someone, runId)
  await eventually(20, 'the reconciler has ended the run', async () => {
    await platform.services.runs.reconciler.round()
    return (await runOf(someone, runId)).endedAt ?? undefined
  })
  return { accepted, run: await ended(someone, runId, 1) }
}

/** Waits until whoever comes after has looked three times at all that is due. */
async function untilLookedAt({ platform }: Stage): Promise<void> {
  const { database, runs } = platform.services
  for (let time = 0; time < 3; time += 1) {
    await database('dueAgents').update({ dueAt: new Date() })
    await runs.reconciler.round()
  }
}
