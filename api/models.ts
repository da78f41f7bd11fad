import * as v from 'valibot'
import { route } from './route/route.ts'
import { field, named, whole } from './schemas/documented.ts'
import { listOf } from './schemas/schemas.ts'

const usd = (meaning: string, example: number) => field(v.number(), `${meaning}, in USD per million tokens`, example)

const price = named(
  'ModelPrice',
  v.object({
    source: named(
      'PriceSource',
      v.picklist(['configured', 'genai-prices']),
      'configured: set by the operator · genai-prices: from the bundled price list',
      'genai-prices',
    ),
    input: usd('Price of input tokens', 1.25),
    output: usd('Price of output tokens', 10),
    cacheRead: usd('Price of input tokens read from the cache', 0.125),
    cacheWrite: usd('Price of input tokens written to the cache', 1.25),
  }),
  'Price of a model',
)

const model = named(
  'Model',
  v.object({
    name: field(v.string(), 'Name to use in agents and sessions', 'gpt-5-mini'),
    provider: field(v.string(), "The model's provider", 'openai'),
    isDefault: field(v.boolean(), 'Whether agents without a `model` use this model'),
    contextTokens: field(whole, 'Size of the context window, in tokens', 400_000),
    maxOutputTokens: field(
      v.nullable(whole),
      'Maximum number of tokens in an answer. Null if the provider decides.',
      null,
    ),
    price: field(
      v.nullable(price),
      'Price, or null if it is unknown. In that case, one credit pays for 10,000 tokens, and each output token counts as four.',
    ),
    streams: field(v.boolean(), 'Whether the model streams its answers'),
    structuredOutput: field(v.boolean(), 'Whether the provider itself enforces an output schema'),
  }),
  'AI model that agents can use',
)

export const listModels = route({
  name: 'listModels',
  tag: 'models',
  access: 'account',
  method: 'get',
  path: '/models',
  summary: 'List AI models',
  description:
    'Lists the models that agents can use, in the order of the configuration. See [Models](/docs/how-to/models).',
  status: 200,
  response: listOf(model),
  handle: async ({ services }) => ({ items: await services.models.list() }),
})
