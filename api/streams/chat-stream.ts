import type { Context } from 'koa'
import type { Allowance } from '../../src/billing/allowances.ts'
import type { Announced } from '../../src/chat/chat.ts'
import { failureParts, type ChatPart } from '../../src/chat/parts.ts'
import type { Config } from '../../src/config/config.ts'
import type { CodedError } from '../../src/errors.ts'
import type { Logger } from '../../src/logger.ts'
import { noteFailure } from '../failures.ts'
import { goneSignal } from './reader.ts'
import type { OpenStreams } from './open-streams.ts'
import { createPacedWriter, type PacedWriter } from './paced-writer.ts'

/** Writes the parts of an answer. Throws errors that occur before the first part. */
type WriteChat = (sink: (part: ChatPart) => Promise<void>, gone: AbortSignal) => Promise<void>

/** How long a reader has to read the end of its stream while the process shuts down. */
const hurrySeconds = 3

const chatStream = Symbol('chat stream')

/** An answer, and the headers that its reader gets before the first part. */
interface Streamed extends Announced {
  stream: WriteChat
}

/** Creates the answer after its stream has been admitted, so that no answer is written for a refused stream. */
type Begin = () => Streamed | Promise<Streamed>

/** A handler returns this to stream an answer. */
export interface ChatStream {
  [chatStream]: Begin
}

export const streamChat = (begin: Begin): ChatStream => ({ [chatStream]: begin })

export const isChatStream = (answer: unknown): answer is ChatStream =>
  typeof answer === 'object' && answer !== null && chatStream in answer

/** The dependencies of one stream, and the state that all streams of the process share. */
interface Streaming {
  config: Pick<Config, 'streams' | 'shutdownSeconds'>
  logger: Logger
  streams: OpenStreams
  /** The owner of the stream. */
  party: string
  allowance: Allowance
  /** Streams of one key are checked together. */
  key: string
  admit: () => Promise<void>
}

/**
 * Sends the AI SDK's UI message stream: one `data:` per part, `[DONE]` at the end. Headers are sent with the first
 * part, which has the id of the answer, or after a second at the latest. Earlier errors are normal error responses.
 * The writer waits while the reader does not read.
 */
export async function sendChatStream(ctx: Context, answer: ChatStream, streaming: Streaming): Promise<void> {
  const { config, streams, party, allowance, key, admit } = streaming
  // HEAD is only for answers in progress, and has no body.
  if (ctx.method === 'HEAD') return sendHeaders(ctx, await answer[chatStream]())
  const gone = goneSignal(ctx)
  const ending = new AbortController()
  // No cause means that the process is shutting down, so answers may finish (docs/operate/upgrade.md). A reader that
  // does not read the end of its stream is then cut off.
  let cut: NodeJS.Timeout | undefined
  const end = (cause?: CodedError) => {
    if (cause) ending.abort(cause)
    else cut ??= setTimeout(() => ctx.res.destroy(), (config.shutdownSeconds + hurrySeconds) * 1000).unref()
  }
  gone.addEventListener('abort', () => ending.abort(gone.reason), { once: true })
  if (gone.aborted) ending.abort(gone.reason)
  const leave = streams.enter({ key, party, allowance, admit, end })
  try {
    await transmit(ctx, await answer[chatStream](), ending.signal, streaming)
  } finally {
    clearTimeout(cut)
    leave()
  }
}

async function transmit(
  ctx: Context,
  { stream, start, startMs, resumeId }: Streamed,
  signal: AbortSignal,
  { config, logger }: Streaming,
): Promise<void> {
  const { stallSeconds, keepAliveSeconds } = config.streams
  let writer: PacedWriter | undefined
  let beat: NodeJS.Timeout | undefined
  let failure: CodedError | undefined
  const open = (): PacedWriter => {
    begin(ctx, resumeId)
    const opened = createPacedWriter(ctx.res, signal, stallSeconds * 1000, () =>
      logger.info('closed a stream because its reader stopped reading'),
    )
    beat = setInterval(opened.beat, keepAliveSeconds * 1000)
    return opened
  }
  const send = async (part: ChatPart) => {
    // The headers may already have announced the answer.
    if (writer && part.type === 'start') return
    writer ??= open()
    await writer.send(frame(JSON.stringify(part)))
  }
  const patience = setTimeout(() => void (signal.aborted || send(start)), startMs)
  try {
    await stream(send, signal)
  } catch (error) {
    if (!writer) throw refusalIn(signal) ?? error
    if (!signal.aborted) failure = noteFailure(logger, error, 'a chat stream failed')
  } finally {
    clearTimeout(patience)
    clearInterval(beat)
  }
  if (signal.aborted) ctx.state['code'] = (signal.reason as CodedError).code
  if (writer?.isWhole() !== true || ctx.res.closed) return void ctx.res.destroy()
  const cause = refusalIn(signal) ?? failure
  if (cause) ctx.state['code'] = cause.code
  if (cause) for (const part of failureParts(cause)) ctx.res.write(frame(JSON.stringify(part)))
  ctx.res.end(frame('[DONE]'))
}

/** The error that ended the stream because the reader lost access. */
function refusalIn({ aborted, reason }: AbortSignal): CodedError | undefined {
  const error = aborted ? (reason as CodedError) : undefined
  return error?.code === 'STREAM_ABORTED' ? undefined : error
}

const frame = (data: string): Buffer => Buffer.from(`data: ${data}\n\n`)

function sendHeaders(ctx: Context, { resumeId }: Streamed): void {
  begin(ctx, resumeId)
  ctx.res.end()
}

function begin(ctx: Context, resumeId: string | undefined): void {
  ctx.respond = false
  ctx.status = 200
  // Writing to a client that has just disconnected is not a failure; 'close' reports the end of the stream.
  ctx.res.on('error', () => undefined)
  ctx.set({
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-cache, no-transform',
    // nginx, and proxies that follow it, do not buffer a response with this header.
    'X-Accel-Buffering': 'no',
    'x-vercel-ai-ui-message-stream': 'v1',
    // The transport of assistant-ui resumes only streams with this header.
    ...(resumeId !== undefined && { 'x-resumable-stream-id': resumeId }),
  })
  ctx.res.flushHeaders()
}
