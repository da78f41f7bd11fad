import { hash } from 'node:crypto'
import type { Agent } from '../../agents/agent.ts'
import type { Agents } from '../../agents/agents.ts'
import type { Database } from '../../database/database.ts'
import { assertThat } from '../../errors.ts'
import { assertMatches } from '../../webhooks/payload.ts'
import type { Payloads } from '../../webhooks/payloads.ts'
import { editedText, type EditedInput } from './edited-input.ts'
import type { AcceptRequest, Receipt } from './receipt.ts'
import type { Repeats } from './repeated-requests.ts'
import type { AssertReplayable } from './assert-replayable.ts'
import { inputOf } from '../run-input.ts'
import type { Run } from '../run.ts'
import { hasEnded } from '../states.ts'

/**
 * Replays a finished run: starts a new run with the same input, or an edited one, under the agent's current settings. It
 * keeps the trigger, which decides what the payload means and whether the run is queued.
 */
export function createReplay(context: {
  database: Database
  agents: Agents
  payloads: Pick<Payloads, 'read'>
  repeats: Repeats
  assertReplayable: AssertReplayable
  accept: (request: AcceptRequest) => Promise<Receipt>
  read: (ownerId: string, runId: string) => Promise<Run>
}) {
  const { database, agents, payloads, repeats, assertReplayable, accept, read } = context

  async function acceptOnce(agent: Agent, request: AcceptRequest): Promise<Receipt> {
    const { trigger, payload } = request
    let action: string | undefined
    try {
      if (trigger === 'webhook' && payload !== undefined) action = await actionIn(payload, agent)
      await assertReplayable(agent, trigger)
    } catch (refusal) {
      return repeats.earlierReceipt(request, refusal)
    }
    return accept({ ...request, action })
  }

  /** The payload's instructions, if any. WEBHOOK_PAYLOAD_INVALID unless the payload matches the current schema. */
  async function actionIn(text: string, agent: Agent): Promise<string | undefined> {
    const payload = await payloads.read(Buffer.from(text), agent)
    assertMatches(payload)
    return payload.action
  }

  return {
    /**
     * Replays a run, with its own payload or input or with an edited one, which is stored unchanged. A delivery joins
     * the end of the queue and must match the current schema. Any other run starts manually and needs an idle agent. A
     * request repeated with the same idempotency key returns the first request's run in its current state. Fails with
     * AGENT_NOT_FOUND (deleted), AGENT_ALREADY_RUNNING, WEBHOOK_PAYLOAD_INVALID, VALIDATION_ERROR (a payload for a run
     * that needs an input, or the reverse; a key reused with another body), TIER_REQUIRED, SUBSCRIPTION_PAST_DUE,
     * NO_CREDITS, FEATURE_LIMIT_REACHED (no room), RATE_LIMITED (a full queue), RUN_NOT_FOUND (just purged).
     */
    async replay(run: Run, { id, idempotencyKey: key, ...given }: ClientRequest): Promise<Run> {
      const agent = await agents.get(run.ownerId, run.agentId)
      const message = `The run is ${run.status}. You can replay a run only after it has ended.`
      assertThat(hasEnded(run.status), 'AGENT_ALREADY_RUNNING', { message })
      const edited = editedText(run.trigger, given)
      const input = await inputOf(database, run.id)
      // A delivery without a payload was purged after it was read.
      assertThat(input !== undefined || run.trigger !== 'webhook', 'RUN_NOT_FOUND')
      const { runId } = await acceptOnce(agent, {
        agentId: run.agentId,
        ownerId: run.ownerId,
        trigger: run.trigger,
        requestId: id,
        payload: edited ?? input?.payload,
        headers: input?.headers ?? undefined,
        replayOf: run.id,
        edited: edited === undefined ? undefined : true,
        bodyHash: edited === undefined ? undefined : hash('sha256', edited),
        idempotencyKey: key === undefined ? undefined : `replay ${run.id} ${key}`,
        onlyIfIdle: run.trigger !== 'webhook',
      })
      return read(run.ownerId, runId)
    },
  }
}

type ClientRequest = { id: string; idempotencyKey: string | undefined } & EditedInput
