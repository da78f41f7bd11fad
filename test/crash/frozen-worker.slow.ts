// @promise crashes repairs
import test from 'ava'
import { eventually } from '../helpers/eventually.ts'
import { deliver, ended, timelineOf, webhookAgent } from '../helpers/people.ts'
import { cancel, dataOf, runsOf } from '../helpers/runs.ts'
import {
  askedFor,
  courseOf,
  endsInTime,
  epochOf,
  measured,
  repairsOf,
  rounds,
  two,
  untilAsked,
  untilEvent,
} from './record.ts'
import { connected, openStage } from './stage.ts'

const impatient = { RECONCILE_SECONDS: '1', STALL_SECONDS: '2' }

// @promise cancel
test('runs of a frozen worker can be cancelled in time, the others go on elsewhere, and its late answers change nothing', async (t) => {
  const stage = await openStage(t, { sites: true, env: impatient })
  const { platform } = stage
  const { badTools } = stage.sites
  const [frozen, api] = await Promise.all([stage.startWorker(), stage.startApi()])
  const { someone, sites } = await connected(stage)
  // What listens to its cancellation is not ended by force.
  const listening = await two(platform, someone, '[[sleep 100]]')
  await untilEvent(someone, listening.runId, 'step.started')
  await cancel(someone, listening.runId)
  await endsInTime(t, someone, listening.runId)
  t.is(await epochOf(platform, listening.runId), 1)
  t.deepEqual(repairsOf([...api.logs, ...frozen.logs], listening.runId), [])

  const thinking = await two(platform, someone, '[[sleep 20]]')
  const calling = await two(platform, someone, '[[call slow_once {"seconds":20}]]', sites)
  // A frozen worker takes with it as many tasks as it has polls open, activities and others. With these they are lost
  // side by side, and not one after the other by the runs that are looked at.
  const decoysOf = (count: number, systemPrompt: string) =>
    Promise.all(Array.from({ length: count }, () => webhookAgent(someone, { systemPrompt })))
  const start = (agents: Awaited<ReturnType<typeof decoysOf>>) =>
    Promise.all(agents.map((agent) => deliver(platform, agent, {})))
  const [working, idle] = [await decoysOf(3, '[[sleep 5]]'), await decoysOf(8, 'Report.')]
  const other = await two(platform, someone, '[[sleep 5]]')
  const all = [thinking, calling, other]
  await start(working)
  for (const { runId } of [thinking, other]) await untilEvent(someone, runId, 'step.started')
  await untilAsked(badTools.requests, 'slow_once')
  const frozenId = (await platform.services.workers.list())[0]?.id

  process.kill(frozen.pid, 'SIGSTOP')
  await start(idle)
  for (const { runId } of [thinking, calling]) t.is((await cancel(someone, runId)).body.status, 'running')
  const began = Date.now()
  // By the API alone: nobody else is awake.
  for (const { runId } of [thinking, calling]) {
    await endsInTime(t, someone, runId)
    t.is(await epochOf(platform, runId), 2)
    await eventually(5, 'it is logged', () => repairsOf(api.logs, runId).includes('cancel-forced') || undefined)
  }
  const [call] = dataOf(await timelineOf(someone, calling.runId), 'tool.finished')
  t.like(call, { status: 'unknown', attempts: 1 })

  await platform.startWorker()
  for (const { runId, next } of all) {
    t.is((await ended(someone, next, 120)).status, 'completed')
    measured(t, `${Date.now() - began} ms until the next run had ended`)
    measured(t, courseOf(await timelineOf(someone, runId)).join(', '))
  }
  t.like(await ended(someone, other.runId, 120), { status: 'completed', steps: 1 })

  const timelines = () =>
    Promise.all(all.flatMap(({ runId, next }) => [runId, next]).map((id) => timelineOf(someone, id)))
  const before = await timelines()
  const thawed = new Date()
  process.kill(frozen.pid, 'SIGCONT')
  await eventually(30, 'it says that it is there', async () => {
    const said = (await platform.services.workers.list()).find(({ id }) => id === frozenId)
    return (said && said.seenAt > thawed) || undefined
  })
  // What it was doing when it was frozen it has answered by then, and its loops have gone round.
  await rounds(platform, 'forgotten agents', 2)
  t.deepEqual(await timelines(), before)
  t.is(askedFor(badTools.requests(), 'slow_once').times, 1)
  for (const { agent } of all) {
    t.deepEqual(
      (await runsOf(someone, agent)).map(({ endedAt }) => endedAt !== null),
      [true, true],
    )
  }
})
