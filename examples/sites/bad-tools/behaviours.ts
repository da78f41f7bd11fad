import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Schema } from '@cfworker/json-schema'

/** A complete tool call that gets a bad response. */
export interface BadCall {
  input: Record<string, unknown>
  response: ServerResponse
  /** The number of calls of this tool with this Idempotency-Key, including this one. */
  attempt: number
  /** Aborts when the caller disconnects or the site closes. */
  signal: AbortSignal
}

export interface Behaviour {
  description: string
  effect?: 'read' | 'idempotent' | 'once'
  input_schema: Schema & { type: 'object' }
  answer(call: BadCall): void | Promise<void>
}

const nothing = { type: 'object' as const, properties: {}, required: [] }
const slow = {
  type: 'object' as const,
  properties: {
    seconds: { type: 'number' as const, description: 'Seconds until the answer', minimum: 0, maximum: 600 },
  },
  required: ['seconds'],
}

/** One tool for each kind of failure. */
export const behaviours: Record<string, Behaviour> = {
  fail: {
    description: 'Always fails with status 500.',
    input_schema: nothing,
    answer: ({ response }) => sendJson(response, 500, { error: 'The database of this site is on fire.' }),
  },
  refuse: {
    description: 'Always refuses with status 403.',
    input_schema: nothing,
    answer: ({ response }) => sendJson(response, 403, { error: 'You may not use this tool.' }),
  },
  limit: {
    description: 'Always answers 429, too many requests.',
    input_schema: nothing,
    answer: ({ response }) =>
      sendJson(response, 429, { error: 'Too many requests. Wait 30 seconds.' }, { 'Retry-After': '30' }),
  },
  limit_first: {
    description: 'Answers 429 to the first calls with one Idempotency-Key. Must not be repeated otherwise.',
    effect: 'once',
    input_schema: {
      type: 'object',
      properties: {
        refusals: { type: 'number', description: 'How many calls are refused before one succeeds', minimum: 0 },
        seconds: { type: 'number', description: 'What Retry-After says', minimum: 0 },
        how: { type: 'string', description: 'Retry-After as seconds, or as a date', enum: ['seconds', 'date'] },
      },
      required: ['refusals', 'seconds'],
    },
    answer({ input, response, attempt }) {
      if (attempt > Number(input['refusals'])) return sendJson(response, 200, { attempts: attempt })
      const seconds = Number(input['seconds'])
      const date = new Date(Date.now() + seconds * 1000).toUTCString()
      const headers = { 'Retry-After': input['how'] === 'date' ? date : String(seconds) }
      sendJson(response, 429, { error: 'Too many requests.' }, headers)
    },
  },
  hang: {
    description: 'Never answers.',
    input_schema: nothing,
    answer: () => undefined,
  },
  slow_read: {
    description: 'Answers after some seconds. Changes nothing.',
    effect: 'read',
    input_schema: slow,
    answer: answerSlowly,
  },
  slow_once: {
    description: 'Answers after some seconds. Must not be repeated.',
    effect: 'once',
    input_schema: slow,
    answer: answerSlowly,
  },
  slow_idempotent: {
    description: 'Answers after some seconds. May be repeated.',
    effect: 'idempotent',
    input_schema: slow,
    answer: answerSlowly,
  },
  reset: {
    description: 'Closes the connection after it has read the request.',
    input_schema: nothing,
    answer: ({ response }) => cut(response),
  },
  flaky_read: {
    description: 'Fails on the first calls with one Idempotency-Key. Changes nothing.',
    effect: 'read',
    input_schema: {
      type: 'object',
      properties: {
        failures: { type: 'number', description: 'How many calls fail before one succeeds', minimum: 0 },
        how: { type: 'string', description: 'Fail with status 500, or close the connection', enum: ['status', 'cut'] },
      },
      required: ['failures'],
    },
    answer({ input, response, attempt }) {
      if (attempt > Number(input['failures'])) return sendJson(response, 200, { attempts: attempt })
      if (input['how'] === 'cut') return cut(response)
      sendJson(response, 500, { error: `Failure ${attempt} of ${String(input['failures'])}.` })
    },
  },
  not_object: {
    description: 'Answers with an array instead of an object.',
    input_schema: nothing,
    answer: ({ response }) => sendJson(response, 200, [1, 2, 3]),
  },
  not_json: {
    description: 'Answers with HTML.',
    input_schema: nothing,
    answer: ({ response }) => send(response, 200, 'text/html', '<!doctype html><title>Welcome</title>'),
  },
  not_utf8: {
    description: 'Answers with JSON that is not UTF-8.',
    input_schema: nothing,
    answer: ({ response }) =>
      send(response, 200, 'application/json', Buffer.from('{"text":"caf\u00e9 \u00ff\u00fe"}', 'latin1')),
  },
  too_large: {
    description: 'Answers with 2 MiB.',
    input_schema: nothing,
    answer: ({ response }) => sendJson(response, 200, { text: 'x'.repeat(2 * 1024 * 1024) }),
  },
  compressed_bomb: {
    description: 'Answers with 50 KB that unpack to 50 MB.',
    input_schema: nothing,
    answer: ({ response }) => send(response, 200, 'application/json', packBomb(), { 'Content-Encoding': 'gzip' }),
  },
  endless: {
    description: 'Answers with a body that never ends.',
    input_schema: nothing,
    answer: ({ response }) => sendForever(response),
  },
  redirect: {
    description: 'Redirects the call to another address.',
    input_schema: {
      type: 'object',
      properties: { location: { type: 'string', description: 'Where to', minLength: 1 } },
      required: ['location'],
    },
    answer: ({ input, response }) => {
      const location = encodeURI(String(input['location']))
      sendJson(response, 307, { error: 'The tool is elsewhere.' }, { Location: location })
    },
  },
  echo_text: {
    description: 'Returns the given text.',
    effect: 'read',
    input_schema: {
      type: 'object',
      properties: { text: { type: 'string', description: 'Any text' } },
      required: ['text'],
    },
    answer: ({ input, response }) => sendJson(response, 200, { text: input['text'] }),
  },
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  send(response, status, 'application/json', JSON.stringify(body), headers)
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer, headers = {}): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body), ...headers }).end(body)
}

const packBomb = () => gzipSync(`{"text":"${'x'.repeat(50_000_000)}"}`)

/**
 * The caller sees ECONNRESET, or the end of the connection without a response. Either way it does not know the
 * outcome.
 */
function cut(response: ServerResponse): void {
  response.socket?.destroy()
}

async function answerSlowly({ input, response, signal }: BadCall): Promise<void> {
  const seconds = Number(input['seconds'])
  await sleep(seconds * 1000, undefined, { signal })
  sendJson(response, 200, { waited: seconds })
}

/** Writes at the caller's pace until the caller gives up. */
function sendForever(response: ServerResponse): void {
  const chunk = 'x'.repeat(64 * 1024)
  const fill = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"text":"')
  response.on('drain', fill)
  fill()
}
