import { promptTooLong } from '../models/failures.ts'
import type { Models } from '../models/models.ts'
import type { Window } from '../models/context-window.ts'
import type { ModelTool } from '../models/offer/model-tool.ts'
import { bytesOf } from '../models/prompt-size.ts'
import { fit, isFurther, type Cuts } from './fit.ts'
import type { Offer } from './offer.ts'
import { bytesFor, excessOf, tokensIn } from './prompt-tokens.ts'
import { hiddenTranscript, sizeOf, type Transcript } from './run-prompt.ts'
import type { ShownStep } from './transcript-step.ts'

/** Everything that the model sees of a run, with the numbers of its steps. */
export interface RunTranscript extends Transcript {
  steps: ShownStep[]
  /** Whether the model is asked for a summary of what is left out. */
  summarizes: boolean
}

/** A run as it is read. */
export interface ReadRun {
  transcript: RunTranscript
  /** How far its prompt is cut already. */
  cuts: Cuts
  bytesPerToken: number | null
}

/** A transcript without the secrets that nobody may read, and with the sites that are missing. */
export const withoutSecrets = (read: RunTranscript, { missing, hiding }: Offer): RunTranscript =>
  hiddenTranscript({ ...read, missingSites: missing }, hiding)

/** A cut of a run's prompt, to be recorded. */
export interface Cut {
  cuts: Cuts
  tokensBefore: number
  tokensAfter: number
  contextTokens: number
  /** Whether the provider has refused the prompt as too long. */
  isRefused: boolean
}

/** What a model is shown of a run. */
export interface Fitted {
  transcript: RunTranscript
  /** The size of prompt and tools, in bytes. */
  bytes: number
  /** The largest prompt, in bytes. */
  limit: number
  /** What the prompt would be without; not recorded yet. The model is to summarise what will be left out. */
  summaryDue?: Cut
}

/** The model that is asked; `cacheKey` identifies the run. */
interface Shown {
  model: string
  cacheKey: string
  tools: ModelTool[]
}

/** Cuts what a model is shown of a run, so that it fits into the model's context window. */
export function createFitTranscript({ models }: { models: Pick<Models, 'window' | 'reader'> }) {
  async function measure({ model, cacheKey, tools }: Shown, { transcript, cuts, bytesPerToken }: ReadRun) {
    const window = await models.window(model, cacheKey)
    const limit = bytesFor(window, bytesPerToken)
    const { fixed, steps } = sizeOf(transcript, models.reader(model))
    const fitted = fit({ fixed: fixed + bytesOf(tools), steps }, cuts, limit)
    return { transcript, bytes: fitted.before, limit, window, fitted }
  }

  /**
   * Throws MODEL_ERROR if what must not be cut is too long by itself.
   *
   * @param cutTo records a cut, and reads the run again
   */
  return async (shown: Shown, read: ReadRun, cutTo: (cut: Cut) => Promise<ReadRun>): Promise<Fitted> => {
    const { window, fitted, ...whole } = await measure(shown, read)
    const { cuts, bytesPerToken, transcript } = read
    const excess = excessOf(fitted.after, window, bytesPerToken)
    if (excess) throw promptTooLong(shown.model, excess)
    if (!isFurther(fitted, cuts)) return whole
    const cut = toCut(fitted, window, bytesPerToken)
    if (fitted.leftOutThrough > cuts.leftOutThrough && transcript.summarizes) return { ...whole, summaryDue: cut }
    return measure(shown, await cutTo(cut))
  }
}

const toCut = (
  { shortenedThrough, leftOutThrough, before, after }: ReturnType<typeof fit>,
  { contextTokens, promptBytes }: Window,
  bytesPerToken: number | null,
): Cut => ({
  cuts: { shortenedThrough, leftOutThrough },
  tokensBefore: tokensIn(before, bytesPerToken),
  tokensAfter: tokensIn(after, bytesPerToken),
  contextTokens,
  isRefused: promptBytes !== undefined,
})
