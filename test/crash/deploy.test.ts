import test from 'ava'
import { eventually } from '../helpers/eventually.ts'
import { connectBadTools, customer, deliver, ended, timelineOf, webhookAgent } from '../helpers/people.ts'
import { courseOf, measured, untilEvent } from './record.ts'
import { openStage } from './stage.ts'

const graceSeconds = 4

/** What the runs are doing when the deploy comes: some of it ends within the grace time, some does not. */
const scripts = [
  '[[sleep 2]] [[say done]]',
  '[[sleep 9]] [[say done]]',
  '[[call slow_once {"seconds":2}]] [[then]] [[say done]]',
  '[[call slow_once {"seconds":9}]] [[then]] [[say done]]',
  '[[call slow_read {"seconds":9}]] [[call echo_text {"text":"a"}]] [[then]] [[sleep 1]] [[say done]]',
]

test('a deploy in the middle of 20 runs fails none of them, and sends no call twice that must not be repeated', async (t) => {
  const stage = await openStage(t, { sites: true, env: { SHUTDOWN_SECONDS: String(graceSeconds) } })
  const before = await stage.startWorker()
  const someone = await customer(stage.platform)
  const sites = [{ vaultEntryId: await connectBadTools(someone, stage.sites) }]
  const begin = async (_: unknown, index: number) => {
    const systemPrompt = scripts[index % scripts.length] ?? ''
    const agent = await webhookAgent(someone, { name: `Agent ${index}`, systemPrompt, sites })
    return (await deliver(stage.platform, agent, { index })).body.runId
  }
  const ids = await Promise.all(Array.from({ length: 20 }, begin))
  await Promise.all(ids.map((id) => untilEvent(someone, id, 'step.started')))
  const reads = () => stage.sites.badTools.requests().filter(({ tool }) => tool === 'slow_read')
  await eventually(20, 'what only reads is under way', () => reads().length === 4 || undefined)

  const asked = Date.now()
  const starting = stage.startWorker()
  t.is(await before.stop(), 0)
  const drained = Date.now() - asked
  measured(t, `${drained} ms until the worker had ended`)
  // The rest is for giving up what took too long, and telling Temporal.
  t.true(drained < (graceSeconds + 3) * 1000)
  const after = await starting

  const runs = await Promise.all(ids.map((id) => ended(someone, id, 60)))
  measured(t, `${Date.now() - asked} ms until all runs had ended`)
  t.deepEqual(
    runs.filter(({ status }) => status !== 'completed').map(({ reason }) => reason),
    [],
  )
  const courses = await Promise.all(ids.map(async (id) => courseOf(await timelineOf(someone, id))))
  t.false(courses.flat().some((event) => event.startsWith('step.failed')))
  t.true(courses.flat().includes('step.started 1 2'), 'some were in the middle of a step')
  const keys = stage.sites.badTools
    .requests()
    .filter(({ tool }) => tool === 'slow_once')
    .map(({ idempotencyKey }) => idempotencyKey)
  t.is(keys.length, 8)
  t.is(new Set(keys).size, 8)
  t.true(reads().length > 4, 'what only reads is sent again')
  t.is(new Set(reads().map(({ idempotencyKey }) => idempotencyKey)).size, 4)
  t.is(await after.stop(), 0)
})
