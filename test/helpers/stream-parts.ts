import type { LanguageModelV4GenerateResult, LanguageModelV4StreamPart } from '@ai-sdk/provider'

/** An answer as stream parts, split as the adapters of the AI SDK do. */
export function streamParts({ content, finishReason, usage }: LanguageModelV4GenerateResult) {
  const parts = content.flatMap((part, index): LanguageModelV4StreamPart[] => {
    if (part.type !== 'text' && part.type !== 'reasoning') return [part]
    const id = String(index)
    const metadata = part.providerMetadata ? { providerMetadata: part.providerMetadata } : {}
    return [
      { type: `${part.type}-start`, id },
      ...[part.text.slice(0, 3), part.text.slice(3)].map((delta) => ({
        type: `${part.type}-delta` as const,
        id,
        delta,
      })),
      { type: `${part.type}-end`, id, ...metadata },
    ]
  })
  return ReadableStream.from<LanguageModelV4StreamPart>([
    { type: 'stream-start', warnings: [] },
    ...parts,
    { type: 'finish', finishReason, usage },
  ])
}
