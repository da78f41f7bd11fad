import { setImmediate } from 'node:timers/promises'
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import type { Hiding } from '../hiding/hiding.ts'
import { hidingOf } from '../hiding/hiding-cache.ts'
import type { Logger } from '../logger.ts'
import { readAnswer, type Answer } from './answer.ts'
import { askModel } from './ask-model.ts'
import { markForCaching } from './caching.ts'
import { withCallIds } from './call-ids.ts'
import type { RawAnswer } from './collect-answer.ts'
import { hidePartialText } from './hide-partial-text.ts'
import type { createHideLong } from './hide-long.ts'
import { sentTool, type ModelTool } from './offer/model-tool.ts'
import { siteNamesIn, type PropertyNames } from './offer/property-names.ts'
import { requestOptions } from './request-options.ts'
import { askWithoutRefused } from './refusals/ask-without-refused.ts'
import type { createRefusedTools } from './refusals/refused-tools.ts'
import { quotesPrompt } from './refusals/quotes-prompt.ts'
import { loggedMessage } from './refusals/provider-error.ts'
import { withReasoning } from './returned-reasoning.ts'
import type { StatedUsage } from './stated-usage.ts'
import type { Entry, StepRequest, StepResult } from './step-request.ts'
import { answerWithoutThoughts, wordsWithoutThoughts } from './thoughts.ts'
import { visible } from './visible-text.ts'

interface Sent {
  name: string
  given: ModelTool
  tool: LanguageModelV4FunctionTool
  names: PropertyNames
}

export function createAnswering(context: {
  logger: Logger
  ownSecrets: readonly string[]
  hideLong: ReturnType<typeof createHideLong>
  refusedTools: ReturnType<typeof createRefusedTools>
}) {
  const { logger, ownSecrets, hideLong, refusedTools } = context

  /** The provider's reason for a rejection, for the operator, without secrets and without the prompt. */
  async function wordsOf(error: unknown, { hiding, prompt }: StepRequest): Promise<string | undefined> {
    const words = loggedMessage(error)
    return words === undefined || quotesPrompt(words, prompt)
      ? undefined
      : visible((hiding ?? (await hidingOf(ownSecrets))).text(words))
  }

  async function answerOf(
    entry: Entry,
    request: StepRequest,
    stated: StatedUsage,
  ): Promise<Answer & Pick<StepResult, 'refusedTools'>> {
    const { model, reader } = entry
    const { hiding = await hidingOf(ownSecrets), onWords, party = request.cacheKey } = request
    const outputSchema = await hideLong.value(request.outputSchema, hiding, party)
    const hidden = onWords && hidePartialText(onWords, hiding)
    const { reasoningTag: tag } = model
    const words = hidden && tag !== undefined ? wordsWithoutThoughts(tag, hidden.add) : hidden
    let hasBegun = false
    const listening = words && {
      onWords: (text: string) => {
        hasBegun = true
        return words.add(text)
      },
    }
    const {
      answer: raw,
      refused,
      beyond,
      most,
    } = await askWithoutRefused(await sentTools(entry, request, hiding, party), {
      ask: async (tools) => {
        const options = optionsFor(entry, { ...request, outputSchema }, tools)
        return {
          ...(await askModel(await entry.adapter(), options, { stream: model.stream ?? true, stated, ...listening })),
          tools,
        }
      },
      hasBegun: () => hasBegun,
      onRefused: async (tools, error) => {
        const names = tools.map(({ name }) => name)
        logger.warn(
          { model: model.name, tools: names, said: await wordsOf(error, { ...request, hiding }) },
          refusedMessage,
        )
      },
    })
    for (const { given } of refused) refusedTools.note(model.name, party, given)
    if (most !== undefined) refusedTools.noteMost(model.name, party, most)
    const without = [...refused, ...beyond].map(({ name }) => name)
    await words?.end()
    if (words !== hidden) await hidden?.end()
    const withoutThoughts = tag === undefined ? raw : answerWithoutThoughts(raw, tag)
    const read = await hideLong.answer(withSiteNames(withoutThoughts, raw.tools), hiding, party)
    const asked = {
      by: reader.by,
      prompt: request.prompt,
      tools: raw.tools.map(({ tool }) => tool),
      estimates: model.estimateUsage ?? false,
    }
    return {
      ...readAnswer(read, asked),
      ...(without.length > 0 && { refusedTools: without }),
    }
  }

  async function sentTools(entry: Entry, request: StepRequest, hiding: Hiding, party: string): Promise<Sent[]> {
    const fitted: Sent[] = []
    for (const [index, given] of request.tools.entries()) {
      // The tools of many sites together would block the event loop.
      if (index % toolsInTurn === toolsInTurn - 1) await setImmediate()
      fitted.push({ name: given.name, given, ...sentTool(given, entry.provider.kind) })
    }
    const tools = await hideLong.value(
      fitted.map(({ tool }) => tool),
      hiding,
      party,
    )
    return fitted.map((one, index) => ({ ...one, tool: tools[index] ?? one.tool }))
  }

  function optionsFor({ model, provider }: Entry, { cacheKey, outputSchema, ...request }: StepRequest, sent: Sent[]) {
    const tools = sent.map(({ tool }) => tool)
    const marked = markForCaching({ kind: provider.kind, id: model.id }, request.prompt, tools)
    const prompt = withCallIds(provider.kind, marked.prompt)
    return {
      tools: marked.tools,
      prompt: model.returnsReasoning ? withReasoning(prompt) : prompt,
      abortSignal: request.signal,
      ...(model.maxOutputTokens !== undefined && { maxOutputTokens: model.maxOutputTokens }),
      ...requestOptions({ model, provider, cacheKey, outputSchema, hasTools: tools.length > 0 }),
    }
  }

  return { answerOf, wordsOf }
}

const toolsInTurn = 10

const refusedMessage = 'the provider rejected tools; continuing without them'

const withSiteNames = (answer: RawAnswer, tools: Sent[]): RawAnswer => ({
  ...answer,
  content: answer.content.map((part) => {
    const names = part.type === 'tool-call' ? tools.find(({ name }) => name === part.toolName)?.names : undefined
    return names && part.type === 'tool-call' ? { ...part, input: siteNamesIn(part.input, names) } : part
  }),
})
