// @promise deploys
import test from 'ava'
import { courseOf, measured, untilEvent } from '../crash/record.ts'
import { openStage } from '../crash/stage.ts'
import { customer, deliver, ended, timelineOf, webhookAgent } from '../helpers/people.ts'

/*
 * A deploy at the default grace time in the middle of a model call of a minute. It takes two minutes, so that it is not
 * one of the tests that always run: npm run long -- deploy
 */
test('a deploy in the middle of a model call of 60 s loses nothing and stalls nothing', async (t) => {
  t.timeout(5 * 60_000)
  const stage = await openStage(t, { env: { SHUTDOWN_SECONDS: '20' } })
  const before = await stage.startWorker()
  const someone = await customer(stage.platform)
  const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 60]] [[say done]]' })
  const { runId } = (await deliver(stage.platform, agent, {})).body
  await untilEvent(someone, runId, 'step.started')
  const asked = Date.now()
  await stage.startWorker()
  t.is(await before.stop(), 0)
  const drained = Date.now() - asked
  measured(t, `${drained} ms until the worker had ended`)
  const again = await untilEvent(someone, runId, 'step.started', ({ data }) => data['attempt'] === 2)
  const stalled = Date.parse(again.at) - asked - drained
  measured(t, `${stalled} ms from its end until the call was begun again`)
  t.true(stalled < 3000)
  t.is((await ended(someone, runId, 120)).status, 'completed')
  measured(t, courseOf(await timelineOf(someone, runId)).join(', '))
})
