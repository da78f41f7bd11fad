import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { ModelConfig, ProviderConfig } from '../config/models-config.ts'
import type { Hiding } from '../hiding/hiding.ts'
import type { Places } from '../shares/places.ts'
import type { Answer } from './answer.ts'
import type { OnWords } from './collect-answer.ts'
import type { ModelTool } from './offer/model-tool.ts'
import type { Reader } from './prompt.ts'
import type { Usage } from './usage.ts'

export interface StepRequest {
  model: string
  prompt: LanguageModelV4Prompt
  tools: ModelTool[]
  /** Requests with the same key have the same beginning, so a provider may cache them together. */
  cacheKey: string
  outputSchema?: object | undefined
  signal: AbortSignal
  /** Masks secrets in tools, answer and live text, see `Models.hiding`. By default, only the providers' secrets. */
  hiding?: Hiding | undefined
  /** The fairness key in the threads that mask long texts; by default the cache key. */
  party?: string | undefined
  onWords?: OnWords | undefined
  /** Called if the signal aborts the call, with the usage so far if known. */
  onGivenUp?: ((usage: Usage | undefined) => void) | undefined
}

export interface StepResult extends Answer {
  model: string
  latencyMs: number
  /** The names of the tools that the provider refused and that were omitted; absent if there are none. */
  refusedTools?: string[]
}

export interface Entry {
  model: ModelConfig
  provider: ProviderConfig
  reader: Reader
  places: Places
  adapter: () => Promise<LanguageModelV4>
}
