import { isCoded } from '../errors.ts'
import { ModelError } from '../models/failures.ts'
import type { Models } from '../models/models.ts'
import { oneLine } from '../notifications/plain-text.ts'

/** How long a model may take for an answer of one word, in seconds. */
export const probeSeconds = 60

/** The most of a provider's words that is kept, in characters. */
const mostSaid = 1000

/** Why a model answers nobody. */
export interface Failing {
  message: string
  /** Seconds after which the provider wants to be asked again. */
  retryAfter: number | undefined
  /** The provider's own words, without the secrets of the platform. */
  providerSaid: string | null
}

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Answer with the word "yes".' }] }]

/**
 * Asks the model a question that nobody could refuse; undefined if it answers. What fails here is not about a prompt.
 * The words of the provider may be kept, because the question holds nothing of anybody's.
 */
export async function probe(
  models: Pick<Models, 'step' | 'hiding'>,
  model: string,
  stopping: AbortSignal,
): Promise<Failing | undefined> {
  const limit = AbortSignal.timeout(probeSeconds * 1000)
  const signal = AbortSignal.any([stopping, limit])
  try {
    await models.step({ model, prompt, tools: [], cacheKey: 'probe', signal })
    return undefined
  } catch (error) {
    stopping.throwIfAborted()
    if (limit.aborted) return { message: tooSlow, retryAfter: undefined, providerSaid: null }
    if (!isCoded(error, 'MODEL_ERROR')) throw error
    const said = error instanceof ModelError ? error.providerSaid() : undefined
    const providerSaid = said === undefined ? null : oneLine((await models.hiding([])).text(said), mostSaid)
    return { message: error.message, retryAfter: error.retryAfter, providerSaid }
  }
}

const tooSlow = `The AI provider did not respond to a short prompt within ${probeSeconds} seconds.`
