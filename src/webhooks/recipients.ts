import { LRUCache } from 'lru-cache'
import type { Agent } from '../agents/agent.ts'
import type { Agents } from '../agents/agents.ts'
import type { AccountStatus } from '../billing/account-status.ts'
import type { Billing } from '../billing/billing.ts'
import type { Clock } from '../clock.ts'
import { batchLookups } from '../database/batch-lookups.ts'
import type { Database } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { isId } from '../ids.ts'

/** An agent as its deliveries are judged, at a version. */
export interface Recipient {
  agent: Pick<Agent, 'id' | 'ownerId' | 'trigger' | 'webhookProof' | 'webhookSchema'>
  /** The standing of its owner. */
  standing: AccountStatus
  /** Every valid secret in plain text, the current one first. */
  secrets: string[]
  /** Changes with everything that deliveries are judged by (`delivery_versions`). */
  version: string
  /** When it ends without a change: a secret's overlap, an expiring grant, the month. In milliseconds since 1970. */
  until: number
}

/** The version in the database, the tokens that its account has used this month, and the depth of the queue. */
interface Present {
  version: string
  tokens: number
  unfinished: number
}

/** How many agents a process remembers. */
const remembered = 10_000

/** How long an agent is remembered at most: its secrets are in plain text, in milliseconds. */
const longestMs = 300_000

/**
 * The agents that deliveries address. A process remembers them, so that a delivery costs no query before its commit. A
 * remembered agent is never believed: `accept_runs` compares its version before a run is created, and a refusal is
 * made only after `current` has compared it, when the body was there.
 */
export function createRecipients(context: { database: Database; clock: Clock; agents: Agents; billing: Billing }) {
  const { database, clock, agents, billing } = context
  const known = new LRUCache<string, Recipient>({ max: remembered, ttl: longestMs, ttlAutopurge: true })

  const present = batchLookups<string, Present>(async (agentIds) => {
    const { rows } = await database.raw<{ rows: (Present & { id: string })[] }>(presentStatement, {
      agentIds,
      now: clock.now(),
    })
    return new Map(rows.map((row) => [row.id, row]))
  })

  /**
   * Reads the agent between two looks at its version, and remembers it only if they are equal. Otherwise, an account that
   * changed in between and then changed back would be remembered as it was in between, under a version that is current.
   */
  async function load(id: string, version: string): Promise<Recipient> {
    const agent = await agents.forSender(id)
    const standing = await billing.accountFor(agent)
    const until = Math.min(standing.changesAt.getTime(), agents.previousUntil(agent)?.getTime() ?? Infinity)
    const { ownerId, trigger, webhookProof, webhookSchema } = agent
    const judged = { id, ownerId, trigger, webhookProof, webhookSchema }
    const recipient = { agent: judged, standing, secrets: agents.goodSecretsOf(agent), version, until }
    if ((await present(id))?.version === version) known.set(id, recipient)
    else known.delete(id)
    return recipient
  }

  const isLasting = ({ until }: Recipient): boolean => until > clock.now().getTime()

  return {
    /** The agent as this process remembers it, if it does. */
    remembered(id: string): Recipient | undefined {
      const recipient = known.get(id)
      return recipient && isLasting(recipient) ? recipient : undefined
    },

    /** The agent as it is now, and the number of its unfinished runs. AGENT_NOT_FOUND. */
    async current(id: string): Promise<{ recipient: Recipient; unfinished: number }> {
      const found = isId(id) ? await present(id) : undefined
      if (!found) known.delete(id)
      assertThat(found, 'AGENT_NOT_FOUND', { message: noWebhook })
      const recipient = known.get(id)
      const isSame = recipient?.version === found.version && recipient.standing.tokensUsed === found.tokens
      const isCurrent = isSame && isLasting(recipient)
      return { recipient: isCurrent ? recipient : await load(id, found.version), unfinished: found.unfinished }
    },
  }
}

// The same error as for an agent with another trigger, so that nobody learns which ids exist.
export const noWebhook = 'There is no webhook agent with this id.'

export type Recipients = ReturnType<typeof createRecipients>

const presentStatement = `
  select q.agent_id as id, v.version, v.tokens, q.unfinished
    from delivery_versions(:agentIds::uuid[], :now) v join agent_queues q on q.agent_id = v.agent_id`
