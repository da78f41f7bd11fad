import type { LanguageModelV4FinishReason } from '@ai-sdk/provider'

export type Finish = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'other'

/** An end that is none: the answer is a part of one. */
export type End = Finish | 'broken'

/** The words of providers by what they have in common. `model_length`, `MAX_TOKENS`; `SAFETY`; `abort`. */
const words: [pattern: RegExp, end: End][] = [
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
 * Why an answer has ended. Adapters know the standard words of their providers; of others they say `other`, and the
 * word itself tells more. One that is not known stays `other`.
 */
export function endOf({ unified, raw }: LanguageModelV4FinishReason): End {
  if (unified === 'error' || unified === 'interrupted') return 'broken'
  // Adapters begin with `other`; it is still there if the provider has given no reason.
  if (unified === 'other' && raw === undefined) return 'broken'
  if (unified !== 'other') return unified
  const word = (raw ?? '')
    .slice(0, 100)
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '_')
  return words.find(([pattern]) => pattern.test(word))?.[1] ?? 'other'
}
