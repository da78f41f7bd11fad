import type { RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * How many requests a connection may have in progress, or have read together: those that come without waiting for answers
 * are all begun, and perhaps answered, in one turn of the event loop.
 */
const maxPipelined = 10

/** How long a client may take to read the end of an answer, in milliseconds. */
const defaultAnswerMs = 5 * 60_000

/** How long a refused client has to read why, in milliseconds. Its own silence would keep the connection for ever. */
const lastWordsMs = 1000

interface Limits {
  /** For how long a connection may be silent while no request is in progress. */
  idleMs: number
  answerMs?: number | undefined
}

/**
 * Sees to it that connections end, whatever their clients do: those on which nothing is in progress, those whose answer is
 * not read, and those with too many requests at once. Those that wait for an answer stay, however long it takes.
 * Returns what counts the requests of `handle`.
 */
export function limitConnections(server: Server, { idleMs, answerMs = defaultAnswerMs }: Limits) {
  const underWay = new WeakMap<Socket, number>()
  const count = (socket: Socket, more: number): number => {
    const now = (underWay.get(socket) ?? 0) + more
    underWay.set(socket, now)
    return now
  }
  server.setTimeout(idleMs, (socket: Socket) => {
    if (count(socket, 0) === 0) socket.destroy()
  })
  return (handle: RequestListener): RequestListener =>
    (request, response) => {
      const { socket } = request
      if (socket.destroyed) return
      if (count(socket, 1) > maxPipelined) {
        socket.destroy()
        return
      }
      response.once('close', () => setImmediate(() => count(socket, -1)))
      endInTime(response, answerMs)
      handle(request, response)
    }
}

/** What is written to a client that does not read is kept for it. */
function endInTime(response: ServerResponse, ms: number): void {
  response.once('prefinish', () => {
    const late = setTimeout(() => response.destroy(), ms).unref()
    response.once('close', () => clearTimeout(late))
  })
}

/** Says why the connection ends, and ends it also for a client that keeps its own side open. */
export function endWith(socket: Socket, text: string): void {
  socket.end(text)
  const over = setTimeout(() => socket.destroy(), lastWordsMs).unref()
  socket.once('close', () => clearTimeout(over))
}
