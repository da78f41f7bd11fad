import { setImmediate } from 'node:timers/promises'

/**
 * The data of server-sent events (HTML, 9.2), each as soon as its event ends. The last one needs no end. Some servers
 * write `error:` instead of an error event: its text counts as data. Runs in linear time, however the text is split.
 */
export async function* dataOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let data: string[] = []
  for await (const line of linesOf(texts)) {
    if (line === '') {
      if (data.length > 0) yield data.join('\n')
      data = []
    } else {
      const [, value] = /^(?:data|error): ?(.*)$/s.exec(line) ?? []
      if (value !== undefined) data.push(value)
    }
  }
  if (data.length > 0) yield data.join('\n')
}

export const eventOf = (data: string): string =>
  `${data
    .split('\n')
    .map((line) => `data: ${line}`)
    .join('\n')}\n\n`

/** Lines between two turns of the event loop, because many empty ones may come at the same time. */
const linesInTurn = 500

/** Lines end with CR, LF or both. */
async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let pieces: string[] = []
  let count = 0
  let endsWithReturn = false
  for await (const text of texts) {
    const lines = (endsWithReturn && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|\r|\n/)
    if (text !== '') endsWithReturn = text.endsWith('\r')
    for (const line of lines.slice(0, -1)) {
      yield pieces.join('') + line
      pieces = []
      if ((count += 1) % linesInTurn === 0) await setImmediate()
    }
    const rest = lines.at(-1) as string
    if (rest !== '') pieces.push(rest)
  }
  if (pieces.length > 0) yield pieces.join('')
}
