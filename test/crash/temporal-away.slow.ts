// @promise crashes
import { Connection } from '@temporalio/client'
import test, { type ExecutionContext } from 'ava'
import * as runs from '../../api/runs.ts'
import { searchAttributes } from '../../workflows/messages.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { startOwnTemporal } from '../helpers/temporal.ts'
import { deliver, ended, runOf, timelineOf, webhookAgent, type Person } from '../helpers/people.ts'
import { askedFor, courseOf, measured, parked, rounds, untilAsked, untilEvent } from './record.ts'
import { connected, openStage, reconcile } from './stage.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { dataOf } from '../helpers/runs.ts'

/** A Temporal of the test's own, a worker that lives through what happens to it, and a customer who has connected a site. */
async function openTest(t: ExecutionContext) {
  const temporal = await startOwnTemporal(t)
  const env = { TEMPORAL_ADDRESS: temporal.address }
  const stage = await openStage(t, { sites: true, worker: true, env })
  reconcile(t, stage.platform)
  const { requests } = stage.sites.badTools
  return { temporal, stage, platform: stage.platform, requests, ...(await connected(stage)) }
}

/** The runs are completed; says how long after the return of Temporal. */
async function areCompleted(t: ExecutionContext, someone: Person, all: { runId: string }[]): Promise<void> {
  const back = Date.now()
  for (const { runId } of all) {
    t.is((await ended(someone, runId, 60)).status, 'completed')
    const course = courseOf(await timelineOf(someone, runId))
    measured(t, `${Date.now() - back} ms from the return of Temporal to the end of a run: ${course.join(', ')}`)
  }
}

test('while Temporal is stopped deliveries are accepted, and when it is back everything goes on where it was', async (t) => {
  const { temporal, platform, someone, sites, requests } = await openTest(t)
  const slow = '[[call slow_once {"seconds":2}]][[sleep 1]]'
  const busy = await webhookAgent(someone, { systemPrompt: slow, sites })
  const idle = await webhookAgent(someone, { systemPrompt: 'Report.' })
  const stubborn = await webhookAgent(someone, { systemPrompt: '[[sleep 100]]' })

  const before = (await deliver(platform, busy, {})).body
  const unwanted = (await deliver(platform, stubborn, {})).body
  await untilAsked(requests, 'slow_once')
  await untilEvent(someone, unwanted.runId, 'step.started')
  await temporal.stop()
  const asked = Date.now()
  const during = await Promise.all([deliver(platform, busy, {}), deliver(platform, idle, {})])
  const took = Date.now() - asked
  measured(t, `${took} ms for two 202 while Temporal is stopped`)
  t.deepEqual(
    during.map(({ status }) => status),
    [202, 202],
  )
  t.true(took < 3000)
  const cancelling = Date.now()
  t.is((await call(someone, runs.cancelRun, { params: { runId: unwanted.runId } })).status, 200)
  measured(t, `${Date.now() - cancelling} ms for a cancellation while Temporal is stopped`)
  t.true(Date.now() - cancelling < 5000)
  // A check that takes long, as this one does, counts for the next answer.
  const ready = async () => (await fetch(`${platform.url}/readyz`)).json() as Promise<{ temporal?: string }>
  await eventually(10, 'Temporal is missed', async () => (await ready()).temporal === 'away' || undefined)
  t.like(await ready(), { status: 'ok', temporal: 'away' })

  await temporal.start()
  const back = Date.now()
  await areCompleted(t, someone, [before, ...during.map(({ body }) => body)])
  const { times, keys } = askedFor(requests(), 'slow_once')
  t.is(times, keys.length)
  // Temporal could not be told of the cancellation at the time; it is told again.
  t.like(await ended(someone, unwanted.runId, 15), { status: 'cancelled', reason: 'CANCELLED_BY_OWNER' })
  measured(t, `${Date.now() - back} ms from the return of Temporal to the end of the cancelled run`)
})

// @promise reconnect
test('a Temporal that is killed goes on from its file, and with it the runs, also one whose site was connected meanwhile', async (t) => {
  const opened = await openTest(t)
  const { temporal, platform, someone, sites, requests } = opened
  const waits = await parked(opened.stage, 'slow_read')
  const systemPrompt = '[[call slow_once {"seconds":0}]][[sleep 2]][[call slow_once {"seconds":2}]]'
  const agent = await webhookAgent(someone, { systemPrompt, sites })

  const receipts = [(await deliver(platform, agent, {})).body, (await deliver(platform, agent, {})).body]
  await untilEvent(someone, receipts[0]!.runId, 'step.started', ({ data }) => data['step'] === 2)
  await temporal.kill()
  await waits.reconnect()
  await delay(2000)
  t.is((await runOf(waits.someone, waits.runId)).status, 'waiting')
  await temporal.start()
  await areCompleted(t, someone, receipts)
  const { times, keys } = askedFor(requests(), 'slow_once')
  t.is(times, keys.length)
  for (const id of [waits.runId, waits.next])
    t.like(await ended(waits.someone, id, 60), { status: 'completed', steps: 2 })
  t.deepEqual(
    requests().flatMap(({ tool, idempotencyKey, status }) => (tool === 'slow_read' ? [[idempotencyKey, status]] : [])),
    [
      [`${waits.runId}:1:0`, 401],
      [`${waits.runId}:1:0`, 200],
      [`${waits.next}:1:0`, 200],
    ],
  )
  t.is(dataOf(await timelineOf(waits.someone, waits.runId), 'wait.started').length, 1)
})

// @promise temporal
test('a Temporal that has lost everything is told again, and every run goes on from its last recorded step', async (t) => {
  const { temporal, platform, someone, sites, requests } = await openTest(t)
  const systemPrompt = '[[call slow_read {"seconds":0}]][[call slow_once {"seconds":3}]]'
  const agent = await webhookAgent(someone, { systemPrompt, sites })
  const thinker = await webhookAgent(someone, { systemPrompt: '[[sleep 3]]' })

  const thinking = (await deliver(platform, thinker, {})).body
  const receipts = []
  for (let number = 1; number <= 3; number += 1) receipts.push((await deliver(platform, agent, { number })).body)
  await untilAsked(requests, 'slow_once')
  await temporal.kill()
  await temporal.forget()
  await temporal.start()

  await areCompleted(t, someone, [thinking, ...receipts])
  const timeline = await timelineOf(someone, receipts[0]!.runId)
  t.like(timeline.find(({ kind }) => kind === 'recovered')?.data, { epoch: 2, step: 1 })
  const [first, second, third] = await Promise.all(receipts.map(({ runId }) => ended(someone, runId)))
  t.true(first!.endedAt! <= second!.startedAt! && second!.endedAt! <= third!.startedAt!)
  const { times, keys } = askedFor(requests(), 'slow_once')
  t.is(times, 3)
  t.is(keys.length, 3)

  const connection = await Connection.connect({ address: temporal.address })
  t.teardown(() => connection.close())
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' })
  for (const { name } of Object.values(searchAttributes)) t.true(name in customAttributes)
})

// @promise temporal
test('a Temporal that has lost its namespace too, which an operator creates again, gets everything back', async (t) => {
  const temporal = await startOwnTemporal(t)
  const namespace = 'switchyard'
  const create = async () => {
    const connection = await Connection.connect({ address: temporal.address })
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 } as never,
    })
    await connection.close()
  }
  await create()
  const env = { TEMPORAL_ADDRESS: temporal.address, TEMPORAL_NAMESPACE: namespace }
  const stage = await openStage(t, { sites: true, worker: true, env })
  const { platform } = stage
  reconcile(t, platform)
  const { someone, sites } = await connected(stage)
  const agent = await webhookAgent(someone, { systemPrompt: '[[call slow_once {"seconds":3}]]', sites })
  const receipts = []
  for (let number = 1; number <= 2; number += 1) receipts.push((await deliver(platform, agent, { number })).body)
  await untilAsked(stage.sites.badTools.requests, 'slow_once')
  await temporal.kill()
  await temporal.forget()
  await temporal.start()
  // Every loop meets the server without the namespace.
  await rounds(platform, 'schedules', 2)
  receipts.push((await deliver(platform, agent, { number: 3 })).body)
  await create()
  await areCompleted(t, someone, receipts)
  const { times, keys } = askedFor(stage.sites.badTools.requests(), 'slow_once')
  t.is(times, 3)
  t.is(keys.length, 3)
})
