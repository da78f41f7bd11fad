import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { Failure } from './client.ts'
import type { Person } from './people.ts'

/** An event as a browser's EventSource would dispatch it (HTML, 9.2.6). */
export interface Received {
  id: string
  event: string
  data: unknown
  /** When it arrived, in milliseconds. */
  at: number
}

export interface WatchOptions {
  after?: string
  lastEventId?: string
  /** For clients that cannot set headers. */
  lastEventIdInQuery?: string
  method?: string
  accept?: string
  /** Does not read until `resume` is called. */
  paused?: boolean
  /** Called immediately for every recorded event. */
  onEvent?: (event: Received) => void
}

/** A stream with its own connection, so that closing it affects nothing else. */
export interface Watch {
  status: number
  headers: IncomingHttpHeaders
  events: Received[]
  /** The text pieces of models. `id` is that of the event before them. */
  words: Received[]
  comments: number
  /** The id that an EventSource would send when it reconnects. */
  lastEventId: () => string
  /** How it ended: properly, or cut off. */
  ended: Promise<'ended' | 'cut off'>
  /** The body of a response that is not a stream. */
  text: () => string
  failure: () => Failure
  cut: () => void
  resume: () => void
}

/** Opens the stream of a run's events; fails if it cannot connect. */
export async function watch(someone: Pick<Person, 'url' | 'token'>, runId: string, options: WatchOptions = {}) {
  const { after, lastEventIdInQuery: lastEventId } = options
  const query = new URLSearchParams({
    ...(after !== undefined && { after }),
    ...(lastEventId !== undefined && { lastEventId }),
  })
  const headers: Record<string, string> = {
    accept: options.accept ?? 'text/event-stream',
    authorization: `Bearer ${someone.token}`,
    ...(options.lastEventId !== undefined && { 'last-event-id': options.lastEventId }),
  }
  const agent = new Agent({ keepAlive: false })
  const method = options.method ?? 'GET'
  const asked = request(`${someone.url}/runs/${runId}/events?${query.toString()}`, { headers, agent, method })
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve).once('error', reject).end()
  })
  asked.on('error', () => undefined)
  return follow(answer, options)
}

function follow(answer: IncomingMessage, { lastEventId = '', paused = false, onEvent }: WatchOptions): Watch {
  const events: Received[] = []
  const words: Received[] = []
  const read = createParser(lastEventId, (event) => {
    const isOfRecord = event.event !== 'words'
    const list = isOfRecord ? events : words
    list.push(event)
    if (isOfRecord) onEvent?.(event)
  })
  const texts: string[] = []
  const isStream = answer.headers['content-type'] === 'text/event-stream'
  answer.setEncoding('utf8').on('data', (text: string) => (isStream ? read.feed(text) : texts.push(text)))
  if (paused) answer.pause()
  const ended = new Promise<'ended' | 'cut off'>((resolve) => {
    answer.on('error', () => undefined)
    answer.once('end', () => resolve('ended')).once('close', () => resolve('cut off'))
  })
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    events,
    words,
    get comments() {
      return read.comments()
    },
    lastEventId: read.lastEventId,
    ended,
    text: () => texts.join(''),
    failure: () => JSON.parse(texts.join('')) as Failure,
    // Resets the connection, the harshest way to close it.
    cut: () => void answer.socket.resetAndDestroy(),
    resume: () => void answer.resume(),
  }
}

/** Parses the lines of a stream. An event without an empty line after it was cut off and does not count. */
function createParser(lastEventId: string, dispatch: (event: Received) => void) {
  let rest: string[] = []
  let id = lastEventId
  let fields: Partial<Record<string, string>> = {}
  let comments = 0

  function line(text: string): void {
    if (text === '') return end()
    if (text.startsWith(':')) return void (comments += 1)
    const colon = text.indexOf(': ')
    fields[text.slice(0, colon)] = text.slice(colon + 2)
  }

  function end(): void {
    const { id: own, event = 'message', data } = fields
    fields = {}
    id = own ?? id
    if (data !== undefined) dispatch({ id, event, data: JSON.parse(data) as unknown, at: Date.now() })
  }

  return {
    feed(text: string): void {
      if (!text.includes('\n')) return void rest.push(text)
      const lines = (rest.join('') + text).split('\n')
      rest = [lines.pop() ?? '']
      lines.forEach(line)
    },
    comments: () => comments,
    lastEventId: () => id,
  }
}
