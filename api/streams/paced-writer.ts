import type { ServerResponse } from 'node:http'

/** How much is written at a time, and therefore buffered for a reader that does not read. */
const sliceBytes = 64 * 1024

/**
 * Writes to one reader at its pace. `send` returns true when the connection can take more, and false when it cannot:
 * the reader is gone, the signal has aborted, or the reader read nothing for `stallMs` and was cut off. `isWhole` says
 * whether every page was written completely. `beat` writes a comment if nothing else is in flight (HTML, 9.2.7).
 */
export function createPacedWriter(res: ServerResponse, signal: AbortSignal, stallMs: number, onStall: () => void) {
  let whole = true

  async function send(bytes: Buffer): Promise<boolean> {
    if (signal.aborted) return false
    whole = false
    for (let at = 0; at < bytes.length; at += sliceBytes) {
      if (signal.aborted) return false
      if (!res.write(bytes.subarray(at, at + sliceBytes)) && !(await drained())) return false
    }
    whole = true
    return true
  }

  const drained = (): Promise<boolean> =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(patience)
        res.off('drain', done)
        signal.removeEventListener('abort', done)
        resolve(!signal.aborted)
      }
      // A destroyed connection closes, which aborts the signal.
      const patience = setTimeout(() => {
        onStall()
        res.destroy()
      }, stallMs)
      res.once('drain', done)
      signal.addEventListener('abort', done)
    })

  return {
    send,
    isWhole: () => whole,
    beat: () => {
      if (whole && res.writableLength === 0) res.write(':\n\n')
    },
  }
}

export type PacedWriter = ReturnType<typeof createPacedWriter>
