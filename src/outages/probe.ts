import { isCoded } from '../errors.ts'
import { ModelError } from '../models/failures.ts'
import type { Models } from '../models/models.ts'
import { oneLine } from '../notifications/plain-text.ts'

/** How long a model may take for a one-word answer, in seconds. */
export const probeSeconds = 60

/** The most of a provider's error that is kept, in characters. */
const maxErrorLength = 1000

export interface Failing {
  message: string
  /** The provider's Retry-After, in seconds. */
  retryAfter: number | undefined
  /** The provider's own error, without secrets of the platform. */
  providerSaid: string | null
}

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Answer with the word "yes".' }] }]

/**
 * Sends the model a question that no provider refuses; undefined if it answers. A failure here is not about a prompt.
 * The provider's error may be stored, because the question contains no user data.
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
    const providerSaid = said === undefined ? null : oneLine((await models.hiding([])).text(said), maxErrorLength)
    return { message: error.message, retryAfter: error.retryAfter, providerSaid }
  }
}

const tooSlow = `The AI provider did not respond to a short prompt within ${probeSeconds} seconds.`
