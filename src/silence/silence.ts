import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import type { Notifications } from '../notifications/notifications.ts'
import type { RefusalsOfDeliveries } from '../webhooks/refusals.ts'
import { createJudge } from './judge.ts'
import { createNoteDeliveries } from './note-deliveries.ts'

/** Notices when an agent's usual deliveries do not come (docs/decisions/0093). */
export function createSilence(context: {
  database: Database
  clock: Clock
  logger: Logger
  notifications: Notifications
  refusals: Pick<RefusalsOfDeliveries, 'of'>
}) {
  const { database } = context
  return {
    ...createNoteDeliveries(context),
    round: createJudge(context),

    /** Since when agents are silent: the time of the last delivery, by agent id. Only those that are silent. */
    async of(agentIds: readonly string[], db: Database | Transaction = database): Promise<Map<string, Date>> {
      const { rows } = await db.raw<{ rows: { agentId: string; since: Date }[] }>(silentStatement, { agentIds })
      return new Map(rows.map(({ agentId, since }) => [agentId, since]))
    },
  }
}

export type Silence = ReturnType<typeof createSilence>

/** Agents that are silent and matter to their owners. */
const isSilent = `
  h.silent_since is not null and a.trigger = 'webhook' and a.watch_silence and a.paused_at is null and a.deleted_at is null`

const silentStatement = `
  select h.agent_id as "agentId", h.silent_since as since
    from delivery_habits h join agents a on a.id = h.agent_id
   where h.agent_id = any(:agentIds::uuid[]) and ${isSilent}`
