import { addAbortListener } from 'node:events'
import { APICallError, type LanguageModelV4, type LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { collectAnswer, type OnWords, type RawAnswer } from './collect-answer.ts'
import { causesOf, ModelError } from './failures.ts'
import type { StatedUsage } from './stated-usage.ts'

interface Listening {
  stream: boolean
  /** Tracks the answer's usage, as far as the stream states it. */
  stated: StatedUsage
  onWords?: OnWords | undefined
}

/**
 * Asks a model once, through the interface of the AI SDK's adapters. The SDK's own `streamText` is not used: it would
 * replace the second of two calls with the same id by the first, parse arguments where the record keeps their text, and
 * hide how an answer broke off.
 */
export async function askModel(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions & { abortSignal: AbortSignal },
  { stream, stated, onWords }: Listening,
): Promise<RawAnswer> {
  return unlessAborted(options.abortSignal, async () => {
    try {
      if (!stream) return await model.doGenerate(options)
      const streamed = await model.doStream({ ...options, includeRawChunks: true })
      return await collectAnswer(streamed.stream, stated, onWords)
    } catch (error) {
      // Some adapters fail on an answer before they return it.
      for (const body of bodiesOf(error)) stated.noteBody(body)
      throw error
    }
  })
}

/** The part of the answer in an error or its causes. */
const bodiesOf = (error: unknown): string[] =>
  error instanceof Error
    ? [error, ...causesOf(error)].flatMap((one) => {
        if (one instanceof ModelError) return [one.providerSaid() ?? '']
        return APICallError.isInstance(one) ? [one.responseBody ?? ''] : []
      })
    : []

/** Does not wait for a provider that ignores the signal, because a cancelled run has seconds to end. */
async function unlessAborted<T>(signal: AbortSignal, begin: () => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const listening = addAbortListener(signal, () => aborted.reject(signal.reason))
  try {
    return await Promise.race([begin(), aborted.promise])
  } finally {
    listening[Symbol.dispose]()
  }
}
