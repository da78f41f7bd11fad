import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { customer, deliver, ended, timelineOf, webhookAgent } from '../helpers/people.ts'
import { courseOf, measured, repairsOf } from './record.ts'
import { openStage } from './stage.ts'

test('a worker that freezes for half a minute is no reason to repair anything', async (t) => {
  const stage = await openStage(t, { env: { RECONCILE_SECONDS: '1', STANDSTILL_SECONDS: '2' } })
  const [worker, api] = await Promise.all([stage.startWorker(), stage.startApi()])
  const someone = await customer(stage.platform)
  const agent = await webhookAgent(someone)
  await ended(someone, (await deliver(stage.platform, agent, {})).body.runId)
  process.kill(worker.pid, 'SIGSTOP')
  const { runId } = (await deliver(stage.platform, agent, {})).body
  // Long enough for Temporal to have given its task to the frozen worker three times, each time for ten seconds.
  await delay(32_000)
  process.kill(worker.pid, 'SIGCONT')
  t.is((await ended(someone, runId)).status, 'completed')
  measured(t, courseOf(await timelineOf(someone, runId)).join(', '))
  t.false((await timelineOf(someone, runId)).some(({ kind }) => kind === 'recovered'))
  t.deepEqual(repairsOf([...worker.logs, ...api.logs], runId), [])
})
