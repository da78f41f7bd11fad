import type { Context } from 'koa'
import type { Allowance } from '../../src/billing/allowances.ts'
import type { Config } from '../../src/config/config.ts'
import { CodedError } from '../../src/errors.ts'
import type { Logger } from '../../src/logger.ts'
import { noteFailure } from '../failures.ts'
import type { OpenStreams } from './open-streams.ts'
import { createPacedWriter, type PacedWriter } from './paced-writer.ts'
import { goneSignal } from './reader.ts'

const pieces = Symbol('document')

/** Yields the pieces of one JSON document. */
type Write = () => AsyncIterable<string>

/** Releases the resources of the document, even if none of it was sent. */
type End = () => Promise<void>

/** A handler returns this to send a document that may be larger than memory. */
export interface Document {
  [pieces]: Write
  end: End
}

export const streamDocument = (write: Write, end: End): Document => ({ [pieces]: write, end })

export const isDocument = (answer: unknown): answer is Document =>
  typeof answer === 'object' && answer !== null && pieces in answer

/** Small pieces are sent together, up to about this many UTF-16 units. */
const together = 32 * 1024

/** The dependencies of one document, and the state that all streams of the process share. */
interface Sending {
  config: Pick<Config, 'streams'>
  logger: Logger
  streams: OpenStreams
  party: string
  allowance: Allowance
  key: string
  admit: () => Promise<void>
}

/** A document that was admitted as a stream. The caller must always call `close`. */
export interface OpenDocument {
  send: () => Promise<void>
  close: () => Promise<void>
}

/**
 * Opens a document, or fails with RATE_LIMITED before anything is sent. The document is sent at the pace of its
 * reader, whose access is checked periodically and once more before the end. Errors before the first piece are normal
 * error responses. Later errors cut the connection, so that nobody mistakes a part for the whole.
 */
export async function openDocument(ctx: Context, answer: Document, sending: Sending): Promise<OpenDocument> {
  const { streams, party, allowance, key, admit } = sending
  const ending = new AbortController()
  const gone = goneSignal(ctx)
  gone.addEventListener('abort', () => ending.abort(gone.reason), { once: true })
  if (gone.aborted) ending.abort(gone.reason)
  const enter = () => streams.enter({ key, party, allowance, admit, end: (cause) => ending.abort(cause) })
  try {
    const leave = enter()
    const close = () => answer.end().finally(leave)
    return { send: () => transmit(ctx, answer[pieces](), ending.signal, sending), close }
  } catch (error) {
    await answer.end()
    throw error
  }
}

/** The response to HEAD. Reads nothing and takes no turn. */
export const sendDocumentHead = (ctx: Context): void => begin(ctx)

async function transmit(ctx: Context, texts: AsyncIterable<string>, signal: AbortSignal, sending: Sending) {
  let writer: PacedWriter | undefined
  const open = (): PacedWriter => {
    begin(ctx)
    // Writing to a client that has just disconnected is not a failure.
    ctx.res.on('error', () => undefined)
    return createPacedWriter(ctx.res, signal, sending.config.streams.stallSeconds * 1000, () =>
      sending.logger.info('closed a response because its reader stopped reading'),
    )
  }
  try {
    for await (const text of admittedAtTheEnd(gathered(texts), sending.admit)) {
      writer ??= open()
      if (!(await writer.send(Buffer.from(text)))) break
    }
  } catch (error) {
    if (!writer) throw error
    ctx.state['code'] = noteFailure(sending.logger, error, 'a document was cut off before its end').code
    ctx.res.destroy()
    return
  }
  if (signal.reason instanceof CodedError) ctx.state['code'] = signal.reason.code
  if (signal.aborted) ctx.res.destroy()
  else ctx.res.end()
}

function begin(ctx: Context): void {
  ctx.respond = false
  ctx.status = 200
  ctx.type = 'json'
  // nginx, and proxies that follow it, do not buffer a response with this header.
  ctx.set({ 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' })
  if (ctx.method === 'HEAD') ctx.res.end()
}

async function* gathered(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let waiting = ''
  for await (const text of texts) {
    waiting += text
    if (waiting.length < together) continue
    yield waiting
    waiting = ''
  }
  if (waiting !== '') yield waiting
}

/**
 * Holds back the last piece until the reader's access is checked, because reads after the loss of a permission may be
 * incomplete.
 */
async function* admittedAtTheEnd(texts: AsyncIterable<string>, admit: Sending['admit']): AsyncGenerator<string> {
  let last: string | undefined
  for await (const text of texts) {
    if (last !== undefined) yield last
    last = text
  }
  await admit()
  if (last !== undefined) yield last
}
