import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import { eventually } from '../helpers/eventually.ts'
import { customer, deliver, ended, timelineOf, webhookAgent } from '../helpers/people.ts'
import { courseOf, isGapless, measured, untilEvent } from './record.ts'
import { openStage } from './stage.ts'

test('a worker that is asked to stop finishes a short model call first, and the run goes on elsewhere', async (t) => {
  const stage = await openStage(t, { env: { SHUTDOWN_SECONDS: '10' } })
  const first = await stage.startWorker()
  const someone = await customer(stage.platform)
  const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 3]][[call no_such_tool]][[sleep 1]]' })
  const { runId } = (await deliver(stage.platform, agent, {})).body
  await untilEvent(someone, runId, 'step.started')
  const asked = Date.now()
  t.is(await first.stop(), 0)
  measured(t, `${Date.now() - asked} ms until the worker had ended`)
  t.true(Date.now() - asked < 10_000)
  await stage.startWorker()
  t.is((await ended(someone, runId, 30)).status, 'completed')
  measured(t, `${Date.now() - asked} ms until the run had ended`)
  const course = courseOf(await timelineOf(someone, runId))
  measured(t, course.join(', '))
  t.deepEqual(
    course.filter((event) => event.startsWith('step.')),
    ['step.started 1 1', 'step.finished 1 1', 'step.started 2 1', 'step.finished 2 1'],
  )
})

test('a model call that is interrupted by one stop after the other is not given up', async (t) => {
  const stage = await openStage(t, { env: { SHUTDOWN_SECONDS: '1' } })
  const someone = await customer(stage.platform)
  const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 5]]' })
  let worker = await stage.startWorker()
  const { runId } = (await deliver(stage.platform, agent, {})).body
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    await untilEvent(someone, runId, 'step.started', ({ data }) => data['attempt'] === attempt)
    t.is(await worker.stop(), 0)
    worker = await stage.startWorker()
  }
  const run = await ended(someone, runId, 30)
  measured(t, courseOf(await timelineOf(someone, runId)).join(', '))
  t.is(run.status, 'completed')
})

test('an API that is asked to stop under load answers what it has accepted and ends', async (t) => {
  const stage = await openStage(t, { env: { SHUTDOWN_SECONDS: '5' } })
  const api = await stage.startApi()
  const someone = await customer(stage.platform)
  const agent = await webhookAgent(someone)
  const receipts: { runId: string; sequence: number }[] = []
  const stopped = new AbortController()
  const sending = Array.from({ length: 20 }, async () => {
    while (!stopped.signal.aborted) {
      await deliver(api, agent, { at: Date.now() }).then(
        ({ body }) => receipts.push(body),
        () => delay(10), // Nobody listens any more.
      )
    }
  })
  await eventually(10, 'the load is on', () => (receipts.length >= 100 ? true : undefined))
  const asked = Date.now()
  t.is(await api.stop(), 0)
  measured(t, `${Date.now() - asked} ms until the API had ended, ${receipts.length} accepted`)
  t.true(Date.now() - asked < 3000)
  stopped.abort()
  await Promise.all(sending)

  t.true(receipts.length > 0)
  t.is(new Set(receipts.map(({ runId }) => runId)).size, receipts.length)
  // Nobody was left without an answer: what was accepted is what was answered.
  t.true(isGapless(receipts.map(({ sequence }) => sequence).toSorted((a, b) => a - b)))
  const { rows } = await stage.platform.services.database.raw<{ rows: { count: number }[] }>(
    'select count(*)::int from runs where agent_id = ?',
    [agent.id],
  )
  t.is(rows[0]?.count, receipts.length)
})
