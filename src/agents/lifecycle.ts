import { howToGetMore } from '../billing/allowances.ts'
import { latest, later, type Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { capacityFreed } from '../owners/capacity-freed.ts'
import { assertThat, isCoded } from '../errors.ts'
import { lockQueue } from '../runs/agent-queue.ts'
import type { Due } from '../runs/due.ts'
import type { Schedules } from '../schedules/schedules.ts'
import { Agent, AgentSite, type AgentWithSites, type PauseReason } from './agent.ts'
import { AgentVersion } from './agent-version.ts'
import { LostSite } from './lost-site.ts'

/**
 * Pauses, resumes and removes agents. The schedule changes in the same transaction. Temporal is updated after the
 * commit, in the background.
 */
export function createLifecycle(context: {
  database: Database
  clock: Clock
  due: Due
  schedules: Pick<Schedules, 'noteChange' | 'syncSoon'>
  get: (ownerId: string, id: string) => Promise<AgentWithSites>
}) {
  const { database, clock, due, schedules, get } = context

  async function change(
    agent: Changed,
    patch: (current: Agent, now: Date) => Partial<Agent> | undefined,
  ): Promise<void> {
    if (await database.transaction((trx) => changeUnderLock(trx, agent, patch))) schedules.syncSoon(agent.id)
  }

  /** Locks the queue before the agent, as all code does. */
  async function pauseUnderLock(trx: Transaction, agent: Changed): Promise<boolean> {
    const { id } = agent
    await lockQueue(trx, id)
    const needsSync = await changeUnderLock(trx, agent, pauseOf)
    await holdQueue(trx, id)
    return needsSync
  }

  async function changeUnderLock(
    trx: Transaction,
    { id, ownerId }: Changed,
    patch: Parameters<typeof change>[1],
  ): Promise<boolean> {
    const current = await Agent.query(trx).findById(id).whereNull('deletedAt').forNoKeyUpdate()
    // The agent was moved after the caller's permission was checked.
    assertThat(!current || current.ownerId === ownerId, 'AGENT_NOT_FOUND')
    const now = clock.now()
    const changes = current && patch(current, now)
    if (!changes) return false
    await Agent.query(trx).findById(id).patch(changes)
    await due.agent(trx, id)
    return schedules.noteChange(trx, current, Object.assign(current.$clone(), changes), now)
  }

  return {
    /**
     * Pauses the agent: no run starts or continues, and new runs are queued. Idempotent. Fails with AGENT_NOT_FOUND, as
     * `resume` does.
     */
    async pause(agent: Agent): Promise<AgentWithSites> {
      const { id, ownerId } = agent
      if (await database.transaction((trx) => pauseUnderLock(trx, agent))) schedules.syncSoon(id)
      return get(ownerId, id)
    },

    /**
     * Pauses the agent of a failed run, in the caller's transaction, which has locked its queue. False if it is already
     * paused, deleted or moved. The schedule sync pauses its schedule.
     */
    async pauseFor(trx: Transaction, run: { agentId: string; ownerId: string }, reason: PauseReason): Promise<boolean> {
      const { agentId: id, ownerId } = run
      const agent = await Agent.query(trx).findById(id).where({ ownerId }).whereNull('deletedAt').forNoKeyUpdate()
      if (!agent || agent.pausedAt !== null) return false
      await changeUnderLock(trx, agent, (current, now) => ({ ...pauseOf(current, now), pausedReason: reason }))
      return true
    },

    /** Ends the pause. The reconciler does the rest. */
    async resume(agent: Agent): Promise<AgentWithSites> {
      await change(agent, (current) => {
        const message = isPausedByOwner(current) ? exceedsAndPaused : exceeds
        assertThat(current.exceedingSince === null, 'AGENT_LIMIT_REACHED', { message })
        return current.pausedAt === null ? undefined : { pausedAt: null, pausedReason: null }
      })
      return get(agent.ownerId, agent.id)
    },

    /**
     * Suspends an agent that exceeds the tier's limit, or ends that. An agent paused earlier stays paused. Ignores an
     * agent that was deleted or moved meanwhile.
     */
    async rest(agent: Changed, exceeding: boolean): Promise<void> {
      const rested = database.transaction(async (trx) => {
        await lockQueue(trx, agent.id)
        const needsSync = await changeUnderLock(trx, agent, (current, now) => restOf(current, exceeding, now))
        await holdQueue(trx, agent.id)
        return needsSync
      })
      const needsSync = await rested.catch((error: unknown) => {
        if (isCoded(error, 'AGENT_NOT_FOUND')) return false
        throw error
      })
      if (needsSync) schedules.syncSoon(agent.id)
    },

    /**
     * Deletes the agent: nothing more is accepted, started or called for it. Its row stays. Its runs stay on record
     * with their instructions; its own instructions, its versions and its sites are deleted. AGENT_NOT_FOUND if it was
     * moved meanwhile.
     */
    async remove(agent: Agent): Promise<void> {
      const { id: agentId } = agent
      const needsSync = await database.transaction(async (trx) => {
        const changed = await changeUnderLock(trx, agent, (_current, now) => ({ deletedAt: now, ...noInstructions }))
        await AgentSite.query(trx).delete().where({ agentId })
        await LostSite.query(trx).delete().where({ agentId })
        await AgentVersion.query(trx).delete().where({ agentId })
        await trx('refused_deliveries').where({ agentId }).delete()
        return changed
      })
      if (needsSync) schedules.syncSoon(agentId)
      await capacityFreed(database, agent.ownerId, clock.now())
    },
  }
}

const noInstructions = { systemPrompt: '', webhookSchema: null, outputSchema: null }

/** An agent as read, with the owner it had then. */
type Changed = Pick<Agent, 'id' | 'ownerId'>

const exceeds = `Your account is over its agent limit. Delete another agent, and this one resumes automatically. ${howToGetMore}`

const exceedsAndPaused = `Your account is over its agent limit, and you have also paused this agent. Delete another agent, then resume this one. ${howToGetMore}`

/** A pause by the limit starts when the excess does. Any other start means that the owner paused the agent. */
const isPausedByOwner = ({ pausedAt, exceedingSince }: Agent): boolean =>
  pausedAt !== null && pausedAt.getTime() !== exceedingSince?.getTime()

/**
 * An owner may pause a suspended agent. It then stays paused when it fits the limit again. A pause by the platform
 * becomes the owner's, so that no operator ends it for all.
 */
function pauseOf(agent: Agent, now: Date): Partial<Agent> | undefined {
  if (agent.pausedReason !== null) return { pausedReason: null }
  if (isPausedByOwner(agent)) return undefined
  const { exceedingSince } = agent
  return { pausedAt: latest(now, exceedingSince && later(exceedingSince, 0.001)) }
}

function restOf(agent: Agent, exceeding: boolean, now: Date): Partial<Agent> | undefined {
  const { pausedAt, exceedingSince } = agent
  if (exceeding) return exceedingSince ? undefined : { exceedingSince: now, pausedAt: pausedAt ?? now }
  if (!exceedingSince) return undefined
  return { exceedingSince: null, ...(!isPausedByOwner(agent) && { pausedAt: null }) }
}

/**
 * Unpaid runs fail after a time, but a paused agent's runs do not. The pause therefore replaces the cause of the block.
 */
async function holdQueue(trx: Transaction, id: string): Promise<void> {
  await trx.raw(holdStatement, { agentId: id })
}

const holdStatement = `
  update agent_queues q set blocked_cause = 'paused', blocked_since = a.paused_at
    from agents a
   where a.id = q.agent_id and q.agent_id = :agentId and q.blocked_cause is not null and a.paused_at is not null`
