import { assertThat } from '../../errors.ts'
import type { Database } from '../../database/database.ts'
import { page, type Page, type PageRequest } from '../../database/paging.ts'
import { isId } from '../../ids.ts'
import type { Receipt } from '../accept/receipt.ts'
import { Run, runFacts, type RunFacts } from '../run.ts'
import { unfinishedStatuses, type RunStatus } from '../states.ts'
import { readTimeline, type TimelineEvent } from './read-timeline.ts'

/** Which runs a list shows. */
interface RunFilter {
  agentId?: string | undefined
  status?: RunStatus | undefined
  trigger?: Run['trigger'] | undefined
}

/** Runs as owners and senders read them. */
export function createReading(context: { database: Database }) {
  const { database } = context

  return {
    /** Without payload and prompt, so that a stream can keep it while its run lasts. RUN_NOT_FOUND. */
    async get(ownerId: string, id: string): Promise<RunFacts> {
      const run = isId(id) ? await Run.query(database).findOne({ ownerId, id }).select(runFacts) : undefined
      assertThat(run, 'RUN_NOT_FOUND')
      return run
    },

    /** Newest first. */
    list: (
      ownerId: string,
      { agentId, status, trigger, ...request }: RunFilter & PageRequest,
    ): Promise<Page<RunFacts>> =>
      page(Run.query(database).select(runFacts).where({ ownerId }), {
        list: 'runs',
        ...request,
        only: { agentId, status, trigger },
      }),

    /** The run's timeline after the given event number, at most `limit` events. */
    timeline: (run: Pick<Run, 'id'>, after: number, limit: number): Promise<TimelineEvent[]> =>
      readTimeline(database, run.id, after, limit),

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
