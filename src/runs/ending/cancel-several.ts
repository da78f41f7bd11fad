import { recordDeeds, type Actor } from '../../audit/audit-entry.ts'
import type { Clock } from '../../clock.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { isCoded, type ErrorCode } from '../../errors.ts'
import { isId } from '../../ids.ts'
import { listOf, type ActFor, type Owners } from '../../owners/reach.ts'
import { Run } from '../run.ts'
import { unfinishedStatuses } from '../states.ts'
import type { createCancel } from './cancel.ts'
import { matchingRuns, type OwnedRun, type UnfinishedFilter } from './matching-runs.ts'

/** The most runs that one request ends. Each has a transaction of its own. */
export const mostEnded = 100

/** What a request does with runs. A run that works can be cancelled, but not skipped. */
const ways = {
  cancel: { action: 'cancelRuns', statuses: unfinishedStatuses },
  skip: { action: 'skipRuns', statuses: unfinishedStatuses.filter((status) => status !== 'running') },
} as const

type Way = keyof typeof ways

interface Asker {
  by: Actor
  actFor: ActFor
}

/** What became of the runs. */
export interface SeveralEnded {
  /** The number of runs that ended or will end within seconds. */
  changed: number
  refused: { runId: string; code: ErrorCode }[]
  /** Whether other runs match the filter. */
  more: boolean
}

/** Cancels and skips several runs, oldest first, each as a request for it alone would. */
export function createCancelSeveral(
  context: { database: Database; clock: Clock } & Pick<
    ReturnType<typeof createCancel>,
    'recordFor' | 'cancelInTemporal'
  >,
) {
  const { database, clock, recordFor, cancelInTemporal } = context

  /** The audit log names each run. A repeated request for a run that is already being cancelled changes nothing. */
  const noteFor = (way: Way, by: Actor) => async (trx: Transaction, before: Run) => {
    if (before.cancelRequestedAt) return
    const after = await Run.query(trx).findById(before.id).throwIfNotFound()
    const subject = { ownerId: before.ownerId, subjectKind: 'run', subjectId: before.id } as const
    const sides = { before: notedFields(before), after: notedFields(after) }
    await recordDeeds(trx, clock.now(), { ...subject, ...sides, action: ways[way].action, by })
  }

  async function endEach(way: Way, runs: OwnedRun[], { by, actFor }: Asker): Promise<Omit<SeveralEnded, 'more'>> {
    const refused: SeveralEnded['refused'] = []
    const begun: string[] = []
    try {
      for (const run of runs) {
        const before = await actFor(run.ownerId, () => recordFor(way, run, noteFor(way, by))).catch(refusalIn)
        if (typeof before === 'string') refused.push({ runId: run.id, code: before })
        else if (before.status !== 'queued') begun.push(run.id)
      }
    } finally {
      // Together, because each takes seconds while Temporal is away.
      await Promise.all(begun.map(cancelInTemporal))
    }
    return { changed: runs.length - refused.length, refused }
  }

  return {
    /** Ends the runs with these ids, at most a hundred. Runs of other owners are RUN_NOT_FOUND. */
    async endNamed(way: Way, owners: Owners, runIds: readonly string[], asker: Asker): Promise<SeveralEnded> {
      const ids = [...new Set(runIds)]
      const own = Run.query(database).findByIds(ids.filter(isId)).whereIn('ownerId', listOf(owners))
      const found = await own.select('id', 'agentId', 'ownerId').orderBy('id')
      const known = new Set(found.map(({ id }) => id))
      const unknown = ids.filter((id) => !known.has(id)).map((runId) => ({ runId, code: 'RUN_NOT_FOUND' as const }))
      const { changed, refused } = await endEach(way, found, asker)
      return { changed, refused: [...unknown, ...refused], more: false }
    },

    /** Ends the oldest runs of an owner that match and can end in this way, at most a hundred. */
    async endMatching(way: Way, ownerId: string, filter: UnfinishedFilter, asker: Asker): Promise<SeveralEnded> {
      const { statuses } = ways[way]
      const found = await matchingRuns(database, ownerId, filter, { statuses, most: mostEnded + 1 })
      const ended = await endEach(way, found.slice(0, mostEnded), asker)
      return { ...ended, more: found.length > mostEnded }
    },
  }
}

const notedFields = ({ agentId, status, trigger }: Run) => ({ agentId, status, trigger })

/** Why a run was refused. Other errors concern the whole request. */
function refusalIn(error: unknown): ErrorCode {
  if (
    isCoded(error, 'RUN_NOT_CANCELLABLE') ||
    isCoded(error, 'PERMISSION_DENIED') ||
    isCoded(error, 'WORKSPACE_REQUIRED')
  )
    return error.code
  // To a former member, the workspace's runs do not exist.
  if (isCoded(error, 'WORKSPACE_NOT_FOUND')) return 'RUN_NOT_FOUND'
  throw error
}
