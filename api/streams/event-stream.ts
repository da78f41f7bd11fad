import type { ServerResponse } from 'node:http'
import type { Context } from 'koa'
import type { Allowances } from '../../src/billing/allowances.ts'
import type { Config } from '../../src/config/config.ts'
import { CodedError, errorBody } from '../../src/errors.ts'
import { writeJson } from '../../src/json-text.ts'
import type { Logger } from '../../src/logger.ts'
import type { Caller } from '../../src/users/caller.ts'
import { noteFailure } from '../failures.ts'
import type { OpenStreams } from './open-streams.ts'
import type { StreamItem, StreamPage } from '../route/route.ts'
import { createPacedWriter, type PacedWriter } from './paced-writer.ts'

/** The dependencies of one stream, and the state that all streams of the process share. */
interface Streaming {
  config: Pick<Config, 'streams'>
  logger: Logger
  streams: OpenStreams
  allowances: Allowances
  caller: Pick<Caller, 'userId' | 'allowance'> | undefined
  /** Streams of one key are checked together. */
  key: string
  open: (signal: AbortSignal) => Promise<AsyncIterable<StreamPage> | undefined>
  /** The text of a page; see `createFormat`. */
  format: (page: StreamPage) => Buffer
  /** Throws if the caller may no longer read the stream. */
  admit: () => Promise<void>
}

/**
 * Sends server-sent events (HTML, 9.2), and returns when the last was sent or the client has disconnected. Fails only
 * before the stream starts. If no more events will come, the status is 204: an EventSource reconnects when a stream
 * ends, and 204 stops it (HTML, 9.2.1; anything but 200 "fails the connection", 9.2.3).
 */
export async function sendEventStream(ctx: Context, streaming: Streaming): Promise<void> {
  if (ctx.method === 'HEAD') return begin(ctx)
  const ending = new AbortController()
  const end = (cause?: CodedError) => ending.abort(cause)
  const { userId: party = ctx.ip, allowance = streaming.allowances.of({}) } = streaming.caller ?? {}
  const { key } = streaming
  const leave = streaming.streams.enter({ key, party, allowance, admit: streaming.admit, end })
  try {
    const pages = await streaming.open(ending.signal)
    if (pages) await transmit(ctx, pages, ending, streaming)
    else ctx.status = 204
  } finally {
    leave()
  }
}

function begin(ctx: Context): void {
  ctx.status = 200
  // nginx, and proxies that follow it, do not buffer a response with this header.
  // A proxy that compresses would hold events back until it has enough (RFC 9111, 5.2.2.6).
  ctx.set({
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
  })
}

async function transmit(
  ctx: Context,
  pages: AsyncIterable<StreamPage>,
  ending: AbortController,
  streaming: Streaming,
): Promise<void> {
  const { res } = ctx
  const { stallSeconds, keepAliveSeconds } = streaming.config.streams
  res.once('close', () => ending.abort())
  // The client may have disconnected while its request was checked.
  if (res.closed) ending.abort()
  // Writing to a client that has just disconnected is not a failure; 'close' reports the end of the stream.
  res.on('error', () => undefined)
  ctx.respond = false
  begin(ctx)
  res.write(`retry: ${retryMs()}\n\n`)
  const writer = createPacedWriter(res, ending.signal, stallSeconds * 1000, () =>
    streaming.logger.info('closed a stream because its reader stopped reading'),
  )
  const beat = setInterval(writer.beat, keepAliveSeconds * 1000)
  const failure = await pump(pages, writer, streaming.format).catch((error: unknown) =>
    noteFailure(streaming.logger, error, 'a stream failed'),
  )
  clearInterval(beat)
  await finish(res, writer, ending.signal, stallSeconds * 1000, noted(ctx, failure ?? refusal(ending.signal)))
}

/** One to three seconds, so that the readers of a process that ended reconnect at different times. */
const retryMs = (): number => Math.round(1000 + Math.random() * 2000)

async function pump(
  pages: AsyncIterable<StreamPage>,
  writer: PacedWriter,
  format: Streaming['format'],
): Promise<undefined> {
  for await (const page of pages) if (!(await writer.send(format(page)))) return
}

const refusal = ({ reason }: AbortSignal): CodedError | undefined => (reason instanceof CodedError ? reason : undefined)

function noted(ctx: Context, error: CodedError | undefined): CodedError | undefined {
  if (error) ctx.state['code'] = error.code
  return error
}

/** How long a reader may take to read the last bytes while the process stops. */
const hurryMs = 1000

/** Ends the response. After half a page no event can follow: the reader drops the half and reconnects. */
async function finish(
  res: ServerResponse,
  writer: PacedWriter,
  signal: AbortSignal,
  stallMs: number,
  error: CodedError | undefined,
): Promise<void> {
  if (res.closed || !writer.isWhole()) return void res.destroy()
  const destroy = () => void res.destroy()
  const hurry = () => setTimeout(destroy, hurryMs).unref()
  const closed = new Promise((resolve) => res.once('close', resolve))
  res.end(error && `event: error\ndata: ${JSON.stringify(errorBody(error))}\n\n`)
  const patience = setTimeout(destroy, stallMs)
  if (signal.aborted) hurry()
  else signal.addEventListener('abort', hurry)
  await closed
  clearTimeout(patience)
}

/** Formats pages. A page that many readers get is formatted only once. */
export function createFormat(present: (item: StreamItem) => unknown): (page: StreamPage) => Buffer {
  const texts = new WeakMap<StreamPage, Buffer>()
  const eventOf = (item: StreamItem): string => {
    // Without an id the reader's last one stays (HTML, 9.2.6).
    const id = item.number === undefined ? '' : `id: ${item.number}\n`
    // A line break would end the data (HTML, 9.2.5); there are none.
    return `${id}event: ${item.kind}\ndata: ${writeJson(present(item))}\n\n`
  }
  return (page) => {
    const known = texts.get(page) ?? Buffer.from(page.map(eventOf).join(''))
    texts.set(page, known)
    return known
  }
}
