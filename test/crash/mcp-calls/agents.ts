import { setTimeout as delay } from 'node:timers/promises'
import * as webhooks from '../../../api/webhooks.ts'
import { call } from '../../helpers/client.ts'
import { ended, timelineOf, type webhookAgent, type Person } from '../../helpers/people.ts'
import { dataOf } from '../../helpers/runs.ts'
import type { Outcome } from './outcome.ts'
import { markIn, type PlannedCall } from './plan.ts'

type Agent = Awaited<ReturnType<typeof webhookAgent>>

/** A run that was accepted, and the calls that it has to make. */
export interface AcceptedRun {
  runId: string
  planned: PlannedCall[]
}

/** What the model of a run does: two calls in each step. */
function scriptOf(planned: PlannedCall[]): string {
  const calls = planned.map(({ tool, arguments: given }) => `[[call ${tool} ${JSON.stringify(given)}]]`)
  const steps = Array.from({ length: Math.ceil(calls.length / 2) }, (_, step) => calls.slice(step * 2, step * 2 + 2))
  return [...steps.map((pair) => pair.join(' ')), '[[say done]]'].join(' [[then]] ')
}

/** Delivers a run until somebody has accepted it, as senders do. */
export async function deliverRun(api: { url: string }, agent: Agent, planned: PlannedCall[]): Promise<AcceptedRun> {
  for (;;) {
    const answer = await call(api, webhooks.receiveWebhook, {
      params: { agentId: agent.id },
      raw: JSON.stringify({ action: scriptOf(planned) }),
      headers: { 'x-webhook-secret': agent.webhookSecret, 'idempotency-key': String(planned[0]?.mark) },
    }).catch(() => undefined)
    if (answer?.status === 202) return { runId: answer.body.runId, planned }
    await delay(200)
  }
}

/** Waits until the run has ended, and reads what became of its calls from its timeline. */
export async function outcomesOf(someone: Person, { runId }: AcceptedRun): Promise<Outcome[]> {
  await ended(someone, runId, 300)
  return dataOf(await timelineOf(someone, runId), 'tool.finished').map(({ arguments: given, status }) => ({
    mark: markIn(given),
    status: status as Outcome['status'],
    at: `/runs/${runId}/events`,
  }))
}
