const chunk = (part: object): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench-model', ...part })}\n\n`

/** A piece of an answer, as Chat Completions servers stream it. */
export const piece = (content: string): string =>
  chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })

/** The end of an answer, with its token counts. */
export const ending = (input: number, output: number): string => {
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
  const stop = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  return `${stop}${chunk({ choices: [], usage })}data: [DONE]\n\n`
}
