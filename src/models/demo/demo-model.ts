import {
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4FunctionTool,
  type LanguageModelV4ToolCall,
} from '@ai-sdk/provider'
import { readConversation, type Conversation } from './conversation.ts'
import { fittingValue } from './fitting-value.ts'
import { followScript } from './follow-script.ts'
import { report } from './report.ts'
import { chooseTool, type Move } from './choose-tool.ts'
import { readScript, type Script } from './script.ts'
import { streamParts, usageOf } from './stream-parts.ts'

const introduction = 'This is the demo model: it follows fixed rules and understands nothing.'

/**
 * The built-in model, which needs no key and is deterministic. It calls the tools whose inputs it can fill (see
 * chooseTool), one per step, and then reports. With `directives` it follows a script in the instructions or the last
 * chat message (see readScript). If its final answer must match a schema, it answers with JSON only.
 */
export function createDemoModel({ directives }: { directives: boolean }): LanguageModelV4 {
  const scriptOf = ({ instructions, words, isChat }: Conversation): Script =>
    directives ? readScript(isChat ? words : instructions) : { steps: [], unreadable: [] }

  /** Rejects with the signal's reason if aborted, and with an APICallError if the script says so. */
  async function answer(options: LanguageModelV4CallOptions) {
    options.abortSignal?.throwIfAborted()
    const conversation = readConversation(options.prompt)
    const tools = offered(options)
    const { steps, unreadable } = scriptOf(conversation)
    const move =
      steps.length > 0
        ? await followScript(steps[conversation.turns] ?? [], tools, options.abortSignal)
        : chooseTool(conversation, tools)
    const opening = conversation.turns === 0 ? [introduction, ...unreadable.map(complaint)] : []
    const content = contentOf(opening, move, options, conversation)
    const unified = move.calls.length > 0 ? ('tool-calls' as const) : ('stop' as const)
    return { content, finishReason: { unified, raw: unified }, usage: usageOf(options, content) }
  }

  return {
    specificationVersion: 'v4',
    provider: 'demo',
    modelId: 'demo',
    supportedUrls: {},
    doGenerate: async (options) => ({ ...(await answer(options)), warnings: [] }),
    doStream: async (options) => ({ stream: ReadableStream.from(streamParts(await answer(options))) }),
  }
}

function offered({ tools = [], toolChoice }: LanguageModelV4CallOptions): LanguageModelV4FunctionTool[] {
  return toolChoice?.type === 'none' ? [] : tools.filter((tool) => tool.type === 'function')
}

/** Call ids contain the position in the conversation, so they are unique. */
function contentOf(opening: string[], move: Move, options: LanguageModelV4CallOptions, conversation: Conversation) {
  const position = options.prompt.length + 2 * conversation.leftOut
  const calls = move.calls.map(({ name, arguments: input }, index): LanguageModelV4ToolCall => ({
    type: 'tool-call',
    toolCallId: `demo_${position}_${index}`,
    toolName: name,
    input,
  }))
  const closing = `Calling ${calls.map(({ toolName }) => toolName).join(', ')}.`
  const words = report(conversation, offered(options).length)
  const text =
    calls.length > 0 ? [...opening, ...move.texts, closing].join(' ') : lastText(opening, move, conversation, words)
  return [{ type: 'text', text }, ...calls] satisfies LanguageModelV4Content[]
}

function lastText(opening: string[], { texts }: Move, { outputSchema }: Conversation, words: string): string {
  if (outputSchema === undefined) return [...opening, ...texts, words].join(' ')
  return texts.length > 0 ? texts.join(' ') : JSON.stringify(fittingValue(outputSchema, words))
}

const complaint = (directive: string): string => `I cannot read the directive ${JSON.stringify(directive)}.`
