import type { Billing } from '../../billing/billing.ts'
import type { Database } from '../../database/database.ts'
import { assertThat } from '../../errors.ts'
import type { AcceptRequest, Receipt } from './receipt.ts'
import { receiptInsteadOfRefusal, type Known } from './repeats.ts'
import { Run, type RunFacts } from '../run.ts'
import { hasEnded } from '../states.ts'

/**
 * Runs a finished run again (docs/design.md, "Replay"): a new run with the same payload, under the agent as it is now.
 */
export function createReplay(context: {
  database: Database
  billing: Billing
  accept: (request: AcceptRequest) => Promise<Receipt>
  known: Known
}) {
  const { database, billing, accept, known } = context

  async function assertAllowed({ ownerId, trigger }: Pick<Run, 'ownerId' | 'trigger'>): Promise<void> {
    const account = await billing.account(ownerId)
    if (trigger === 'webhook') billing.requireFeature(account, 'webhooks')
    if (trigger === 'webhook') billing.requireGoodStanding(account)
    billing.requireCredits(account)
  }

  return {
    /**
     * The replay of a delivery takes its place at the end of the queue like a new delivery; that of another run is a
     * manual start, for which the agent must be idle. A client's key makes a repeated request harmless. `assertFits` is
     * what the agent says of the payload.
     * AGENT_ALREADY_RUNNING, TIER_REQUIRED, SUBSCRIPTION_PAST_DUE, NO_CREDITS, RATE_LIMITED, AGENT_NOT_FOUND (deleted).
     */
    async replay(
      run: RunFacts,
      { id, idempotencyKey: key }: Asked,
      assertFits: (delivery: Pick<Run, 'payload'>) => void,
    ): Promise<Receipt> {
      const message = `The run has not ended: it is ${run.status}. Only a finished run can be replayed.`
      assertThat(hasEnded(run.status), 'AGENT_ALREADY_RUNNING', { message })
      const { payload } = await Run.query(database).findById(run.id).select('payload').throwIfNotFound()
      const request = {
        agentId: run.agentId,
        trigger: run.trigger,
        requestId: id,
        payload: payload ?? undefined,
        bodyHash: run.bodyHash ?? undefined,
        replayOf: run.id,
        idempotencyKey: key === undefined ? undefined : `replay ${run.id} ${key}`,
        onlyIfIdle: run.trigger !== 'webhook',
      }
      const repeated = await receiptInsteadOfRefusal(request, known, async () => {
        assertFits({ payload })
        await assertAllowed(run)
      })
      return repeated ?? accept(request)
    },
  }
}

type Asked = { id: string; idempotencyKey: string | undefined }
