import { setTimeout as sleep } from 'node:timers/promises'
import { APICallError, type LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { answersTo } from '../tool-names.ts'
import type { Move } from './choose-tool.ts'
import type { Action } from './script.ts'

/**
 * Runs one step of a script. Rejects with the signal's reason if aborted, and with an APICallError if the script says
 * so.
 */
export async function followScript(
  actions: Action[],
  tools: LanguageModelV4FunctionTool[],
  signal: AbortSignal | undefined,
): Promise<Move> {
  const move: Move = { texts: [], calls: [] }
  for (const action of actions) {
    if (action.kind === 'sleep') await wait(action.seconds, signal)
    if (action.kind === 'fail') throw providerError(action.status)
    if (action.kind === 'say') move.texts.push(action.text)
    if (action.kind === 'call') move.calls.push({ name: resolve(action.tool, tools), arguments: action.arguments })
  }
  return move
}

/** The timer wraps an abort in its own error; providers report the signal's reason. */
async function wait(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(seconds * 1000, undefined, signal && { signal }).catch((error: unknown) => {
    signal?.throwIfAborted()
    throw error
  })
}

/** Prefers the exact name. An unknown name is called unchanged, so that this case can be tried. */
function resolve(tool: string, tools: LanguageModelV4FunctionTool[]): string {
  const found = tools.find(({ name }) => name === tool) ?? tools.find(({ name }) => answersTo(name, tool))
  return found?.name ?? tool
}

/** As the AI SDK's providers throw it. The AI SDK decides which statuses are retryable. */
const providerError = (statusCode: number): APICallError =>
  new APICallError({
    message: 'A directive made the demo model fail.',
    url: 'demo:',
    requestBodyValues: {},
    statusCode,
    responseHeaders: statusCode === 429 ? { 'retry-after': '1' } : {},
  })
