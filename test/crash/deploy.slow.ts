// @promise deploys
import test from 'ava'
import { eventually } from '../helpers/eventually.ts'
import { customer, deliver, ended, timelineOf, webhookAgent } from '../helpers/people.ts'
import { installRuntime, startPlatform } from '../helpers/platform.ts'
import { courseOf, epochOf, measured, untilEvent } from './record.ts'
import { connected, openStage } from './stage.ts'

const graceSeconds = 4

/** What the runs are doing when the deploy comes: some of it ends within the grace time, some does not. */
const scripts = [
  '[[sleep 2]][[call no_such_tool]][[then]][[say done]]',
  '[[sleep 20]] [[say done]]',
  '[[call slow_once {"seconds":2}]] [[then]] [[say done]]',
  '[[call slow_once {"seconds":15}]] [[then]] [[say done]]',
  '[[call slow_read {"seconds":15}]] [[call echo_text {"text":"a"}]] [[then]] [[say done]]',
]
const perScript = 2

test('a deploy in the middle of ten runs fails none of them, and sends no call twice that must not be repeated', async (t) => {
  const stage = await openStage(t, { sites: true, env: { SHUTDOWN_SECONDS: String(graceSeconds) } })
  // The successor is not to load its code while the work that it takes over runs out.
  await installRuntime()
  const before = await stage.startWorker()
  const { someone, sites } = await connected(stage)
  const begin = async (_: unknown, index: number) => {
    const systemPrompt = scripts[index % scripts.length] ?? ''
    const agent = await webhookAgent(someone, { name: `Agent ${index}`, systemPrompt, sites })
    return (await deliver(stage.platform, agent, { index })).body.runId
  }
  // What is to be under way still comes last.
  const ids = await Promise.all(Array.from({ length: scripts.length * perScript }, begin))
  await Promise.all(ids.map((id) => untilEvent(someone, id, 'step.started')))
  const reads = () => stage.sites.badTools.requests().filter(({ tool }) => tool === 'slow_read')
  await eventually(20, 'what only reads is under way', () => reads().length === perScript || undefined)

  await stage.platform.startWorker()
  const asked = Date.now()
  t.is(await before.stop(), 0)
  const drained = Date.now() - asked
  measured(t, `${drained} ms until the worker had ended`)
  // The rest is for giving up what took too long, and telling Temporal.
  t.true(drained < (graceSeconds + 3) * 1000)

  const runs = await Promise.all(ids.map((id) => ended(someone, id, 60)))
  measured(t, `${Date.now() - asked} ms until all runs had ended`)
  t.deepEqual(
    runs.filter(({ status }) => status !== 'completed').map(({ reason }) => reason),
    [],
  )
  const courses = await Promise.all(ids.map(async (id) => courseOf(await timelineOf(someone, id))))
  for (const [index, course] of courses.entries()) {
    measured(t, course.join(', '))
    const steps = course.filter((event) => event.startsWith('step.'))
    // A short model call is finished, a long one is made again, and nobody repeats a model call that is over.
    const first = index % scripts.length === 1 ? ['step.started 1 1', 'step.started 1 2'] : ['step.started 1 1']
    t.deepEqual(steps.slice(0, first.length + 1), [...first, `step.finished 1 ${first.length}`])
    t.is(await epochOf(stage.platform, ids[index]!), 1, 'nothing had to be taken up again')
  }
  const keys = stage.sites.badTools
    .requests()
    .filter(({ tool }) => tool === 'slow_once')
    .map(({ idempotencyKey }) => idempotencyKey)
  t.is(keys.length, 2 * perScript)
  t.is(new Set(keys).size, keys.length)
  t.true(reads().length > perScript, 'what only reads is sent again')
  t.is(new Set(reads().map(({ idempotencyKey }) => idempotencyKey)).size, perScript)
})

test('a model call that is interrupted by one stop after the other is not given up', async (t) => {
  const platform = await startPlatform(t, { env: { SHUTDOWN_SECONDS: '0.2' } })
  const someone = await customer(platform)
  const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 8]]' })
  await platform.startWorker()
  const { runId } = (await deliver(platform, agent, {})).body
  // One attempt more than a model call that fails has.
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    await untilEvent(someone, runId, 'step.started', ({ data }) => data['attempt'] === attempt)
    await platform.stopWorker()
    await platform.startWorker()
  }
  t.is((await ended(someone, runId, 30)).status, 'completed')
  const course = courseOf(await timelineOf(someone, runId))
  measured(t, course.join(', '))
  t.is(course.filter((event) => event.startsWith('step.started')).length, 5)
})
