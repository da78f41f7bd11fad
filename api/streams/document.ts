import type { Context } from 'koa'
import type { TierName } from '../../src/billing/tiers.ts'
import type { Config } from '../../src/config/config.ts'
import { CodedError } from '../../src/errors.ts'
import type { Logger } from '../../src/logger.ts'
import type { OpenStreams } from './open-streams.ts'
import { createOutlet, type Outlet } from './outlet.ts'
import { goneSignal } from './reader.ts'

const pieces = Symbol('document')

/** Texts that make one JSON document together. */
type Write = () => AsyncIterable<string>

/** A handler returns this to send a document that may be larger than memory. */
export interface Document {
  [pieces]: Write
}

export const streamDocument = (write: Write): Document => ({ [pieces]: write })

export const isDocument = (answer: unknown): answer is Document =>
  typeof answer === 'object' && answer !== null && pieces in answer

/** Small pieces are sent together, up to about so many UTF-16 units. */
const together = 32 * 1024

/** What one document needs, and what all streams of the process share. */
interface Sending {
  config: Pick<Config, 'streams'>
  logger: Logger
  streams: OpenStreams
  party: string
  tier: TierName
  key: string
  admit: () => Promise<void>
}

/**
 * Sends a document at the pace of its reader, who is checked from time to time like that of a stream. What fails before
 * the first piece is an ordinary error reply. Afterwards the connection is cut, so that nobody takes a part for the whole.
 */
export async function sendDocument(ctx: Context, answer: Document, sending: Sending): Promise<void> {
  if (ctx.method === 'HEAD') return begin(ctx)
  const { streams, party, tier, key, admit } = sending
  const ending = new AbortController()
  const gone = goneSignal(ctx)
  gone.addEventListener('abort', () => ending.abort(gone.reason), { once: true })
  if (gone.aborted) ending.abort(gone.reason)
  const leave = streams.enter({ key, party, tier, admit, end: (cause) => ending.abort(cause) })
  try {
    await transmit(ctx, answer[pieces](), ending.signal, sending)
  } finally {
    leave()
  }
}

async function transmit(ctx: Context, texts: AsyncIterable<string>, signal: AbortSignal, sending: Sending) {
  const log = sending.logger.child({ requestId: ctx.state['requestId'] as string })
  let outlet: Outlet | undefined
  const open = (): Outlet => {
    begin(ctx)
    // Writing to a client that has just left is no failure.
    ctx.res.on('error', () => undefined)
    return createOutlet(ctx.res, signal, sending.config.streams.stallSeconds * 1000, () =>
      log.info('a document was cut off, because its reader stopped reading'),
    )
  }
  try {
    for await (const text of gathered(texts)) {
      outlet ??= open()
      if (!(await outlet.send(Buffer.from(text)))) break
    }
  } catch (error) {
    if (!outlet) throw error
    log.error({ err: error }, 'a document was cut off, because it could not be read to its end')
    ctx.state['code'] = error instanceof CodedError ? error.code : 'INTERNAL_ERROR'
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
  ctx.set({ 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' })
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
