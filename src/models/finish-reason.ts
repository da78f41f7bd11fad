import type { LanguageModelV4FinishReason } from '@ai-sdk/provider'

export type Finish = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other'

/** `broken`: the answer is incomplete. */
export type AnswerEnd = Finish | 'broken'

/** Patterns for providers' words, such as `model_length`, `MAX_TOKENS`, `SAFETY` and `abort`. */
const words: [pattern: RegExp, end: AnswerEnd][] = [
  [/length|max_.*tokens|token_limit|context_window|truncat|incomplete/, 'length'],
  [
    /content_?filter|safety|refus|sensitive|recitation|blocklist|prohibited|blocked|guardrail|policy|spii/,
    'content-filter',
  ],
  [/error|abort|cancel|interrupt|insufficient|fail|time_?out|unavailable/, 'broken'],
  [/^(stop|stopped|stop_sequence|eos|eos_token|end|end_turn|done|complete|completed|finished?)$/, 'stop'],
  [/^(tool|function)_?(calls?|use)$/, 'tool-calls'],
]

/**
 * Why an answer ended. Adapters know the standard words of their providers and report others as `other`, so the word
 * itself decides. An unknown one stays `other`.
 */
export function answerEndOf({ unified, raw }: LanguageModelV4FinishReason): AnswerEnd {
  if (unified === 'error' || unified === 'interrupted') return 'broken'
  // Adapters start with `other`. It remains if the provider gave no reason.
  if (unified === 'other' && raw === undefined) return 'broken'
  if (unified !== 'other') return unified
  const word = (raw ?? '')
    .slice(0, 100)
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '_')
  return words.find(([pattern]) => pattern.test(word))?.[1] ?? 'other'
}
