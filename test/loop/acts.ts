import { events, type Act } from '../models/failing-provider.ts'
import { chat, framed } from '../models/wire.ts'

/* What models do in the scenes. */

/** The model says this. */
export const says = (text: string, finish?: string): Act => events(chat.all(text, finish))

/** The model says that it looks, and asks for calls; arguments that are no object are sent as they are. */
export const asks =
  (...calls: [tool: string, given: object | string][]): Act =>
  (response, request) => {
    const { messages } = request.body as { messages: unknown[] }
    const asked = calls.map(([name, given], index) => ({
      id: `call_${messages.length}_${index + 1}`,
      name,
      arguments: typeof given === 'string' ? given : JSON.stringify(given),
    }))
    return events([...chat.begin('Let me look.'), ...chat.asking(asked)])(response, request)
  }

/** The model says the first words, and the rest once the gate opens. */
export const saysLate =
  (first: string, gate: Promise<void>, rest: string): Act =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of chat.begin(first)) response.write(framed(event))
    await gate
    for (const event of chat.all(rest)) response.write(framed(event))
    response.end()
  }

const isSummary = ({ body }: { body: Record<string, unknown> }): boolean =>
  JSON.stringify((body['messages'] as unknown[])[0]).includes('Write a summary of')

/** Reads so many pages, one a step, and writes the summaries that it is asked for. Counts a token for four bytes. */
export function readsPages(pages: number): Act {
  let [read, summaries] = [0, 0]
  return (response, request) => {
    const answer = (text: string, page?: number) => {
      const reading = { id: `call_${page}`, name: 'read_page', arguments: `{"page":${page}}` }
      const end = page === undefined ? chat.end() : [...chat.calls([reading]), ...chat.end('tool_calls')]
      const tokens = Math.ceil(Buffer.byteLength(JSON.stringify(request.body)) / 4)
      return events([...chat.begin(text), ...end, ...chat.usage(tokens), ...chat.done()])(response, request)
    }
    if (isSummary(request)) return answer(`SUMMARY ${(summaries += 1)}`)
    return read < pages ? answer('I read on.', (read += 1)) : answer('All is read.')
  }
}
