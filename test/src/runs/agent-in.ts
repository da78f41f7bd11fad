import type { Database } from '../../../src/database/database.ts'
import { newId } from '../../../src/ids.ts'

/** Writes an owner with an agent past all code. */
export async function agentIn(database: Database) {
  const [ownerId, id, now] = [newId(), newId(), new Date()]
  await database('users').insert({ id: ownerId, email: `${ownerId}@example.com`, passwordHash: '', createdAt: now })
  const texts = { name: 'An agent', systemPrompt: '', webhookSecret: '', trigger: 'manual' }
  const usual = { allowActionOverride: false, summarizes: false, webhookProof: 'secret' }
  await database('agents').insert({ id, ownerId, ...texts, ...usual, createdAt: now, updatedAt: now })
  return { id, ownerId }
}
