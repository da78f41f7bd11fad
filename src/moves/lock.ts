import { Agent } from '../agents/agent.ts'
import type { Transaction } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { lockPayers } from '../owners/lock-payers.ts'
import { can, rolesFor, type Role } from '../owners/roles.ts'
import { AgentQueue } from '../runs/agent-queue.ts'
import type { ScheduledAgent } from '../schedules/plan.ts'
import { VaultEntry } from '../vault/vault-entry.ts'

/** An owner on either side of a move. */
export interface LockedOwner {
  ownerId: string
  /** The user whose account pays. */
  payerId: string
}

/** Ids without duplicates. */
export interface MovedIds {
  agentIds: readonly string[]
  entryIds: readonly string[]
}

/**
 * Locks the paying users in a fixed order, so moves in opposite directions cannot deadlock. Memberships end, roles are
 * checked and limits are counted under these locks. Then checks the role again: WORKSPACE_NOT_FOUND, PERMISSION_DENIED.
 */
export async function lockOwners(
  trx: Transaction,
  ownerIds: readonly string[],
  userId: string,
): Promise<LockedOwner[]> {
  await lockPayers(trx, ownerIds)
  const { rows } = await trx.raw<{ rows: (LockedOwner & { role: Role | null })[] }>(rolesStatement, {
    ownerIds,
    userId,
  })
  for (const { role } of rows) {
    assertThat(role, 'WORKSPACE_NOT_FOUND')
    assertThat(can(role, 'build'), 'PERMISSION_DENIED', { message })
  }
  return rows
}

/** Leaves out prompts, schemas and manifests: for a hundred agents they would be megabytes. */
type MovedEntry = Pick<VaultEntry, 'id' | 'ownerId' | 'name'>

/** Locks queues, then agents, then entries: the order that all code uses. Skips unknown ids. */
export async function lockMoved(trx: Transaction, { agentIds, entryIds }: MovedIds) {
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

const message = `Your role no longer permits these changes. They require the ${rolesFor('build').join(' or ')} role.`

const rolesStatement = `
  select o.id as "ownerId", coalesce(w.payer_id, o.id) as "payerId",
         case when o.id = :userId then 'owner' when w.deleted_at is null then m.role end as role
    from unnest(:ownerIds::uuid[]) as o (id)
    left join workspaces w on w.id = o.id
    left join members m on m.workspace_id = o.id and m.user_id = :userId`
