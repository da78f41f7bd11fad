import { setTimeout as delay } from 'node:timers/promises'
import pMap from 'p-map'
import type { Billing } from '../../billing/billing.ts'
import { later, type Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Logger } from '../../logger.ts'
import type { ReachabilityOfTemporal } from '../../temporal/reachability.ts'
import type { Temporal } from '../../temporal/temporal.ts'
import type { Workers } from '../../temporal/workers.ts'
import type { WriteEnding } from '../ending/end.ts'
import type { Action } from './action.ts'
import { dueBatch, type Due, type DueAgent } from '../due.ts'
import { dependsOnAccount, readFacts, readFactsWithin, type AgentFacts, type RecordedFacts } from './facts.ts'
import { nextAction, settingsOf } from './next-action.ts'
import { createRepairs } from './repairs.ts'
import { createSight } from './sight.ts'

/** Within so many seconds an agent that was taken is settled, or due again for another process. */
const takenSeconds = 15

/** What is done for one agent in one round. */
const actionsInARow = 5

/** An agent as the reconciler sees it. */
export interface View {
  facts: AgentFacts
  action: Action
}

/** Agents that are looked at side by side. */
const concurrency = 10

/**
 * Keeps Temporal in step with the record (docs/operations.md, "What repairs itself"): looks at agents that are due, asks
 * the rule what each needs, and carries that out. Every process does it at any time; what one of them has taken the
 * others leave alone for a while.
 */
export function createReconciler(context: {
  database: Database
  clock: Clock
  config: Config
  temporal: Temporal
  workers: Pick<Workers, 'presence'>
  reachability: ReachabilityOfTemporal
  billing: Billing
  due: Due
  logger: Logger
  writeEnding: WriteEnding
  cancelSomeOf: (agentId: string) => Promise<void>
}) {
  const { database, clock, config, logger, billing, due, reachability } = context
  const settings = settingsOf(config)
  const { stallSeconds } = settings
  const sight = createSight(context)
  const repairs = createRepairs(context)

  /** The first look at an account in a month makes the month's grant. */
  async function withAccount(facts: RecordedFacts): Promise<AgentFacts> {
    return { ...facts, account: dependsOnAccount(facts) ? await billing.account(facts.agent.ownerId) : null }
  }

  /** Carries out what the agent needs; when it is to be looked at next. */
  async function act(recorded: RecordedFacts): Promise<Date | null> {
    const facts = await withAccount(recorded)
    const action = nextAction(facts, settings)
    return action.kind === 'inspect' ? inspect(facts) : repairs.carryOut(facts, action)
  }

  /** Where one action calls for the next, as of very many runs that end one by one. The others wait meanwhile. */
  async function actOften(recorded: RecordedFacts): Promise<Date | null> {
    let facts: RecordedFacts | undefined = recorded
    for (let turn = 1; facts; turn += 1) {
      const nextAt = await act(facts)
      if (turn === actionsInARow || nextAt === null || nextAt > clock.now()) return nextAt
      ;[facts] = await readFacts(database, [recorded.agent.id], clock.now())
    }
    return null
  }

  async function inspect(facts: AgentFacts): Promise<Date | null> {
    if (!(await reachability.look()).reachable) return later(clock.now(), stallSeconds)
    const seen = await sight.look(facts)
    const action = nextAction(facts, settings, seen)
    if (action.kind === 'restart' && !(await isStill(facts, action))) return clock.now()
    return repairs.carryOut(facts, action, seen)
  }

  /** A second look a moment later: a queue may just be learning of its child's end. */
  async function isStill(facts: AgentFacts, { cause }: Extract<Action, { kind: 'restart' }>): Promise<boolean> {
    await delay(1000)
    const again = nextAction(facts, settings, await sight.look(facts))
    return again.kind === 'restart' && again.cause === cause
  }

  /** On its own: one agent must not keep the round from the others. */
  async function actOn(agent: DueAgent, facts: RecordedFacts): Promise<void> {
    try {
      await due.settle([{ ...agent, nextAt: await actOften(facts) }])
    } catch (error) {
      logger.warn({ err: error, agentId: agent.agentId }, 'an agent was not reconciled; it is looked at again soon')
    }
  }

  /** Most agents need nothing: these are settled together. */
  async function lookAt(agents: DueAgent[]): Promise<void> {
    const found = await readFacts(
      database,
      agents.map(({ agentId }) => agentId),
      clock.now(),
    )
    const facts = new Map(found.map((one) => [one.agent.id, one]))
    const quiet = agents.flatMap((agent) => {
      const nextAt = quietUntil(facts.get(agent.agentId))
      return nextAt === undefined ? [] : [{ ...agent, nextAt }]
    })
    await due.settle(quiet)
    const settled = new Set(quiet.map(({ agentId }) => agentId))
    const others = agents.filter(({ agentId }) => !settled.has(agentId))
    await pMap(others, (agent) => actOn(agent, facts.get(agent.agentId) as RecordedFacts), { concurrency })
  }

  /** When an agent that needs nothing now is to be looked at again; null for never, undefined if it needs something. */
  function quietUntil(facts: RecordedFacts | undefined): Date | null | undefined {
    if (!facts) return null
    if (dependsOnAccount(facts)) return undefined
    const action = nextAction({ ...facts, account: null }, settings)
    if (action.kind === 'leave') return action.until
    return action.kind === 'rest' ? null : undefined
  }

  return {
    /** One agent at once, whether it is due or not. What fails here is done when it is due. */
    async look(agentId: string): Promise<void> {
      const [facts] = await readFacts(database, [agentId], clock.now())
      if (facts) await actOn({ agentId, rows: [] }, facts)
    },

    /** The facts of an agent, and what it needs by now, for those who explain it; a stalled one needs `inspect`. */
    async viewOf(trx: Transaction, agentId: string, account: AgentFacts['account'], now: Date): Promise<View> {
      const [recorded] = await readFactsWithin(trx, [agentId], now)
      if (!recorded) throw new Error('an agent is gone that was there a moment ago')
      const facts = { ...recorded, account }
      return { facts, action: nextAction(facts, settings) }
    },

    /** One round: until no more agents are due than are taken at once. */
    async round(stopping?: AbortSignal): Promise<void> {
      for (;;) {
        const agents = await due.take(takenSeconds)
        if (agents.length > 0) await lookAt(agents)
        const taken = agents.reduce((sum, { rows }) => sum + rows.length, 0)
        if (taken < dueBatch || stopping?.aborted) return
      }
    },
  }
}

export type Reconciler = ReturnType<typeof createReconciler>
