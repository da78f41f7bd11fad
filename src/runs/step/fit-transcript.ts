import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import type { ModelTool } from '../../models/offer/model-tool.ts'
import { promptTooLong } from '../../models/failures.ts'
import type { Models } from '../../models/models.ts'
import type { PromptSize } from '../../models/prompt-size.ts'
import type { Window } from '../../models/context-window.ts'
import { lockRun, type RunRef } from '../record.ts'
import type { Run } from '../run.ts'
import { hasEnded } from '../states.ts'
import { append, type NewEvent } from '../timeline.ts'
import type { Attempt } from './attempt.ts'
import { fit, isFurther, type Cuts, type Sizes } from '../../models/fit.ts'
import { bytesFor, cannotFit, tokensIn } from '../../models/prompt-tokens.ts'
import type { RunTranscript } from './transcript.ts'

/** What is read of a run, and what its model is offered. */
interface Found {
  run: Run
  transcript: RunTranscript
  tools: ModelTool[]
  /** Reads the transcript again, after a cut. */
  readAgain: (run: Run) => Promise<RunTranscript>
}

/** What is recorded when a prompt is cut. */
export interface Cut {
  changes: Cuts
  event: Extract<NewEvent, { kind: 'context.fitted' }>
}

/** What a model is shown of a run. */
export interface Fitted {
  transcript: RunTranscript
  /** The size of prompt and tools, in bytes. */
  bytes: number
  window: Window
  /** What the prompt would be without; not recorded yet. The model is to summarise what will be left out. */
  summaryDue?: Cut
}

/** Reads what the model is shown of a run, cut so that it fits into the model's context window. */
export function createFitTranscript({ database, clock, models }: { database: Database; clock: Clock; models: Models }) {
  /** A cut is recorded before it is used, so that the same step gets the same prompt after a crash. */
  const record = ({ ref, step }: { ref: RunRef; step: number }, { changes, event }: Cut): Promise<Run> =>
    database.transaction(async (trx) => {
      const run = await lockRun(trx, ref)
      // Another attempt was faster, or has cut as much.
      if (run.steps !== step - 1 || hasEnded(run.status) || !isFurther(changes, cutsOf(run))) return run
      await append(trx, run.id, clock.now(), [event], changes)
      return Object.assign(run, changes)
    })

  async function measure(runId: string, transcript: RunTranscript, model: string, tools: ModelTool[]) {
    const window = await models.window(model, runId)
    const size = models.sizeOf(model, transcript, tools)
    return { window, transcript, size, bytes: size.steps.reduce((total, { whole }) => total + whole, size.fixed) }
  }

  /** Throws MODEL_ERROR if what must not be cut is too long by itself. */
  return async (ref: RunRef, { run, tools, readAgain, ...found }: Found, { model, step }: Attempt): Promise<Fitted> => {
    const { window, transcript, size, bytes } = await measure(run.id, found.transcript, model, tools)
    const limit = bytesFor(window, run.bytesPerToken)
    if (bytes <= limit) return { transcript, bytes, window }
    const fitted = fit(sizesOf(transcript, size), cutsOf(run), limit)
    if (cannotFit(fitted.after, window.promptTokens, run.bytesPerToken)) {
      throw promptTooLong(model, { ...window, tokens: tokensIn(fitted.after, run.bytesPerToken) })
    }
    if (!isFurther(fitted, cutsOf(run))) return { transcript, bytes, window }
    const cut = cutTo(fitted, step, window, run.bytesPerToken)
    const isLeftOut = fitted.leftOutThrough > (run.leftOutThrough ?? 0)
    if (isLeftOut && transcript.summarizes) return { transcript, bytes, window, summaryDue: cut }
    return measure(run.id, await readAgain(await record({ ref, step }, cut)), model, tools)
  }
}

const sizesOf = ({ steps }: RunTranscript, size: PromptSize): Sizes => ({
  fixed: size.fixed,
  steps: steps.map(({ step, calls }, index) => {
    const { whole = 0, shortened } = size.steps[index] ?? {}
    return { step, whole, shortened: shortened?.() ?? 0, hasCalls: calls.length > 0 }
  }),
})

const cutsOf = ({ shortenedThrough, leftOutThrough }: Run): Cuts => ({
  shortenedThrough: shortenedThrough ?? 0,
  leftOutThrough: leftOutThrough ?? 0,
})

function cutTo(
  { shortenedThrough, leftOutThrough, before, after }: ReturnType<typeof fit>,
  step: number,
  { contextTokens, promptBytes }: Window,
  bytesPerToken: number | null,
): Cut {
  const changes = { shortenedThrough, leftOutThrough }
  const tokens = { tokensBefore: tokensIn(before, bytesPerToken), tokensAfter: tokensIn(after, bytesPerToken) }
  return {
    changes,
    event: {
      kind: 'context.fitted',
      data: { step, ...changes, ...tokens, contextTokens, note: noteOn(changes, promptBytes !== undefined) },
    },
  }
}

const noteOn = ({ shortenedThrough, leftOutThrough }: Cuts, isRefused: boolean): string =>
  [
    isRefused
      ? "The provider rejected the prompt because it exceeded the model's context window."
      : "The run no longer fits in the model's context window.",
    ...(shortenedThrough > leftOutThrough
      ? [`From now on, long tool results through step ${shortenedThrough} are shortened in the prompt.`]
      : []),
    ...(leftOutThrough > 0 ? [`The steps through step ${leftOutThrough} are no longer in the prompt.`] : []),
  ].join(' ')
