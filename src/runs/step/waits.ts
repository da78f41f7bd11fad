import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Database, Transaction } from '../../database/database.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import { isFinal } from '../../tools/tool-call.ts'
import type { Move, WaitCause } from '../../../workflows/messages.ts'
import type { Decide } from './decide.ts'
import { endWait } from '../ending/end.ts'
import { waitOf } from './next-move.ts'
import { waitingTimeLeft } from '../time-left.ts'
import type { Due } from '../due.ts'
import { lockRun, type RunRef, type RunRecord } from '../record.ts'
import { Run } from '../run.ts'
import { tellOutOfCredits } from '../queue/notify-blocked.ts'
import { append } from '../timeline.ts'

const notes = {
  rate_limit: 'The site takes a limited number of calls; the run goes on when it is its turn.',
  credential: 'The connection to the site has to be renewed by its owner; then the run goes on where it is.',
  paused: 'The agent is paused; the run goes on where it is when the agent is resumed.',
  credits: 'The credits are used up; the run goes on where it is when there are some again.',
} as const

/** The waits of runs: what the workflow sleeps through is on record first, with its cause, and ends there. */
export function createWaits(context: {
  database: Database
  clock: Clock
  config: Config
  notifications: Notifications
  due: Due
  decide: Decide
}) {
  const { database, clock, config, notifications, due, decide } = context

  async function begin(trx: Transaction, { run, calls }: RunRecord, move: Extract<Move, { kind: 'wait' }>) {
    const now = clock.now()
    const until = new Date(now.getTime() + move.ms)
    const open = calls.filter(({ status }) => !isFinal(status))
    const { cause } = move
    const site = isOfCalls(cause) ? waitOf(open).site : null
    const waitingSince = run.waitingSince ?? now
    await Run.query(trx)
      .findById(run.id)
      .patch({ status: 'waiting', waitingCause: cause, waitingFor: site, waitingSince, waitingUntil: until })
    const last = new Date(now.getTime() + waitingTimeLeft(run, config.budgets, now))
    const shown = cause === 'rate_limit' ? until : last
    const data = { cause, site, until: shown.toISOString(), calls: open.length, note: notes[cause] }
    await append(trx, run.id, now, [{ kind: 'wait.started', data }])
    // What it waits for may have come in this very moment.
    await due.agent(trx, run.agentId)
    // Of a dead credential its owner is told where it dies; the other waits end by themselves, or are the owner's wish.
    if (cause === 'credits') await tellOutOfCredits(trx, notifications, run, { since: waitingSince, last })
  }

  async function end(trx: Transaction, run: Run): Promise<Run> {
    await endWait(trx, run, clock.now())
    return Run.query(trx).patchAndFetchById(run.id, { status: 'running' })
  }

  /** A wait of the same cause goes on, perhaps until another time; it stays one wait on the timeline. */
  async function go(trx: Transaction, record: RunRecord, move: Extract<Move, { kind: 'wait' }>): Promise<void> {
    const { run } = record
    if (run.waitingCause !== move.cause) {
      await begin(trx, { ...record, run: run.waitingCause ? await end(trx, run) : run }, move)
      return
    }
    const waitingUntil = new Date(clock.now().getTime() + move.ms)
    await Run.query(trx).findById(run.id).patch({ waitingUntil })
  }

  return {
    /**
     * Brings the record in line with a move: a run that is to wait is `waiting` from now on, one that is not goes on.
     * Decides again under the run's lock, so what it returns is the move that holds.
     */
    settle: (ref: RunRef): Promise<Move> =>
      database.transaction(async (trx) => {
        const run = await lockRun(trx, ref)
        const { record, move } = await decide(trx, ref)
        if (move.kind === 'wait') await go(trx, record, move)
        else if (move.kind !== 'end' && run.waitingCause) await end(trx, run)
        return move
      }),
  }
}

/** Whether it is the run's calls that have to wait, and not the run as a whole. */
const isOfCalls = (cause: WaitCause): boolean => cause === 'rate_limit' || cause === 'credential'

export type Waits = ReturnType<typeof createWaits>
