import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import * as webhooks from '../../api/webhooks.ts'
import { measured } from '../crash/record.ts'
import { rage } from '../crash/rage.ts'
import { openStage } from '../crash/stage.ts'
import { call } from '../helpers/client.ts'
import { customer, timelineOf, webhookAgent } from '../helpers/people.ts'
import { allEnded, dataOf } from '../helpers/runs.ts'

/*
 * Order under fire: 1,000 deliveries of 20 senders to one agent, while API and worker processes are killed at random.
 * It takes some minutes, so that it is not one of the tests that always run: npm run long -- order
 */
const senders = 20
const each = 50

interface Sent {
  /** The delivery's own key. */
  key: string
  runId: string
  sequence: number
  /** When it was first sent, and when its receipt had arrived. */
  from: number
  until: number
  attempts: number
}

type Agent = Awaited<ReturnType<typeof webhookAgent>>

/** Sends one delivery until somebody has accepted it, as senders do. */
async function send(url: string, agent: Agent, key: string): Promise<Sent> {
  const from = Date.now()
  for (let attempts = 1; ; attempts += 1) {
    const answer = await call({ url }, webhooks.receiveWebhook, {
      params: { agentId: agent.id },
      raw: JSON.stringify({ key }),
      headers: { 'x-webhook-secret': agent.webhookSecret, 'idempotency-key': key },
    }).catch(() => undefined)
    if (answer?.status === 202) return { key, ...answer.body, from, until: Date.now(), attempts }
    await delay(50)
  }
}

// @promise order
test('1,000 deliveries under fire: the order of arrival, of the sequence and of execution are one', async (t) => {
  t.timeout(20 * 60_000)
  const stage = await openStage(t, { env: { RATE_LIMIT_WEBHOOK_PER_MINUTE: '1000000' } })
  const someone = await customer(stage.platform)
  const agent = await webhookAgent(someone, { systemPrompt: '[[say done]]' })
  const calm = new AbortController()
  const { done } = await rage(stage, ['api', 'worker', 'worker'], [1000, 3500], calm.signal)
  const url = stage.environment['BASE_URL'] ?? ''
  const began = Date.now()
  const sending = Array.from({ length: senders }, async (_, sender) => {
    const mine: Sent[] = []
    for (let number = 0; number < each; number += 1) {
      mine.push(await send(url, agent, `${sender}-${number}`))
      // Spread over more than a minute, so that many are under way when a process is killed.
      await delay(Math.random() * 3000)
    }
    return mine
  })
  const sent = (await Promise.all(sending)).flat()
  const again = sent.filter(({ attempts }) => attempts > 1).length
  measured(
    t,
    `${Math.round((Date.now() - began) / 1000)} s until all were accepted, ${again} after having been sent again`,
  )
  const runs = await allEnded(someone, agent, 15 * 60)
  calm.abort()
  const kills = await done
  measured(t, `${Math.round((Date.now() - began) / 1000)} s until all had ended; killed: ${JSON.stringify(kills)}`)

  t.is(runs.length, senders * each, 'nothing lost, nothing twice')
  t.deepEqual(
    runs.map(({ sequence }) => sequence),
    Array.from({ length: senders * each }, (_, index) => index + 1),
  )
  t.deepEqual([...new Set(runs.map(({ status }) => status))], ['completed'])
  const receipts = new Map(sent.map((one) => [one.runId, one]))
  t.is(receipts.size, senders * each, 'each delivery has a run of its own')
  const inOrder = sent.toSorted((one, other) => one.sequence - other.sequence)
  let latestSent = 0
  for (const one of inOrder) {
    t.true(one.until >= latestSent, 'what was answered before another was sent has the lower number')
    latestSent = Math.max(latestSent, one.from)
  }
  for (const [index, run] of runs.entries()) {
    const before = runs[index - 1]
    if (before) t.true(String(before.endedAt) <= String(run.startedAt), `run ${run.sequence} waited for the one before`)
    t.is(run.steps, 1)
  }
  const recovered = runs.filter(({ events }) => events > 5)
  measured(t, `${recovered.length} runs were interrupted`)
  for (const { id } of recovered) t.is(dataOf(await timelineOf(someone, id), 'step.finished').length, 1)
})
