import type { Transaction } from '../../database/database.ts'
import type { Move } from '../../../workflows/messages.ts'
import { maxAttempts, mostRounds } from '../../loop/after-failure.ts'
import { noteInLog } from '../../logger.ts'
import { lockWorkedRun } from '../lock-worked-run.ts'
import { readRun, type RunRef } from '../record.ts'
import { HeldCreditsError } from '../held-credits.ts'
import { heldUpMs } from '../time-left.ts'
import type { Run } from '../run.ts'
import { append } from '../timeline.ts'
import { createAskStep, outlast, type AskContext } from './ask-step.ts'
import type { Attempt } from './attempt.ts'
import { createDecide } from './decide.ts'
import { createModelStanding } from './model-trouble.ts'
import { createWaits } from './waits.ts'

/**
 * The model steps of runs. `advance` answers from the record first: after a crash it repeats nothing that was recorded.
 * A step takes two transactions, each of which decides under the run's lock: one begins the attempt, the other records
 * its answer and decides what comes next.
 */
export function createSteps(context: Omit<AskContext, 'next'> & Parameters<typeof createWaits>[0]) {
  const { database, clock, config, loop, billing } = context
  const decide = createDecide({ ...context, modelStanding: createModelStanding(context) })
  const waits = createWaits(context)

  /** The next move; a wait begins or ends in the record before the workflow acts on it. */
  const next: AskContext['next'] = async (trx, run, known) => waits.follow(trx, await decide(trx, run, known))
  const { prepare, ask } = createAskStep({ ...context, next })

  /** Other steps may hold what is left: this one comes again when some of them are over. */
  async function hold(trx: Transaction, run: Run, step: number): Promise<void> {
    const { id: subjectId, ownerId, agentId } = run
    const held = await billing.credits.hold(trx, { ownerId, agentId, subjectId, step, used: run })
    if (held === undefined) throw new HeldCreditsError()
  }

  /** Counts the attempt at a model call and holds credits for it, or returns what comes instead. */
  const begin = (ref: RunRef, model: string): Promise<Attempt | { instead: Move }> =>
    database.transaction(async (trx) => {
      const run = await lockWorkedRun(trx, ref, context)
      const decision = await decide(trx, run)
      const move = await waits.follow(trx, decision)
      if (move.kind !== 'model' || decision.other) return { instead: move }
      const { step } = move
      const isUsedUp = run.stepAttempts >= maxAttempts
      // An attempt that was lost after others had failed says nothing about the model: it is asked again in another round.
      if (isUsedUp && (run.failedAt === null || run.modelRounds + 1 >= mostRounds)) return { instead: abandoned }
      const counted = isUsedUp ? 1 : run.stepAttempts + 1
      const attempt = run.attempt + 1
      const isLost = run.attempt > 0 && run.failedAttempt !== run.attempt
      const now = clock.now()
      const data = { step, attempt, ...(isLost && { note: lostNote }) }
      const waitedMs = run.waitedMs + heldUpMs(run, config.budgets, now)
      const modelRounds = run.modelRounds + (isUsedUp ? 1 : 0)
      const changes = { stepAttempts: counted, modelRounds, attempt, attemptedAt: now, waitedMs }
      await append(trx, run.id, now, [{ kind: 'step.started', data }], changes)
      // Last: the account is locked until the transaction ends.
      await hold(trx, run, step)
      return { step, attempt, counted, begunAt: now, model, callsBefore: decision.record.calls }
    })

  return {
    /**
     * Makes the run's next model call unless the record asks for something else first, and returns what comes next.
     * Throws MODEL_ERROR while another attempt makes sense, NoPlaceError if all places at the model's provider are
     * taken, or other steps hold the credits that are left, StaleEpochError, or the signal's reason if aborted.
     */
    async advance(ref: RunRef, signal: AbortSignal): Promise<Move> {
      const { run, model: chosen } = await readRun(database, ref)
      const model = chosen ?? loop.defaultModel
      noteInLog({ agentId: run.agentId })
      return loop.inPlace(model, run.ownerId, signal, async () => {
        // Read while the attempt is begun: what is recorded of the steps before does not change any more.
        const prepared = prepare(run, model)
        // If something else comes first, for example open calls, nobody asks for it.
        prepared.catch(() => undefined)
        const begun = await begin(ref, model)
        if ('instead' in begun) return begun.instead
        noteInLog({ step: begun.step })
        // It may have been read too early: while a call was about to end, or another attempt was about to be recorded.
        const again = () => outlast(async () => prepare((await readRun(database, ref)).run, model), signal)
        const current = prepared.then((found) => (found.run.steps === begun.step - 1 ? found : again()), again)
        return ask(ref, begun, current, signal)
      })
    },
  }
}

const abandoned = { kind: 'end', status: 'failed', reason: 'STEP_ABANDONED' } as const

const lostNote = 'The previous attempt has no recorded result because its worker failed or was stopped.'
