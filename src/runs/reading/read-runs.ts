import { Agent } from '../../agents/agent.ts'
import { assertThat } from '../../errors.ts'
import type { Database } from '../../database/database.ts'
import { page, type Page, type PageKey, type PageRequest } from '../../database/paging.ts'
import { isId } from '../../ids.ts'
import type { Receipt } from '../accept/receipt.ts'
import { Run, triggers } from '../run.ts'
import { runStatuses, unfinishedStatuses, type RunStatus } from '../states.ts'
import { readTimeline, type TimelineContext, type TimelinePage } from './read-timeline.ts'

/** Which runs a list shows. */
interface RunFilter {
  agentId?: string | undefined
  status?: RunStatus | undefined
  trigger?: Run['trigger'] | undefined
}

const bySequence: PageKey<Run> = {
  column: 'sequence',
  read: (text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined),
  write: ({ sequence }) => String(sequence),
}

/** Runs as owners and senders read them. */
export function createReading(context: TimelineContext & { database: Database }) {
  const { database } = context

  return {
    /** Without payload and prompt, so that a stream can keep it while its run lasts. RUN_NOT_FOUND. */
    async get(ownerId: string, id: string): Promise<Run> {
      const run = isId(id) ? await Run.query(database).findById(id) : undefined
      assertThat(run?.ownerId === ownerId, 'RUN_NOT_FOUND')
      return run
    },

    /** Newest first: all of an owner, or those of one agent, in the order of their arrival. */
    async list(ownerId: string, { agentId, status, trigger, ...request }: RunFilter & PageRequest): Promise<Page<Run>> {
      const filter = { ...request, only: { status, trigger }, domains: { status: runStatuses, trigger: triggers } }
      const runs = Run.query(database)
      if (agentId === undefined) return page(runs, { list: 'runs', of: { ownerId }, ...filter })
      if (!isId(agentId)) return { items: [], nextCursor: null }
      // One condition, and not one for each: Postgres would take them for independent, and expect hardly a run.
      const own = Agent.query(database).where({ id: agentId, ownerId }).select('id')
      return page(runs.where('agentId', own), { list: 'agent-runs', key: bySequence, ...filter })
    },

    /** The run's timeline after the given event number: at most `limit` events, and not many more bytes than a mebibyte. */
    timeline: (run: Pick<Run, 'id'>, after: number, limit: number): Promise<TimelinePage> =>
      readTimeline(context, run.id, after, limit),

    /** The current receipt of a run, for the sender of its delivery. RUN_NOT_FOUND unless it is the agent's. */
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
