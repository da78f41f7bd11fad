import type { Billing } from '../../billing/billing.ts'
import { usedUpBy } from '../../billing/account-status.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import type { Transaction } from '../../database/database.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import { isFinal } from '../../tools/tool-call.ts'
import type { Move, WaitCause } from '../../../workflows/messages.ts'
import type { Due } from '../due.ts'
import { endWait } from '../ending/end-run.ts'
import { notifyOutOfCredits } from '../queue/notify-blocked.ts'
import type { RunRecord } from '../record.ts'
import { noRounds, Run } from '../run.ts'
import { notifyOutage } from '../notify-outage.ts'
import type { RunTraces } from '../run-traces.ts'
import { outageTimeLeft, waitingTimeLeft } from '../time-left.ts'
import { append } from '../timeline.ts'
import type { Decision } from './decide.ts'
import { changeOfModel } from './fallback.ts'
import type { ModelTrouble, OtherModel } from './model-trouble.ts'
import { waitOf } from './next-move.ts'

type Wait = Extract<Move, { kind: 'wait' }>

const notes = {
  rate_limit: 'Calls to the site are limited or paused at the moment. The run will resume when its turn comes.',
  credential: 'The owner must reconnect the site. The run will then resume from here.',
  approval: 'A tool call needs approval. The run will resume from here after the decision.',
  job: 'The site works on a tool call. The run will resume from here when the site has finished it.',
  paused: 'The agent is paused. The run will resume from here when the agent is resumed.',
  credits: 'There are no credits left. The run will resume from here when credits are available.',
  model: 'The run will resume from here when the model is available.',
} as const

/** What holds a run back, besides the cause. */
type Details = Pick<Decision, 'cap' | 'trouble'>

function noteOn(cause: WaitCause, { cap, trouble }: Details): string {
  if (trouble) return `${trouble.message} ${notes.model}`
  if (cause !== 'credits' || cap === null) return notes[cause]
  return `${usedUpBy(cap)} The run will resume from here when it can use credits again.`
}

/** The waits of runs: the record begins each one before the workflow sleeps, with its cause, and ends it. */
export function createWaits(context: {
  clock: Clock
  config: Config
  billing: Pick<Billing, 'credits'>
  notifications: Notifications
  due: Due
  traces: RunTraces
}) {
  const { clock, config, billing, notifications, due, traces } = context

  /** When a run that waits fails, unless what it waits for has come by then. */
  function endOf(run: Run, trouble: ModelTrouble | undefined, now: Date): Date {
    const { budgets } = config
    const ms = trouble ? outageTimeLeft(run, trouble.since, budgets, now) : waitingTimeLeft(run, budgets, now)
    return new Date(now.getTime() + ms)
  }

  const tellOfModel = (trx: Transaction, run: Run, trouble: ModelTrouble, now: Date): Promise<void> =>
    notifyOutage(trx, notifications, run, { trouble, hours: config.budgets.waitSeconds / 3600, now })

  async function begin(trx: Transaction, record: RunRecord, { cause, ms }: Wait, details: Details): Promise<void> {
    const { cap, trouble } = details
    const { run, calls } = record
    const now = clock.now()
    const waitingUntil = new Date(now.getTime() + ms)
    const open = calls.filter(({ status }) => !isFinal(status))
    const site = isOfCalls(cause) ? waitOf(open).site : null
    const waitingSince = run.waitingSince ?? now
    const last = endOf(run, trouble, now)
    const isTimed = cause !== 'credential' && cause !== 'credits' && cause !== 'job'
    const until = (isTimed ? waitingUntil : last).toISOString()
    const model = trouble && { model: trouble.model }
    const data = { cause, site, ...model, until, calls: open.length, note: noteOn(cause, details) }
    const wait = { waitingCause: cause, waitingFor: trouble?.model ?? site, waitingSince, waitingUntil }
    const changes = { status: 'waiting' as const, ...wait, ...(trouble && { failure: trouble.message }) }
    await append(trx, run.id, now, [{ kind: 'wait.started', data }], changes)
    // If the worker of its last attempt was killed, that holds credits still.
    if (run.attempt > 0) await billing.credits.release(trx, run.id)
    // What it waits for may have just come.
    await due.agent(trx, run.agentId)
    // Owners are notified when a credential dies and when a call is asked about; the other waits end by themselves, or are the owner's choice.
    if (trouble) await tellOfModel(trx, run, trouble, now)
    if (cause === 'credits') await notifyOutOfCredits(trx, notifications, run, { since: waitingSince, last, cap })
  }

  async function end(trx: Transaction, run: Run): Promise<Run> {
    await endWait(trx, run, clock.now(), traces)
    return Run.query(trx).patchAndFetchById(run.id, { status: 'running' })
  }

  /** A wait for the same cause continues, perhaps until another time; it stays one wait on the timeline. */
  async function wait(trx: Transaction, record: RunRecord, move: Wait, details: Details): Promise<void> {
    const { run } = record
    if (run.waitingCause !== move.cause) {
      await begin(trx, { ...record, run: run.waitingCause ? await end(trx, run) : run }, move, details)
      return
    }
    const now = clock.now()
    const waitingUntil = new Date(now.getTime() + move.ms)
    const { trouble } = details
    const forModel = trouble && { waitingFor: trouble.model, failure: trouble.message }
    await Run.query(trx)
      .findById(run.id)
      .patch({ waitingUntil, ...forModel })
    // What failed the run alone before may fail everybody by now.
    if (trouble) await tellOfModel(trx, run, trouble, now)
  }

  /** From this step on the run asks another model, which knows nothing of the failures of the first. */
  async function change(trx: Transaction, { id, steps }: Run, other: OtherModel): Promise<void> {
    const { from, to, isFallback, message } = other
    const step = steps + 1
    const asked = isFallback
      ? { fallbackSince: step, ownModelWasOut: true }
      : { fallbackSince: null, ownModelWasOut: null }
    const changes = { ...noRounds, ...asked, stepAttempts: 0, corrections: 0 }
    await append(trx, id, clock.now(), changeOfModel({ step, from, to, note: message }), changes)
  }

  return {
    /** Applies the decision to a locked run: begins, prolongs or ends its wait. */
    async follow(trx: Transaction, { record, move, other, ...details }: Decision): Promise<Move> {
      if (move.kind === 'wait') await wait(trx, record, move, details)
      else if (move.kind !== 'end' && record.run.waitingCause && !asksAboutJobs(record, move))
        await end(trx, record.run)
      if (other) await change(trx, record.run, other)
      return move
    },
  }
}

/** Whether the run's calls have to wait, not the run as a whole. */
const isOfCalls = (cause: WaitCause): boolean =>
  cause === 'rate_limit' || cause === 'credential' || cause === 'approval' || cause === 'job'

/** Whether the run only asks what has become of calls that it waits for: then its wait goes on. */
const asksAboutJobs = ({ run, calls }: RunRecord, move: Move): boolean =>
  run.waitingCause === 'job' &&
  move.kind === 'tools' &&
  move.calls.every(({ callId }) => calls.find(({ id }) => id === callId)?.waitCause === 'job')
