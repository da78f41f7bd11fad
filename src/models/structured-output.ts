import { isObject } from '../json.ts'
import type { LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { ModelConfig, ProviderConfig, ProviderKind } from '../config/models-config.ts'
import { innerSchemas, usedKeywords, type SchemaObject } from '../sites/schema/schema-keywords.ts'

/**
 * Requests structured output with the provider's own parameter. The prompt asks for the same, and every answer is
 * checked, so this only helps. It is omitted wherever it could do harm.
 */

interface Wanted {
  id: string
  schema: SchemaObject
  hasTools: boolean
}

interface Way {
  isUsual?: boolean
  /** Whether the provider accepts such a schema, with tools beside it. */
  takes: (wanted: Wanted) => boolean
  options?: SharedV4ProviderOptions[string]
}

/** Not strict: a strict schema must be closed and complete, and any other is rejected with the whole request. */
const responses: Way = {
  isUsual: true,
  takes: ({ schema }) => isObjectSchema(schema) && schemasIn(schema).every((inner) => !('propertyNames' in inner)),
  options: { strictJsonSchema: false },
}

/**
 * The adapters have a fallback for unsupported schemas: a tool named `json`, which the model is forced to call. It is
 * never used, because the model could no longer choose between tools and an answer.
 */
const ways: Partial<Record<ProviderKind, Way>> = {
  openai: responses,
  azure: responses,
  // Older models refuse it.
  anthropic: { takes: ({ schema }) => isKeptByClaude(schema), options: { structuredOutputMode: 'outputFormat' } },
  'amazon-bedrock': {
    takes: ({ id, schema }) => id.includes('anthropic') && isKeptByClaude(schema),
    options: { structuredOutputMode: 'outputFormat' },
  },
  // Before Gemini 3 a JSON format and tools exclude each other, and the adapter takes the tool named `json`.
  google: { takes: ({ id, hasTools }) => !hasTools || /(?:^|[/.])gemini-(?:[3-9]|\d\d)/i.test(id) },
  // "Cannot use json_schema response type with tools" (agno-agi/agno#2501).
  mistral: { takes: ({ hasTools }) => !hasTools },
  // With a format, vLLM and Ollama never call a tool (vllm-project/vllm#39929, ollama/ollama#8095); Groq refuses both.
  'openai-compatible': { takes: ({ hasTools }) => !hasTools, options: { strictJsonSchema: false } },
}

/** Whether the provider's own parameter asks the model for structured output. */
export const isAskedForSchemas = (model: ModelConfig, { kind }: ProviderConfig): boolean =>
  kind in ways && (model.structuredOutput ?? ways[kind]?.isUsual ?? false)

/** The parameters that ask for an answer that matches the schema; none if the prompt alone asks for it. */
export function structuredOutputOf(request: {
  model: ModelConfig
  provider: ProviderConfig
  outputSchema: object | undefined
  hasTools: boolean
}): { options?: SharedV4ProviderOptions[string]; responseFormat?: LanguageModelV4CallOptions['responseFormat'] } {
  const { model, provider, outputSchema: schema, hasTools } = request
  const way = ways[provider.kind]
  if (!way || !isObject(schema) || !isAskedForSchemas(model, provider)) return {}
  if (!way.takes({ id: model.id, schema, hasTools })) return {}
  const { options = {} } = way
  return { options, responseFormat: { type: 'json', schema, name: 'answer' } }
}

const isObjectSchema = ({ type }: SchemaObject): boolean => type === 'object'

/** The schema and all objects among those inside it. */
function schemasIn(schema: SchemaObject): SchemaObject[] {
  const inner = [...usedKeywords(schema)].flatMap(([keyword, value]) => [...innerSchemas(keyword, value, '')])
  return [schema, ...inner.flatMap(([one]) => (isObject(one) ? schemasIn(one) : []))]
}

/** With more, the grammar of an answer becomes so large that it is refused (the adapter counts the same way). */
const maxOptional = 10

/**
 * Whether Claude, which forbids unnamed members in every object, could still give every valid answer. Closed parts of
 * an `allOf` would exclude each other.
 */
function isKeptByClaude(schema: SchemaObject): boolean {
  const all = schemasIn(schema)
  const optional = all.flatMap(({ properties, required }) => {
    const needed = new Set<unknown>(Array.isArray(required) ? required : [])
    return isObject(properties) ? Object.keys(properties).filter((name) => !needed.has(name)) : []
  })
  return isObjectSchema(schema) && optional.length <= maxOptional && all.every(isClosed)
}

function isClosed({ type, properties, additionalProperties = false, ...rest }: SchemaObject): boolean {
  const isNamed = properties !== undefined || ![type].flat().includes('object')
  const constants: unknown[] = [rest['const'], ...(Array.isArray(rest['enum']) ? rest['enum'] : [])]
  return (
    isNamed &&
    additionalProperties === false &&
    !('patternProperties' in rest || 'allOf' in rest) &&
    constants.every((value) => typeof value !== 'object' || value === null)
  )
}
