import { setTimeout as delay } from 'node:timers/promises'
import pMap from 'p-map'
import { agentAccountStatus } from '../../billing/account-status.ts'
import type { Billing } from '../../billing/billing.ts'
import { earliest, later, type Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Logger } from '../../logger.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { ReachabilityOfTemporal } from '../../temporal/reachability.ts'
import type { Temporal } from '../../temporal/temporal.ts'
import type { Workers } from '../../temporal/workers.ts'
import type { WriteEnding } from '../ending/end-run.ts'
import type { Action } from './action.ts'
import { dueBatch, type Due, type DueAgent } from '../due.ts'
import { dependsOnAccount, readFacts, readFactsWithin, type AgentFacts, type RecordedFacts } from './facts.ts'
import { forcedAtOf, nextAction, settingsOf } from './next-action.ts'
import { createRepairs } from './repairs.ts'
import { createTemporalView } from './temporal-view.ts'

/** Seconds until a taken agent is due again for another process. */
const takenSeconds = 15

/** Maximum actions per agent and round. */
const maxActions = 5

/** An agent as the reconciler sees it. */
export interface AgentView {
  facts: AgentFacts
  action: Action
}

/** Concurrent agents per batch, and concurrent batches. */
const concurrency = 10
const maxBatches = 10

/**
 * Keeps Temporal in sync with the record (docs/operate/temporal.md, "Repairs"): checks due agents, applies the rule and
 * does what each needs. Every process runs it. Agents that one process has taken are left alone by the others for a
 * while.
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
  metrics: Pick<Metrics, 'repairs'>
  writeEnding: WriteEnding
  cancelSomeOf: (agentId: string) => Promise<void>
}) {
  const { database, clock, config, logger, billing, due, reachability } = context
  const settings = settingsOf(config)
  const { stallSeconds } = settings
  const temporalView = createTemporalView(context)
  const repairs = createRepairs(context)
  const at = () => ({ now: clock.now(), defaultModel: config.models.default })

  /** The first read of an account in a month grants the month's credits. */
  async function withAccount(facts: RecordedFacts): Promise<AgentFacts> {
    if (!dependsOnAccount(facts)) return { ...facts, account: null }
    return { ...facts, account: agentAccountStatus(await billing.account(facts.agent.ownerId), facts.agent) }
  }

  /** Does what the agent needs. Returns when to check it next, in time to force a cancel. */
  async function act(recorded: RecordedFacts): Promise<Date | null> {
    const facts = await withAccount(recorded)
    const action = nextAction(facts, settings)
    const nextAt = await (action.kind === 'inspect' ? inspect(facts) : repairs.apply(facts, action))
    return nextAt && earliest(nextAt, forcedAtOf(facts, settings))
  }

  /** Repeats while one action calls for the next, for example when very many runs end. Other agents wait meanwhile. */
  async function actRepeatedly(recorded: RecordedFacts): Promise<Date | null> {
    let facts: RecordedFacts | undefined = recorded
    for (let count = 1; facts; count += 1) {
      const nextAt = await act(facts)
      if (count === maxActions || nextAt === null || nextAt > clock.now()) return nextAt
      ;[facts] = await readFacts(database, [recorded.agent.id], at())
    }
    return null
  }

  async function inspect(facts: AgentFacts): Promise<Date | null> {
    if (!(await reachability.look()).reachable) return later(clock.now(), stallSeconds)
    const seen = await temporalView.read(facts)
    const action = nextAction(facts, settings, seen)
    if (action.kind === 'restart' && !(await isStillStuck(facts, action))) return clock.now()
    return repairs.apply(facts, action, seen)
  }

  /** Checks again a moment later: the queue may be just learning that its child ended. */
  async function isStillStuck(facts: AgentFacts, { cause }: Extract<Action, { kind: 'restart' }>): Promise<boolean> {
    await delay(1000)
    const again = nextAction(facts, settings, await temporalView.read(facts))
    return again.kind === 'restart' && again.cause === cause
  }

  /** Never throws: one agent must not end the round. */
  async function actOn(agent: DueAgent, facts: RecordedFacts): Promise<void> {
    try {
      await due.reschedule([{ ...agent, nextAt: await actRepeatedly(facts) }])
    } catch (error) {
      logger.warn({ err: error, agentId: agent.agentId }, 'failed to reconcile an agent; will retry')
      // If the database is away, the agent becomes due again automatically.
      await due.reschedule([{ ...agent, nextAt: later(clock.now(), 1) }]).catch(() => undefined)
    }
  }

  /** Most agents need nothing and are rescheduled together. */
  async function lookAt(agents: DueAgent[]): Promise<void> {
    if (agents.length === 0) return
    const found = await readFacts(
      database,
      agents.map(({ agentId }) => agentId),
      at(),
    )
    const facts = new Map(found.map((one) => [one.agent.id, one]))
    const quiet = agents.flatMap((agent) => {
      const nextAt = quietUntil(facts.get(agent.agentId))
      return nextAt === undefined ? [] : [{ ...agent, nextAt }]
    })
    await due.reschedule(quiet)
    const done = new Set(quiet.map(({ agentId }) => agentId))
    const others = agents.filter(({ agentId }) => !done.has(agentId))
    await pMap(others, (agent) => actOn(agent, facts.get(agent.agentId) as RecordedFacts), { concurrency })
  }

  /** When to check an agent that needs nothing now. Null: never. Undefined: it needs something. */
  function quietUntil(facts: RecordedFacts | undefined): Date | null | undefined {
    if (!facts) return null
    if (dependsOnAccount(facts)) return undefined
    const action = nextAction({ ...facts, account: null }, settings)
    if (action.kind === 'leave') return action.until
    return action.kind === 'rest' ? null : undefined
  }

  return {
    /** Handles one agent now, due or not. Failures are retried when it is due. */
    async reconcileNow(agentId: string): Promise<void> {
      const [facts] = await readFacts(database, [agentId], at())
      if (facts) await actOn({ agentId, rows: [] }, facts)
    },

    /** The facts of an agent and what it needs now, for `why`. A stalled agent needs `inspect`. */
    async viewOf(trx: Transaction, agentId: string, account: AgentFacts['account'], now: Date): Promise<AgentView> {
      const [recorded] = await readFactsWithin(trx, [agentId], { ...at(), now })
      if (!recorded) throw new Error('an agent disappeared within one transaction')
      const facts = { ...recorded, account }
      return { facts, action: nextAction(facts, settings) }
    },

    /**
     * One round: takes batches until one is not full. While some agents are slow (Temporal, locks), it also takes
     * agents that become due meanwhile, so that a forced cancel is in time.
     */
    async round(stopping?: AbortSignal): Promise<void> {
      const underWay = new Set<Promise<void>>()
      const failures: unknown[] = []
      for (;;) {
        const agents = await due.take(takenSeconds)
        const isFull = agents.reduce((sum, { rows }) => sum + rows.length, 0) >= dueBatch
        const work = lookAt(agents)
          .catch((error: unknown) => void failures.push(error))
          .finally(() => underWay.delete(work))
        underWay.add(work)
        if (!isFull) await Promise.race([Promise.all(underWay), delay(500, undefined, { ref: false })])
        if (underWay.size === maxBatches) await Promise.race(underWay)
        if (failures.length > 0 || stopping?.aborted || (!isFull && underWay.size === 0)) break
      }
      await Promise.all(underWay)
      if (failures.length > 0) throw failures[0]
    },
  }
}

export type Reconciler = ReturnType<typeof createReconciler>
