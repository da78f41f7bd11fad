import type { LanguageModelV4 } from '@ai-sdk/provider'
import { databaseClock, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { ModelConfig, ProviderConfig } from '../config/models-config.ts'
import { startDeadline } from '../safe-fetch/deadline.ts'
import type * as inThread from '../in-thread.ts'
import type { Logger } from '../logger.ts'
import type { Threads } from '../threads/threads.ts'
import { hidingOf } from '../hiding/hiding-cache.ts'
import type { Hiding } from '../hiding/hiding.ts'
import { createPlaces, type Places } from '../shares/places.ts'
import { createCommon } from '../shares/shares.ts'
import { createAnswering } from './answering.ts'
import { startMeasuring, type CallMetrics } from './measure-call.ts'
import { createHideLong } from './hide-long.ts'
import { errorCodesIn } from './error-codes.ts'
import { lateAnswer, modelFailure, noSuchModel, type ModelError } from './failures.ts'
import { costOf, factsOf, type Cost } from './prices.ts'
import { bytesOf } from './prompt-size.ts'
import type { Reader } from './prompt.ts'
import { createStatedUsage } from './stated-usage.ts'
import { isAskedForSchemas } from './structured-output.ts'
import { loadAdapter, type AdapterContext } from './providers/adapters.ts'
import { secretsOf } from './provider-secrets.ts'
import { createProviderFetch } from './providers/provider-fetch.ts'
import { offerTools, type OfferableTool, type ToolOffer } from './offer/offer.ts'
import { createNarrowedWindows } from './refusals/narrowed-windows.ts'
import { createRefusedTools } from './refusals/refused-tools.ts'
import { isTooLong, PromptTooLong } from './refusals/prompt-too-long.ts'
import type { Entry, StepRequest, StepResult } from './step-request.ts'
import type { Usage } from './usage.ts'
import { windowOf, type Window } from './context-window.ts'

export interface ModelFacts {
  name: string
  provider: string
  isDefault: boolean
  contextTokens: number
  maxOutputTokens: number | null
  price: Cost['price'] | null
  streams: boolean
  structuredOutput: boolean
}

const usualContextTokens = 128_000

/** How long a model call waits in this process for a slot at its provider, before Temporal schedules it again. */
const patienceMs = 5000

/** The most waiting calls: more than a worker makes, since each also holds a slot of its owner in the worker. */
const room = 1000

/**
 * Providers that accept a call's arguments as text, so long numbers survive. The other adapters require objects. Azure
 * accepts text too, but its adapter uses an older one that would quote it again.
 */
const withTextArguments = new Set<string>(['openai', 'openai-compatible', 'mistral'])

export type Models = ReturnType<typeof createModels>

/** The configured models. Each is called once per step; retries are the caller's decision. */
export function createModels(context: {
  config: Pick<Config, 'models'>
  logger: Logger
  /** Counts calls, if anybody does. */
  metrics?: CallMetrics
  clock?: Clock
  /** For long texts. Without them, everything runs in this thread. */
  threads?: Pick<Threads<typeof inThread>, 'run'>
  /** Replaced by tests without a server. */
  load?: (context: AdapterContext) => Promise<LanguageModelV4>
}) {
  const { config, logger, metrics, clock = databaseClock, threads, load = loadAdapter } = context
  const { timeoutSeconds: seconds, demoDirectives } = config.models
  const network = createProviderFetch()
  const ownSecrets = secretsOf(config.models.providers)
  const hideLong = createHideLong({ threads })
  const entries = createEntries()
  const windows = new Map<string, Promise<Window>>()
  const narrowed = createNarrowedWindows()
  const refusedTools = createRefusedTools()
  const { answerOf, wordsOf } = createAnswering({ logger, ownSecrets, hideLong, refusedTools })

  function createEntries(): Map<string, Entry> {
    const places = new Map(config.models.providers.map((one) => [one.name, placesOf(one)]))
    return new Map(
      config.models.models.map((model) => {
        const provider = config.models.providers.find(({ name }) => name === model.provider)
        const shared = places.get(model.provider)
        if (!provider || !shared) throw new Error(`the model ${model.name} has no provider`)
        return [
          model.name,
          { model, provider, places: shared, reader: readerOf(model, provider), adapter: loader(model, provider) },
        ]
      }),
    )
  }

  function loader(model: ModelConfig, provider: ProviderConfig): Entry['adapter'] {
    const { id } = model
    let loading: Promise<LanguageModelV4> | undefined
    return async () => {
      const fetch = network.fetchAs({ kind: provider.kind, stream: model.stream ?? true })
      loading ??= load({ provider, id, structuredOutput: isAskedForSchemas(model, provider), fetch, demoDirectives })
      return loading.catch((error: unknown) => {
        loading = undefined
        throw error
      })
    }
  }

  function entryOf(name: string): Entry {
    const entry = entries.get(name)
    if (!entry) throw noSuchModel(name)
    return entry
  }

  /**
   * One step: one model call, without executing anything. Throws MODEL_ERROR with the provider's `retryable`,
   * `retryAfter` in seconds and usage if stated, PromptTooLong (then `window` becomes narrower for this run or chat),
   * or the signal's reason.
   */
  async function step(request: StepRequest): Promise<StepResult> {
    const entry = entryOf(request.model)
    const [model, provider, started] = [entry.model.name, entry.provider.name, performance.now()]
    const measured = startMeasuring(metrics, { provider, model })
    const deadline = startDeadline(seconds * 1000, [request.signal])
    const stated = createStatedUsage()
    try {
      const answer = await answerOf(
        entry,
        { ...request, onWords: measured.heard(request.onWords), signal: deadline.signal },
        stated,
      )
      const latencyMs = Math.round(performance.now() - started)
      measured.end('answered')
      logger.debug({ model, latencyMs, finish: answer.finish, calls: answer.calls.length }, 'model answered')
      return { model, ...answer, latencyMs }
    } catch (error) {
      measured.end(request.signal.aborted ? 'given_up' : 'failed')
      if (request.signal.aborted) {
        request.onGivenUp?.(stated.soFar(() => bytesOf(request.prompt)))
        throw request.signal.reason
      }
      const failure = deadline.stopped() === 'timeout' ? lateAnswer(seconds) : failureOf(error, request)
      failure.usage ??= stated.usage()
      const { retryable, retryAfter, privateDetail } = failure
      const said = (await wordsOf(error, request)) ?? errorCodesIn(failure.providerSaid())
      logger.warn({ model, provider, retryable, retryAfter, privateDetail, said }, 'model call failed')
      throw failure
    } finally {
      deadline.clear()
    }
  }

  function failureOf(error: unknown, { model, prompt, tools, cacheKey }: StepRequest): ModelError {
    if (!isTooLong(error)) return modelFailure(error, clock.now())
    const failure = new PromptTooLong(model, error)
    narrowed.note(model, cacheKey, Math.floor((bytesOf(prompt) + bytesOf(tools)) * failure.part))
    return failure
  }

  async function describe({ model, provider }: Entry): Promise<ModelFacts> {
    const { price, contextTokens = usualContextTokens } = await factsOf({ model, provider }, clock.now())
    return {
      name: model.name,
      provider: provider.name,
      isDefault: model.name === config.models.default,
      contextTokens,
      maxOutputTokens: model.maxOutputTokens ?? null,
      price: price ?? null,
      streams: model.stream ?? true,
      structuredOutput: isAskedForSchemas(model, provider),
    }
  }

  /** Looked up once, because the bundled list of models is long. */
  function windowFor(name: string): Promise<Window> {
    const known = windows.get(name)
    if (known) return known
    const found = readWindow(entryOf(name))
    windows.set(name, found)
    found.catch(() => windows.delete(name))
    return found
  }

  async function readWindow({ model, provider }: Entry): Promise<Window> {
    const contextTokens = model.contextTokens ?? (await factsOf({ model, provider }, clock.now())).contextTokens
    return windowOf(contextTokens ?? usualContextTokens, model.maxOutputTokens ?? null)
  }

  /** Preloads the parts that the first call would wait for. Failures are retried then. */
  async function warmUp(): Promise<void> {
    const real = [...entries.values()].filter((one) => one.provider.kind !== 'demo')
    const loaded = await Promise.allSettled(real.flatMap((entry) => [entry.adapter(), describe(entry)]))
    for (const one of loaded) {
      if (one.status === 'rejected') logger.warn({ err: one.reason }, 'failed to preload a model')
    }
  }

  return {
    step,
    warmUp,
    defaultModel: config.models.default,
    has: (name: string): boolean => entries.has(name),
    /** MODEL_ERROR if no such model is configured. */
    facts: (name: string): Promise<ModelFacts> => describe(entryOf(name)),
    list: (): Promise<ModelFacts[]> => Promise.all([...entries.values()].map(describe)),

    /**
     * The tools that an owner's model may be offered, each with a unique name. MODEL_ERROR if the model is not
     * configured.
     */
    offer: <Tool extends OfferableTool>(name: string, owner: string, tools: Tool[]): ToolOffer<Tool> =>
      offerTools(tools, entryOf(name).provider.kind, {
        isRefused: (tool) => refusedTools.has(name, owner, tool),
        mostTools: refusedTools.mostFor(name, owner),
      }),

    secrets: ownSecrets,
    /** A matcher for these secrets and the platform's own at its providers. */
    hiding: (secrets: readonly string[]): Promise<Hiding> => hidingOf([...ownSecrets, ...secrets]),

    /** How the model is shown a prompt. MODEL_ERROR if no such model is configured. */
    reader: (name: string): Reader => entryOf(name).reader,

    /**
     * The model's context window; narrower if the provider refused a prompt of this key as too long. MODEL_ERROR if no
     * such model is configured.
     */
    window: async (name: string, cacheKey: string): Promise<Window> =>
      narrowed.of(await windowFor(name), name, cacheKey),

    costOf: async (name: string, usage: Usage): Promise<Cost | undefined> => costOf(entryOf(name), usage, clock.now()),

    /** Runs the work in a slot of the model's provider, in equal shares per owner. NoPlaceError if none is free. */
    inPlace: <T>(name: string, party: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
      const entry = entries.get(name)
      return entry ? entry.places.use(party, signal, work) : work()
    },

    close: (): Promise<void> => network.close(),
  }
}

const placesOf = ({ concurrency, name }: ProviderConfig): Places =>
  createPlaces({ shares: createCommon(concurrency), room, patienceMs, of: name })

const readerOf = ({ id }: ModelConfig, { kind, name }: ProviderConfig): Reader => ({
  by: `${kind} ${name} ${id}`,
  textArguments: withTextArguments.has(kind),
})

export type { StepRequest, StepResult }
