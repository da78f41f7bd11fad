/** Chat Completions as servers write them that are only compatible. */

export const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 }

/** Events of a stream; a text stands for itself. */
export const streamOf = (...chunks: unknown[]): string =>
  chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join('')

/** An event with a piece of a message. */
export const piece = (delta: unknown, word: unknown = null) => ({ choices: [{ index: 0, delta, finish_reason: word }] })

/** An event with pieces of calls. */
export const calling = (...calls: object[]) => piece({ tool_calls: calls })

/** The last events of a stream. */
export const end = (word: unknown = 'stop') => [piece({}, word), { choices: [], usage }, '[DONE]']

/** The same message in one piece and streamed. */
export function both(message: object, choice: object = {}, rest: object = { usage }) {
  const last = { index: 0, finish_reason: 'stop', ...choice }
  return {
    whole: JSON.stringify({ choices: [{ ...last, message }], ...rest }),
    stream: streamOf(piece(message), { choices: [{ ...last, delta: {} }], ...rest }, '[DONE]'),
  }
}

/** The same object in place of an answer, and after the first piece of one. */
export const instead = (value: unknown) => ({
  whole: JSON.stringify(value),
  stream: streamOf(piece({ role: 'assistant', content: '' }), value, '[DONE]'),
})

/** A call of the tool. */
export const call = (args: unknown, more: object = {}) => ({
  id: 'c',
  type: 'function',
  function: { name: 'find', arguments: args },
  ...more,
})
