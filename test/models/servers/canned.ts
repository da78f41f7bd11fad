import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import { event } from './scripted.ts'
import { serve } from './serve.ts'

/** An answer as JSON, or as the events of a stream. */
export type Canned = { json: unknown } | { events: { type: string }[] }

/** A provider that gives these answers one after the other, and the last one to all that follow. */
export async function startCanned(t: ExecutionContext, answers: Canned[]) {
  const bodies: Record<string, unknown>[] = []
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    bodies.push(JSON.parse(await text(request)) as Record<string, unknown>)
    const said = answers[Math.min(bodies.length, answers.length) - 1] ?? { json: {} }
    const isJson = 'json' in said
    response.writeHead(200, { 'content-type': isJson ? 'application/json' : 'text/event-stream' })
    response.end(isJson ? JSON.stringify(said.json) : said.events.map(named).join(''))
  }
  return { bodies, url: await serve(t, answer) }
}

const named = (data: { type: string }): string => `event: ${data.type}\n${event(data)}`
