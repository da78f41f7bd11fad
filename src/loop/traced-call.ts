import type { CallOutcome } from '../tools/call-outcome.ts'
import type { Sent } from '../tools/sender.ts'
import type { Sending } from '../tools/sending.ts'
import { names, spanNames } from '../tracing/names.ts'
import { inSpan } from '../tracing/span.ts'

interface Made {
  sent: Sent
}

/** Makes an attempt of a tool call, or asks what became of one, in a span. */
export function tracedCall<M extends Made>(sending: Sending, make: () => Promise<M>): Promise<M> {
  const attributes = {
    [names.operation]: 'execute_tool',
    [names.toolName]: sending.tool,
    [names.toolCallId]: sending.callId,
    [names.entryId]: sending.entryId,
    [names.ownerId]: sending.ownerId,
  }
  return inSpan({ name: spanNames.tool(sending.tool), attributes }, async (span) => {
    const made = await make()
    const outcome = outcomeOf(made.sent)
    const kind = outcome?.kind ?? made.sent.kind
    span.set({ [names.outcome]: kind })
    if (!successes.has(kind)) span.fail(kind)
    return made
  })
}

const successes = new Set(['succeeded', 'asks', 'accepted', 'held', 'dropped'])

const outcomeOf = (sent: Sent): CallOutcome | undefined => ('outcome' in sent ? sent.outcome : undefined)
