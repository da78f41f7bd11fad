import type { Hiding } from '../hiding/hiding.ts'
import { names, spanNames } from '../tracing/names.ts'
import { inSpan, keepContents } from '../tracing/span.ts'
import type { Entry, StepRequest, StepResult } from './step-request.ts'

/** Asks a model in a span. */
export function tracedStep(
  { model, provider }: Pick<Entry, 'model' | 'provider'>,
  request: StepRequest,
  hidingOf: () => Promise<Hiding>,
  ask: () => Promise<StepResult>,
): Promise<StepResult> {
  const attributes = {
    [names.operation]: 'chat',
    [names.provider]: provider.name,
    [names.model]: model.name,
  }
  return inSpan({ name: spanNames.chat(model.name), kind: 'client', attributes }, async (span) => {
    const result = await ask()
    span.set({
      [names.inputTokens]: result.inputTokens,
      [names.outputTokens]: result.outputTokens,
      [names.cachedTokens]: result.cachedTokens,
      [names.finishReasons]: [result.finish],
    })
    await keepContents(async () => contentsOf(request, result, await hidingOf()))
    return result
  })
}

/** The latest messages say what an answer is about. */
const mostMessages = 8
/** The most characters that are kept of a message, and read of it: a secret that is cut there is not in what is kept. */
const mostCharacters = 1500
const mostRead = 64 * 1024

function contentsOf({ prompt }: StepRequest, { text, calls }: StepResult, hiding: Hiding) {
  const shown = (given: string) => hiding.text(hiding.json(given.slice(0, mostRead))).slice(0, mostCharacters)
  const messages = prompt.slice(-mostMessages).map(({ role, content }) => ({
    role,
    parts: [{ type: 'text', content: shown(typeof content === 'string' ? content : JSON.stringify(content)) }],
  }))
  const asked = calls.slice(0, mostMessages).map(({ id, name, arguments: args }) => {
    return { type: 'tool_call', id, name, arguments: shown(args) }
  })
  const answer = [{ role: 'assistant', parts: [{ type: 'text', content: shown(text) }, ...asked] }]
  return { [names.inputMessages]: JSON.stringify(messages), [names.outputMessages]: JSON.stringify(answer) }
}
