import type { LanguageModelV4Content, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { RequestedCall } from './requested-calls.ts'

/**
 * A stored part of an answer. A call is stored by id: its name and arguments are on record, and that record is sent
 * back.
 */
export type KeptPart =
  | { type: 'text' | 'reasoning'; text: string; metadata?: SharedV4ProviderMetadata }
  | { type: 'custom'; kind: `${string}.${string}`; metadata?: SharedV4ProviderMetadata }
  | { type: 'tool-call'; id: string; metadata?: SharedV4ProviderMetadata }

interface Kept {
  by: string
  parts: KeptPart[]
}

/**
 * The parts of an answer as JSON text, with content that their provider needs back unchanged (signatures of reasoning,
 * encrypted items, ids). Null without such content, because text and calls are recorded separately.
 *
 * @param calls the calls read from the answer, in order; the answer may have more
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
 * The stored parts for the current model. Undefined if nothing was stored, or if another model answered, because
 * providers refuse each other's reasoning and ids.
 */
export function keptParts(content: string | null | undefined, by: string): KeptPart[] | undefined {
  if (!content) return undefined
  const kept = JSON.parse(content) as Kept
  return kept.by === by ? kept.parts : undefined
}
