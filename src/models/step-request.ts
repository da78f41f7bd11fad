import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { ModelConfig, ProviderConfig } from '../config/models-config.ts'
import type { Hiding } from '../hiding/hiding.ts'
import type { Places } from '../shares/places.ts'
import type { Answer } from './answer.ts'
import type { OnWords } from './collect.ts'
import type { ModelTool } from './offer/model-tool.ts'
import type { Reader } from './prompt.ts'
import type { Usage } from './usage.ts'

export interface StepRequest {
  /** The name of a configured model. */
  model: string
  prompt: LanguageModelV4Prompt
  tools: ModelTool[]
  /** Requests of one key begin alike, so a provider may keep them in one cache. */
  cacheKey: string
  outputSchema?: object | undefined
  signal: AbortSignal
  /** Takes secrets out of tools, answer and words, see `Models.hiding`; without it, those of the providers alone. */
  hiding?: Hiding | undefined
  /** Whose turn it is in the threads, where long texts are looked through; unless given, that of the key. */
  party?: string | undefined
  /** Is called with the text of the answer as it comes. */
  onWords?: OnWords | undefined
  /** Is called if the signal aborts the call, with what it has used by then as far as that is known. */
  onGivenUp?: ((usage: Usage | undefined) => void) | undefined
}

export interface StepResult extends Answer {
  model: string
  latencyMs: number
  /** The names of the tools that the provider has refused, and that were left out for it; absent if there are none. */
  refusedTools?: string[]
}

/** A configured model, its provider, and how to get at it. */
export interface Entry {
  model: ModelConfig
  provider: ProviderConfig
  reader: Reader
  places: Places
  adapter: () => Promise<LanguageModelV4>
}
