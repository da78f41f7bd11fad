import type { Agent } from '../../agents/agent.ts'
import type { Billing } from '../../billing/billing.ts'
import { assertThat } from '../../errors.ts'
import type { AcceptRequest, Receipt } from './receipt.ts'
import { receiptInsteadOfRefusal, type Known } from './repeats.ts'

/** Runs that people start by hand, of agents that are idle. */
export function createManual(context: {
  billing: Billing
  accept: (request: AcceptRequest) => Promise<Receipt>
  known: Known
  depth: (agentId: string) => Promise<number>
}) {
  const { billing, accept, known, depth } = context

  async function assertStartable({ id, ownerId }: Startable): Promise<void> {
    assertThat((await depth(id)) === 0, 'AGENT_ALREADY_RUNNING')
    billing.requireCredits(await billing.account(ownerId))
  }

  return {
    /**
     * A client's key makes a repeated request harmless: it gets the receipt of the run that the first one has started.
     * AGENT_ALREADY_RUNNING, NO_CREDITS, AGENT_NOT_FOUND (deleted).
     */
    async startManually(agent: Startable, { id, idempotencyKey: key }: Asked): Promise<Receipt> {
      const idempotencyKey = key === undefined ? undefined : `manual ${key}`
      const request = { agentId: agent.id, trigger: 'manual', requestId: id, idempotencyKey, onlyIfIdle: true } as const
      return (await receiptInsteadOfRefusal(request, known, () => assertStartable(agent))) ?? accept(request)
    },
  }
}

type Startable = Pick<Agent, 'id' | 'ownerId'>
type Asked = { id: string; idempotencyKey: string | undefined }
