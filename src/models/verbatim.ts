import type { LanguageModelV4Content, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { RequestedCall } from './calls.ts'

/**
 * A part of an answer as it is kept. A call is kept by its id: its name and arguments are on record, and what is sent
 * back is that record.
 */
export type KeptPart =
  | { type: 'text' | 'reasoning'; text: string; metadata?: SharedV4ProviderMetadata }
  | { type: 'custom'; kind: `${string}.${string}`; metadata?: SharedV4ProviderMetadata }
  | { type: 'tool-call'; id: string; metadata?: SharedV4ProviderMetadata }

interface Kept {
  /** Who answered: provider kind and model. */
  by: string
  parts: KeptPart[]
}

/**
 * The parts of an answer as JSON text, with what their provider wants back unchanged (signatures of reasoning,
 * encrypted items, ids). Null if there is nothing of that kind: text and calls are on record anyway.
 *
 * @param calls the calls that were read from the answer, in order; there may be fewer than the answer has
 */
export function keepVerbatim(content: LanguageModelV4Content[], calls: RequestedCall[], by: string): string | null {
  const ids = calls.map(({ id }) => id)
  const parts = content.flatMap((part): KeptPart[] => {
    if (part.type === 'tool-call') {
      const id = ids.shift()
      return id === undefined ? [] : [{ type: 'tool-call', id, ...metadataOf(part) }]
    }
    if (part.type === 'custom') return [{ type: 'custom', kind: part.kind, ...metadataOf(part) }]
    if (part.type !== 'text' && part.type !== 'reasoning') return []
    return part.text === '' && !part.providerMetadata ? [] : [{ type: part.type, text: part.text, ...metadataOf(part) }]
  })
  const isPlain = parts.every(
    (part) => part.metadata === undefined && (part.type === 'text' || part.type === 'tool-call'),
  )
  return isPlain ? null : JSON.stringify({ by, parts } satisfies Kept)
}

const metadataOf = ({ providerMetadata }: { providerMetadata?: SharedV4ProviderMetadata }) =>
  providerMetadata ? { metadata: providerMetadata } : {}

/**
 * The parts of an answer that was kept, for the model that is asked now. Undefined if nothing was kept, or if another
 * model answered: reasoning and ids of one provider are refused by others.
 */
export function keptParts(content: string | null | undefined, by: string): KeptPart[] | undefined {
  if (!content) return undefined
  const kept = JSON.parse(content) as Kept
  return kept.by === by ? kept.parts : undefined
}
