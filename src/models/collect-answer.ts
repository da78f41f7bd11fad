import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import { BrokenAnswer } from './failures.ts'
import type { StatedUsage } from './stated-usage.ts'
import { together } from './together.ts'

export interface RawAnswer {
  content: LanguageModelV4Content[]
  finishReason: LanguageModelV4FinishReason
  usage: LanguageModelV4Usage | undefined
}

/** Receives text as it arrives, that of several parts at once if they arrive together. Reading waits for it. */
export type OnWords = (text: string) => void | Promise<void>

/** Far above any model's answer. */
const maxCharacters = 8 * 1024 * 1024

type Block = Extract<LanguageModelV4Content, { type: 'text' | 'reasoning' }>

/**
 * Collects a streamed answer, in the order in which its parts began. Fails on an incomplete answer, however the adapter
 * reports it: an error part, a lost connection, or a missing final part.
 *
 * @param stated tracks the usage, even if the answer breaks off
 * @param onWords receives the text as it arrives
 */
export async function collectAnswer(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  stated: StatedUsage,
  onWords?: OnWords,
): Promise<RawAnswer> {
  const answer = new Collection()
  let failure: unknown
  try {
    for await (const parts of together(stream)) {
      let words = ''
      for (const part of parts) {
        stated.note(part)
        if (part.type === 'error') failure ??= part.error
        else words += answer.add(part)
      }
      // A slow listener slows down the reading.
      if (words !== '') await onWords?.(words)
    }
  } catch (error) {
    failure ??= error
  }
  const { finishReason } = answer
  if (failure !== undefined || !finishReason) throw new BrokenAnswer(failure)
  return { content: answer.content, finishReason, usage: answer.usage }
}

class Collection {
  readonly content: LanguageModelV4Content[] = []
  readonly #open = new Map<string, Block>()
  #characters = 0
  finishReason: LanguageModelV4FinishReason | undefined
  usage: LanguageModelV4Usage | undefined

  /** @returns the text that the part adds */
  add(part: LanguageModelV4StreamPart): string {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#begin(part)
        return ''
      case 'text-delta':
        return this.#extend('text', part) ? part.delta : ''
      case 'reasoning-delta':
        this.#extend('reasoning', part)
        return ''
      case 'text-end':
      case 'reasoning-end':
        this.#note(part.type === 'text-end' ? 'text' : 'reasoning', part)
        return ''
      case 'tool-call':
        this.#count(part.input)
        this.content.push(part)
        return ''
      case 'custom':
        this.content.push(part)
        return ''
      case 'finish':
        this.finishReason = part.finishReason
        this.usage = part.usage
        return ''
      default:
        return ''
    }
  }

  #begin({
    type,
    id,
    providerMetadata,
  }: Extract<LanguageModelV4StreamPart, { type: 'text-start' | 'reasoning-start' }>) {
    const kind = type === 'text-start' ? 'text' : 'reasoning'
    const block: Block = { type: kind, text: '', ...(providerMetadata && { providerMetadata }) }
    this.#open.set(`${kind} ${id}`, block)
    this.content.push(block)
  }

  /** @returns false for a block that has not begun */
  #extend(
    kind: Block['type'],
    part: { id: string; delta: string; providerMetadata?: SharedV4ProviderMetadata },
  ): boolean {
    const block = this.#open.get(`${kind} ${part.id}`)
    if (!block) return false
    this.#count(part.delta)
    block.text += part.delta
    this.#note(kind, part)
    return true
  }

  /**
   * Metadata, such as a signature, may come at the beginning, the end or in between. The last of each provider counts.
   */
  #note(kind: Block['type'], { id, providerMetadata }: { id: string; providerMetadata?: SharedV4ProviderMetadata }) {
    const block = this.#open.get(`${kind} ${id}`)
    if (!block || !providerMetadata) return
    const merged = { ...block.providerMetadata }
    for (const [provider, data] of Object.entries(providerMetadata)) merged[provider] = { ...merged[provider], ...data }
    block.providerMetadata = merged
  }

  #count({ length }: string): void {
    this.#characters += length
    if (this.#characters > maxCharacters) throw new Error('the answer exceeds the size limit')
  }
}
