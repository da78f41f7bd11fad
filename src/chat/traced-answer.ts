import { names, spanNames } from '../tracing/names.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { ChatAnswer } from './chat-answer.ts'

/**
 * Writes an answer in a span below the request that asked for it. An answer that another process takes up, or that goes
 * on after an approval, begins a trace of its own there if no request asks for it.
 */
export const tracedAnswer = (
  tracing: Tracing,
  { id, sessionId, ownerId, model }: ChatAnswer,
  write: () => Promise<ChatAnswer>,
): Promise<ChatAnswer> => {
  const attributes = {
    [names.operation]: 'invoke_agent',
    [names.conversationId]: sessionId,
    [names.answerId]: id,
    [names.ownerId]: ownerId,
    [names.model]: model,
  }
  return tracing.inSpan({ name: spanNames.answer, attributes }, async (span) => {
    const answer = await write()
    span.set({
      [names.inputTokens]: answer.inputTokens,
      [names.outputTokens]: answer.outputTokens,
      [names.cachedTokens]: answer.cachedTokens,
      [names.steps]: answer.steps,
      [names.toolCalls]: answer.toolCalls,
      [names.credits]: answer.credits,
      [names.outcome]: answer.status,
    })
    if (answer.errorCode) span.fail(answer.errorCode)
    return answer
  })
}
