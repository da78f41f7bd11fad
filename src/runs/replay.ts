import type { Billing } from '../billing/billing.ts'
import { assertThat } from '../errors.ts'
import type { AcceptRequest, Receipt } from './receipt.ts'
import type { Run } from './run.ts'
import { hasEnded } from './states.ts'

/** Runs a finished run again (decisions, "Replay"): a new run with the same payload, under the agent as it is now. */
export function createReplay(context: { billing: Billing; accept: (request: AcceptRequest) => Promise<Receipt> }) {
  const { billing, accept } = context

  return {
    /**
     * The replay of a delivery takes its place at the end of the queue like a new delivery; that of another run is a
     * manual start, for which the agent must be idle. A client's key makes a repeated request harmless.
     * AGENT_ALREADY_RUNNING, TIER_REQUIRED, SUBSCRIPTION_PAST_DUE, NO_CREDITS, RATE_LIMITED, AGENT_NOT_FOUND (deleted).
     */
    async replay(run: Run, request: { id: string; idempotencyKey: string | undefined }): Promise<Receipt> {
      const message = `The run has not ended: it is ${run.status}. Only a finished run can be replayed.`
      assertThat(hasEnded(run.status), 'AGENT_ALREADY_RUNNING', { message })
      const account = await billing.account(run.ownerId)
      const isDelivery = run.trigger === 'webhook'
      if (isDelivery) billing.requireFeature(account, 'webhooks')
      if (isDelivery) billing.requireGoodStanding(account)
      billing.requireCredits(account)
      const key = request.idempotencyKey
      return accept({
        agentId: run.agentId,
        trigger: run.trigger,
        requestId: request.id,
        payload: run.payload ?? undefined,
        bodyHash: run.bodyHash ?? undefined,
        replayOf: run.id,
        idempotencyKey: key === undefined ? undefined : `replay ${run.id} ${key}`,
        onlyIfIdle: !isDelivery,
      })
    },
  }
}
