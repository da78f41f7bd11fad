/** The AI providers that adapters exist for, and the built-in model. */
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

/** An AI provider. The secrets are values, not names of variables: nothing but the provider's adapter reads them. */
export interface ProviderConfig {
  name: string
  kind: ProviderKind
  baseUrl?: string | undefined
  apiKey?: string | undefined
  /** Azure. */
  apiVersion?: string | undefined
  /** Amazon Bedrock. */
  region?: string | undefined
  accessKeyId?: string | undefined
  secretAccessKey?: string | undefined
  sessionToken?: string | undefined
  headers?: Record<string, string> | undefined
  /** Requests that one worker may have under way. */
  concurrency: number
}

/** In USD per million tokens. What is not given for the cache costs as much as other input. */
export interface Price {
  input: number
  output: number
  cacheRead?: number | undefined
  cacheWrite?: number | undefined
}

/** A model as agents choose it by its name. */
export interface ModelConfig {
  name: string
  /** The provider's name for it. */
  id: string
  provider: string
  /** The size of its context window, in tokens; taken from the bundled list of models if absent. */
  contextTokens?: number | undefined
  maxOutputTokens?: number | undefined
  /** Overrides the bundled price list. */
  price?: Price | undefined
  /** Whether answers are streamed; true unless given. */
  stream?: boolean | undefined
  /** Whether usage that its provider does not state is estimated by lengths; otherwise such an answer is an error. */
  estimateUsage?: boolean | undefined
  /**
   * Whether it is asked for JSON of a schema in the provider's own way, besides in words; depends on the kind unless
   * given.
   */
  structuredOutput?: boolean | undefined
  /** Whether its server wants reasoning back with every message that has calls, and be it empty. */
  returnsReasoning?: boolean | undefined
  /** The tag between which it writes thoughts among its words. */
  reasoningTag?: string | undefined
  /** Options of the provider's adapter, passed on as they are. */
  options?: Record<string, unknown> | undefined
}

export interface ModelsConfig {
  /** The name of the model of agents that choose none. */
  default: string
  providers: ProviderConfig[]
  models: ModelConfig[]
}

/** What there is if nothing is configured: the model that needs no key. */
export const demoModels: ModelsConfig = {
  default: 'demo',
  providers: [{ name: 'demo', kind: 'demo', concurrency: 10_000 }],
  models: [{ name: 'demo', id: 'demo', provider: 'demo', contextTokens: 1_000_000 }],
}

/** The settings of the shortest way to a model: an OpenAI key, or any server that speaks OpenAI's Chat Completions. */
interface Shortest {
  model: string
  apiKey: string | undefined
  baseUrl: string | undefined
}

/** The demo model stays beside it. */
export function openAiModels({ model, apiKey, baseUrl }: Shortest): ModelsConfig {
  const kind = baseUrl === undefined ? ('openai' as const) : ('openai-compatible' as const)
  return {
    default: model,
    providers: [{ name: 'openai', kind, apiKey, baseUrl, concurrency: 100 }, ...demoModels.providers],
    models: [{ name: model, id: model, provider: 'openai' }, ...demoModels.models],
  }
}
