import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import { BrokenAnswer } from './failures.ts'
import type { StatedUsage } from './stated-usage.ts'

export interface RawAnswer {
  content: LanguageModelV4Content[]
  finishReason: LanguageModelV4FinishReason
  usage: LanguageModelV4Usage | undefined
}

/** Receives text as it arrives. Reading waits for it. */
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
  const answer = new Collection(onWords)
  let failure: unknown
  try {
    for await (const part of stream) {
      stated.note(part)
      if (part.type === 'error') failure ??= part.error
      // A slow listener slows down the reading.
      else await answer.add(part)
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
  readonly #onWords: OnWords | undefined
  #characters = 0
  finishReason: LanguageModelV4FinishReason | undefined
  usage: LanguageModelV4Usage | undefined

  constructor(onWords: OnWords | undefined) {
    this.#onWords = onWords
  }

  add(part: LanguageModelV4StreamPart): void | Promise<void> {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        return this.#begin(part)
      case 'text-delta':
      case 'reasoning-delta':
        return this.#extend(part)
      case 'text-end':
      case 'reasoning-end':
        return this.#note(part.type === 'text-end' ? 'text' : 'reasoning', part)
      case 'tool-call':
        this.#count(part.input)
        this.content.push(part)
        return undefined
      case 'custom':
        this.content.push(part)
        return undefined
      case 'finish':
        this.finishReason = part.finishReason
        this.usage = part.usage
        return undefined
      default:
        return undefined
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

  #extend(part: Extract<LanguageModelV4StreamPart, { type: 'text-delta' | 'reasoning-delta' }>): void | Promise<void> {
    const kind = part.type === 'text-delta' ? 'text' : 'reasoning'
    const block = this.#open.get(`${kind} ${part.id}`)
    if (!block) return undefined
    this.#count(part.delta)
    block.text += part.delta
    this.#note(kind, part)
    return kind === 'text' ? this.#onWords?.(part.delta) : undefined
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
