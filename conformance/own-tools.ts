import { setTimeout as delay } from 'node:timers/promises'
import type { Json } from './client.ts'

export interface Reply {
  status?: number
  headers?: Record<string, string>
  body: unknown
}

export interface OwnTool {
  name: string
  description: string
  scope: 'read' | 'write' | 'delete' | 'admin'
  effect: 'read' | 'once'
  input_schema: Json
  answer: (input: Json) => Reply | Promise<Reply>
}

const nothing = { type: 'object', properties: {}, required: [] }

/** The Retry-After value for this many seconds (RFC 9110, 10.2.3). */
const waitOf = (seconds: number, asDate: boolean): string =>
  asDate ? new Date(Date.now() + seconds * 1000).toUTCString() : String(seconds)

/** A call takes long enough to detect two simultaneous ones. */
const arrivalMs = 300

/** The tools of the checker's own sites: one per scope, and one per kind of failure. */
export const ownTools: OwnTool[] = [
  {
    name: 'search_things',
    description: 'Search things by words.',
    scope: 'read',
    effect: 'read',
    input_schema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What to look for' },
        status: { type: 'string', description: 'Only things in this state', enum: ['open', 'closed'] },
        limit: { type: 'number', description: 'How many' },
      },
      required: ['query'],
    },
    answer: () => ({
      body: { results: [{ id: 1, title: 'A thing', status: 'open', assignee: 'ada', created: '2026-11-21' }] },
    }),
  },
  {
    name: 'things.createThing',
    description: 'Create a thing.',
    scope: 'write',
    effect: 'once',
    input_schema: {
      type: 'object',
      properties: { title: { type: 'string', description: 'Its title' } },
      required: ['title'],
    },
    answer: () => ({ body: { id: 2 } }),
  },
  {
    name: 'record_arrival',
    description: 'Record that something arrived.',
    scope: 'write',
    effect: 'once',
    input_schema: {
      type: 'object',
      properties: { number: { type: 'number', description: 'Its number' } },
      required: ['number'],
    },
    async answer({ number }) {
      await delay(arrivalMs)
      return { body: { number } }
    },
  },
  {
    name: 'answer_with',
    description: 'Answer with a status.',
    scope: 'write',
    effect: 'once',
    input_schema: {
      type: 'object',
      properties: {
        status: { type: 'number', description: 'The status' },
        retryAfter: { type: 'number', description: 'What Retry-After says, in seconds' },
        asDate: { type: 'boolean', description: 'Whether it says so as a date' },
      },
      required: ['status'],
    },
    answer: ({ status, retryAfter, asDate }) => ({
      status: Number(status),
      headers: typeof retryAfter === 'number' ? { 'retry-after': waitOf(retryAfter, asDate === true) } : {},
      body: { error: `This tool is set to answer ${Number(status)}.` },
    }),
  },
  {
    name: 'answer_text',
    description: 'Answer with this text instead of a JSON object.',
    scope: 'read',
    effect: 'read',
    input_schema: {
      type: 'object',
      properties: { text: { type: 'string', description: 'The whole body' } },
      required: ['text'],
    },
    answer: ({ text }) => ({ body: String(text) }),
  },
  {
    name: 'delete_thing',
    description: 'Delete a thing.',
    scope: 'delete',
    effect: 'once',
    input_schema: nothing,
    answer: () => ({ body: { deleted: true } }),
  },
  {
    name: 'change_settings',
    description: 'Change the settings.',
    scope: 'admin',
    effect: 'once',
    input_schema: nothing,
    answer: () => ({ body: { changed: true } }),
  },
]
