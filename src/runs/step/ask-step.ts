import type { Agents } from '../../agents/agents.ts'
import type { Approvals } from '../../approvals/approvals.ts'
import type { Billing } from '../../billing/billing.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import { recordMs, retryWhileUnavailable, type Database } from '../../database/database.ts'
import { isCoded } from '../../errors.ts'
import type { Asking, Question } from '../../loop/ask.ts'
import { withoutSecrets, type Cut, type RunTranscript } from '../../loop/fit-transcript.ts'
import type { LiveWords } from '../../loop/live-words.ts'
import type { Loop } from '../../loop/loop.ts'
import type { Offer } from '../../loop/offer.ts'
import type { Used } from '../../loop/write-step.ts'
import type { Outages } from '../../outages/outages.ts'
import type { Move } from '../../../workflows/messages.ts'
import { readRun, type RunRef } from '../record.ts'
import type { Run } from '../run.ts'
import type { Attempt } from './attempt.ts'
import { createFailStep } from './fail-step.ts'
import { createRecordCut, cutsOf } from './record-cut.ts'
import { createReadTranscript } from './transcript.ts'
import { createRecordStep, type Next } from './write-step.ts'

/** What is read of a run before its model is asked. */
interface Prepared {
  run: Run
  offer: Offer
  /** Without the secrets. */
  transcript: RunTranscript
  readAgain: (run: Run) => Promise<RunTranscript>
}

/** The next question of a run; with the cut whose summary it asks for, if it does. */
type RunQuestion = Question & { cut: Cut | undefined }

export interface AskContext {
  database: Database
  clock: Clock
  config: Config
  agents: Agents
  approvals: Approvals
  billing: Billing
  loop: Loop
  outages: Outages
  live: Pick<LiveWords, 'begin'>
  /** What comes next, for a run whose row is locked. */
  next: Next
}

/** Reads for an attempt that is counted already, so it outlasts a short outage of Postgres. */
export const outlast = <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> =>
  retryWhileUnavailable(work, AbortSignal.any([signal, AbortSignal.timeout(recordMs)]))

/** Asks the model of an attempt, and records its answer, or how it failed. */
export function createAskStep(context: AskContext) {
  const { database, agents, loop, outages, live } = context
  const writeStep = createRecordStep(context)
  const failStep = createFailStep(context)
  const recordCut = createRecordCut(context)
  const readTranscript = createReadTranscript(context)

  /** Reads what the model is to be shown of a run. Throws MODEL_ERROR if no such model is configured. */
  async function prepare(run: Run, model: string): Promise<Prepared> {
    const { id, agentId, ownerId } = run
    const resultBytes = await loop.resultBytes(model, id)
    const [found, transcript] = await Promise.all([agents.offerOf(agentId, ownerId), readTranscript(run, resultBytes)])
    const offer = await loop.offer({ model, ownerId, secrets: found.secrets }, found)
    const readAgain = async (current: Run) => withoutSecrets(await readTranscript(current, resultBytes), offer)
    return { run, offer, transcript: withoutSecrets(transcript, offer), readAgain }
  }

  async function questionOf(ref: RunRef, attempt: Attempt, prepared: Prepared): Promise<RunQuestion> {
    const { run, offer, transcript, readAgain } = prepared
    const asked = { model: attempt.model, ownerId: run.ownerId, cacheKey: run.id, offer }
    return loop.ofRun(asked, asRead(run, transcript), async (cut) => {
      const current = await recordCut(ref, attempt, cut)
      return asRead(current, await readAgain(current))
    })
  }

  const askingOf = (
    { id: runId, ownerId }: Run,
    { model, step, attempt }: Attempt,
    given: Pick<Asking, 'signal' | 'onLost'>,
  ): Asking => ({
    model,
    ownerId,
    cacheKey: runId,
    isRead: false,
    speak: () => live.begin({ subjectId: runId, step, attempt }),
    ...given,
  })

  async function ask(ref: RunRef, attempt: Attempt, prepared: Promise<Prepared>, signal: AbortSignal): Promise<Move> {
    let cut: Cut | undefined
    let used: Used | undefined
    const onLost = (lost: Used) => {
      used = lost
    }
    const question = async (given: Prepared) => {
      const next = await outlast(() => questionOf(ref, attempt, given), signal)
      cut = next.cut
      return next
    }
    try {
      const given = await prepared
      const asking = askingOf(given.run, attempt, { signal, onLost })
      const read = async () => prepare((await readRun(database, ref)).run, attempt.model)
      const again = async () => question(await outlast(read, signal))
      const { answer, offer } = await loop.ask(asking, await question(given), again)
      return await retryWhileUnavailable(async () => {
        await outages.answered(attempt.model)
        return writeStep(ref, attempt, { ...answer, cut }, offer)
      }, signal)
    } catch (error) {
      const isFailure = isCoded(error, 'MODEL_ERROR')
      const isOut = isFailure && (await retryWhileUnavailable(() => failStep.examine(attempt, error, signal), signal))
      if (signal.aborted) await failStep.giveUp(ref, attempt, used)
      if (!isFailure) throw error
      signal.throwIfAborted()
      const failure = { error, used, isOut, instead: cut }
      const failed = await retryWhileUnavailable(() => failStep.note(ref, attempt, failure), signal)
      if (failed === 'retry') throw error
      return failed
    }
  }

  return { prepare, ask }
}

const asRead = (run: Run, transcript: RunTranscript) => ({
  transcript,
  cuts: cutsOf(run),
  bytesPerToken: run.bytesPerToken,
})
