import * as v from 'valibot'
import type { Services } from '../src/services.ts'
import { callStatuses, type DirectToolCall } from '../src/tools/tool-call.ts'
import { route } from './route/route.ts'
import { id, pageOf, paging, text, time } from './schemas/schemas.ts'
import { effect } from './schemas/vault-schema.ts'

const listed = {
  id,
  tool: v.string(),
  effect,
  status: v.pipe(
    v.picklist(callStatuses),
    v.metadata({ description: 'unknown: the site may have acted, and its answer was lost' }),
  ),
  siteStatus: v.pipe(
    v.nullable(v.number()),
    v.metadata({ description: 'The HTTP status with which the site answered' }),
  ),
  idempotencyKey: v.pipe(
    v.nullable(v.string()),
    v.metadata({ description: 'The key under which it was requested; null without one, or if it is free again' }),
  ),
  attempts: v.number(),
  startedAt: time,
  endedAt: v.nullable(time),
}
const call = v.object({
  ...listed,
  arguments: v.pipe(v.string(), v.metadata({ description: 'The JSON text that was sent' })),
  result: v.pipe(
    v.nullable(v.string()),
    v.metadata({ description: 'The JSON text of the result, or a sentence about the failure' }),
  ),
})

const shared = { tag: 'vault', access: 'account', status: 200, codes: ['NOT_FOUND'] } as const

type Named = { services: Services; caller: { userId: string }; params: { entryId: string } }
const resource = ({ services, caller, params }: Named) => services.vault.get(caller.userId, params.entryId)

const present = ({ httpStatus, startedAt, plannedAt, ...row }: DirectToolCall) => ({
  ...row,
  siteStatus: httpStatus,
  startedAt: startedAt ?? plannedAt,
})

export const listCalls = route({
  ...shared,
  name: 'listCalls',
  method: 'get',
  path: '/vault/{entryId}/calls',
  summary: 'List the direct tool calls of a connected site, newest first',
  description: 'Only calls that were made by `POST …/call`; those of runs are on their timelines.',
  query: v.strictObject({ ...paging, idempotencyKey: v.optional(text(255)) }),
  response: pageOf(v.object(listed)),
  resource,
  async handle({ services, resource, query }) {
    const found = await services.tools.list(resource, query)
    return { ...found, items: found.items.map(present) }
  },
})

export const getCall = route({
  ...shared,
  name: 'getCall',
  method: 'get',
  path: '/vault/{entryId}/calls/{callId}',
  summary: 'Get a direct tool call: what was sent, and what is known of its outcome',
  response: call,
  resource,
  handle: async ({ services, resource, params }) => present(await services.tools.get(resource, params.callId)),
})
