import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ProviderConfig, ProviderKind } from '../../config/models-config.ts'
import { createDemoModel } from '../demo/demo-model.ts'

export interface AdapterContext {
  provider: ProviderConfig
  id: string
  structuredOutput: boolean
  fetch: typeof globalThis.fetch
  demoDirectives: boolean
}

type Adapter = (context: AdapterContext) => Promise<LanguageModelV4>

/**
 * The AI SDK's adapters by kind of provider, each loaded on first use. Missing values are passed as an empty text or
 * the public address, because adapters would read them from the environment.
 */
const adapters: Record<ProviderKind, Adapter> = {
  openai: async ({ provider, id, fetch }) => {
    const { createOpenAI } = await import('@ai-sdk/openai')
    const baseURL = provider.baseUrl ?? 'https://api.openai.com/v1'
    return createOpenAI({ baseURL, ...keyed(provider), fetch }).responses(id)
  },

  anthropic: async ({ provider, id, fetch }) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const baseURL = provider.baseUrl ?? 'https://api.anthropic.com/v1'
    return createAnthropic({ baseURL, ...keyed(provider), fetch })(id)
  },

  google: async ({ provider, id, fetch }) => {
    const { createGoogle } = await import('@ai-sdk/google')
    const baseURL = provider.baseUrl ?? 'https://generativelanguage.googleapis.com/v1beta'
    return createGoogle({ baseURL, ...keyed(provider), fetch })(id)
  },

  azure: async ({ provider, id, fetch }) => {
    const { createAzure } = await import('@ai-sdk/azure')
    const { baseUrl = '', apiVersion } = provider
    return createAzure({ baseURL: baseUrl, ...(apiVersion && { apiVersion }), ...keyed(provider), fetch }).responses(id)
  },

  'amazon-bedrock': async ({ provider, id, fetch }) => {
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock')
    const { region = '', apiKey = '', accessKeyId = '', secretAccessKey = '', sessionToken, headers } = provider
    const baseURL = provider.baseUrl ?? `https://bedrock-runtime.${region}.${domainOf(region)}`
    const credentials = { apiKey, accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
    return createAmazonBedrock({ region, baseURL, ...credentials, ...(headers && { headers }), fetch })(id)
  },

  mistral: async ({ provider, id, fetch }) => {
    const { createMistral } = await import('@ai-sdk/mistral')
    const baseURL = provider.baseUrl ?? 'https://api.mistral.ai/v1'
    return createMistral({ baseURL, ...keyed(provider), fetch })(id)
  },

  'openai-compatible': async ({ provider, id, structuredOutput, fetch }) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const { baseUrl = '', apiKey, headers } = provider
    return createOpenAICompatible({
      name: 'openai-compatible',
      baseURL: baseUrl,
      ...(apiKey && { apiKey }),
      ...(headers && { headers }),
      includeUsage: true,
      supportsStructuredOutputs: structuredOutput,
      fetch,
    })(id)
  },

  demo: ({ demoDirectives }) => Promise.resolve(createDemoModel({ directives: demoDirectives })),
}

/** Amazon's regions in China and the European sovereign cloud have their own domains. Others need a `baseUrl`. */
function domainOf(region: string): string {
  if (region.startsWith('cn-')) return 'amazonaws.com.cn'
  return region.startsWith('eusc-') ? 'amazonaws.eu' : 'amazonaws.com'
}

const keyed = ({ apiKey = '', headers }: ProviderConfig) => ({ apiKey, ...(headers && { headers }) })

/** The adapter of a model. Always an object, because the AI SDK sends a bare name to its gateway. */
export const loadAdapter = (context: AdapterContext): Promise<LanguageModelV4> =>
  adapters[context.provider.kind](context)
