import { canaryModel } from '../owners/system-owner.ts'

/** The AI providers with an adapter, and the built-in model. */
export const providerKinds = [
  'openai',
  'anthropic',
  'google',
  'azure',
  'amazon-bedrock',
  'mistral',
  'openai-compatible',
  'demo',
] as const
export type ProviderKind = (typeof providerKinds)[number]

/** An AI provider. The secrets are values, not names of variables. Only the provider's adapter reads them. */
export interface ProviderConfig {
  name: string
  kind: ProviderKind
  baseUrl?: string | undefined
  apiKey?: string | undefined
  /** For Azure. */
  apiVersion?: string | undefined
  /** For Amazon Bedrock. */
  region?: string | undefined
  accessKeyId?: string | undefined
  secretAccessKey?: string | undefined
  sessionToken?: string | undefined
  headers?: Record<string, string> | undefined
  /** The most concurrent requests of one worker. */
  concurrency: number
}

/** A price in USD per million tokens. Cache prices default to the price of other input. */
export interface Price {
  input: number
  output: number
  cacheRead?: number | undefined
  cacheWrite?: number | undefined
}

export interface ModelConfig {
  name: string
  id: string
  provider: string
  /** The size of its context window in tokens; by default from the bundled list of models. */
  contextTokens?: number | undefined
  maxOutputTokens?: number | undefined
  price?: Price | undefined
  /** Whether answers are streamed; true by default. */
  stream?: boolean | undefined
  /** Whether usage is estimated by lengths if the provider does not state it. Otherwise such an answer is an error. */
  estimateUsage?: boolean | undefined
  /**
   * Whether the provider's own parameter requests JSON that matches a schema, besides the prompt. The default depends
   * on the kind.
   */
  structuredOutput?: boolean | undefined
  /** Whether its server requires reasoning with every message that has calls, even if empty. */
  returnsReasoning?: boolean | undefined
  /** The tag that encloses its thoughts in the text. */
  reasoningTag?: string | undefined
  /** Options passed unchanged to the provider's adapter. */
  options?: Record<string, unknown> | undefined
}

export interface ModelsConfig {
  default: string
  providers: ProviderConfig[]
  models: ModelConfig[]
}

/** The models without any configuration: the one that needs no key. */
export const demoModels: ModelsConfig = {
  default: 'demo',
  providers: [{ name: 'demo', kind: 'demo', concurrency: 10_000 }],
  models: [{ name: 'demo', id: 'demo', provider: 'demo', contextTokens: 1_000_000 }],
}

/** The model of the platform's own deliveries. It always exists, and nobody else can choose it. */
export const canaryModels: Pick<ModelsConfig, 'providers' | 'models'> = {
  providers: [{ name: canaryModel, kind: 'demo', concurrency: 10 }],
  models: [{ name: canaryModel, id: 'demo', provider: canaryModel, contextTokens: 1_000_000 }],
}

/** The shortest configuration: an OpenAI key, or any server that speaks OpenAI's Chat Completions. */
interface Shortest {
  model: string
  apiKey: string | undefined
  baseUrl: string | undefined
}

export function openAiModels({ model, apiKey, baseUrl }: Shortest): ModelsConfig {
  const kind = baseUrl === undefined ? ('openai' as const) : ('openai-compatible' as const)
  return {
    default: model,
    providers: [{ name: 'openai', kind, apiKey, baseUrl, concurrency: 100 }, ...demoModels.providers],
    models: [{ name: model, id: model, provider: 'openai' }, ...demoModels.models],
  }
}
