import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { ModelConfig, ProviderConfig, ProviderKind } from '../config/models-config.ts'
import { structuredOutputOf } from './structured-output.ts'

type Options = SharedV4ProviderOptions[string]

/** The name under which an adapter reads its own options. */
const namespaces: Record<ProviderKind, string> = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google',
  azure: 'azure',
  'amazon-bedrock': 'bedrock',
  mistral: 'mistral',
  'openai-compatible': 'openaiCompatible',
  demo: 'demo',
}

/** Stores nothing at the provider: the record is ours, and an answer's items are returned whole. */
const responses = (cacheKey: string): Options => ({ store: false, promptCacheKey: cacheKey })

const ownOptions: Partial<Record<ProviderKind, (cacheKey: string) => Options>> = {
  openai: responses,
  azure: responses,
}

/** The options of a request besides its prompt and tools. Those of MODELS_FILE override ours. */
export function requestOptions(request: {
  model: ModelConfig
  provider: ProviderConfig
  cacheKey: string
  outputSchema: object | undefined
  hasTools: boolean
}): Pick<LanguageModelV4CallOptions, 'providerOptions' | 'responseFormat'> {
  const { model, provider, cacheKey } = request
  const { responseFormat, options: formatOptions } = structuredOutputOf(request)
  const own = { ...ownOptions[provider.kind]?.(cacheKey), ...formatOptions }
  const options = { ...own, ...(model.options as Options | undefined) }
  return {
    ...(Object.keys(options).length > 0 && { providerOptions: { [namespaces[provider.kind]]: options } }),
    ...(responseFormat && { responseFormat }),
  }
}
