import { createHash } from 'node:crypto'
import type { Agent } from '../../agents/agent.ts'
import type { Billing } from '../../billing/billing.ts'
import { requireCredits } from '../../billing/account-status.ts'
import { assertThat } from '../../errors.ts'
import type { Run } from '../run.ts'
import type { AcceptRequest, Receipt } from './receipt.ts'
import type { Repeats } from './repeated-requests.ts'

/** Runs that users start manually on idle agents. */
export function createManual(context: {
  billing: Billing
  repeats: Repeats
  accept: (request: AcceptRequest) => Promise<Receipt>
  read: (ownerId: string, runId: string) => Promise<Run>
  depth: (agentId: string) => Promise<number>
}) {
  const { billing, repeats, accept, read, depth } = context

  async function assertStartable(agent: Startable): Promise<void> {
    const { id, ownerId } = agent
    assertThat((await depth(id)) === 0, 'AGENT_ALREADY_RUNNING')
    const standing = await billing.accountFor(agent)
    requireCredits(standing)
    await billing.storedBytes.assertStorageLimit(ownerId, standing)
  }

  async function acceptOnce(agent: Startable, request: AcceptRequest): Promise<Receipt> {
    try {
      await assertStartable(agent)
    } catch (refusal) {
      return repeats.earlierReceipt(request, refusal)
    }
    return accept(request)
  }

  return {
    /**
     * Starts a run, with an optional input: the JSON text of an object or a string, stored unchanged. A request
     * repeated with the same idempotency key returns the first request's run in its current state. Fails with
     * AGENT_ALREADY_RUNNING, NO_CREDITS, FEATURE_LIMIT_REACHED (no room for input and results), AGENT_NOT_FOUND
     * (deleted), VALIDATION_ERROR (a key reused with another input).
     */
    async startManually(agent: Startable, { id, idempotencyKey: key, input }: ClientRequest): Promise<Run> {
      const { runId } = await acceptOnce(agent, {
        agentId: agent.id,
        ownerId: agent.ownerId,
        trigger: 'manual',
        requestId: id,
        payload: input,
        bodyHash: input === undefined ? undefined : createHash('sha256').update(input).digest('hex'),
        idempotencyKey: key === undefined ? undefined : `manual ${key}`,
        onlyIfIdle: true,
      })
      return read(agent.ownerId, runId)
    },
  }
}

type Startable = Pick<Agent, 'id' | 'ownerId' | 'creditsPerMonth'>
type ClientRequest = { id: string; idempotencyKey: string | undefined; input: string | undefined }
