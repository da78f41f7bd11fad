import type { Context } from 'koa'
import { CodedError } from '../../src/errors.ts'

/** Aborts when the client is gone before it has the whole response. */
export function goneSignal({ res }: Pick<Context, 'res'>): AbortSignal {
  const gone = new AbortController()
  const leave = () => {
    if (!res.writableFinished) gone.abort(new CodedError('STREAM_ABORTED'))
  }
  if (res.closed) leave()
  else res.once('close', leave)
  return gone.signal
}
