import test, { type ExecutionContext } from 'ava'
import * as agentsApi from '../../../api/agents.ts'
import { lockRun, type RunRef } from '../../../src/runs/record.ts'
import { createDecide } from '../../../src/runs/step/decide.ts'
import { createWaits } from '../../../src/runs/step/waits.ts'
import { call } from '../../helpers/client.ts'
import { movableClock } from '../../helpers/clock.ts'
import { customer, deliver, webhookAgent } from '../../helpers/people.ts'
import { ownScripts, start } from '../../helpers/runs.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

/** Its runs are carried out by the tests, step by step. */
const platformOf = sharedPlatform(test, 'idle')

const never = new AbortController().signal

/** A claimed run whose first step has planned the calls of its script. */
async function plannedCalls(t: ExecutionContext, systemPrompt: string) {
  const { services, ...platform } = await platformOf()
  const { someone, scripted, sent: sentFor } = await ownScripts(t, { services, ...platform })
  const agent = await scripted(systemPrompt)
  await start(someone, agent)
  const run = await services.runs.queue.claimNext(agent.id)
  if (!run) throw new Error('there was nothing to claim')
  const move = await services.runs.steps.advance(run, never)
  if (move.kind !== 'tools') throw new Error('no call was asked for')
  const sent = () => sentFor(run.runId)
  const callsOf = () => services.database('run_tool_calls').where({ runId: run.runId }).orderBy('position')
  return { services, run, sent, callsOf, callId: move.calls[0]?.callId ?? '' }
}

test('a call that was sent by a worker which is lost is sent again only if its tool may be called twice', async (t) => {
  for (const [tool, times, status] of [
    ['slow_once', 0, 'unknown'],
    ['slow_idempotent', 1, 'succeeded'],
  ] as const) {
    const { services, run, sent, callsOf, callId } = await plannedCalls(t, `[[call ${tool} {"seconds":0}]]`)
    await services.database('run_tool_calls').where({ id: callId }).update({ status: 'started', attempts: 1 })
    await services.runs.calls.perform(run, callId, never)
    t.is(sent().length, times, tool)
    t.like(await callsOf(), [{ status }], tool)
  }
})

test('each call has an idempotency key of its own, also beside others of its step', async (t) => {
  const { services, run, sent, callsOf } = await plannedCalls(
    t,
    '[[call echo_text {"text":"a"}]] [[call echo_text {"text":"b"}]]',
  )
  for (const { id } of (await callsOf()) as { id: string }[]) await services.runs.calls.perform(run, id, never)
  t.deepEqual(
    sent().map(({ idempotencyKey }) => idempotencyKey),
    [`${run.runId}:1:0`, `${run.runId}:1:1`],
  )
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

// @promise waits
test('what a run has waited is added up over all its waits', async (t) => {
  const { services, run, pause, resume } = await begun()
  const clock = movableClock(new Date().toISOString())
  const then = { ...services, clock }
  const [decide, waits] = [createDecide({ ...then, modelStanding: async () => undefined }), createWaits(then)]
  const settle = (ref: RunRef) =>
    services.database.transaction(async (trx) => waits.follow(trx, await decide(trx, await lockRun(trx, ref))))
  for (const seconds of [60, 30]) {
    await pause()
    t.like(await settle(run), { kind: 'wait', cause: 'paused' })
    clock.forward(seconds)
    await resume()
    t.like(await settle(run), { kind: 'model' })
  }
  t.like(await services.database('runs').where({ id: run.runId }).first(), { waitedMs: 90_000, waitingSince: null })
})
