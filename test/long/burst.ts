import { Client, Connection } from '@temporalio/client'
import test, { type ExecutionContext } from 'ava'
import * as webhooks from '../../api/webhooks.ts'
import { agentQueueId } from '../../workflows/messages.ts'
import { measured } from '../crash/record.ts'
import { openStage } from '../crash/stage.ts'
import { call } from '../helpers/client.ts'
import { agentOf, customer, ended, webhookAgent, type Person } from '../helpers/people.ts'
import { allEnded, start } from '../helpers/runs.ts'
import { temporalAddress } from '../helpers/temporal.ts'

/*
 * A burst of 10,000 deliveries to one agent at the default limits, and another agent meanwhile. Draining takes ten
 * minutes and more, so that it is not one of the tests that always run: npm run long -- burst
 */
const deliveries = 10_000
const connections = 50

/** How long an agent's manual runs take from being accepted to being started, in milliseconds, sorted. */
async function startTimes(someone: Person, agent: { id: string }, times: number): Promise<number[]> {
  const found: number[] = []
  for (let time = 0; time < times; time += 1) {
    const { id } = (await start(someone, agent)).body
    const { acceptedAt, startedAt } = await ended(someone, id, 60)
    found.push(Date.parse(String(startedAt)) - Date.parse(acceptedAt))
  }
  return found.toSorted((one, other) => one - other)
}

const inWords = (sorted: number[]): string => `median ${sorted[sorted.length >> 1]} ms, at most ${sorted.at(-1)} ms`

/** Every execution of the agent's queue, and how many signals each of them got. */
async function signalsOf(t: ExecutionContext, agentId: string): Promise<number[]> {
  const connection = await Connection.connect({ address: temporalAddress() })
  t.teardown(() => connection.close())
  const client = new Client({ connection })
  const counts: number[] = []
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${agentQueueId(agentId)}'` })) {
    const { events } = await client.workflow.getHandle(agentQueueId(agentId), runId).fetchHistory()
    counts.push((events ?? []).filter(({ workflowExecutionSignaledEventAttributes: signal }) => signal).length)
  }
  return counts
}

// @promise bursts
test('10,000 deliveries at once: each accepted or refused with 429, a handful of signals, and others start as ever', async (t) => {
  t.timeout(60 * 60_000)
  const env = { RATE_LIMIT_STORE: 'postgres', STALL_SECONDS: '5', RECONCILE_SECONDS: '2' }
  const stage = await openStage(t, { env })
  const api = await stage.startApi()
  await stage.startWorker()
  const someone = await customer(stage.platform, 'enterprise')
  const busy = await webhookAgent(someone, { systemPrompt: '[[say done]]' })
  const other = await agentOf(someone, { systemPrompt: '[[say done]]' })
  const idle = await startTimes(someone, other, 10)
  measured(t, `another agent on an idle system: ${inWords(idle)}`)

  const statuses: number[] = []
  let next = 0
  const began = Date.now()
  const sending = Array.from({ length: connections }, async () => {
    for (let number = next++; number < deliveries; number = next++) {
      const answer = await call({ url: api.url }, webhooks.receiveWebhook, {
        params: { agentId: busy.id },
        raw: JSON.stringify({ number }),
        headers: { 'x-webhook-secret': busy.webhookSecret },
      })
      if (answer.status === 429) t.true(Number(answer.headers.get('retry-after')) >= 1)
      statuses.push(answer.status)
    }
  })
  await Promise.all(sending)
  const accepted = statuses.filter((status) => status === 202).length
  const refused = statuses.filter((status) => status === 429).length
  measured(t, `${accepted} accepted, ${refused} refused, in ${Date.now() - began} ms`)
  t.is(accepted + refused, deliveries)

  const meanwhile = await startTimes(someone, other, 10)
  measured(t, `another agent meanwhile: ${inWords(meanwhile)}`)
  const runs = await allEnded(someone, busy, 45 * 60)
  measured(t, `${Math.round((Date.now() - began) / 1000)} s until the queue was empty`)
  t.is(runs.length, accepted)
  t.deepEqual([...new Set(runs.map(({ status }) => status))], ['completed'])
  const signals = await signalsOf(t, busy.id)
  measured(t, `signals: ${signals.join(', ')} over ${signals.length} executions of the queue`)
  t.true(signals.reduce((sum, count) => sum + count, 0) <= 20)
})
