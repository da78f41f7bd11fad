import * as v from 'valibot'
import { shownResult } from '../src/tools/shown-call.ts'
import { JsonText } from '../src/json-text.ts'
import { callStatuses, type DirectToolCall } from '../src/tools/tool-call.ts'
import { route } from './route/route.ts'
import { anyJson, field, named, whole } from './schemas/documented.ts'
import { id, pageOf, paging, text, time } from './schemas/schemas.ts'
import { effect } from './schemas/vault-schema.ts'
import { entryNamed as resource } from './route/resources.ts'

const listed = {
  id,
  tool: field(v.string(), 'The name of the tool', 'issues.createIssue'),
  effect,
  status: named(
    'ToolCallStatus',
    v.picklist(callStatuses),
    'unknown: the site may have acted, and its answer was lost',
    'succeeded',
  ),
  siteStatus: field(v.nullable(whole), 'The HTTP status with which the site answered', 200),
  idempotencyKey: field(
    v.nullable(v.string()),
    'The key under which it was requested; null without one, or if it is free again',
    'order-4711',
  ),
  attempts: field(whole, 'How often it was sent', 1),
  startedAt: field(time, 'When it was sent'),
  endedAt: field(v.nullable(time), 'When its outcome was known'),
}
const listedCall = named('ToolCallSummary', v.object(listed), 'A direct tool call in a list')
const ofOne = v.object({
  ...listed,
  arguments: field(anyJson, 'The arguments as they were sent', { query: 'export' }),
  result: field(anyJson, 'The result. A sentence if the call failed; null if there is no readable result', {
    issues: [],
  }),
})
const call = named('ToolCall', ofOne, 'A tool call that a user made, without an agent')

const shared = { tag: 'vault', access: 'account', status: 200, codes: ['NOT_FOUND'] } as const

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
  query: v.strictObject({ ...paging, idempotencyKey: v.optional(field(text(255), 'Only the call under this key')) }),
  response: pageOf(listedCall),
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
  description: 'For 90 days, also after its answer was lost.',
  response: call,
  resource,
  handle: async ({ services, resource, params }) => {
    const row = await services.tools.get(resource, params.callId)
    return { ...present(row), arguments: new JsonText(row.arguments), result: shownResult(row) }
  },
})
