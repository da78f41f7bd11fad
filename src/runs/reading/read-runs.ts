import { Agent } from '../../agents/agent.ts'
import { assertThat } from '../../errors.ts'
import type { Database } from '../../database/database.ts'
import { page, type Page, type PageKey, type PageRequest, type Period } from '../../database/paging.ts'
import { belongsTo, type Owners } from '../../owners/reach.ts'
import { isId } from '../../ids.ts'
import { JsonText } from '../../json-text.ts'
import type { Receipt } from '../accept/receipt.ts'
import { Step } from '../../loop/step.ts'
import { Run, triggers } from '../run.ts'
import { runStatuses, unfinishedStatuses, type RunStatus } from '../states.ts'
import { latestReplay } from './latest-replay.ts'
import { readDelivery, type RunDelivery } from './read-delivery.ts'
import { runFailures, type FailureFilter, type RunFailures } from './run-failures.ts'
import { sequencesOf } from './sequences-of-period.ts'
import { readOutline } from './read-outline.ts'
import { readTimeline, type TimelineContext, type TimelinePage } from './read-timeline.ts'

/** Filters of a run list. */
interface RunFilter {
  agentId?: string | undefined
  status?: RunStatus | undefined
  trigger?: Run['trigger'] | undefined
}

/** A run's answer: its text, and its value if the agent has an output schema. */
export interface RunAnswer {
  answer: string | null
  output: JsonText | null
}

/** The fields of a run that agent lists show. */
type LastRun = Pick<Run, 'id' | 'agentId' | 'status' | 'acceptedAt'>

const lastStatement = `
  select r.id, r.agent_id as "agentId", r.status, r.accepted_at as "acceptedAt"
    from agent_queues q join agents a on a.id = q.agent_id
    join runs r on r.agent_id = q.agent_id and r.sequence = q.last_sequence and r.owner_id = a.owner_id
   where q.agent_id = any(:agentIds::uuid[])`

const bySequence: PageKey<Run> = {
  column: 'sequence',
  read: (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
  write: ({ sequence }) => String(sequence),
}

/** Runs as owners and senders read them. */
export function createReading(context: TimelineContext & { database: Database }) {
  const { database } = context

  return {
    /** The run without payload and prompt, so a stream can keep it in memory. RUN_NOT_FOUND. */
    async get(owners: Owners, id: string): Promise<Run> {
      const run = isId(id) ? await Run.query(database).findById(id) : undefined
      assertThat(run && belongsTo(owners, run.ownerId), 'RUN_NOT_FOUND')
      return run
    },

    /** The last answer of a completed run, with its value if any. Null for any other run, or if purged. */
    async answerOf({ id, status, steps }: Pick<Run, 'id' | 'status' | 'steps'>): Promise<RunAnswer> {
      if (status !== 'completed') return { answer: null, output: null }
      const last = await Step.query(database).findById([id, steps]).select('answer', 'output')
      return { answer: last?.answer ?? null, output: last?.output ? new JsonText(last.output) : null }
    },

    /** Runs of an owner, or of one agent in order of arrival; newest first. */
    async list(ownerId: string, { agentId, status, trigger, ...request }: RunFilter & PageRequest): Promise<Page<Run>> {
      const domains = { status: runStatuses, trigger: triggers }
      const filter = { ...request, time: 'acceptedAt', only: { status, trigger }, domains }
      const runs = Run.query(database)
      if (agentId === undefined) return page(runs, { list: 'runs', of: { ownerId }, ...filter })
      if (!isId(agentId)) return { items: [], nextCursor: null }
      // One condition instead of two: Postgres would assume that they are independent and expect hardly any run.
      const own = Agent.query(database).where({ id: agentId, ownerId })
      const rangeOf = (period: Period) => sequencesOf(database, agentId, period)
      // Runs from before a move belong to the previous owner.
      const moved = await own.clone().whereNotNull('movedSequence').select('movedSequence').first()
      if (moved) void runs.where('sequence', '>', moved.movedSequence)
      return page(runs.where('agentId', own.select('id')), {
        list: 'agent-runs',
        key: bySequence,
        keyIsArrival: true,
        rangeOf,
        ...filter,
      })
    },

    /** An owner's latest failed runs, grouped by agent and reason. */
    failures: (ownerId: string, filter: FailureFilter): Promise<RunFailures> => runFailures(database, ownerId, filter),

    /** Each agent's most recently accepted run, by agent id; absent if it has none or it was purged. */
    async lastOf(agentIds: readonly string[]): Promise<Map<string, LastRun>> {
      const { rows } = await database.raw<{ rows: LastRun[] }>(lastStatement, { agentIds })
      return new Map(rows.map((run) => [run.agentId, run]))
    },

    /** The run's timeline after an event number: at most `limit` events and about a mebibyte. */
    timeline: (run: Pick<Run, 'id'>, after: number, limit: number): Promise<TimelinePage> =>
      readTimeline(context, run.id, after, limit),

    /** The same without bodies. */
    outline: (run: Pick<Run, 'id'>, after: number, limit: number): Promise<TimelinePage> =>
      readOutline(context, run.id, after, limit),

    /** What is kept of the delivery that started the run. NOT_FOUND if none did. */
    delivery: (run: Run): Promise<RunDelivery> => readDelivery(database, run),

    /** A run's current receipt, for its sender. RUN_NOT_FOUND unless the run is the agent's. */
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

    /** The latest direct or indirect replay of a run, if any. */
    replayOf: (runId: string): Promise<Pick<Receipt, 'runId' | 'status'> | undefined> => latestReplay(database, runId),
  }
}
