import type { Context } from 'koa'
import { CodedError } from '../../src/errors.ts'

/** Aborts if the client disconnects before it has the whole response. */
export function goneSignal({ res }: Pick<Context, 'res'>): AbortSignal {
  const gone = new AbortController()
  const leave = () => {
    if (!res.writableFinished) gone.abort(new CodedError('STREAM_ABORTED'))
  }
  if (res.closed) leave()
  else res.once('close', leave)
  return gone.signal
}

/** Whether the client prefers CSV to JSON (RFC 9110, 12.5.1). */
export const asksForCsv = (ctx: Context): boolean => ctx.accepts('application/json', 'text/csv') === 'text/csv'

/** Whether the client prefers a stream to JSON (RFC 9110, 12.5.1). A client that names neither gets JSON. */
export const asksForStream = (ctx: Context): boolean =>
  ctx.accepts('application/json', 'text/event-stream') === 'text/event-stream'
