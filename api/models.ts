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
      "Who says so: the platform's operator, or the bundled list",
      'genai-prices',
    ),
    input: usd('Of tokens that the model reads', 1.25),
    output: usd('Of tokens that the model writes', 10),
    cacheRead: usd('Of tokens that the provider has in its cache', 0.125),
    cacheWrite: usd('Of tokens that the provider puts into its cache', 1.25),
  }),
  'The price of a model',
)

const model = named(
  'Model',
  v.object({
    name: field(v.string(), 'What agents choose it by', 'gpt-5-mini'),
    provider: field(v.string(), 'Who offers it', 'openai'),
    isDefault: field(v.boolean(), 'Whether agents that choose no model have this one'),
    contextTokens: field(whole, 'How many tokens it can work with at a time', 400_000),
    maxOutputTokens: field(
      v.nullable(whole),
      'How many tokens an answer has at most; null if the provider decides',
      null,
    ),
    price: field(
      v.nullable(price),
      'Null if it is not known: then a credit is 10,000 tokens, of which one that the model writes counts four times',
    ),
    streams: field(v.boolean(), 'Whether its words are seen as they come'),
    structuredOutput: field(v.boolean(), 'Whether the provider itself makes answers fit a schema'),
  }),
  'An AI model that agents may choose',
)

export const listModels = route({
  name: 'listModels',
  tag: 'models',
  access: 'account',
  method: 'get',
  path: '/models',
  summary: 'List the AI models that agents may choose',
  description: 'In the order in which the platform is configured.',
  status: 200,
  response: listOf(model),
  handle: async ({ services }) => ({ items: await services.models.list() }),
})
