import type { Agents } from '../agents/agents.ts'
import type { Billing } from '../billing/billing.ts'
import type { Callbacks } from '../callbacks/callbacks.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { assertThat } from '../errors.ts'
import { gather } from '../database/gather.ts'
import { isId } from '../ids.ts'
import type { Logger } from '../logger.ts'
import type { Models } from '../models/models.ts'
import type { Notifications } from '../notifications/notifications.ts'
import { readCursor, toPage, type Page, type PageRequest } from '../database/paging.ts'
import type { Sites } from '../sites/sites.ts'
import type { ReachabilityOfTemporal } from '../temporal/reachability.ts'
import type { Temporal } from '../temporal/temporal.ts'
import type { Workers } from '../temporal/workers.ts'
import type { Sender } from '../tools/sender.ts'
import { queueFull } from './accept/accept-batch.ts'
import { createAccept } from './accept/accept.ts'
import { AgentQueue } from './agent-queue.ts'
import { createCancel } from './ending/cancel.ts'
import { createClaim } from './queue/claim-run.ts'
import { createEnd, createWriteEnding } from './ending/end.ts'
import { createManual } from './accept/manual.ts'
import { readTimeline, type TimelineEvent } from './reading/read-timeline.ts'
import type { Receipt } from './accept/receipt.ts'
import { createReconciler } from './reconcile/reconciler.ts'
import type { Due } from './due.ts'
import { createReplay } from './accept/replay.ts'
import { createRunCalls } from './step/run-calls.ts'
import { Run, runFacts, type RunFacts } from './run.ts'
import { unfinishedStatuses, type RunStatus } from './states.ts'
import { createSteps } from './step/steps.ts'
import { createWatching } from './reading/watching.ts'

/** Which runs a list shows. */
export interface RunFilter {
  agentId?: string | undefined
  status?: RunStatus | undefined
  trigger?: Run['trigger'] | undefined
}

/** Runs, from being accepted to their end, and what is on record of them. */
export function createRuns(given: {
  database: Database
  clock: Clock
  config: Config
  logger: Logger
  temporal: Temporal
  agents: Agents
  billing: Billing
  callbacks: Callbacks
  notifications: Notifications
  models: Models
  sites: Sites
  sender: Sender
  due: Due
  reachability: ReachabilityOfTemporal
  workers: Workers
}) {
  const context = { ...given, writeEnding: createWriteEnding(given) }
  const { database, config, temporal } = context
  const wake = (agents: { agentId: string; ownerId: string }[]) => temporal.wakeSoon(agents)

  const cancelling = createCancel(context)
  const { stallSeconds } = config.reconcile
  const accepting = createAccept({ ...context, queueDepth: config.queueDepth, stallSeconds, wake })
  const reconciler = createReconciler({ ...context, ...cancelling })

  const queueOf = gather<string, AgentQueue>(async (agentIds) => {
    const found = await AgentQueue.query(database).findByIds(agentIds)
    return new Map(found.map((queue) => [queue.agentId, queue]))
  })

  /** How full the agent's queue is. Accepting looks again, under the queue's lock. */
  const depth = async (agentId: string): Promise<number> => (await queueOf(agentId))?.unfinished ?? 0

  /** Without payload and prompt: whoever has asked may hold on to it, a stream for as long as its run takes. */
  async function get(ownerId: string, id: string): Promise<RunFacts> {
    const run = isId(id) ? await Run.query(database).findOne({ ownerId, id }).select(runFacts) : undefined
    assertThat(run, 'RUN_NOT_FOUND')
    return run
  }

  return {
    ...accepting,
    ...createClaim(context),
    ...createEnd(context),
    ...createSteps(context),
    ...createRunCalls(context),
    ...cancelling,
    ...createManual({ ...context, ...accepting, depth }),
    ...createReplay({ ...context, ...accepting }),
    reconciler,
    watching: createWatching(context),
    depth,
    get,

    /** Newest first. */
    async list(ownerId: string, filter: RunFilter & PageRequest): Promise<Page<RunFacts>> {
      const before = readCursor('runs', filter.cursor)
      const query = Run.query(database)
        .select(runFacts)
        .where({ ownerId })
        .orderBy('id', 'desc')
        .limit(filter.limit + 1)
      if (before) void query.where('id', '<', before)
      if (filter.agentId) void query.where({ agentId: filter.agentId })
      if (filter.status) void query.where({ status: filter.status })
      if (filter.trigger) void query.where({ trigger: filter.trigger })
      return toPage('runs', await query, filter.limit, ({ id }) => id)
    },

    /** The run's timeline after the given event number, at most `limit` events. */
    timeline: (run: Pick<Run, 'id'>, after: number, limit: number): Promise<TimelineEvent[]> =>
      readTimeline(database, run.id, after, limit),

    /** Refuses with RATE_LIMITED a queue that is as deep as it may be. */
    assertRoom(depth: number): void {
      if (depth >= config.queueDepth) throw queueFull(config.queueDepth)
    },

    /** The receipt of a run as it stands now, for the sender of its delivery. RUN_NOT_FOUND unless it is the agent's. */
    async receipt(agentId: string, runId: string): Promise<Receipt> {
      const run = isId(runId)
        ? await Run.query(database).findOne({ agentId, id: runId, trigger: 'webhook' }).select('status', 'sequence')
        : undefined
      assertThat(run, 'RUN_NOT_FOUND')
      const ahead = await Run.query(database)
        .where({ agentId })
        .where('sequence', '<', run.sequence)
        .whereIn('status', unfinishedStatuses)
        .resultSize()
      return { runId, status: run.status, sequence: run.sequence, ahead }
    },
  }
}

export type Runs = ReturnType<typeof createRuns>
