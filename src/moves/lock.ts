import { Agent } from '../agents/agent.ts'
import type { Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { lockPayers } from '../owners/lock-payers.ts'
import { can, rolesFor, type Role } from '../owners/roles.ts'
import { AgentQueue } from '../runs/agent-queue.ts'
import type { ScheduledAgent } from '../schedules/plan.ts'
import { VaultEntry } from '../vault/vault-entry.ts'

/** An owner that something is moved from or to. */
export interface Place {
  ownerId: string
  /** The user whose account pays. */
  payerId: string
}

/** What is moved: ids without repetition. */
export interface Named {
  agentIds: readonly string[]
  entryIds: readonly string[]
}

/**
 * Locks the users who pay, under whose locks memberships end, roles are checked, and limits are counted; always in the same
 * order, so that moves in opposite directions do not block each other. Then asks the role again: WORKSPACE_NOT_FOUND,
 * PERMISSION_DENIED.
 */
export async function lockPlaces(trx: Transaction, ownerIds: readonly string[], userId: string): Promise<Place[]> {
  await lockPayers(trx, ownerIds)
  const { rows } = await trx.raw<{ rows: (Place & { role: Role | null })[] }>(rolesStatement, { ownerIds, userId })
  for (const { role } of rows) {
    assertThat(role, 'WORKSPACE_NOT_FOUND')
    assertThat(can(role, 'build'), 'PERMISSION_DENIED', { message })
  }
  return rows
}

/** Without prompts, schemas and manifests: of a hundred, they would be megabytes. */
type MovedEntry = Pick<VaultEntry, 'id' | 'ownerId' | 'name'>

/** Locks what is named, in the order in which everybody does: queues, agents, entries. Unknown ones are left out. */
export async function lockThings(trx: Transaction, { agentIds, entryIds }: Named) {
  const queues = await AgentQueue.query(trx)
    .findByIds([...agentIds])
    .orderBy('agentId')
    .forUpdate()
  const living = Agent.query(trx)
    .findByIds([...agentIds])
    .whereNull('deletedAt')
  const agents: ScheduledAgent[] = await living
    .select('id', 'ownerId', 'name', 'trigger', 'cron', 'timeZone', 'pausedAt', 'deletedAt')
    .orderBy('id')
    .forNoKeyUpdate()
  const entries: MovedEntry[] = await VaultEntry.query(trx)
    .findByIds([...entryIds])
    .select('id', 'ownerId', 'name')
    .orderBy('id')
    .forUpdate()
  return { queues, agents, entries }
}

const message = `Your role no longer permits these changes. They require the role ${rolesFor('build').join(' or ')}.`

const rolesStatement = `
  select o.id as "ownerId", coalesce(w.payer_id, o.id) as "payerId",
         case when o.id = :userId then 'owner' when w.deleted_at is null then m.role end as role
    from unnest(:ownerIds::uuid[]) as o (id)
    left join workspaces w on w.id = o.id
    left join members m on m.workspace_id = o.id and m.user_id = :userId`
