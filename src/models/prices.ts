import type { PriceCalculation } from '@pydantic/genai-prices'
import type { ModelConfig, Price, ProviderConfig, ProviderKind } from '../config/models-config.ts'
import type { Usage } from './usage.ts'

/** The price of a model call, in USD per million tokens, and its source. */
export interface UsedPrice {
  source: 'configured' | 'genai-prices'
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
}

/** The cost of a model call, in billionths of a USD. */
export interface Cost {
  nanoUsd: number
  price: UsedPrice
}

export interface Priced {
  model: ModelConfig
  provider: ProviderConfig
}

/** The providers of the bundled price list, by kind. Others are found by address. */
const listedAs: Partial<Record<ProviderKind, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google',
  azure: 'azure',
  'amazon-bedrock': 'aws',
  mistral: 'mistral',
}

/** Loaded only to price a call, because its data are a megabyte. */
const priceList = () => import('@pydantic/genai-prices')

/** The cost of a call with this usage; undefined if the price is unknown. Prices can depend on the date. */
export async function costOf(priced: Priced, usage: Usage, at: Date): Promise<Cost | undefined> {
  const price = ownPrice(priced) ?? (await listed(priced, usage.inputTokens, at))
  if (!price) return undefined
  const { inputTokens, cachedTokens, cacheWriteTokens, outputTokens } = usage
  const fresh = inputTokens - cachedTokens - cacheWriteTokens
  const usdPerMillion =
    fresh * price.input +
    cachedTokens * price.cacheRead +
    cacheWriteTokens * price.cacheWrite +
    outputTokens * price.output
  return { nanoUsd: Math.round(usdPerMillion * 1000), price }
}

/** The price of a short call, and the context window. Unknown values are undefined. */
export async function factsOf(priced: Priced, at: Date): Promise<{ price?: UsedPrice; contextTokens?: number }> {
  const found = await find(priced, at)
  const price = ownPrice(priced) ?? (found && pricesOf(found, 0))
  const contextTokens = priced.model.contextTokens ?? found?.model.context_window
  return { ...(price && { price }), ...(contextTokens !== undefined && { contextTokens }) }
}

/** The price without the list. The demo model is free. */
function ownPrice({ model: { price }, provider: { kind } }: Priced): UsedPrice | undefined {
  if (price) return configured(price)
  return kind === 'demo' ? configured({ input: 0, output: 0 }) : undefined
}

const configured = ({ input, output, cacheRead = input, cacheWrite = input }: Price): UsedPrice => ({
  source: 'configured',
  input,
  output,
  cacheRead,
  cacheWrite,
})

async function listed(priced: Priced, inputTokens: number, at: Date): Promise<UsedPrice | undefined> {
  const found = await find(priced, at)
  return found && pricesOf(found, inputTokens)
}

/** Any server may speak OpenAI's protocol under any model's name, so only its address identifies the price list. */
async function find({ model, provider }: Priced, at: Date): Promise<PriceCalculation | undefined> {
  const { calcPrice, findProvider } = await priceList()
  const providerId =
    listedAs[provider.kind] ?? (provider.baseUrl && findProvider({ providerApiUrl: provider.baseUrl })?.id)
  if (!providerId) return undefined
  return calcPrice({ input_tokens: 1, output_tokens: 1 }, model.id, { providerId, timestamp: at }) ?? undefined
}

/** Some models charge more above a number of input tokens, for all of the call's tokens. */
function pricesOf({ model_price: prices }: PriceCalculation, inputTokens: number): UsedPrice | undefined {
  const at = (key: string): number | undefined => {
    const price = prices[key]
    if (price === undefined || typeof price === 'number') return price
    return price.tiers.findLast(({ start }) => inputTokens > start)?.price ?? price.base
  }
  const input = at('input_mtok')
  const output = at('output_mtok')
  if (input === undefined || output === undefined) return undefined
  const cacheRead = at('cache_read_mtok') ?? input
  return { source: 'genai-prices', input, output, cacheRead, cacheWrite: at('cache_write_mtok') ?? input }
}
