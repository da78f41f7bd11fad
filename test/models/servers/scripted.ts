import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import { resultsBefore, type Turn } from '../turns.ts'
import { serve } from './serve.ts'

/** How a provider writes an answer, streamed and not. */
export interface Format {
  streams: (path: string, body: string) => boolean
  whole: (turn: Turn) => unknown
  type: string
  stream: (turn: Turn) => (string | Uint8Array)[]
}

/** A provider that says the turn which follows the results that the request holds. */
export async function startScripted(t: ExecutionContext, format: Format, turns: Turn[]): Promise<string> {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const turn = turns[resultsBefore.indexOf(body.split('<<<untrusted result ').length - 1)]
    if (!turn) return void response.writeHead(400).end('{}')
    if (!format.streams(request.url ?? '', body)) {
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(format.whole(turn)))
    }
    response.writeHead(200, { 'content-type': format.type })
    for (const chunk of format.stream(turn)) response.write(chunk)
    response.end()
  }
  return serve(t, answer)
}

export const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`

/** The text in pieces, as models write it. */
export const pieces = (whole: string): string[] => whole.match(/[^]{1,7}/gu) ?? []
