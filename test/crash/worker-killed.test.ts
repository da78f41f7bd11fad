import test from 'ava'
import { connectBadTools, customer, deliver, ended, timelineOf, webhookAgent } from '../helpers/people.ts'
import { askedFor, courseOf, isGapless, measured, untilAsked, untilEvent } from './record.ts'
import { openStage } from './stage.ts'

const once = '[[call slow_once {"seconds":3}]]'
const read = '[[call slow_read {"seconds":3}]]'
const idempotent = '[[call slow_idempotent {"seconds":3}]]'

test('a run whose worker is killed during a model call repeats that call at another worker and ends', async (t) => {
  const stage = await openStage(t)
  const first = await stage.startWorker()
  const someone = await customer(stage.platform)
  const agent = await webhookAgent(someone, { systemPrompt: '[[sleep 3]][[say Slept.]]' })
  const { body } = await deliver(stage.platform, agent, {})
  await untilEvent(someone, body.runId, 'step.started')
  await first.kill()
  const killed = Date.now()
  await stage.startWorker()

  const run = await ended(someone, body.runId, 40)
  measured(t, `${Date.now() - killed} ms from the kill to the end of the run`)
  t.is(run.status, 'completed')
  const timeline = await timelineOf(someone, body.runId)
  measured(t, courseOf(timeline).join(', '))
  t.deepEqual(courseOf(timeline).slice(0, 4), ['accepted', 'started', 'step.started 1 1', 'step.started 1 2'])
  t.true(isGapless(timeline.map(({ number }) => number)))
  const [, second] = timeline.filter(({ kind }) => kind === 'step.started')
  t.regex(String(second?.data['note']), /its worker failed or was stopped/)
  t.is(timeline.filter(({ kind }) => kind === 'step.finished').length, 1)
})

test('a worker killed during parallel calls repeats only the harmless ones, and the model is told which is in doubt', async (t) => {
  const stage = await openStage(t, { sites: true })
  const { badTools } = stage.sites
  const first = await stage.startWorker()
  const someone = await customer(stage.platform)
  const sites = [{ vaultEntryId: await connectBadTools(someone, stage.sites) }]
  const agent = await webhookAgent(someone, { systemPrompt: once + read + idempotent, sites })
  const { body } = await deliver(stage.platform, agent, {})
  for (const tool of ['slow_once', 'slow_read', 'slow_idempotent']) await untilAsked(badTools.requests, tool)
  await first.kill()
  const killed = Date.now()
  await stage.startWorker()

  const run = await ended(someone, body.runId, 40)
  measured(t, `${Date.now() - killed} ms from the kill to the end of the run`)
  t.is(run.status, 'completed')
  t.deepEqual(askedFor(badTools.requests(), 'slow_once'), { times: 1, keys: [`${body.runId}:1:0`] })
  t.deepEqual(askedFor(badTools.requests(), 'slow_read'), { times: 2, keys: [`${body.runId}:1:1`] })
  t.deepEqual(askedFor(badTools.requests(), 'slow_idempotent'), { times: 2, keys: [`${body.runId}:1:2`] })

  const timeline = await timelineOf(someone, body.runId)
  measured(t, courseOf(timeline).join(', '))
  const endOf = (tool: string) => timeline.find(({ kind, data }) => kind === 'tool.finished' && data['tool'] === tool)
  t.like(endOf('slow_once')?.data, { status: 'unknown', attempts: 1 })
  t.regex(String(endOf('slow_once')?.data['note']), /not sent again/)
  const again = timeline.filter(({ kind, data }) => kind === 'tool.started' && data['attempt'] === 2)
  t.is(again.length, 2)
  for (const { data } of again) t.regex(String(data['note']), /its worker failed or was stopped/)
  t.like(endOf('slow_read')?.data, { status: 'succeeded', attempts: 2 })
  t.like(endOf('slow_idempotent')?.data, { status: 'succeeded', attempts: 2 })
  const lastWords = String(timeline.findLast(({ kind }) => kind === 'step.finished')?.data['text'])
  t.regex(lastWords, /slow_once, and it is unknown whether that took effect/)
  t.regex(lastWords, /slow_read, which answered/)
})

test('a delivery whose API and worker are killed right after the 202 is carried out, once, by those who come after', async (t) => {
  const stage = await openStage(t, { sites: true })
  const { badTools } = stage.sites
  const [api, worker] = await Promise.all([stage.startApi(), stage.startWorker()])
  const someone = await customer(stage.platform)
  const sites = [{ vaultEntryId: await connectBadTools(someone, stage.sites) }]
  const agent = await webhookAgent(someone, { systemPrompt: '[[call slow_once {"seconds":0}]]', sites })
  const receipts = []
  for (let number = 1; number <= 3; number += 1) receipts.push(await deliver(api, agent, { number }))
  await Promise.all([api.kill(), worker.kill()])
  await stage.startWorker()

  for (const { status, body } of receipts) {
    t.is(status, 202)
    t.is((await ended(someone, body.runId, 40)).status, 'completed')
    t.is((await timelineOf(someone, body.runId)).filter(({ kind }) => kind === 'started').length, 1)
  }
  t.deepEqual(
    receipts.map(({ body }) => body.sequence),
    [1, 2, 3],
  )
  const keys = badTools.requests().map(({ idempotencyKey }) => idempotencyKey)
  t.is(new Set(keys).size, keys.length)
})
