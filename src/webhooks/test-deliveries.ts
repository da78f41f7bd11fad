import type { Agent } from '../agents/agent.ts'
import type { Agents } from '../agents/agents.ts'
import type { Clock } from '../clock.ts'
import { isCoded, type CodedError } from '../errors.ts'
import { newId } from '../ids.ts'
import { presets } from './presets.ts'
import { signedHeaders } from './signed-headers.ts'
import type { InboundDelivery, Outcome } from './webhooks.ts'

/** The request that sends a test delivery. */
interface Asked {
  id: string
  address: string
}

/** What a sender would have received, and the headers of its proof, without a shared secret. */
export type TestResult = { headers: Record<string, string> } & ({ outcome: Outcome } | { refusal: CodedError })

const hidden = '(hidden)'

/** Deliveries that an owner sends for a test: signed as the agent's sender signs, and judged like any other. */
export function createTestDeliveries(context: {
  agents: Pick<Agents, 'secretOf'>
  clock: Clock
  webhooks: { deliver: (delivery: InboundDelivery) => Promise<Outcome> }
}) {
  const { agents, clock, webhooks } = context

  return {
    /** Delivers the payload, which starts a run if it is accepted. A refusal is a result. */
    async send(agent: Agent, payload: string, { id: requestId, address }: Asked): Promise<TestResult> {
      const preset = presets[agent.webhookProof]
      const body = Buffer.from(payload)
      const signed = signedHeaders(preset, { secret: agents.secretOf(agent), body, id: newId(), now: clock.now() })
      const byName = new Map(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]))
      const headers = preset.signature ? signed : { ...signed, [preset.header]: hidden }
      const header = (name: string) => byName.get(name.toLowerCase())
      const readBody = async () => body
      const request = {
        agentId: agent.id,
        requestId,
        address,
        header,
        readBody,
        assertJson: () => undefined,
        fromOwner: true,
      }
      try {
        return { headers, outcome: await webhooks.deliver(request) }
      } catch (refusal) {
        if (!isCoded(refusal)) throw refusal
        return { headers, refusal }
      }
    },
  }
}
