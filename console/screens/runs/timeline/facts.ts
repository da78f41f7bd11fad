import type { Api } from '../../../api/client.ts'
import { costInWords, countInWords } from '../../../parts/format.ts'

export interface Fact {
  name: string
  value: unknown
  /** Whether it may be long: it is shown as code, cut, with a download. */
  isBody: boolean
}

type Data = Record<string, unknown>

const bodies: Record<string, string> = {
  payload: 'Payload',
  headers: 'Headers',
  systemPrompt: 'Prompt',
  text: 'Answer',
  output: 'Output',
  arguments: 'Arguments',
  result: 'Result',
}

const lines: Record<string, string> = {
  remark: 'Correction sent to the model',
  note: 'Note',
  message: 'Message',
  idempotencyKey: 'Idempotency key',
  effect: 'Effect',
  siteStatus: 'HTTP status',
  model: 'Model',
}

/** What events say in full, each member once: the last event knows best. */
export function factsOf(events: readonly Api['RunEvent'][]): Fact[] {
  const data = Object.assign({}, ...events.map((event) => event.data as Data)) as Data
  const named = (names: Record<string, string>, isBody: boolean): Fact[] =>
    Object.entries(names)
      .filter(([key]) => data[key] !== undefined && data[key] !== null && data[key] !== '')
      .map(([key, name]) => ({ name, value: data[key], isBody }))
  return [...named(bodies, true), ...usageIn(data), ...named(lines, false)]
}

function usageIn({ inputTokens, outputTokens, cachedTokens, credits, costUsd }: Data): Fact[] {
  if (typeof inputTokens !== 'number') return []
  const parts = [
    `${countInWords(inputTokens, 'token')} read (${countInWords(Number(cachedTokens ?? 0), 'token')} of them cached)`,
    `${countInWords(Number(outputTokens ?? 0), 'token')} written`,
    countInWords(Number(credits ?? 0), 'credit'),
    costInWords(typeof costUsd === 'number' ? costUsd : null),
  ]
  return [{ name: 'Usage', value: parts.join(' · '), isBody: false }]
}
