import { addAbortListener } from 'node:events'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { JSONSchema7, ModelMessage, ToolSet } from 'ai'
import { systemClock, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { startDeadline } from '../safe-fetch/deadline.ts'
import type { Logger } from '../logger.ts'
import { readAnswer, type Answer } from './answer.ts'
import { lateAnswer, modelFailure, unusableAnswer } from './failures.ts'
import { buildPrompt } from './prompt.ts'
import { chooseModel } from './provider.ts'
import { nameTools } from './tool-names.ts'

export interface ModelTool {
  /** Already provider-safe, see nameTools. */
  name: string
  description: string
  inputSchema: object
}

export interface StepRequest {
  instructions: string
  messages: ModelMessage[]
  tools: ModelTool[]
  signal: AbortSignal
}

export interface StepResult extends Answer {
  model: string
  latencyMs: number
}

export type Models = ReturnType<typeof createModels>

/** Calls the configured model, once per step: retries are the caller's decision. */
export function createModels(context: {
  config: Config
  logger: Logger
  clock?: Clock
  /** The configured model unless given. */
  languageModel?: LanguageModelV4
}) {
  const { config, logger, clock = systemClock, languageModel = chooseModel(config) } = context
  // The AI SDK would print them to standard error, outside the structured log.
  globalThis.AI_SDK_LOG_WARNINGS = false
  const seconds = config.models.timeoutSeconds
  const model = languageModel.modelId

  /**
   * One step: one model call, with nothing executed. Throws MODEL_ERROR, with `retryable` as the provider's failure
   * says and `retryAfter` in seconds if it named a time; or the signal's reason if aborted.
   */
  async function step(request: StepRequest): Promise<StepResult> {
    const started = performance.now()
    const deadline = startDeadline(seconds * 1000, [request.signal])
    try {
      const answer = await ask(languageModel, request, deadline.signal)
      const latencyMs = Math.round(performance.now() - started)
      logger.debug({ model, latencyMs, finish: answer.finish, calls: answer.calls.length }, 'the model answered')
      return { model, ...answer, latencyMs }
    } catch (error) {
      request.signal.throwIfAborted()
      const failure = deadline.stopped() === 'timeout' ? lateAnswer(seconds) : modelFailure(error, clock.now())
      const { retryable, retryAfter, privateDetail } = failure
      logger.warn({ model, retryable, retryAfter, privateDetail }, 'the model call failed')
      throw failure
    } finally {
      deadline.clear()
    }
  }

  return { step, buildPrompt, nameTools }
}

/** Loaded only to call a model: it is a tenth of all the code that an API process would load. */
const aiSdk = () => import('ai')

/**
 * Uses generateText for the prompt, but reads the answer before generateText does: that would turn the second of two
 * calls with one id into a copy of the first, and would parse arguments, where the record keeps their text.
 */
async function ask(languageModel: LanguageModelV4, request: StepRequest, signal: AbortSignal): Promise<Answer> {
  const { generateText, wrapLanguageModel } = await aiSdk()
  let answer: Answer | undefined
  const model = wrapLanguageModel({
    model: languageModel,
    middleware: {
      specificationVersion: 'v4',
      wrapGenerate: async ({ doGenerate }) => {
        const result = await doGenerate()
        answer = readAnswer(result, request)
        return { ...result, content: answer.text === '' ? [] : [{ type: 'text', text: answer.text }] }
      },
    },
  })
  const { instructions, messages } = request
  const options = { maxRetries: 0, abortSignal: signal, telemetry: { isEnabled: false } }
  await unlessAborted(
    signal,
    generateText({ model, instructions, messages, tools: await toolSet(request.tools), ...options }),
  )
  if (!answer) throw unusableAnswer('did not come')
  return answer
}

/** Without `execute`, so nothing runs. Providers require an object schema, which sites may omit. */
async function toolSet(tools: ModelTool[]): Promise<ToolSet> {
  const { jsonSchema, tool } = await aiSdk()
  const entries = tools.map(({ name, description, inputSchema }) => {
    const schema: JSONSchema7 = { type: 'object', properties: {}, ...inputSchema }
    return [name, tool({ description, inputSchema: jsonSchema(schema) })]
  })
  return Object.fromEntries(entries) as ToolSet
}

/** Does not wait for a provider that ignores the signal: a cancelled run has seconds to end. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const listening = addAbortListener(signal, () => aborted.reject(signal.reason))
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    listening[Symbol.dispose]()
  }
}
