import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Transaction } from '../../database/database.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import { isFinal } from '../../tools/tool-call.ts'
import type { Move, WaitCause } from '../../../workflows/messages.ts'
import type { Due } from '../due.ts'
import { endWait } from '../ending/end.ts'
import { tellOutOfCredits } from '../queue/notify-blocked.ts'
import type { RunRecord } from '../record.ts'
import { Run } from '../run.ts'
import { waitingTimeLeft } from '../time-left.ts'
import { append } from '../timeline.ts'
import type { Decision } from './decide.ts'
import { waitOf } from './next-move.ts'

type Wait = Extract<Move, { kind: 'wait' }>

const notes = {
  rate_limit: 'The site takes a limited number of calls; the run goes on when it is its turn.',
  credential: 'The connection to the site has to be renewed by its owner; then the run goes on where it is.',
  paused: 'The agent is paused; the run goes on where it is when the agent is resumed.',
  credits: 'The credits are used up; the run goes on where it is when there are some again.',
} as const

/** The waits of runs: what the workflow sleeps through is on record first, with its cause, and ends there. */
export function createWaits(context: { clock: Clock; config: Config; notifications: Notifications; due: Due }) {
  const { clock, config, notifications, due } = context

  async function begin(trx: Transaction, { run, calls }: RunRecord, { cause, ms }: Wait): Promise<void> {
    const now = clock.now()
    const waitingUntil = new Date(now.getTime() + ms)
    const open = calls.filter(({ status }) => !isFinal(status))
    const waitingFor = isOfCalls(cause) ? waitOf(open).site : null
    const waitingSince = run.waitingSince ?? now
    const last = new Date(now.getTime() + waitingTimeLeft(run, config.budgets, now))
    const until = (cause === 'rate_limit' ? waitingUntil : last).toISOString()
    const data = { cause, site: waitingFor, until, calls: open.length, note: notes[cause] }
    const changes = { status: 'waiting' as const, waitingCause: cause, waitingFor, waitingSince, waitingUntil }
    await append(trx, run.id, now, [{ kind: 'wait.started', data }], changes)
    // What it waits for may have come in this very moment.
    await due.agent(trx, run.agentId)
    // The owner learns of a dead credential where it dies; the other waits end by themselves, or are the owner's wish.
    if (cause === 'credits') await tellOutOfCredits(trx, notifications, run, { since: waitingSince, last })
  }

  async function end(trx: Transaction, run: Run): Promise<Run> {
    await endWait(trx, run, clock.now())
    return Run.query(trx).patchAndFetchById(run.id, { status: 'running' })
  }

  /** A wait of the same cause goes on, perhaps until another time; it stays one wait on the timeline. */
  async function wait(trx: Transaction, record: RunRecord, move: Wait): Promise<void> {
    const { run } = record
    if (run.waitingCause !== move.cause) {
      await begin(trx, { ...record, run: run.waitingCause ? await end(trx, run) : run }, move)
      return
    }
    const waitingUntil = new Date(clock.now().getTime() + move.ms)
    await Run.query(trx).findById(run.id).patch({ waitingUntil })
  }

  return {
    /** Brings a locked run in line with what was decided: one that is to wait is `waiting`, one that is not goes on. */
    async follow(trx: Transaction, { record, move }: Decision): Promise<Move> {
      if (move.kind === 'wait') await wait(trx, record, move)
      else if (move.kind !== 'end' && record.run.waitingCause) await end(trx, record.run)
      return move
    },
  }
}

/** Whether it is the run's calls that have to wait, and not the run as a whole. */
const isOfCalls = (cause: WaitCause): boolean => cause === 'rate_limit' || cause === 'credential'
