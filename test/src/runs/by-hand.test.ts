import test from 'ava'
import * as agentsApi from '../../../api/agents.ts'
import { lockRun, type RunRef } from '../../../src/runs/record.ts'
import { createDecide } from '../../../src/runs/step/decide.ts'
import { createWaits } from '../../../src/runs/step/waits.ts'
import { call } from '../../helpers/client.ts'
import { movableClock } from '../../helpers/clock.ts'
import { customer, deliver, webhookAgent } from '../../helpers/people.ts'
import { sharedPlatform } from '../../helpers/shared.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { claimed, never, openLate, planned, type Late } from './open-late.ts'

/** Its runs are carried out by the tests, step by step. */
const platformOf = sharedPlatform(test, 'idle')

const house = forWholeFile(test, 'by hand', async (t) => openLate(t, await platformOf()))

test('a call that was sent by a worker which is lost is sent again only if its tool may be called twice', async (t) => {
  for (const [tool, times, status] of [
    ['slow_once', 0, 'unknown'],
    ['slow_idempotent', 1, 'succeeded'],
  ] as const) {
    const late = await house()
    const { run, callId, read } = await planned(late, tool)
    await late.services.database('run_tool_calls').where({ id: callId }).update({ status: 'started', attempts: 1 })
    await late.services.runs.calls.perform(run, callId, never)
    t.is(keysOf(late, run).length, times, tool)
    t.is((await read()).status, status, tool)
  }
})

/** The keys of the calls of a run that the site has received. */
const keysOf = ({ sites }: Late, { runId }: { runId: string }) =>
  sites.badTools.requests().flatMap(({ idempotencyKey: key }) => (key?.startsWith(runId) ? [key] : []))

test('each call has an idempotency key of its own, also beside others of its step', async (t) => {
  const late = await house()
  const { run } = await claimed(late, '[[call echo_text {"text":"a"}]] [[call echo_text {"text":"b"}]]')
  const move = await late.services.runs.steps.advance(run, never)
  for (const { callId } of move.kind === 'tools' ? move.calls : [])
    await late.services.runs.calls.perform(run, callId, never)
  t.deepEqual(keysOf(late, run), [`${run.runId}:1:0`, `${run.runId}:1:1`])
})

/** A run that was started, of an agent that its owner pauses and resumes. */
async function begun() {
  const { services, ...platform } = await platformOf()
  const someone = await customer(platform)
  const agent = await webhookAgent(someone)
  await deliver(someone, agent, { number: 1 })
  const run = await services.runs.queue.claimNext(agent.id)
  if (!run) throw new Error('there was nothing to claim')
  const params = { agentId: agent.id }
  const pause = () => call(someone, agentsApi.pauseAgent, { params })
  const resume = () => call(someone, agentsApi.resumeAgent, { params })
  return { services, someone, agent, run, pause, resume }
}

/** Decides what a run does next, as of a time that the test moves. */
function settlingFor(services: Late['services']) {
  const clock = movableClock(new Date().toISOString())
  const then = { ...services, clock }
  const [decide, waits] = [createDecide({ ...then, modelStanding: async () => undefined }), createWaits(then)]
  const settle = (ref: RunRef) =>
    services.database.transaction(async (trx) => waits.follow(trx, await decide(trx, await lockRun(trx, ref))))
  return { clock, settle }
}

test('each time that a run begins to wait for credits its owner is told', async (t) => {
  const { services, run } = await begun()
  const { clock, settle } = settlingFor(services)
  const { ownerId } = run
  const grant = (balance: number) => services.database('accounts').where({ ownerId }).update({ balance })
  for (const times of [1, 2]) {
    await grant(0)
    // Asked again, it is the same wait.
    for (const _ of [1, 2]) t.like(await settle(run), { kind: 'wait', cause: 'credits' })
    t.is((await services.database('notifications').where({ ownerId, kind: 'queue_blocked' })).length, times)
    clock.forward(60)
    await grant(1000)
    t.like(await settle(run), { kind: 'model' })
  }
})

// @promise waits
test('what a run has waited is added up over all its waits', async (t) => {
  const { services, run, pause, resume } = await begun()
  const { clock, settle } = settlingFor(services)
  for (const seconds of [60, 30]) {
    await pause()
    t.like(await settle(run), { kind: 'wait', cause: 'paused' })
    clock.forward(seconds)
    await resume()
    t.like(await settle(run), { kind: 'model' })
  }
  t.like(await services.database('runs').where({ id: run.runId }).first(), {
    waitedMs: 90_000,
    outageMs: 90_000,
    waitingSince: null,
  })
})
