import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'

interface Answer {
  content: LanguageModelV4Content[]
  finishReason: LanguageModelV4FinishReason
  usage: LanguageModelV4Usage
}

/** An answer as the parts of a stream: the text word by word, then the calls. */
export function* streamParts({ content, finishReason, usage }: Answer): Generator<LanguageModelV4StreamPart> {
  yield { type: 'stream-start', warnings: [] }
  for (const part of content) {
    if (part.type === 'text') yield* textParts(part.text)
    if (part.type === 'tool-call') yield part
  }
  yield { type: 'finish', finishReason, usage }
}

function* textParts(text: string): Generator<LanguageModelV4StreamPart> {
  yield { type: 'text-start', id: 'text' }
  for (const delta of text.match(/\S+\s*|\s+/g) ?? []) yield { type: 'text-delta', id: 'text', delta }
  yield { type: 'text-end', id: 'text' }
}

/** Estimates four characters per token, as in English text. */
export function usageOf(
  { prompt, tools = [] }: LanguageModelV4CallOptions,
  content: LanguageModelV4Content[],
): LanguageModelV4Usage {
  const input = Math.ceil(JSON.stringify([prompt, tools]).length / 4)
  const output = Math.ceil(JSON.stringify(content).length / 4)
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  }
}
