import { Agent } from '../agents/agent.ts'
import { newCallbackSecret, newWebhookSecret } from '../agents/new-secrets.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { canaryAgentId, canaryModel, systemOwnerId } from '../owners/system-owner.ts'
import { AgentQueue } from '../runs/agent-queue.ts'
import type { Sealing } from '../secrets/sealing.ts'

/** The canary's agent, created with the first attempt. Its callbacks go to this address. */
export async function ensureAgent(
  { database, clock, sealing }: { database: Database; clock: Clock; sealing: Sealing },
  callbackUrl: string,
): Promise<Agent> {
  const found = await Agent.query(database).findById(canaryAgentId)
  if (found?.callbackUrl === callbackUrl) return found
  const now = clock.now()
  return database.transaction(async (trx) => {
    await Agent.query(trx)
      .insert(newAgent(sealing, callbackUrl, now))
      .onConflict('id')
      .merge(['callbackUrl'])
    const queue = { agentId: canaryAgentId, progressedAt: now, signalledAt: now }
    await AgentQueue.query(trx).insert(queue).onConflict('agentId').ignore()
    return Agent.query(trx).findById(canaryAgentId).throwIfNotFound()
  })
}

const newAgent = (sealing: Sealing, callbackUrl: string, now: Date): Partial<Agent> => ({
  id: canaryAgentId,
  ownerId: systemOwnerId,
  name: 'Canary',
  systemPrompt: 'Answer that you are well.',
  trigger: 'webhook',
  webhookProof: 'standard-webhooks',
  webhookSecret: newWebhookSecret(sealing, canaryAgentId),
  callbackUrl,
  callbackSecret: newCallbackSecret(sealing, canaryAgentId),
  model: canaryModel,
  allowActionOverride: false,
  summarizes: false,
  watchSilence: false,
  createdAt: now,
  updatedAt: now,
})
