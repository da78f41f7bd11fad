import { Agent } from '../agents/agent.ts'
import { recordDeeds, type Actor, type Deed, type SubjectKind } from '../audit/audit-entry.ts'
import type { Billing } from '../billing/billing.ts'
import type { Clock } from '../clock.ts'
import type { Database, Transaction } from '../database/database.ts'
import { assertThat, CodedError } from '../errors.ts'
import { isId } from '../ids.ts'
import { ownersIn, requireAction, type Reach } from '../owners/reach.ts'
import type { AgentQueue } from '../runs/agent-queue.ts'
import type { Due } from '../runs/due.ts'
import type { ScheduledAgent } from '../schedules/plan.ts'
import type { Schedules } from '../schedules/schedules.ts'
import { VaultEntry } from '../vault/vault-entry.ts'
import { lockOwners, lockMoved, type MovedIds } from './lock.ts'
import { assertLimits } from './assert-limits.ts'
import { assertComplete } from './assert-complete.ts'
import { changeOwner } from './change-owner.ts'
import { quotedName } from '../names.ts'

/** The most agents and entries in one move. */
export const mostMoved = 100

/** The most agents that an error lists. */
const mostNamed = 10

/** How often a move starts over when another move changes its things. */
const mostTries = 20

/** The user who moves, and the owners whose things that user may see. */
interface Mover {
  userId: string
  reach: Reach
}

interface Move extends MovedIds {
  targetId: string
  sources: readonly string[]
  userId: string
  by: Actor
}

/** Moves agents and vault entries from one or several owners to another: all of them or none (docs/decisions/0054). */
export function createMoves(context: {
  database: Database
  clock: Clock
  due: Pick<Due, 'vaultEntry'>
  billing: Pick<Billing, 'account'>
  schedules: Pick<Schedules, 'noteChange' | 'syncSoon'>
}) {
  const { database, clock, due, billing, schedules } = context

  /** The owners of the things. AGENT_NOT_FOUND, NOT_FOUND (hidden or unknown entries), PERMISSION_DENIED. */
  async function sourcesOf({ reach }: Mover, { agentIds, entryIds }: MovedIds): Promise<string[]> {
    const owners = ownersIn(reach)
    const living = Agent.query(database).whereNull('deletedAt').whereIn('ownerId', owners)
    const agents = await living.findByIds(agentIds.filter(isId)).select('id', 'ownerId')
    assertThat(agents.length === agentIds.length, 'AGENT_NOT_FOUND')
    const seen = VaultEntry.query(database).whereIn('ownerId', owners)
    const entries = await seen.findByIds(entryIds.filter(isId)).select('id', 'ownerId')
    assertThat(entries.length === entryIds.length, 'NOT_FOUND', { message: noEntry })
    const sources = [...new Set([...agents, ...entries].map(({ ownerId }) => ownerId))]
    for (const ownerId of sources) requireAction(reach, ownerId, 'build')
    return sources
  }

  /** Returns the agents whose schedules must be synced; undefined if something has changed its owner meanwhile. */
  async function moveUnderLock(trx: Transaction, move: Move): Promise<string[] | undefined> {
    const { targetId, sources, userId } = move
    const places = await lockOwners(trx, [...new Set([targetId, ...sources])], userId)
    const { queues, agents, entries } = await lockMoved(trx, move)
    const known = new Set(places.map(({ ownerId }) => ownerId))
    const there = [...agents, ...entries].filter(({ ownerId }) => known.has(ownerId))
    if (there.length < move.agentIds.length + move.entryIds.length) return undefined
    const elsewhere = <T extends { ownerId: string }>(things: T[]): T[] =>
      things.filter(({ ownerId }) => ownerId !== targetId)
    const leaving = { agents: elsewhere(agents), entries: elsewhere(entries) }
    const moving = { targetId, agentIds: idsOf(leaving.agents), entryIds: idsOf(leaving.entries) }
    assertIdle(leaving.agents, queues)
    await assertComplete(trx, moving)
    const payerOf = (ownerId: string) => places.find((place) => place.ownerId === ownerId)?.payerId
    const isIncoming = ({ ownerId }: { ownerId: string }) => payerOf(ownerId) !== payerOf(targetId)
    const incoming = { targetId, agents: leaving.agents.filter(isIncoming) }
    await assertLimits(trx, await billing.account(targetId, trx), {
      ...incoming,
      entries: leaving.entries.filter(isIncoming).length,
    })
    // Tool calls that wait for such a site must stop waiting.
    for (const id of moving.entryIds) await due.vaultEntry(trx, id)
    await changeOwner(trx, { ...moving, userId, now: clock.now() })
    await recordDeeds(trx, clock.now(), ...deedsOf(leaving, move))
    return noteSchedules(trx, leaving.agents, targetId)
  }

  async function noteSchedules(
    trx: Transaction,
    agents: readonly ScheduledAgent[],
    ownerId: string,
  ): Promise<string[]> {
    const changed: string[] = []
    for (const agent of agents) {
      const after = { ...agent, ownerId }
      if (await schedules.noteChange(trx, agent, after, clock.now())) changed.push(agent.id)
    }
    return changed
  }

  return {
    /**
     * Moves things to an owner for whom the caller may build. Skips things that are already there. Safe to repeat.
     * Fails with AGENT_NOT_FOUND, NOT_FOUND (an entry), PERMISSION_DENIED, WORKSPACE_NOT_FOUND, WORKSPACE_REQUIRED,
     * VALIDATION_ERROR (it would separate an agent from its sites), AGENT_ALREADY_RUNNING (unfinished runs),
     * AGENT_LIMIT_REACHED, VAULT_LIMIT_REACHED, TIER_REQUIRED, TOKEN_EXISTS.
     */
    async move(mover: Mover, by: Actor, targetId: string, asked: MovedIds): Promise<MovedIds & { ownerId: string }> {
      const named = { agentIds: [...new Set(asked.agentIds)], entryIds: [...new Set(asked.entryIds)] }
      assertCount(named.agentIds.length + named.entryIds.length)
      for (let tries = 0; tries < mostTries; tries += 1) {
        const move = { ...named, targetId, sources: await sourcesOf(mover, named), userId: mover.userId, by }
        const changed = await database.transaction((trx) => moveUnderLock(trx, move))
        for (const id of changed ?? []) schedules.syncSoon(id)
        if (changed) return { ownerId: targetId, ...named }
      }
      throw new CodedError('AGENT_NOT_FOUND', {
        message: 'Someone else is moving these agents or vault entries. Try again later.',
      })
    },
  }
}

/** Both the old and the new owner get a log entry. */
function deedsOf(
  leaving: Record<'agents' | 'entries', readonly Moving[]>,
  { by, targetId }: Pick<Move, 'by' | 'targetId'>,
) {
  const deeds = (things: readonly Moving[], subjectKind: SubjectKind): Deed[] =>
    things.flatMap(({ id, name, ownerId: sourceId }) =>
      [sourceId, targetId].map((ownerId) => ({
        ownerId,
        action: 'moveThings',
        subjectKind,
        subjectId: id,
        by,
        before: { name, ownerId: sourceId },
        after: { ownerId: targetId },
      })),
    )
  return [...deeds(leaving.agents, 'agent'), ...deeds(leaving.entries, 'vault_entry')]
}

type Moving = Pick<Agent | VaultEntry, 'id' | 'name' | 'ownerId'>

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id)

const noEntry = 'There is no vault entry with this id.'

function assertCount(count: number): void {
  const message = `List between 1 and ${mostMoved} agents and vault entries.`
  const fits = count > 0 && count <= mostMoved
  assertThat(fits, 'VALIDATION_ERROR', { message, details: [{ path: '', message }] })
}

/** A run, its payload and its costs belong to the owner who accepted it, so an agent can move only between runs. */
function assertIdle(agents: readonly ScheduledAgent[], queues: readonly AgentQueue[]): void {
  const ids = new Set(queues.filter(({ unfinished }) => unfinished > 0).map(({ agentId }) => agentId))
  const busy = agents.filter(({ id }) => ids.has(id)).map(({ name }) => quotedName(name))
  const more = busy.length > mostNamed ? `, and ${busy.length - mostNamed} more` : ''
  const message = `The current owner still has unfinished runs of these agents: ${busy.slice(0, mostNamed).join(', ')}${more}. Wait for the runs to end or cancel them, then try again.`
  assertThat(busy.length === 0, 'AGENT_ALREADY_RUNNING', { message })
}
