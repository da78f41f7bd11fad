import type { RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The most requests in progress per connection. Pipelined requests that arrive together all start, and may all be
 * answered, in one turn of the event loop.
 */
const maxPipelined = 10

/** How long a client may take to read the end of a response, in milliseconds. */
const defaultAnswerMs = 5 * 60_000

/**
 * How long a refused client has to read the reason, in milliseconds. A silent client would never close the connection.
 */
const lastWordsMs = 1000

interface Limits {
  idleMs: number
  answerMs?: number | undefined
}

/**
 * Closes connections that are idle, do not read their response, or have too many requests in progress. A connection
 * that waits for a response stays open without limit. Returns a wrapper of `handle` that counts requests.
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

/** Closes the connection of a client that does not read, because its unread response stays in memory. */
function endInTime(response: ServerResponse, ms: number): void {
  response.once('prefinish', () => {
    const late = setTimeout(() => response.destroy(), ms).unref()
    response.once('close', () => clearTimeout(late))
  })
}

/** Sends the reason and closes the connection, even if the client keeps its own side open. */
export function endWith(socket: Socket, text: string): void {
  socket.end(text)
  const over = setTimeout(() => socket.destroy(), lastWordsMs).unref()
  socket.once('close', () => clearTimeout(over))
}
